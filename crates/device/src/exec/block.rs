//! One block: placeholder until the scheduler lands.
use super::grid::GridCode;
use std::sync::Arc;

#[derive(Debug)]
pub struct BlockHandle(std::ptr::NonNull<()>);

impl BlockHandle {
    pub fn stuck(&self) -> bool {
        unimplemented!()
    }
    pub fn index(&self) -> u64 {
        unimplemented!()
    }
    pub fn grid(&self) -> &Arc<GridCode> {
        unimplemented!()
    }
}

// SAFETY: placeholder.
unsafe impl Send for BlockHandle {}
