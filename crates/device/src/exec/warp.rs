//! Warp collectives: who takes part, and when it is complete.
//!
//! Lanes run independently. A lane that comes to `bar.warp.sync`, `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync` or
//! `elect.sync` waits until all lanes of its member mask that did not exit have come to one with the same qualifiers and the
//! same mask (PTX ISA, `shfl.sync`), from whatever place in the code. Several groups with different masks may be under way in one
//! warp. The last lane to arrive computes everybody's result and goes on without a switch.

use super::barrier::bits;
use super::block::{Block, LANES};
use super::collective;
use super::fiber::Fiber;

/// One warp of a block.
pub struct Warp {
    /// Lanes that did not exit, those not started included.
    pub live: u32,
    count: u32,
    groups: [Group; LANES],
}

#[derive(Clone, Copy)]
struct Group {
    mask: u32,
    /// What they do; see [`collective`].
    key: u32,
    arrived: u32,
}

impl Warp {
    pub const NEW: Warp = Warp { live: 0, count: 0, groups: [Group { mask: 0, key: 0, arrived: 0 }; LANES] };

    /// Whether lanes wait at collectives.
    pub fn waits(&self) -> bool {
        self.count > 0
    }

    /// Lanes that wait, group by group.
    pub fn arrived(&self) -> impl Iterator<Item = u32> + '_ {
        self.groups[..self.count as usize].iter().map(|group| group.arrived)
    }

    /// Where the group that does `key` by `mask` is; begins one if there is none.
    #[inline(always)]
    fn find(&mut self, mask: u32, key: u32) -> usize {
        let count = self.count as usize;
        let mut at = 0;
        while at < count {
            if self.groups[at % LANES].mask == mask && self.groups[at % LANES].key == key {
                return at;
            }
            at += 1;
        }
        // A lane waits in one group at most, so there is room.
        self.groups[at % LANES] = Group { mask, key, arrived: 0 };
        self.count += 1;
        at
    }

    /// Forgets all groups.
    pub fn clear(&mut self) {
        self.count = 0;
    }
}

impl Block {
    /// The thread of `fiber` comes to a collective, its operands stored in the fiber. True if that completed it; else the
    /// thread must suspend. Its own lane must be in `mask`.
    ///
    /// # Safety
    /// `fiber` runs a thread of this block.
    pub unsafe fn gather(&mut self, fiber: *mut Fiber, key: u32, mask: u32) -> bool {
        // SAFETY: the caller's promise.
        let linear = unsafe {
            self.know(fiber);
            (*fiber).context.linear as usize
        };
        let (index, lane) = (linear / LANES % 32, linear % LANES);
        let warp = &mut self.warps[index];
        let at = warp.find(mask, key);
        let group = &mut warp.groups[at];
        group.arrived |= 1 << lane;
        if mask & warp.live & !group.arrived != 0 {
            return false;
        }
        // SAFETY: the caller's promise.
        unsafe { self.complete(index, at, Some(lane), fiber) };
        true
    }

    /// Gives the lanes of a group their results and lets them go on; `running` is the lane that needs no waking.
    ///
    /// # Safety
    /// This runs on `fiber`.
    unsafe fn complete(&mut self, index: usize, at: usize, running: Option<usize>, fiber: *mut Fiber) {
        let warp = &mut self.warps[index];
        let Group { key, arrived, .. } = warp.groups[at];
        warp.count -= 1;
        warp.groups[at] = warp.groups[warp.count as usize];
        let first = index * LANES;
        let lanes: &[*mut Fiber; LANES] = self.lanes[first..first + LANES].try_into().expect("whole warps");
        // SAFETY: lanes that arrived wait (or run this), so the table has their live fibers.
        unsafe { collective::compute(key, arrived, lanes, fiber) };
        if key == collective::SYNC && self.order.is_some() {
            let lanes = *lanes;
            // SAFETY: as above.
            unsafe { self.order_warp(index, arrived, &lanes) };
        }
        let lanes: &[*mut Fiber; LANES] = self.lanes[first..first + LANES].try_into().expect("whole warps");
        for lane in bits(arrived).filter(|&lane| Some(lane) != running) {
            // SAFETY: as above; waiting at a collective, the fiber is in no queue.
            unsafe { self.ready.push(lanes[lane]) };
        }
    }

    /// A lane of warp `index` exited, that of `fiber`: collectives that waited for it may be complete now.
    ///
    /// # Safety
    /// This runs on `fiber`.
    pub unsafe fn settle_collectives(&mut self, index: usize, fiber: *mut Fiber) {
        let mut at = 0;
        while at < self.warps[index].count as usize {
            let warp = &self.warps[index];
            let group = warp.groups[at];
            if group.mask & warp.live & !group.arrived == 0 {
                // Another group takes this place.
                // SAFETY: the caller's promise.
                unsafe { self.complete(index, at, None, fiber) };
            } else {
                at += 1;
            }
        }
    }
}
