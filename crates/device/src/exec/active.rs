//! `activemask` (PTX ISA): which lanes of the warp are at the same instruction together.
//!
//! Any answer that has the asking lane in it is legal, since lanes need not run in lockstep. Programs hope for all lanes that took the
//! same path, as hardware mostly gives; so a lane that asks waits until nobody else in its block can go on.

use super::barrier::bits;
use super::block::{Block, LANES, THREADS};

impl Block {
    /// Answers the threads that ask who is active, once nobody else can go on but by yielding: those of one warp that ask at the
    /// same place are active together. False if none asks.
    pub fn answer(&mut self) -> bool {
        if self.asking.len() == 0 {
            return false;
        }
        // SAFETY: members of the queue and of the table are live; those that ask are on the table.
        unsafe {
            for fiber in self.asking.iter() {
                if (*fiber).result != 0 {
                    continue;
                }
                let first = (*fiber).context.linear as usize / LANES * LANES;
                let warp = &self.lanes[first % THREADS..][..LANES];
                let together =
                    |lane: &usize| !warp[*lane].is_null() && (*warp[*lane]).active_site == (*fiber).active_site;
                let mask = (0..LANES).filter(together).fold(0u64, |mask, lane| mask | 1 << lane);
                for lane in bits(mask as u32) {
                    (*warp[lane]).result = mask;
                }
            }
            self.asking.iter().for_each(|fiber| (*fiber).active_site = 0);
        }
        self.ready.append(&mut self.asking);
        true
    }
}
