//! Memory that host code asks the kernel to touch (`read`, `send`, …): it does not trap there but answers `EFAULT`. So it is open
//! for the duration of the call, and counts as accessed by the caller.

use super::watch::{self, Locked, Watch};
use super::{Inside, stack, trap};

/// A buffer under watch that is open; closed again, if it has to be, when dropped.
#[must_use]
pub struct Loan {
    watch: &'static Watch,
    start: u64,
    end: u64,
}

/// Opens a buffer that the kernel is going to read (`write` false) or to fill. `None`, at the cost of a few loads, if it is not under
/// watch. What is filled is reported by [`Loan::filled`], when it is known how much that was.
pub fn lend(address: u64, size: u64, write: bool) -> Option<Loan> {
    let end = address.checked_add(size).filter(|&end| end > address)?;
    let mut watches = watch::all().filter(|watch| watch.may_contain(address, end));
    watches.find_map(|watch| lend_of(watch, address, end, write))
}

fn lend_of(watch: &'static Watch, start: u64, end: u64, write: bool) -> Option<Loan> {
    if super::inside() {
        return None;
    }
    let owned = watch.is_owned(start, end, Locked::Code);
    if owned && let Some(listener) = watch.listener() {
        listener.pump();
    }
    if !watch.lend(start, end) {
        return None;
    }
    let loan = Loan { watch, start, end };
    if owned && !write {
        loan.report(end - start, false);
    }
    Some(loan)
}

impl Loan {
    /// The kernel filled the first `size` bytes.
    pub fn filled(&self, size: u64) {
        let size = size.min(self.end - self.start);
        if size > 0 && self.watch.is_owned(self.start, self.start + size, Locked::Code) {
            self.report(size, true);
        }
    }

    fn report(&self, size: u64, write: bool) {
        if let Some(listener) = self.watch.listener() {
            let trace = stack::capture();
            let _inside = Inside::enter();
            trap::tell(listener, self.start, size, write, &trace);
        }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.watch.give_back(self.start, self.end);
    }
}

/// Signals that traps are made of.
pub const TRAPS: [i32; 2] = crate::exec::TRAPS;

/// Whether there is any watch: a check is under way.
pub fn is_watching() -> bool {
    watch::all().next().is_some()
}

/// Puts the checker's handlers in front of those that were installed since.
pub fn take_signals_back() {
    crate::exec::install_handlers();
}
