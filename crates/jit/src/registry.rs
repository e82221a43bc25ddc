//! Which generated code a program counter lies in.
//!
//! A signal handler must turn a faulting program counter into a place of the PTX text. [`find`] may therefore run at any
//! instruction of any thread: it takes no lock and allocates nothing. The table is an immutable sorted array behind an
//! atomic pointer; writers (compiling or dropping a kernel) publish a new array and free the old one once no reader is inside.

use crate::abi::Fault;
use hotfire_ptx::ast::Location;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What generated code does at a program counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeSite {
    /// The fault that a trap instruction at this place stands for; `None` when the instruction accesses memory, so that the
    /// address decides.
    pub fault: Option<Fault>,
    /// Index into [`crate::Kernel::sites`], if the instruction has one.
    pub site: Option<u32>,
    /// The place in the PTX text, if known.
    pub location: Option<Location>,
}

/// Places of one kernel's code, by offset from its first byte.
#[derive(Debug, Default)]
pub(crate) struct CodeMap {
    /// Trap instructions: offset and meaning, sorted.
    pub traps: Vec<(u32, Fault)>,
    /// Ranges of code that belong to a site: start, end, site and its place; sorted, disjoint.
    pub places: Vec<(u32, u32, u32, Location)>,
}

impl CodeMap {
    fn at(&self, offset: u32) -> CodeSite {
        let fault = self.traps.binary_search_by_key(&offset, |t| t.0).ok().map(|i| self.traps[i].1);
        let after = self.places.partition_point(|p| p.0 <= offset);
        let place = self.places[..after].last().filter(|p| offset < p.1);
        CodeSite { fault, site: place.map(|p| p.2), location: place.map(|p| p.3) }
    }
}

#[derive(Clone)]
struct Entry {
    start: usize,
    end: usize,
    map: Arc<CodeMap>,
}

static CURRENT: AtomicPtr<Vec<Entry>> = AtomicPtr::new(std::ptr::null_mut());
static READERS: AtomicUsize = AtomicUsize::new(0);
static WRITER: Mutex<()> = Mutex::new(());

/// A kernel's range in the table; dropping it removes the range.
#[derive(Debug)]
pub(crate) struct Registration {
    start: usize,
}

/// Adds a range of code.
pub(crate) fn register(start: usize, end: usize, map: CodeMap) -> Registration {
    let map = Arc::new(map);
    change(|entries| {
        let at = entries.partition_point(|e| e.start < start);
        entries.insert(at, Entry { start, end, map });
    });
    Registration { start }
}

impl Drop for Registration {
    fn drop(&mut self) {
        change(|entries| entries.retain(|e| e.start != self.start));
    }
}

fn change(edit: impl FnOnce(&mut Vec<Entry>)) {
    let _writer = WRITER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let old = CURRENT.load(Ordering::Acquire);
    // SAFETY: only writers free the array, and this is the only one (`_writer`).
    let mut entries = unsafe { old.as_ref() }.cloned().unwrap_or_default();
    edit(&mut entries);
    CURRENT.swap(Box::into_raw(Box::new(entries)), Ordering::SeqCst);
    // Readers that came before the swap may still hold the old array; those that come now see the new one.
    while READERS.load(Ordering::SeqCst) != 0 {
        std::thread::yield_now();
    }
    if !old.is_null() {
        // SAFETY: it came from `Box::into_raw` below an earlier call, no reader holds it, and it is no longer published.
        drop(unsafe { Box::from_raw(old) });
    }
}

/// Looks a program counter up among all generated code. Async-signal-safe.
#[must_use]
pub fn find(pc: usize) -> Option<CodeSite> {
    READERS.fetch_add(1, Ordering::SeqCst);
    // SAFETY: writers free an array only after it was replaced and `READERS` was seen at zero since.
    let entries = unsafe { CURRENT.load(Ordering::SeqCst).as_ref() };
    let found = entries.and_then(|entries| {
        let after = entries.partition_point(|e| e.start <= pc);
        let entry = entries[..after].last().filter(|e| pc < e.end)?;
        Some(entry.map.at((pc - entry.start) as u32))
    });
    READERS.fetch_sub(1, Ordering::SeqCst);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_range_the_trap_and_the_place() {
        let location = Location { line: 7, column: 2, source: None };
        let map = CodeMap { traps: vec![(8, Fault::StackError)], places: vec![(4, 8, 1, location)] };
        let base = 0x7000_0000_0000;
        let registration = register(base, base + 16, map);
        assert_eq!(find(base - 1), None);
        assert_eq!(find(base + 16), None);
        assert_eq!(find(base), Some(CodeSite { fault: None, site: None, location: None }));
        assert_eq!(find(base + 5), Some(CodeSite { fault: None, site: Some(1), location: Some(location) }));
        assert_eq!(find(base + 8).and_then(|s| s.fault), Some(Fault::StackError));
        drop(registration);
        assert_eq!(find(base), None);
    }
}
