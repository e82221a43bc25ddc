//! A fault in memory under watch: who did it, what it does, and how it goes on.

use super::decode::{self, Access, Accesses};
use super::registers::Registers;
use super::scratch::{self, Scratch};
use super::watch::{self, Verdict, Watch};
use super::{HostAccess, stack, step, string, tired};
use crate::exec::SignalFrame;
use iced_x86::{Instruction, Mnemonic, Register};
use std::cell::Cell;

/// The bit of a page fault's error code that says write.
const WRITE: i64 = 2;
/// Faults of one instruction at one address, in a row, at memory that is open: then it is not the watch that closed it.
const RETRIES: u32 = 1000;

thread_local! {
    /// The instruction, the address and how often in a row.
    static LAST: Cell<(u64, u64, u32)> = const { Cell::new((0, 0, 0)) };
    /// The latest access that was reported: instruction and address.
    static POLLED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// A fault, in its handler with all signals blocked. True if the interrupted code may go on.
///
/// # Safety
/// The arguments are the handler's.
pub(crate) unsafe fn fault(signal: i32, info: &libc::siginfo_t, frame: &mut SignalFrame) -> bool {
    if info.si_code <= 0 {
        return false;
    }
    // SAFETY: the signal has an address; a general protection fault has 0.
    let address = (signal == libc::SIGSEGV).then(|| unsafe { info.si_addr() } as u64);
    keeping_errno(|| {
        if step::interrupted(frame, address) {
            return true;
        }
        let Some(address) = address else { return false };
        let mut watches = watch::all().filter(|watch| watch.may_contain(address, address.saturating_add(1)));
        watches.any(|watch| handle(watch, address, frame))
    })
}

/// A trap of the processor, in its handler. True if it ended a step.
pub(crate) fn trapped(frame: &mut SignalFrame) -> bool {
    keeping_errno(|| step::finish(frame))
}

/// The interrupted code's `errno` stays.
fn keeping_errno<R>(action: impl FnOnce() -> R) -> R {
    // SAFETY: the calling thread's own.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { errno.read() };
    let result = action();
    // SAFETY: as above.
    unsafe { errno.write(before) };
    result
}

fn handle(watch: &'static Watch, address: u64, frame: &mut SignalFrame) -> bool {
    let registers = &frame.machine.gregs;
    let at = registers[libc::REG_RIP as usize] as u64;
    let write = registers[libc::REG_ERR as usize] & WRITE != 0;
    // Code that lies in watched memory cannot be looked at.
    let inside = super::inside() || stack::is_own(at as usize) || at / 4096 == address / 4096;
    match watch.judge(address, write, inside) {
        Verdict::Foreign => false,
        Verdict::Open => {
            let (last, where_, count) = LAST.get();
            let count = if (last, where_) == (at, address) { count + 1 } else { 0 };
            LAST.set((at, address, count));
            count < RETRIES
        }
        Verdict::Access => {
            LAST.set((0, 0, 0));
            let handled = scratch::with(|scratch| access(watch, at, address, write, frame, scratch));
            handled.unwrap_or_else(|| watch.judge(address, write, true) != Verdict::Foreign)
        }
    }
}

/// Reports an access of host code and begins its step.
fn access(
    watch: &'static Watch,
    at: u64,
    address: u64,
    write: bool,
    frame: &mut SignalFrame,
    scratch: &mut Scratch,
) -> bool {
    let Some(listener) = watch.listener() else { return watch.judge(address, write, true) != Verdict::Foreign };
    let stack = frame.machine.gregs[libc::REG_RSP as usize] as u64;
    let watched = watch::all().any(|watch| watch.may_contain(stack, stack + 1));
    scratch.trace.of_interrupted(at as usize, !watched);
    scratch.accesses = Accesses::NONE;
    // SAFETY: the processor has just read the instruction, and its registers are in the frame.
    let (instruction, registers) = unsafe { (decode::instruction_at(at), Registers::new(&frame.machine)) };
    let copy = instruction.and_then(|instruction| string::copy_of(&instruction, registers, &mut scratch.accesses));
    if let (Some(instruction), None) = (&instruction, copy) {
        decode::accesses(instruction, registers, &mut scratch.factory, &mut scratch.accesses);
    }
    let known = scratch.accesses.iter().any(|access| access.address <= address && address < access.end());
    if !known {
        scratch.accesses.push(Access { address, size: 1, read: !write, write });
    }
    let polled = scratch.accesses.iter().all(|access| !access.write) && POLLED.replace((at, address)) == (at, address);
    let advanced = listener.pump();
    if !(polled && advanced) {
        watch.count_trap(address, tired::is_tired(at));
    }
    for access in scratch.accesses.iter() {
        watch.open_for_step(access.address, access.end());
    }
    // A step may need pages that are not known; these would show the trap flag, or lose it.
    let opaque = !known
        || instruction.is_none_or(|instruction| {
            use Mnemonic::{Iretq, Popf, Popfq, Pushf, Pushfq};
            matches!(instruction.mnemonic(), Iretq | Popf | Popfq | Pushf | Pushfq)
        });
    if let Some(instruction) = &instruction {
        predict(watch, instruction, registers, &mut scratch.accesses);
    }
    report(watch, listener, scratch);
    if opaque {
        // Open until the device pauses again.
        for access in scratch.accesses.iter() {
            watch.judge(access.address, false, true);
        }
    } else {
        // Even if all is open just now: another thread may close it before the access.
        let next = instruction.map_or(0, |instruction| instruction.next_ip());
        let spans =
            scratch.accesses.iter().map(|access| (access.address / 4096 * 4096, access.end().next_multiple_of(4096)));
        step::begin(frame, watch, copy.map(|copy| (copy, next)), spans);
    }
    true
}

/// A compare-and-exchange that is going to fail writes nothing.
fn predict(watch: &Watch, instruction: &Instruction, registers: Registers<'_>, accesses: &mut Accesses) {
    if instruction.mnemonic() != Mnemonic::Cmpxchg {
        return;
    }
    let Some(access) = accesses.iter_mut().find(|access| access.write && matches!(access.size, 1 | 2 | 4 | 8)) else {
        return;
    };
    if let (Some(expected), Some(word)) = (registers.value(Register::RAX), watch.peek(access.address, access.size)) {
        access.write = word == expected & (u64::MAX >> (64 - 8 * access.size));
    }
}

fn report(watch: &Watch, listener: &dyn HostAccess, scratch: &Scratch) {
    for write in [false, true] {
        for access in scratch.accesses.iter() {
            let wanted = if write { access.write } else { access.read };
            if wanted && watch.is_owned(access.address, access.end(), watch::Locked::Handler) {
                tell(listener, access.address, access.size, write, &scratch.trace);
            }
        }
    }
}

/// Tells of an access of any size.
pub(super) fn tell(listener: &dyn HostAccess, address: u64, size: u64, write: bool, frames: &[usize]) {
    const MOST: u64 = 1 << 31;
    let mut at = address;
    let mut left = size;
    while left > 0 {
        let part = left.min(MOST);
        listener.host_access(at, part as u32, write, frames);
        at += part;
        left -= part;
    }
}
