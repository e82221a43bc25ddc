//! What checked code says of each access ([`hotfire_jit::abi::Checks`]): it is looked up in the shadow before it happens.

use super::block::Block;
use super::context;
use super::fiber::Fiber;
use super::poll::{Look, Seen};
use super::told;
use super::window::WINDOW;
use crate::checking;
use hotfire_check::{BlockOrder, Cell, Checker, Problem, Stamp, Strength, Touch};
use hotfire_jit::abi::{Checks, ThreadContext, stamp, what};

/// The functions that checked code calls.
pub fn checks() -> Checks {
    Checks { read, write, fence, learn }
}

/// What the block of the calling thread knows, if the run is checked.
///
/// # Safety
/// `context` is what generated code passed to the calling function; the reference must not outlive the call.
pub unsafe fn order<'a>(context: *mut ThreadContext) -> Option<&'a mut BlockOrder> {
    // SAFETY: the caller's promise.
    unsafe { (*(*context.cast::<Fiber>()).block).order.as_deref_mut() }
}

/// The calling thread, to happens-before.
///
/// # Safety
/// As [`order`].
pub unsafe fn caller(context: *mut ThreadContext) -> hotfire_check::Caller {
    // SAFETY: the caller's promise.
    unsafe { hotfire_check::Caller { thread: (*context).linear as u16, time: (*context).segment } }
}

/// Whether an address lies in the shared window of the calling thread's block.
pub fn is_shared(context: *mut ThreadContext, address: u64) -> bool {
    // SAFETY: the context is that of a running thread.
    unsafe { address.wrapping_sub((*(*context.cast::<Fiber>()).block).window.base) < WINDOW }
}

fn strength(bits: u32) -> Strength {
    match bits & 3 {
        0 => Strength::Weak,
        what::CTA => Strength::Block,
        what::GPU => Strength::Device,
        _ => Strength::System,
    }
}

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Shared memory, by the window's first address.
    Shared(u64),
    /// Shared memory of another block of the cluster: its window, and what that block knows (null if it is not there).
    Cluster(u64, *mut BlockOrder),
    Arena,
    /// Registered host memory.
    Host,
    /// What nobody else sees, or what will fault by itself.
    None,
}

/// Where an access goes.
///
/// # Safety
/// `context` is what generated code passed, and `block` its block.
pub(super) unsafe fn target(context: *mut ThreadContext, block: *mut Block, address: u64, bits: u32) -> Target {
    // SAFETY: called by generated code.
    unsafe {
        let window = (*block).window.base;
        if address.wrapping_sub(window) < WINDOW {
            return Target::Shared(window);
        }
        if let Some(cluster) = &(*block).cluster
            && let Some((rank, window)) = cluster.window_of(address)
        {
            return Target::Cluster(window.base, cluster.order(rank));
        }
        if bits & what::SHARED != 0 {
            return Target::Shared(window);
        }
        let memory = context::memory(context);
        if memory.contains(address) {
            return if memory.is_parameter(address) { Target::None } else { Target::Arena };
        }
        if !Fiber::stack(context.cast()).contains(&address) && memory.is_registered(address, 1) {
            return Target::Host;
        }
        Target::None
    }
}

/// The shadow of shared memory; what blocks left there that had the window before is forgotten.
fn shared_cell(checker: &mut Checker, order: &mut BlockOrder, offset: u64) -> Option<Cell> {
    let since = order.since;
    let cell = order.shared.cell(u32::try_from(offset).ok()?)?;
    // SAFETY: the cell lies in the block's own shadow.
    unsafe {
        let writer = *cell.writer;
        let forgotten = match writer.split_index() {
            Some(index) => checker.shadow.splits.forget(index, since),
            None => writer.time() < since,
        };
        if forgotten {
            *cell.writer = Stamp::NONE;
        }
        if (*cell.reader).time() < since {
            *cell.reader = Stamp::NONE;
            *cell.second = Stamp::NONE;
        }
    }
    Some(cell)
}

fn cell(checker: &mut Checker, order: &mut BlockOrder, target: Target, address: u64) -> Option<Cell> {
    match target {
        Target::Shared(window) => shared_cell(checker, order, address - window),
        // SAFETY: the block that has this order is live, and not the one that runs.
        Target::Cluster(window, order) => shared_cell(checker, unsafe { order.as_mut() }?, address - window),
        Target::Arena => Some(checker.shadow.arena.cell(address)),
        Target::Host => checker.shadow.cell(address).ok(),
        Target::None => None,
    }
}

unsafe extern "C-unwind" fn read(context: *mut ThreadContext, address: u64, bits: u32, site: u32) {
    // SAFETY: called by generated code, as all below.
    unsafe { access(context, address, bits, site, None) }
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
    unsafe { access(context, address, bits, site, Some([low, high])) }
}

/// A built-in function is about to write the program's memory for the calling thread: as if the thread did, with that number.
///
/// # Safety
/// As [`order`]; the thread may write there.
pub unsafe fn stores(context: *mut ThreadContext, address: u64, bytes: &[u8], number: u32) {
    let mut value = [0u8; 16];
    let count = bytes.len().min(16);
    value[..count].copy_from_slice(&bytes[..count]);
    let (low, high) = value.split_at(8);
    let half = |half: &[u8]| half.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
    // SAFETY: the caller's promise.
    unsafe {
        if (*(*context.cast::<Fiber>()).block).order.is_some() {
            access(context, address, bytes.len() as u32 & what::SIZE, number, Some([half(low), half(high)]));
        }
    }
}

/// The same for reads.
///
/// # Safety
/// As [`order`]; the thread may read there.
pub unsafe fn loads(context: *mut ThreadContext, address: u64, count: u32, number: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        if (*(*context.cast::<Fiber>()).block).order.is_some() {
            access(context, address, count & what::SIZE, number, None);
        }
    }
}

/// The same for a fetch of a texture, which is a read through the non-coherent path.
///
/// # Safety
/// As [`order`]; the thread may read there.
pub(super) unsafe fn fetches(context: *mut ThreadContext, address: u64, count: u32, number: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        if (*(*context.cast::<Fiber>()).block).order.is_some() {
            access(context, address, count & what::SIZE | what::NON_COHERENT, number, None);
        }
    }
}

/// The same for an atomic of the whole device.
///
/// # Safety
/// As [`order`]; the thread may read and write there.
pub(super) unsafe fn atomics(context: *mut ThreadContext, address: u64, count: u32, number: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        if (*(*context.cast::<Fiber>()).block).order.is_some() {
            let bits = count & what::SIZE | what::ATOMIC | what::GPU << what::STRENGTH;
            access(context, address, bits, number, Some([0; 2]));
        }
    }
}

/// The fast path; nearly all accesses end here.
#[inline(always)]
unsafe fn access(context: *mut ThreadContext, address: u64, bits: u32, site: u32, value: Option<[u64; 2]>) {
    // SAFETY: called by generated code; the worker holds the checker while device code runs, and nothing here switches.
    unsafe {
        let block = (*context.cast::<Fiber>()).block;
        let size = bits & what::SIZE;
        // Weak, whole words.
        if bits & !(what::SIZE | what::SHARED | what::NON_COHERENT | what::BLIND) == 0
            && (address | u64::from(size)).is_multiple_of(4)
            && let Some(order) = (*block).order.as_deref_mut()
        {
            let stamp = Stamp::new((*context).segment, (*context).linear as u16, Strength::Weak, site);
            let offset = address.wrapping_sub((*block).window.base);
            if offset < WINDOW {
                let inside = offset + u64::from(size) <= u64::from((*block).context.total_shared);
                if inside && !order.is_shared && order.fast_shared(offset as u32, size, stamp, value.is_some()) {
                    return;
                }
            } else if let Some(checker) = (*block).checker.as_ref()
                && checker.shadow.arena.contains(address)
                && !context::memory(context).is_parameter(address)
                && order.fast_global(checker, &checker.shadow.arena, address, size, stamp, value.is_some())
            {
                return;
            }
        }
        look(context, address, bits, site, value);
    }
}

/// Everything else.
#[inline(never)]
unsafe fn look(context: *mut ThreadContext, address: u64, bits: u32, site: u32, value: Option<[u64; 2]>) {
    // SAFETY: as for `access`.
    unsafe {
        let block = (*context.cast::<Fiber>()).block;
        let (Some(order), Some(checker)) = ((*block).order.as_deref_mut(), (*block).checker.as_mut()) else { return };
        let target = target(context, block, address, bits);
        if target == Target::None {
            return;
        }
        let plain = bits & !(what::SIZE | what::SHARED | what::NON_COHERENT | what::BLIND) == 0;
        let touch = Touch {
            address,
            size: bits & what::SIZE,
            stamp: Stamp::new((*context).segment, (*context).linear as u16, strength(bits >> what::STRENGTH), site),
            atomic: bits & what::ATOMIC != 0,
            blind: bits & (what::ATOMIC | what::BLIND) != what::ATOMIC,
            acquire: bits & what::ACQUIRE != 0,
            release: bits & what::RELEASE != 0,
            value: value.unwrap_or([0; 2]),
        };
        if let Target::Shared(window) | Target::Cluster(window, _) = target
            && address - window + u64::from(touch.size) > u64::from((*block).context.total_shared)
        {
            context::on_worker_stack(context, || checking::shared_bounds(context, &touch, window, value.is_some()));
            return;
        }
        let writer = (!plain && target == Target::Arena)
            .then(|| *checker.shadow.arena.cell(address).writer)
            .filter(|writer| writer.split_index().is_none());
        let before = (order.is_early() && target == Target::Arena).then(|| *checker.shadow.arena.cell(address).writer);
        let problem = match value {
            None => checker.read(order, &touch, |checker, order, at| cell(checker, order, target, at)),
            Some(_) => checker.write(order, &touch, |checker, order, at| cell(checker, order, target, at)),
        };
        if problem.is_none() && order.is_early() {
            early(context, order, checker, &touch, before, bits, value.is_some());
        }
        // What was never written holds whatever was there: perhaps what another block left.
        let unset_read = value.is_none() && matches!(problem, Some(Problem::Unset { .. }));
        if unset_read || matches!(problem, Some(Problem::Race { .. })) {
            told::raced(context, &touch, value.is_some());
        }
        if let Some(problem) = problem
            && !harmless(checker, order, target, &touch, problem, value.is_some())
        {
            context::on_worker_stack(context, || checking::problem(context, &touch, problem, value.is_some()));
        }
        let mut again = false;
        if let Some(writer) = writer
            && (value.is_none() || !touch.blind)
            && !matches!(problem, Some(Problem::Unset { .. }))
        {
            again = poll(context, &touch, bits, writer) && value.is_none();
        }
        if !plain && !again {
            (*context).segment = checker.strong(order, &touch, value.is_some());
        }
    }
}

/// An access without a problem, of a grid that may start early, behind `before`: what it rests on may be worth a warning.
unsafe fn early(
    context: *mut ThreadContext,
    order: &BlockOrder,
    checker: &Checker,
    touch: &Touch,
    before: Option<Stamp>,
    bits: u32,
    writes: bool,
) {
    // A word whose bytes have different histories is not looked at.
    let Some(writer) = before.filter(|writer| !writer.is_none() && writer.split_index().is_none()) else { return };
    let non_coherent = bits & what::NON_COHERENT != 0;
    if order.relies_on_fence(checker, touch.stamp.thread(), writer)
        || (non_coherent && order.written_beside(checker, writer))
    {
        // SAFETY: the caller's promise.
        unsafe {
            context::on_worker_stack(context, || {
                checking::touched_early(context, touch, writer, writes, non_coherent);
            });
        }
    }
}

/// The thread strongly reads what `writer` wrote, perhaps not for the first time. True if it just did so in the same way and saw the same:
/// there is nothing new to learn from it.
unsafe fn poll(context: *mut ThreadContext, touch: &Touch, bits: u32, writer: Stamp) -> bool {
    // SAFETY: called for a legal access of the running thread.
    unsafe {
        let fiber = context.cast::<Fiber>();
        let address = touch.address;
        if !address.is_multiple_of(u64::from(touch.size)) {
            return false;
        }
        let value = match touch.size {
            4 => u64::from((address as *const u32).read_volatile()),
            8 => (address as *const u64).read_volatile(),
            2 => u64::from((address as *const u16).read_volatile()),
            1 => u64::from((address as *const u8).read_volatile()),
            _ => return false,
        };
        let look = Look { address, bits, writer: writer.0, value };
        match (*fiber).polls.read(look, (*fiber).spins) {
            Seen::First => false,
            Seen::Again => true,
            Seen::Ended => {
                context::on_worker_stack(context, || checking::spin_ended(context, touch, writer));
                false
            }
        }
    }
}

/// The first write to memory is nothing special, if it is known to be allocated.
fn harmless(
    checker: &Checker,
    order: &BlockOrder,
    target: Target,
    touch: &Touch,
    problem: Problem,
    writes: bool,
) -> bool {
    let Problem::Unset { .. } = problem else { return false };
    writes
        && touch.blind
        && (matches!(target, Target::Shared(_) | Target::Cluster(..))
            || order.allocation.is_some_and(|known| known.holds(checker, touch.address, touch.size)))
}

/// Only with `--outcome` is there somebody who asks: [`told`].
unsafe extern "C-unwind" fn learn(_context: *mut ThreadContext) {}

unsafe extern "C-unwind" fn fence(context: *mut ThreadContext, scope: u32, _site: u32) {
    // SAFETY: called by generated code; as for accesses.
    unsafe {
        let block = (*context.cast::<Fiber>()).block;
        let (Some(order), Some(checker)) = ((*block).order.as_deref_mut(), (*block).checker.as_mut()) else { return };
        let (thread, time) = ((*context).linear as u16, (*context).segment);
        (*context).segment = order.fence(checker, thread, time, strength(scope));
    }
}

/// Generated code looks at stamps by itself.
const _: () = {
    let whole = Stamp::new(1, 1, Strength::Weak, 0).0;
    assert!(whole == 1 << stamp::TIME | 1 << stamp::THREAD | stamp::WHOLE);
    assert!(Stamp::new(1, 1, Strength::System, 0).0 == whole | stamp::STRENGTH);
};
