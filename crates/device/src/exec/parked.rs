//! A block between two turns, owned.

use super::block::Block;
use super::grid::GridCode;
use super::region;
use std::ptr::NonNull;
use std::sync::Arc;

/// Why a block is parked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Some of its threads let others run.
    Yields,
    /// Its threads wait for other grids, or for those that do.
    Depends,
    /// Every thread waits for others of the block that will not come.
    Stuck,
}

/// A parked block, owned.
#[derive(Debug)]
pub struct BlockHandle {
    block: NonNull<Block>,
    rest: Rest,
}

// SAFETY: the threads of a parked block are suspended, and generated code depends on no host thread.
unsafe impl Send for BlockHandle {}

impl BlockHandle {
    /// Parks a block that has a `keep`.
    pub fn new(block: Box<Block>, rest: Rest) -> Self {
        debug_assert!(block.keep.is_some());
        Self { block: NonNull::from(Box::leak(block)), rest }
    }

    /// The block, to run on.
    pub fn into_block(self) -> Box<Block> {
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: leaked by `new`, and only this handle knows it.
        unsafe { Box::from_raw(this.block.as_ptr()) }
    }

    fn get(&self) -> &Block {
        // SAFETY: as above; nothing runs the block.
        unsafe { self.block.as_ref() }
    }

    /// Looks into the block.
    pub fn inspect<R>(&self, look: impl FnOnce(&Block) -> R) -> R {
        look(self.get())
    }

    /// Why it is parked.
    pub fn rest(&self) -> Rest {
        self.rest
    }

    /// Every thread that could go on looks as it did before.
    pub fn unchanged(&self) -> bool {
        self.get().unchanged
    }

    pub fn index(&self) -> u64 {
        self.get().index
    }

    pub fn grid(&self) -> &Arc<GridCode> {
        self.get().keep.as_ref().expect("a parked block keeps its grid")
    }
}

impl Drop for BlockHandle {
    fn drop(&mut self) {
        // SAFETY: as in `into_block`; a handle is dropped once.
        let mut block = unsafe { Box::from_raw(self.block.as_ptr()) };
        let Some(regions) = region::existing() else { return };
        let class = block.class;
        // SAFETY: the threads of a parked block are suspended.
        unsafe { block.abandon(|fiber| regions.stacks.give(class, std::iter::once(fiber))) };
    }
}
