//! Threads that let others run: their loop burnt its fuel, or they asked to sleep.
//!
//! Such a thread may compute, or wait for what another block, the host or a child grid writes. The first should keep its worker,
//! the second should give way at once; a look at the threads' state tells them apart, well enough for good use of workers.

use super::block::Block;
use super::fiber::Fiber;

impl Block {
    /// Gives the threads that let others run their next turn. False if there are none, or if they are ready but another block
    /// should come first: nothing changed in the last round, or there were `most` rounds.
    pub fn turn_round(&mut self, most: u32) -> bool {
        if self.yielded.len() == 0 {
            return false;
        }
        self.look();
        self.rounds += 1;
        self.ready.append(&mut self.yielded);
        !self.unchanged && self.rounds < most
    }

    /// Looks whether the threads that let others run have moved since the last look: their stacks, registers included, tell.
    /// What they store they may store for ever; a loop whose state does not change leaves only by what others do.
    fn look(&mut self) {
        let mut hash = u64::from(self.live);
        for fiber in self.yielded.iter() {
            // SAFETY: the fiber is suspended, and its stack lies between the mark and itself; below the mark lies what the
            // switch saved.
            unsafe {
                let start = ((*fiber).at & !7).saturating_sub(256).max(Fiber::stack(fiber).start);
                let words = std::slice::from_raw_parts(start as *const u64, (fiber as u64 - start) as usize / 8);
                for &word in words {
                    hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
                }
            }
        }
        self.unchanged = hash == self.likeness;
        self.likeness = hash;
    }
}
