//! Which threads of a block know something that depends on the schedule, for `hotfire check --outcome`.
//!
//! [`hotfire_check::outcome`] says what is followed and why. Here it is followed through one block: checked code calls these functions
//! instead of those of [`super::checked`], which they call in turn.

use super::block::{Block, LANES};
use super::checked::{self, Target};
use super::context;
use super::fiber::Fiber;
use crate::memory::Kind;
use hotfire_check::outcome::{Mark, Outcome};
use hotfire_check::{BlockOrder, Checker, Touch};
use hotfire_jit::abi::{Checks, ThreadContext, what};
use hotfire_launch::order::ItemId;

/// Bytes of a workspace that the blocks of a cooperative grid meet at; what they count there orders them and tells nothing.
const WORKSPACE: u64 = 64;

/// What the threads of one block know.
pub struct Told {
    item: ItemId,
    /// The epochs of atomics that the grid knows: all before this one.
    known: u32,
    /// Threads that know something, one bit each.
    threads: [u32; LANES],
    /// Marks of the words of shared memory; epochs there are times of threads.
    shared: Vec<Mark>,
    /// The allocation that was looked up last, and whether host code sees it.
    area: (u64, u64, bool),
}

impl Told {
    /// For any block.
    pub fn new() -> Self {
        Self { item: ItemId(0), known: 0, threads: [0; LANES], shared: Vec::new(), area: (0, 0, false) }
    }

    /// A block of this grid begins, with so many bytes of shared memory.
    pub fn begin(&mut self, outcome: &Outcome, item: ItemId, shared: u32) {
        self.item = item;
        self.known = outcome.known(item);
        self.threads.fill(if outcome.is_marked(item) { u32::MAX } else { 0 });
        self.shared.clear();
        self.shared.resize(shared.div_ceil(4) as usize, Mark::default());
        self.area = (0, 0, false);
    }

    fn has(&self, thread: u32) -> bool {
        self.threads[thread as usize / 32 % LANES] >> (thread % 32) & 1 == 1
    }

    fn set(&mut self, thread: u32) {
        self.threads[thread as usize / 32 % LANES] |= 1 << (thread % 32);
    }

    /// Does host code see the memory at this address?
    fn is_visible(&mut self, memory: &crate::memory::Memory, address: u64) -> bool {
        let (start, end, visible) = self.area;
        if (start..end).contains(&address) {
            return visible;
        }
        let Some(found) = memory.find(address) else { return true };
        let visible = matches!(found.kind, Kind::Managed | Kind::PinnedHost);
        self.area = (found.base, found.base + found.size, visible);
        visible
    }

    /// The words of shared memory that a range is in, with their bytes of it.
    fn words(&mut self, offset: u64, size: u32) -> impl Iterator<Item = (&mut Mark, u32)> {
        let (from, to) = (offset, offset + u64::from(size));
        let words = self.shared.iter_mut().enumerate().skip(from as usize / 4);
        words.map(|(n, mark)| (n as u64 * 4, mark)).take_while(move |(at, _)| *at < to).map(move |(at, mark)| {
            let (first, last) = (from.max(at) - at, to.min(at + 4) - at);
            (mark, (1 << last) - (1 << first))
        })
    }
}

/// The functions that checked code calls.
pub fn checks() -> Checks {
    Checks { read, write, learn: learn_here, ..checked::checks() }
}

unsafe extern "C-unwind" fn read(context: *mut ThreadContext, address: u64, bits: u32, site: u32) {
    // SAFETY: called by generated code, as all below.
    unsafe {
        note_read(context, address, bits);
        (checked::checks().read)(context, address, bits, site);
    }
}

unsafe extern "C-unwind" fn write(
    context: *mut ThreadContext,
    address: u64,
    bits: u32,
    site: u32,
    low: u64,
    high: u64,
) {
    // SAFETY: called by generated code.
    unsafe {
        note_write(context, address, bits, [low, high]);
        (checked::checks().write)(context, address, bits, site, low, high);
    }
}

/// What is needed to follow an access.
struct At<'a> {
    told: &'a mut Told,
    order: &'a BlockOrder,
    outcome: &'a mut Outcome,
    target: Target,
}

unsafe fn at<'a>(context: *mut ThreadContext, address: u64, bits: u32) -> Option<At<'a>> {
    // SAFETY: called by generated code; the worker holds the checker while device code runs, and nothing here switches.
    unsafe {
        let block = (*context.cast::<Fiber>()).block;
        let told = (*block).told.as_deref_mut()?;
        let order = (*block).order.as_deref()?;
        let checker: &mut Checker = (*block).checker.as_mut()?;
        let outcome = checker.outcome.as_deref_mut()?;
        let workspace = (*block).context.workspace;
        if workspace != 0 && address.wrapping_sub(workspace) < WORKSPACE {
            return None;
        }
        let target = checked::target(context, block, address, bits);
        (target != Target::None).then_some(At { told, order, outcome, target })
    }
}

unsafe fn note_read(context: *mut ThreadContext, address: u64, bits: u32) {
    // SAFETY: called by generated code.
    unsafe {
        let Some(At { told, order, outcome, target }) = at(context, address, bits) else { return };
        let (thread, size) = ((*context).linear, bits & what::SIZE);
        if told.has(thread) {
            return;
        }
        let tells = match target {
            Target::Shared(window) => {
                let known = order.met();
                told.words(address - window, size).any(|(mark, bytes)| mark.telling(known) & bytes != 0)
            }
            _ => {
                outcome.tells(address, u64::from(size), told.known)
                    || (outcome.host && told.is_visible(context::memory(context), address))
            }
        };
        if tells {
            told.set(thread);
        }
    }
}

unsafe fn note_write(context: *mut ThreadContext, address: u64, bits: u32, value: [u64; 2]) {
    // SAFETY: called by generated code.
    unsafe {
        let Some(At { told, order, outcome, target }) = at(context, address, bits) else { return };
        let (thread, size) = ((*context).linear, bits & what::SIZE);
        let atomic = bits & what::ATOMIC != 0;
        let kind = bits >> what::ACCUMULATES & 0xf;
        // Atomics of which the order matters are marked like what a marked thread stores.
        let mut marked = told.has(thread) || (atomic && kind == 0);
        marked |= !atomic && size >= 8 && value.iter().any(|&bits| outcome.is_handle(bits));
        match target {
            Target::Shared(window) => {
                let (known, now) = (order.met(), (*context).segment);
                for (mark, bytes) in told.words(address - window, size) {
                    *mark = match kind {
                        0 => mark.stored(bytes, marked, known),
                        _ => mark.accumulated(kind, bytes, marked, known, now),
                    };
                }
            }
            _ => {
                let known = told.known;
                match kind {
                    0 => outcome.store(address, u64::from(size), marked, known),
                    _ => outcome.accumulate(told.item, address, u64::from(size), kind, marked, known),
                }
                if (marked || atomic) && !outcome.host && told.is_visible(context::memory(context), address) {
                    outcome.host = true;
                }
            }
        }
        if bits & what::RETURNS != 0 {
            told.set(thread);
        }
    }
}

/// A race was found at an access, or nothing that was ever written: what it reads or writes may depend on the schedule, and has been
/// reported.
///
/// # Safety
/// `context` is what generated code passed to the calling function; the same for all functions here.
pub(super) unsafe fn raced(context: *mut ThreadContext, touch: &Touch, writes: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(At { told, .. }) = at(context, touch.address, 0) else { return };
        if !writes || touch.atomic {
            told.set((*context).linear);
        }
        if writes {
            stored(context, touch.address, touch.size);
        }
    }
}

/// The calling thread learns something that depends on the schedule.
///
/// # Safety
/// As `raced`.
pub unsafe fn learn(context: *mut ThreadContext) {
    // SAFETY: the caller's promise.
    unsafe {
        let block = (*context.cast::<Fiber>()).block;
        if let Some(told) = (*block).told.as_deref_mut() {
            told.set((*context).linear);
        }
    }
}

/// The device has stored something that depends on the schedule for the calling thread: a handle, an address.
///
/// # Safety
/// As `raced`.
pub unsafe fn stored(context: *mut ThreadContext, address: u64, size: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(At { told, outcome, target, .. }) = at(context, address, 0) else { return };
        match target {
            Target::Shared(window) => {
                for (mark, bytes) in told.words(address - window, size) {
                    *mark = mark.stored(bytes, true, 0);
                }
            }
            _ => outcome.store(address, u64::from(size), true, told.known),
        }
    }
}

unsafe extern "C-unwind" fn learn_here(context: *mut ThreadContext) {
    // SAFETY: called by generated code.
    unsafe { learn(context) }
}

/// Does the calling thread know something that depends on the schedule?
///
/// # Safety
/// As `raced`.
pub unsafe fn is_told(context: *mut ThreadContext) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let block = (*context.cast::<Fiber>()).block;
        (*block).told.as_deref().is_some_and(|told| told.has((*context).linear))
    }
}

/// The calling thread gets values from these lanes of its warp, or from all threads of its block.
///
/// # Safety
/// As `raced`.
pub(super) unsafe fn exchanged(context: *mut ThreadContext, block: *mut Block, lanes: Option<u32>) {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(told) = (*block).told.as_deref_mut() else { return };
        let thread = (*context).linear;
        let any = match lanes {
            Some(lanes) => told.threads[thread as usize / 32 % LANES] & lanes != 0,
            None => told.threads.iter().any(|&warp| warp != 0),
        };
        if any {
            told.set(thread);
        }
    }
}
