//! What host code does to memory that it shares with the device: pinned, managed and registered memory.
//!
//! While the device owes or is owed something, pages of such memory are closed. A load or store of host code then traps, is
//! reported to the [`HostAccess`] of the checker with its exact bytes, and carried out by a single step with its pages open. The
//! device, and host threads inside a CUDA call, open what they touch without a word. launch-model.md section 2.4.
//!
//! The parts: which ranges and which of their pages are closed ([`watch`], [`range`]); the trap and the step behind it ([`trap`],
//! [`step`]); what an instruction touches ([`decode`], [`registers`], [`string`]); memory that the kernel is asked to touch
//! ([`lending`]); and calls that led somewhere ([`stack`], [`symbols`]).
//!
//! What it misses: accesses of a host thread to a page that is open for the step of another one; pages that trapped too often
//! (the summary says so); stacks that were registered; memory given to the kernel by other ways than those of [`lending`].

mod decode;
pub mod lending;
mod lock;
mod range;
mod registers;
mod scratch;
pub(crate) mod stack;
mod step;
mod string;
pub(crate) mod symbols;
#[cfg(test)]
mod tests;
mod tired;
mod trap;
mod watch;

pub(crate) use trap::{fault, trapped};
pub(crate) use watch::Watch;

use crate::tracing;
use std::cell::Cell;

/// Who is told what host code does.
pub(crate) trait HostAccess: Sync {
    /// Host code is about to access `size` bytes at `address`. `frames` are return addresses, innermost first ([`stack::Trace`]). A
    /// read-modify-write comes as a read and a write. Called in a signal handler, on a stack of 256 KiB with all signals blocked;
    /// the interrupted code is the program's, so locks of the device's are free. What it touches must not be watched memory.
    fn host_access(&self, address: u64, size: u32, write: bool, frames: &[usize]);

    /// Host code is about to access watched memory: the device may advance for a while. True if it did. Called as
    /// [`HostAccess::host_access`] is, and before it, so that what host code sees is what it is told to have seen.
    fn pump(&self) -> bool {
        false
    }
}

thread_local! {
    /// How deep the thread is inside the device's own code.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
    /// The call that it is in, if it is in one.
    static CALL: Cell<&'static str> = const { Cell::new("") };
}

/// While it lives, what the calling thread touches is no access of host code.
pub struct Inside(());

impl Inside {
    /// Begins.
    pub fn enter() -> Self {
        INSIDE.set(INSIDE.get() + 1);
        Self(())
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(INSIDE.get() - 1);
    }
}

/// While it lives, the calling host thread is inside a call of the API. What the call opened is closed behind it.
pub struct Call(Inside);

impl Call {
    /// Begins the call of that name.
    pub fn enter(name: &'static str) -> Self {
        if INSIDE.get() == 0 {
            CALL.set(name);
            if let Some(tracing) = tracing::active() {
                tracing.called(written(name));
            }
        }
        Self(Inside::enter())
    }

    /// The name of the call that the thread is in, as programs write it.
    pub(crate) fn name() -> Option<&'static str> {
        Some(CALL.get()).filter(|name| INSIDE.get() > 0 && !name.is_empty()).map(written)
    }
}

/// The name of a function of the API as programs write it: without what marks versions, default streams and nvcc's `<<<>>>`.
pub(crate) fn written(mut name: &str) -> &str {
    for suffix in ["_ptsz", "_ptds", "_v2", "_v3"] {
        name = name.strip_suffix(suffix).unwrap_or(name);
    }
    name.trim_start_matches('_')
}

impl Drop for Call {
    fn drop(&mut self) {
        if INSIDE.get() == 1 {
            if let Some(tracing) = tracing::active() {
                tracing.returned();
            }
            watch::all().for_each(Watch::guard);
        }
    }
}

/// Whether the calling thread runs the device's own code or a device thread.
pub(crate) fn inside() -> bool {
    INSIDE.get() > 0 || !super::held().is_null()
}
