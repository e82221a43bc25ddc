//! Stacks of device threads: one reserved slab, cut into classes by size.
//!
//! Hundreds of thousands of threads may be suspended at once, so stacks have no guard pages (each would be a mapping of its
//! own); generated functions compare the stack pointer with a limit instead. A stack's stride is its size plus an odd number
//! of cache lines: the hot tops of neighbouring stacks then fall into different cache sets. At the top of each stack lies its
//! [`Fiber`], so that a stack pointer alone tells whose thread it is, also inside a signal handler.

use super::fiber::Fiber;
use crate::memory::map::{PAGE, Reservation, round_up};
use parking_lot::Mutex;
use std::io;

/// log2 of the smallest stack.
const SMALLEST: u32 = 14;
/// Size classes: 16 KiB to 4 MiB.
pub const CLASSES: usize = 9;
/// log2 of the address space of one class.
const REGION: u32 = 36;
/// Bytes between the ends of neighbouring stacks beyond their size.
const STAGGER: u64 = 5 * 64;
/// Bytes below the limit that generated code respects: for the device's own functions, which check nothing, and for the numeric
/// ones that generated code calls.
pub const SLACK: u64 = hotfire_jit::abi::STACK_SLACK;
/// Bytes that the fiber and the frames above the kernel's own take.
const OVERHEAD: u64 = 1 << 10;
const FIBER: u64 = (size_of::<Fiber>() as u64).next_multiple_of(64);

/// All stacks of the process.
#[derive(Debug)]
pub struct Stacks {
    reservation: Reservation,
    classes: [Mutex<Class>; CLASSES],
}

/// A fiber that no block uses.
#[derive(Debug)]
struct Idle(*mut Fiber);

// SAFETY: an idle fiber is suspended at its outermost loop, where nothing depends on the host thread.
unsafe impl Send for Idle {}

#[derive(Debug, Default)]
struct Class {
    /// Stacks made so far; the rest of the region was never used.
    made: u64,
    /// Bytes opened from the region's start.
    open: u64,
    idle: Vec<Idle>,
}

fn stride(class: usize) -> u64 {
    (1 << (SMALLEST + class as u32)) + STAGGER
}

/// The smallest class with `bytes` for generated code; the largest if none has.
pub fn class_for(bytes: u64) -> usize {
    let whole = bytes.saturating_add(SLACK + OVERHEAD);
    (0..CLASSES).find(|class| whole <= 1 << (SMALLEST + *class as u32)).unwrap_or(CLASSES - 1)
}

impl Stacks {
    /// Reserves the slab.
    ///
    /// # Errors
    /// The operating system's.
    pub fn new() -> io::Result<Self> {
        let reservation = Reservation::new(0, (CLASSES as u64) << REGION, PAGE)?;
        Ok(Self { reservation, classes: Default::default() })
    }

    /// Whether `address` lies in some thread's stack. Async-signal-safe.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.reservation.base()) < self.reservation.size()
    }

    /// The fiber whose stack `address` lies in. Only for addresses in stacks that were made. Async-signal-safe.
    pub fn fiber_at(&self, address: u64) -> *mut Fiber {
        let offset = address - self.reservation.base();
        let class = (offset >> REGION) as usize;
        let index = (offset & ((1 << REGION) - 1)) / stride(class);
        self.place(class, index)
    }

    fn place(&self, class: usize, index: u64) -> *mut Fiber {
        let start = self.reservation.base() + ((class as u64) << REGION) + index * stride(class);
        (start + stride(class) - FIBER) as *mut Fiber
    }

    /// Moves up to `count` idle fibers of a class, at least one, to `into`, and makes them if there are none.
    ///
    /// # Errors
    /// The operating system's, or out of memory when the class is used up.
    pub fn take(&self, class: usize, count: usize, into: &mut Vec<*mut Fiber>) -> io::Result<()> {
        let mut state = self.classes[class].lock();
        let from = state.idle.len().saturating_sub(count);
        if from < state.idle.len() {
            into.extend(state.idle.drain(from..).map(|idle| idle.0));
            return Ok(());
        }
        let region = self.reservation.base() + ((class as u64) << REGION);
        for i in 0..count {
            match self.make(class, region, &mut state) {
                Ok(fiber) => into.push(fiber),
                Err(error) if i == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(())
    }

    fn make(&self, class: usize, region: u64, state: &mut Class) -> io::Result<*mut Fiber> {
        let end = (state.made + 1) * stride(class);
        if end > 1 << REGION {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        if end > state.open {
            let more = round_up(end, 4 << 20).min(1 << REGION) - state.open;
            self.reservation.open(region + state.open, more)?;
            state.open += more;
        }
        let fiber = self.place(class, state.made);
        let low = region + state.made * stride(class);
        state.made += 1;
        // SAFETY: the stack `low ..` up to the fiber's own place was opened above and belongs to nobody yet.
        unsafe { Fiber::create(fiber, low, class) };
        Ok(fiber)
    }

    /// Takes idle fibers of a class back.
    pub fn give(&self, class: usize, fibers: impl Iterator<Item = *mut Fiber>) {
        self.classes[class].lock().idle.extend(fibers.map(Idle));
    }
}
