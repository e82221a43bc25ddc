//! The calls of host code that led somewhere, as return addresses.
//!
//! They are taken at every call of the API and at every trap, so they stay numbers, without allocation, until a finding needs them
//! ([`super::symbols`]). The walk follows the unwind tables (System V ABI, AMD64 supplement, 3.7), since optimised programs keep no
//! frame pointers; it goes through a signal frame to the code that was interrupted.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Frames that are kept.
const DEPTH: usize = 48;
/// Frames that are looked at.
const WALKED: usize = 256;

/// Return addresses, innermost first; of code that was interrupted, the address behind the first byte of its instruction.
#[derive(Clone, Copy)]
pub(crate) struct Trace {
    frames: [usize; DEPTH],
    count: usize,
}

impl std::ops::Deref for Trace {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.frames[..self.count]
    }
}

/// The calling host thread's calls, without those inside this library.
pub(crate) fn capture() -> Trace {
    let mut trace = Trace::NONE;
    walk(|address| trace.push(address));
    trace
}

impl Trace {
    /// No call.
    pub const NONE: Self = Self { frames: [0; DEPTH], count: 0 };

    /// False when there is no more room.
    fn push(&mut self, address: usize) -> bool {
        if !own().contains(&address) && self.count < DEPTH {
            self.frames[self.count] = address;
            self.count += 1;
        }
        self.count < DEPTH
    }

    /// The calls that led to the instruction at `at`, whose signal is being handled; only that instruction if its stack may not be
    /// looked at.
    pub fn of_interrupted(&mut self, at: usize, stack: bool) {
        self.count = 0;
        if !stack {
            self.push(at + 1);
            return;
        }
        let mut found = false;
        walk(|address| match found {
            true => self.push(address),
            false => {
                found = address == at;
                !found || self.push(address + 1)
            }
        });
        if !found {
            self.push(at + 1);
        }
    }
}

/// Calls `each` with the address of every frame until it answers false.
fn walk(mut each: impl FnMut(usize) -> bool) {
    let mut walked = 0;
    // SAFETY: on this system the walk has no state besides the thread's own stack.
    unsafe {
        backtrace::trace_unsynchronized(|frame| {
            walked += 1;
            // The outermost frame may have no address.
            let address = frame.ip() as usize;
            address != 0 && walked < WALKED && each(address)
        });
    }
}

/// Whether an address is code of this library.
pub(super) fn is_own(address: usize) -> bool {
    own().contains(&address)
}

/// Does what may be done only once, and not in a handler.
pub(super) fn prepare() {
    own();
    // The unwinder looks up its tables at its first use.
    capture();
}

/// Where this library lies. Empty if it is part of the program (tests): then nothing is left out.
fn own() -> &'static Range<usize> {
    static OWN: OnceLock<Range<usize>> = OnceLock::new();
    OWN.get_or_init(|| {
        let mut search = Search { address: is_own as *const () as usize, first: true, found: 0..0 };
        // SAFETY: the callback gets back the search that is handed in.
        unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
        search.found
    })
}

struct Search {
    address: usize,
    first: bool,
    found: Range<usize>,
}

unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> i32 {
    // SAFETY: the loader's record, and the search of `own`.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    let program = std::mem::take(&mut search.first);
    let start = segments(info).map(|part| part.start).min().unwrap_or(0);
    let lies = start..segments(info).map(|part| part.end).max().unwrap_or(0);
    if !lies.contains(&search.address) {
        return 0;
    }
    if !program {
        search.found = lies;
    }
    1
}

/// The loaded segments of an object.
pub(super) fn segments(info: &libc::dl_phdr_info) -> impl Iterator<Item = Range<usize>> {
    // SAFETY: the loader's table of that many entries.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let base = info.dlpi_addr as usize;
    headers.iter().filter(|header| header.p_type == libc::PT_LOAD).map(move |header| {
        let start = base.wrapping_add(header.p_vaddr as usize);
        start..start.wrapping_add(header.p_memsz as usize)
    })
}

/// Keeps a stack: equal ones share their memory.
pub(crate) fn keep(frames: &[usize]) -> Arc<[usize]> {
    static KEPT: OnceLock<Mutex<HashSet<Arc<[usize]>>>> = OnceLock::new();
    let mut kept = KEPT.get_or_init(Mutex::default).lock();
    if let Some(known) = kept.get(frames) {
        return known.clone();
    }
    let fresh: Arc<[usize]> = frames.into();
    kept.insert(fresh.clone());
    fresh
}
