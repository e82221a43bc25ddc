//! Accesses of host code, instruction by instruction.

mod chain;
mod instructions;
mod kernel;
mod pages;
mod traces;

use super::{HostAccess, Watch};
use crate::memory::map::PAGE;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What was reported: offset, size, whether written.
type Seen = (u64, u32, bool);

/// A few pages of memory under a watch that writes down what it is told.
struct Fixture {
    watch: &'static Watch,
    recorder: &'static Recorder,
    base: u64,
}

struct Recorder {
    base: u64,
    seen: Mutex<Vec<(Seen, Vec<usize>)>>,
    pumps: AtomicU64,
    /// Where each pump writes how many there were, with the memory open, as the device would.
    counter: AtomicU64,
    watch: &'static Watch,
}

impl HostAccess for Recorder {
    fn host_access(&self, address: u64, size: u32, write: bool, frames: &[usize]) {
        self.seen.lock().unwrap().push(((address.wrapping_sub(self.base), size, write), frames.to_vec()));
    }

    fn pump(&self) -> bool {
        let pumps = self.pumps.fetch_add(1, Ordering::Relaxed) + 1;
        match self.counter.load(Ordering::Relaxed) {
            0 => false,
            counter => {
                self.watch.lift();
                // SAFETY: the test's memory, open now.
                unsafe { (counter as *mut u64).write_volatile(pumps) };
                self.watch.guard();
                true
            }
        }
    }
}

/// Fresh memory of the operating system's.
fn map(pages: u64) -> u64 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a fresh mapping.
    let base = unsafe {
        libc::mmap(std::ptr::null_mut(), (pages * PAGE) as usize, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    };
    assert_ne!(base, libc::MAP_FAILED);
    base as u64
}

impl Fixture {
    /// Watched memory of so many pages that a grid may touch.
    fn new(pages: u64) -> Self {
        let base = map(pages);
        let watch = Watch::new();
        let recorder: &'static Recorder = Box::leak(Box::new(Recorder {
            base,
            seen: Mutex::default(),
            pumps: AtomicU64::new(0),
            counter: AtomicU64::new(0),
            watch,
        }));
        watch.listen(recorder);
        watch.add(base, pages * PAGE);
        watch.submitted(None);
        watch.guard();
        Self { watch, recorder, base }
    }

    fn at(&self, offset: u64) -> *mut u8 {
        (self.base + offset) as *mut u8
    }

    /// What was reported since the last time.
    fn seen(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.recorder.seen.lock().unwrap()).into_iter().map(|(seen, _)| seen).collect()
    }
}
