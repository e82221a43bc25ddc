//! The 16 barriers of a block (PTX ISA, `bar`, `barrier`), counted by thread. Exited threads count as arrived where all of
//! the block are expected (launch-model.md section 6).

use super::fiber::{Fiber, Queue};

/// Barriers of a block.
const COUNT: usize = 16;

#[derive(Debug)]
struct Barrier {
    /// Threads that arrived since the last completion.
    arrived: u32,
    /// Threads expected; 0 for all that live.
    expected: u32,
    /// Threads whose predicate held.
    held: u32,
    /// Threads that gave a predicate.
    given: u32,
    waiting: Queue,
}

/// What a reduction of predicates gives. `kind` as in [`hotfire_jit::abi::barrier`].
fn reduction(kind: u32, held: u32, given: u32) -> u32 {
    use hotfire_jit::abi::barrier;
    match kind {
        barrier::RED_POPC => held,
        barrier::RED_AND => u32::from(held == given),
        barrier::RED_OR => u32::from(held > 0),
        _ => 0,
    }
}

impl Barrier {
    const fn new() -> Self {
        Self { arrived: 0, expected: 0, held: 0, given: 0, waiting: Queue::new() }
    }

    fn complete(&mut self, ready: &mut Queue) {
        for fiber in self.waiting.iter() {
            // SAFETY: members of the queue are live and suspended.
            unsafe { (*fiber).result = u64::from(reduction((*fiber).operand as u32, self.held, self.given)) };
        }
        ready.append(&mut self.waiting);
        *self = Self::new();
    }
}

/// All barriers of a block.
#[derive(Debug)]
pub struct Barriers {
    barriers: [Barrier; COUNT],
    /// Barriers at which threads have arrived.
    begun: u32,
}

/// One thread's arrival.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Which barrier.
    pub id: u32,
    /// Threads expected; 0 for all that live.
    pub expected: u32,
    /// As in [`hotfire_jit::abi::barrier`].
    pub kind: u32,
    /// For reductions.
    pub predicate: bool,
}

impl Barriers {
    pub const fn new() -> Self {
        Self { barriers: [const { Barrier::new() }; COUNT], begun: 0 }
    }

    /// The thread of `fiber` arrives. The result if the barrier is complete or the thread does not wait; `None` when it waits: it is
    /// in the barrier's queue then.
    ///
    /// # Safety
    /// `fiber` is the running fiber.
    pub unsafe fn arrive(&mut self, fiber: *mut Fiber, arrival: Arrival, live: u32, ready: &mut Queue) -> Option<u32> {
        use hotfire_jit::abi::barrier;
        let index = arrival.id as usize % COUNT;
        let barrier = &mut self.barriers[index];
        self.begun |= 1 << index;
        barrier.arrived += 1;
        barrier.expected = arrival.expected;
        if !matches!(arrival.kind, barrier::SYNC | barrier::ARRIVE) {
            barrier.given += 1;
            barrier.held += u32::from(arrival.predicate);
        }
        let expected = if arrival.expected == 0 { live } else { arrival.expected };
        if barrier.arrived >= expected {
            let result = reduction(arrival.kind, barrier.held, barrier.given);
            barrier.complete(ready);
            self.begun &= !(1 << index);
            return Some(result);
        }
        if arrival.kind == barrier::ARRIVE {
            return Some(0);
        }
        // SAFETY: the caller's promise.
        unsafe {
            (*fiber).operand = u64::from(arrival.kind);
            barrier.waiting.push(fiber);
        }
        None
    }

    /// A thread has exited; `live` are left.
    pub fn thread_exited(&mut self, live: u32, ready: &mut Queue) {
        let mut begun = self.begun;
        while begun != 0 {
            let index = begun.trailing_zeros() as usize;
            begun &= begun - 1;
            let barrier = &mut self.barriers[index];
            if barrier.expected == 0 && barrier.arrived >= live {
                barrier.complete(ready);
                self.begun &= !(1 << index);
            }
        }
    }
}
