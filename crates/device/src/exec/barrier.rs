//! Block barriers: `bar` / `barrier` in all forms (PTX ISA, "Parallel Synchronization and Communication Instructions").
//!
//! Sixteen barriers a block. Arrivals count in whole warps: a warp has arrived when all its live lanes have, and then counts
//! 32, so that a partial last warp counts like any other. Without a thread count every warp with live threads must arrive;
//! exited threads hold nobody up. A warp of which only some lanes come to a barrier with a thread count would wait for the
//! others; the PTX text lets it count as a whole at once, and so do we, but only when the block could not go on otherwise.

use super::block::{Block, LANES};
use super::fiber::{Fiber, Queue};
use hotfire_jit::abi::barrier;
use std::ptr;

/// Barriers of a block.
pub const COUNT: u32 = 16;

/// All barriers of one block.
pub struct Barriers {
    /// Those that somebody arrived at, as bits.
    pub active: u32,
    list: [Barrier; COUNT as usize],
}

struct Barrier {
    /// Threads it takes; 0 for all.
    expected: u32,
    /// Warps of which a lane arrived.
    touched: u32,
    /// Warps that arrived as a whole.
    complete: u32,
    /// Whether results must be computed.
    reduces: bool,
    /// Somebody arrived without waiting.
    passed: bool,
    /// Lanes that arrived, by warp.
    lanes: [u32; 32],
    /// Where the first lane of a warp arrived: the instruction, and the thread's index in the block. Only for observers.
    first: [(u32, u32); 32],
    /// An aligned instruction led to it. Only for observers.
    aligned: bool,
    waiting: Queue,
}

impl Barrier {
    const NEW: Barrier = Barrier {
        expected: 0,
        touched: 0,
        complete: 0,
        reduces: false,
        passed: false,
        lanes: [0; 32],
        first: [(0, 0); 32],
        aligned: false,
        waiting: Queue::new(),
    };
}

impl Barriers {
    pub const fn new() -> Self {
        Self { active: 0, list: [Barrier::NEW; COUNT as usize] }
    }

    /// Forgets all arrivals.
    pub fn clear(&mut self) {
        for id in bits(self.active) {
            self.list[id] = Barrier::NEW;
        }
        self.active = 0;
    }
}

/// Positions of the bits set.
pub fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lowest < 32).then_some(lowest as usize)
    })
}

impl Block {
    /// The thread of `fiber` arrives at barrier `id`, which takes `expected` threads. True if that completed the barrier or
    /// the thread need not wait; else it was queued and must suspend.
    ///
    /// # Safety
    /// `fiber` runs a thread of this block; `id` is below [`COUNT`].
    pub unsafe fn arrive(&mut self, fiber: *mut Fiber, id: u32, expected: u32, kind: u32, predicate: u32) -> bool {
        // SAFETY: the caller's promise.
        let linear = unsafe { (*fiber).context.linear } as usize;
        let (warp, lane) = (linear / LANES % 32, linear % LANES);
        let at = &mut self.barriers.list[id as usize];
        self.barriers.active |= 1 << id;
        at.expected = expected;
        at.touched |= 1 << warp;
        at.lanes[warp] |= 1 << lane;
        let reduces = !matches!(kind, barrier::SYNC | barrier::ARRIVE);
        if reduces {
            at.reduces = true;
            // SAFETY: the caller's promise.
            unsafe { ((*fiber).value, (*fiber).operand) = (u64::from(predicate != 0), u64::from(kind)) };
        }
        if kind == barrier::ARRIVE {
            at.passed = true;
            // SAFETY: the caller's promise.
            unsafe { self.order_arrival(fiber, id) };
        }
        let at = &mut self.barriers.list[id as usize];
        if self.warps[warp].live & !at.lanes[warp] == 0 {
            at.complete |= 1 << warp;
            if self.barrier_complete(id as usize) {
                self.release(id as usize, if kind == barrier::ARRIVE { ptr::null_mut() } else { fiber });
                return true;
            }
        }
        if kind == barrier::ARRIVE {
            return true;
        }
        // SAFETY: the running fiber is in no queue.
        unsafe { self.barriers.list[id as usize].waiting.push(fiber) };
        false
    }

    /// A lane of a warp comes to instruction `site` of an aligned barrier. If another lane waits there at another instruction: which
    /// thread, and where.
    ///
    /// # Safety
    /// `fiber` runs a thread of this block; `id` is below [`COUNT`].
    pub unsafe fn divergent(&mut self, fiber: *mut Fiber, id: u32, site: u32) -> Option<([u32; 3], u32)> {
        // SAFETY: the caller's promise.
        let linear = unsafe { (*fiber).context.linear };
        let warp = linear as usize / LANES % 32;
        let at = &mut self.barriers.list[id as usize];
        at.aligned = true;
        if self.barriers.active >> id & 1 == 0 || at.lanes[warp] == 0 {
            at.first[warp] = (site, linear);
            return None;
        }
        let (other, by) = at.first[warp];
        (other != site).then(|| (thread_at(by, self.context.ntid), other))
    }

    /// A barrier with a thread count at which only some live lanes of a warp wait: which, and a lane that does not.
    pub fn partial(&self) -> Option<(usize, u32, u32)> {
        bits(self.barriers.active).find_map(|id| {
            let at = &self.barriers.list[id];
            bits(at.touched).find_map(|warp| {
                let missing = self.warps[warp].live & !at.lanes[warp];
                let lane = |lanes: u32| (warp * LANES) as u32 + lanes.trailing_zeros();
                (at.aligned && at.expected != 0 && at.lanes[warp] != 0 && missing != 0)
                    .then(|| (id, lane(at.lanes[warp]), lane(missing)))
            })
        })
    }

    /// The barrier at which a thread waits.
    pub fn barrier_of(&self, fiber: *mut Fiber) -> Option<u32> {
        bits(self.barriers.active)
            .find(|&id| self.barriers.list[id].waiting.iter().any(|f| f == fiber))
            .map(|id| id as u32)
    }

    fn barrier_complete(&self, id: usize) -> bool {
        let at = &self.barriers.list[id];
        if at.expected == 0 {
            self.live_warps & !at.complete == 0
        } else {
            at.complete.count_ones() * LANES as u32 >= at.expected
        }
    }

    /// Lets go everybody whose warp is complete; `last`, if any, is the thread whose arrival did it.
    fn release(&mut self, id: usize, last: *mut Fiber) {
        let at = &mut self.barriers.list[id];
        let complete = std::mem::take(&mut at.complete);
        let mut leaving = std::mem::replace(&mut at.waiting, Queue::new());
        if at.touched != complete {
            let mut all = std::mem::replace(&mut leaving, Queue::new());
            while let Some(fiber) = all.pop() {
                // SAFETY: waiting fibers are live, and just left their queue.
                unsafe {
                    let gone = complete >> ((*fiber).context.linear as usize / LANES % 32) & 1 == 1;
                    if gone { leaving.push(fiber) } else { at.waiting.push(fiber) }
                }
            }
        }
        if at.reduces {
            // SAFETY: waiting fibers, and the caller's, are live.
            unsafe { reduce(|| leaving.iter().chain((!last.is_null()).then_some(last))) };
        }
        // SAFETY: waiting fibers, and the caller's, are live.
        unsafe { leave_together(|| leaving.iter().chain((!last.is_null()).then_some(last))) };
        let at = &mut self.barriers.list[id];
        let whole = !at.passed && self.live_warps & !complete == 0;
        // SAFETY: waiting fibers, and the caller's, are live.
        unsafe { self.order_barrier(id as u32, whole, &leaving, last) };
        let at = &mut self.barriers.list[id];
        for warp in bits(complete) {
            at.lanes[warp] = 0;
        }
        at.touched &= !complete;
        if at.touched == 0 {
            at.reduces = false;
            at.passed = false;
            at.aligned = false;
            self.barriers.active &= !(1 << id);
        }
        self.ready.append(&mut leaving);
    }

    /// A lane of `warp` exited: barriers that waited for it may be complete now.
    pub fn settle_barriers(&mut self, warp: usize) {
        for id in bits(self.barriers.active) {
            let at = &mut self.barriers.list[id];
            if at.touched >> warp & 1 == 1 && self.warps[warp].live & !at.lanes[warp] == 0 {
                at.complete |= 1 << warp;
            }
            if self.barrier_complete(id) {
                self.release(id, ptr::null_mut());
            }
        }
    }

    /// Nobody can go on: lets warps of which only some lanes arrived at a barrier with a thread count count as a whole. True
    /// if that completed one.
    pub fn release_partial(&mut self) -> bool {
        for id in bits(self.barriers.active) {
            let at = &mut self.barriers.list[id];
            if at.expected != 0 && at.touched.count_ones() * LANES as u32 >= at.expected {
                at.complete = at.touched;
                self.release(id, ptr::null_mut());
                return true;
            }
        }
        false
    }
}

/// Gives each thread the result of its reduction.
///
/// # Safety
/// The fibers are live.
unsafe fn reduce<I: Iterator<Item = *mut Fiber>>(fibers: impl Fn() -> I) {
    let (mut set, mut all) = (0u64, 0u64);
    for fiber in fibers() {
        // SAFETY: the caller's promise.
        set += unsafe { (*fiber).value };
        all += 1;
    }
    for fiber in fibers() {
        // SAFETY: the caller's promise.
        unsafe {
            (*fiber).result = match (*fiber).operand as u32 {
                barrier::RED_POPC => set,
                barrier::RED_AND => u64::from(set == all),
                _ => u64::from(set > 0),
            };
        }
    }
}

/// Threads that meet go on at the time of the last, if code counts.
///
/// # Safety
/// The fibers are live.
pub unsafe fn leave_together<I: Iterator<Item = *mut Fiber>>(fibers: impl Fn() -> I) {
    // SAFETY: the caller's promise.
    let last = fibers().map(|fiber| unsafe { (*fiber).context.cycles }).max().unwrap_or(0);
    // SAFETY: as above.
    fibers().for_each(|fiber| unsafe { (*fiber).context.cycles = last });
}

/// Coordinates of a thread of a block of that size.
pub fn thread_at(linear: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (x.max(1), y.max(1));
    [linear % x, linear / x % y, linear / (x * y)]
}
