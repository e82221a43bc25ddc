//! What the blocks of a grid cost, kept until the last one has exited. Only where code counts ([`hotfire_jit::Options::costs`]).

use super::block::Block;
use hotfire_trace::log::BlockCost;
use parking_lot::Mutex;

/// By block; nothing for those that have not exited.
#[derive(Debug)]
pub struct Costs(Mutex<Vec<Option<BlockCost>>>);

impl Costs {
    /// Of a grid of so many blocks.
    pub fn new(blocks: u64) -> Self {
        Self(Mutex::new(vec![None; blocks as usize]))
    }

    /// All of them; none are left.
    pub fn take(&self) -> Vec<Option<BlockCost>> {
        std::mem::take(&mut self.0.lock())
    }
}

impl Block {
    /// The block is over: keeps what it cost.
    pub fn tell_costs(&self) {
        // SAFETY: the worker drives the block, which was set.
        let costs = unsafe { &Self::code(self).costs };
        let Some(costs) = costs else { return };
        let counted = self.context.costs;
        let cost = BlockCost {
            cycles: counted.cycles,
            instructions: counted.instructions,
            read: counted.read,
            written: counted.written,
            trigger: self.trigger_at,
            wait: self.wait_at,
        };
        if let Some(slot) = costs.0.lock().get_mut(self.index as usize) {
            *slot = Some(cost);
        }
    }
}
