//! The functions that generated code calls ([`hotfire_jit::abi::Runtime`]).

use super::block::{Block, TARGETS};
use super::dependency::grid_dependency;
use super::fiber::Fiber;
use super::observer::{Observer, ThreadAt};
use super::window::WINDOW;
use super::{barrier as barriers, cluster, collective, context, mbarrier, region, texel, thread, told};
use crate::memory::Kind;
use hotfire_jit::abi::{self, Fault, Runtime, ThreadContext, access, space};
use hotfire_ptx::ast::Location;

/// The table of all of them.
pub fn runtime() -> Runtime {
    Runtime {
        check_access,
        fault,
        exit,
        barrier,
        warp_sync,
        shuffle,
        vote,
        match_sync,
        redux,
        active_mask,
        elect,
        yield_now,
        grid_dependency,
        clock,
        global_timer,
        call_target,
        is_space,
        mbarrier: mbarrier::mbarrier,
        copy_part: mbarrier::copy_part,
        copy_bulk: mbarrier::copy_bulk,
        cluster_barrier: cluster::cluster_barrier,
        matrix,
        cluster_rank: cluster::cluster_rank,
        texel: texel::texel,
    }
}

/// The fiber and the block of the running thread.
unsafe fn of(context: *mut ThreadContext) -> (*mut Fiber, *mut Block) {
    let fiber = context.cast::<Fiber>();
    // SAFETY: generated code passes the context of its thread, which lies in its fiber.
    (fiber, unsafe { (*fiber).block })
}

pub(super) unsafe fn location(block: *mut Block, site: u32) -> Option<Location> {
    // SAFETY: the block is live.
    unsafe { Block::code(block).kernel.sites.get(site as usize).copied() }
}

pub(super) unsafe extern "C-unwind" fn check_access(
    context: *mut ThreadContext,
    address: u64,
    size: u32,
    kind: u32,
    site: u32,
) {
    // SAFETY: called by generated code, as everything below.
    unsafe {
        let (_, block) = of(context);
        let raise = |fault| context::raise(context, fault, address, location(block, site));
        if size.is_power_of_two() && !address.is_multiple_of(u64::from(size)) {
            raise(Fault::MisalignedAddress);
        }
        let bytes = u64::from(size);
        let memory = context::memory(context);
        // What is not allocated in the arena faults by itself.
        if memory.contains(address) && memory.contains(address + bytes.saturating_sub(1)) {
            return;
        }
        if kind & (access::GLOBAL | access::CONST) == 0 {
            match is_own(context, address, bytes) {
                Some(true) => return,
                Some(false) => raise(Fault::IllegalAddress),
                None => {}
            }
        }
        if is_private(address) {
            raise(Fault::InvalidAddressSpace);
        }
        if kind & access::CONST != 0 || !memory.is_registered(address, bytes) {
            raise(Fault::IllegalAddress);
        }
    }
}

/// Whether a range lies in the thread's own local memory or the shared memory of its block or cluster; nothing if the address is another's.
unsafe fn is_own(context: *mut ThreadContext, address: u64, bytes: u64) -> Option<bool> {
    // SAFETY: the context is that of the running thread.
    unsafe {
        let (fiber, block) = of(context);
        let window = (*block).window;
        let other = || (*block).cluster.as_ref().and_then(|cluster| cluster.window_of(address));
        let (start, end) = if address.wrapping_sub(window.base) < WINDOW {
            (window.base, window.base + window.open)
        } else if let Some((_, window)) = other() {
            (window.base, window.base + window.open)
        } else if Fiber::stack(fiber).contains(&address) {
            let local = Fiber::local(fiber);
            (local.start, local.end)
        } else {
            return None;
        };
        Some(address >= start && address < end && bytes <= end - address)
    }
}

/// Whether `address` lies in some block's shared window or some thread's local memory: such a pointer means nothing to another
/// grid (launch-model 3.4).
pub fn is_private(address: u64) -> bool {
    region::existing().is_some_and(|regions| regions.windows.contains(address) || regions.stacks.contains(address))
}

/// The offset in its block's shared memory, for an address in some block's shared window.
pub fn shared_offset(address: u64) -> Option<u64> {
    // Windows lie at multiples of their size.
    region::existing().filter(|regions| regions.windows.contains(address)).map(|_| address % WINDOW)
}

/// The fault of that CUDA number.
fn fault_of(number: u32) -> Fault {
    [
        Fault::IllegalAddress,
        Fault::Assert,
        Fault::StackError,
        Fault::IllegalInstruction,
        Fault::MisalignedAddress,
        Fault::InvalidAddressSpace,
        Fault::InvalidPc,
    ]
    .into_iter()
    .find(|&fault| fault as u32 == number)
    .unwrap_or(Fault::LaunchFailure)
}

unsafe extern "C-unwind" fn fault(context: *mut ThreadContext, fault: u32, address: u64, site: u32) {
    // SAFETY: called by generated code.
    unsafe { context::raise(context, fault_of(fault), address, location(of(context).1, site)) }
}

unsafe extern "C-unwind" fn exit(context: *mut ThreadContext) {
    // SAFETY: called by generated code.
    unsafe { context::exit(context) }
}

pub(super) unsafe extern "C-unwind" fn barrier(
    context: *mut ThreadContext,
    id: u32,
    threads: u32,
    kind: u32,
    predicate: u32,
    site: u32,
) -> u32 {
    // SAFETY: called by generated code; no reference to the block is held across the switch.
    unsafe {
        let (fiber, block) = of(context);
        // The manual: sixteen barriers, and thread counts in whole warps.
        if id >= barriers::COUNT || !threads.is_multiple_of(32) {
            context::raise(context, Fault::IllegalInstruction, 0, location(block, site));
        }
        let (aligned, kind) = (kind & abi::barrier::ALIGNED != 0, kind & !abi::barrier::ALIGNED);
        if aligned && let Some(observer) = Block::code(block).observer {
            observe_aligned(observer, fiber, block, id, kind, site);
        }
        if !(*block).arrive(fiber, id, threads, kind, predicate) {
            thread::wait(fiber);
        }
        if !matches!(kind, abi::barrier::SYNC | abi::barrier::ARRIVE) {
            told::exchanged(context, block, None);
        }
        (*fiber).result as u32
    }
}

/// Tells an observer when lanes of one warp are at different instructions of one aligned barrier.
unsafe fn observe_aligned(
    observer: &'static dyn Observer,
    fiber: *mut Fiber,
    block: *mut Block,
    id: u32,
    kind: u32,
    site: u32,
) {
    // SAFETY: called by `barrier`; the observer runs on the worker's stack and switches to no thread.
    unsafe {
        let context = &raw mut (*fiber).context;
        if kind == abi::barrier::ARRIVE {
            return;
        }
        if let Some((other, at)) = (*block).divergent(fiber, id, site) {
            let first = ThreadAt { thread: other, location: location(block, at) };
            let second = ThreadAt { thread: (*context).tid, location: location(block, site) };
            let ctaid = (*block).context.ctaid;
            context::on_worker_stack(context, || {
                observer.divergent_barrier(Block::code(block), ctaid, id, first, second);
            });
        }
    }
}

/// Takes part in a collective.
unsafe fn meet(context: *mut ThreadContext, key: u32, mask: u32, value: u64, operand: u64) -> u64 {
    // SAFETY: called by the functions below; no reference to the block is held across the switch.
    unsafe {
        let (fiber, block) = of(context);
        (*fiber).value = value;
        (*fiber).operand = operand;
        // What a thread gets that its own mask does not name is undefined: it takes part all the same.
        if !(*block).gather(fiber, key, mask | 1 << ((*context).linear % 32)) {
            thread::wait(fiber);
        }
        if key != collective::SYNC {
            told::exchanged(context, block, Some(mask));
        }
        (*fiber).result
    }
}

unsafe extern "C-unwind" fn warp_sync(context: *mut ThreadContext, mask: u32, _site: u32) {
    // SAFETY: called by generated code, as all below.
    unsafe { meet(context, collective::SYNC, mask, 0, 0) };
}

unsafe extern "C-unwind" fn shuffle(
    context: *mut ThreadContext,
    mode: u32,
    value: u32,
    b: u32,
    c: u32,
    mask: u32,
    _site: u32,
) -> u64 {
    // SAFETY: called by generated code.
    unsafe {
        meet(context, collective::SHUFFLE | mode & 0xff, mask, u64::from(value), u64::from(b) | u64::from(c) << 32)
    }
}

unsafe extern "C-unwind" fn vote(context: *mut ThreadContext, mode: u32, predicate: u32, mask: u32, _site: u32) -> u32 {
    // SAFETY: called by generated code.
    unsafe { meet(context, collective::VOTE | mode & 0xff, mask, u64::from(predicate), 0) as u32 }
}

unsafe extern "C-unwind" fn match_sync(
    context: *mut ThreadContext,
    all: u32,
    value: u64,
    mask: u32,
    _site: u32,
) -> u64 {
    // SAFETY: called by generated code.
    unsafe { meet(context, collective::MATCH | u32::from(all != 0), mask, value, 0) }
}

unsafe extern "C-unwind" fn redux(
    context: *mut ThreadContext,
    operation: u32,
    value: u32,
    mask: u32,
    _site: u32,
) -> u32 {
    // SAFETY: called by generated code.
    unsafe { meet(context, collective::REDUX | operation & 0xff, mask, u64::from(value), 0) as u32 }
}

unsafe extern "C-unwind" fn elect(context: *mut ThreadContext, mask: u32, _site: u32) -> u64 {
    // SAFETY: called by generated code.
    unsafe { meet(context, collective::ELECT, mask, 0, 0) }
}

unsafe extern "C-unwind" fn matrix(context: *mut ThreadContext, operation: u32, words: *mut u32, _site: u32) {
    // SAFETY: called by generated code, whose buffer lives until this returns.
    unsafe { meet(context, collective::MATRIX | operation, u32::MAX, words as u64, 0) };
}

/// `activemask`: passes on where it was called from, which tells lanes that are at the same instruction from others.
#[unsafe(naked)]
unsafe extern "C-unwind" fn active_mask(context: *mut ThreadContext) -> u32 {
    std::arch::naked_asm!("mov rsi, [rsp]", "jmp {}", sym active_mask_at)
}

unsafe extern "C-unwind" fn active_mask_at(context: *mut ThreadContext, site: u64) -> u32 {
    // SAFETY: called by generated code; no reference to the block is held across the switch.
    unsafe {
        let (fiber, block) = of(context);
        (*fiber).active_site = site;
        (*fiber).result = 0;
        told::learn(context);
        (*block).asking.push(fiber);
        thread::wait(fiber);
        (*fiber).result as u32
    }
}

unsafe extern "C-unwind" fn yield_now(context: *mut ThreadContext) {
    // SAFETY: called by generated code.
    unsafe { context::yield_now(context) }
}

fn nanoseconds(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid; the call needs little stack.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// One tick a nanosecond: about half of the real clock's rate, and never backwards.
unsafe extern "C-unwind" fn clock(context: *mut ThreadContext) -> u64 {
    // SAFETY: called by generated code.
    let observer = unsafe {
        told::learn(context);
        Block::code(of(context).1).observer
    };
    observer.map_or_else(|| nanoseconds(libc::CLOCK_MONOTONIC), |observer| observer.clock())
}

unsafe extern "C-unwind" fn global_timer(context: *mut ThreadContext) -> u64 {
    // SAFETY: called by generated code.
    let observer = unsafe {
        told::learn(context);
        Block::code(of(context).1).observer
    };
    observer.map_or_else(|| nanoseconds(libc::CLOCK_REALTIME), |observer| observer.global_timer())
}

unsafe extern "C-unwind" fn call_target(context: *mut ThreadContext, address: u64, site: u32) -> *const u8 {
    // SAFETY: called by generated code.
    unsafe {
        let (_, block) = of(context);
        let known = (address >> 4) as usize % TARGETS;
        let (at, code) = (*block).targets[known];
        if at == address && !code.is_null() {
            return code;
        }
        let (owner, target) = (Block::code(block).owner, Block::code(block).call_target);
        match context::on_worker_stack(context, || target(owner, address)) {
            Some(code) => {
                (*block).targets[known] = (address, code);
                code
            }
            None => context::raise(context, Fault::InvalidPc, address, location(block, site)),
        }
    }
}

unsafe extern "C-unwind" fn is_space(context: *mut ThreadContext, address: u64, which: u32) -> u32 {
    // SAFETY: called by generated code.
    let inside = unsafe {
        let (fiber, block) = of(context);
        let memory = context::memory(context);
        let kind = || context::on_worker_stack(context, || memory.find(address).map(|found| found.kind));
        match which {
            space::GLOBAL => {
                let other = |kind| matches!(kind, Kind::Constant | Kind::Parameters);
                (memory.contains(address) && !kind().is_some_and(other)) || memory.is_registered(address, 1)
            }
            space::SHARED => address.wrapping_sub((*block).window.base) < WINDOW,
            space::SHARED_CLUSTER => cluster::cluster_rank(context, address) != u32::MAX,
            space::LOCAL => Fiber::local(fiber).contains(&address),
            space::CONST => kind() == Some(Kind::Constant),
            _ => {
                let parameters = (*block).context.parameters as u64;
                kind() == Some(Kind::Parameters)
                    && context::on_worker_stack(context, || memory.find(address).map(|f| f.base)) == Some(parameters)
            }
        }
    };
    u32::from(inside)
}
