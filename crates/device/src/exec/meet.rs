//! Barriers and `bar.warp.sync` as happens-before sees them: who meets whom.

use super::barrier::bits;
use super::block::{Block, LANES};
use super::fiber::{Fiber, Queue};
use hotfire_check::Party;
use hotfire_jit::abi::stamp;

/// Who a waiting thread is, and its time.
///
/// # Safety
/// The fiber is live.
unsafe fn party(fiber: *mut Fiber) -> Party {
    // SAFETY: the caller's promise.
    unsafe { Party { thread: (*fiber).context.linear as u16, time: (*fiber).context.segment } }
}

impl Block {
    /// A barrier lets go those who waited and the one who completed it (if not null); `whole` if all live threads of the block met.
    ///
    /// # Safety
    /// The fibers are live.
    pub unsafe fn order_barrier(&mut self, id: u32, whole: bool, leaving: &Queue, last: *mut Fiber) {
        // SAFETY: the worker holds the checker while it runs blocks.
        let (Some(order), Some(checker)) = (self.order.as_deref_mut(), unsafe { self.checker.as_mut() }) else {
            return;
        };
        let leaving = || leaving.iter().chain((!last.is_null()).then_some(last));
        let time = if whole && !order.has_individual() {
            order.barrier(checker, &[])
        } else {
            // SAFETY: the caller's promise.
            let parties: Vec<Party> = leaving().map(|fiber| unsafe { party(fiber) }).collect();
            if whole {
                order.barrier(checker, &parties)
            } else {
                let passed = order.take_passed(id);
                let arrived: Vec<Party> = parties.iter().copied().chain(passed).collect();
                order.some_meet(checker, &arrived, &parties)
            }
        };
        self.context.met = u64::from(order.met()) << stamp::TIME;
        for fiber in leaving() {
            // SAFETY: the caller's promise.
            unsafe { (*fiber).context.segment = time };
        }
    }

    /// A thread arrives at a barrier and goes on: what it does from now on is not what those who wait learn of.
    ///
    /// # Safety
    /// The fiber runs a thread of this block.
    pub unsafe fn order_arrival(&mut self, fiber: *mut Fiber, id: u32) {
        // SAFETY: as in `order_barrier`.
        let (Some(order), Some(checker)) = (self.order.as_deref_mut(), unsafe { self.checker.as_mut() }) else {
            return;
        };
        // SAFETY: the caller's promise.
        unsafe { (*fiber).context.segment = order.pass(checker, id, party(fiber)) };
    }

    /// Lanes of a warp meet.
    ///
    /// # Safety
    /// The fibers of the lanes that arrived are live.
    pub unsafe fn order_warp(&mut self, warp: usize, arrived: u32, lanes: &[*mut Fiber; LANES]) {
        let whole = self.warps[warp].live & !arrived == 0;
        // SAFETY: as in `order_barrier`.
        let (Some(order), Some(checker)) = (self.order.as_deref_mut(), unsafe { self.checker.as_mut() }) else {
            return;
        };
        let mut parties = [Party { thread: 0, time: 0 }; LANES];
        let mut count = 0;
        for lane in bits(arrived) {
            // SAFETY: the caller's promise.
            parties[count] = unsafe { party(lanes[lane]) };
            count += 1;
        }
        let time = order.warp_barrier(checker, &parties[..count], whole);
        for lane in bits(arrived) {
            // SAFETY: the caller's promise.
            unsafe { (*lanes[lane]).context.segment = time };
        }
    }
}
