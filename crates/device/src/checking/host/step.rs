//! The single step that carries out an access of host code: its pages open, all signals wait, and the processor stops behind
//! the instruction.

use super::string;
use super::watch::Watch;
use crate::exec::SignalFrame;
use std::cell::Cell;

/// Separate parts of memory that a step may need open.
const SPANS: usize = 66;
/// Faults of one step at memory that is open.
const RETRIES: u32 = 1000;
/// The flag that makes the processor stop after one instruction.
const TRAP: i64 = 0x100;
/// Signals that an instruction can raise by itself: those are not held back.
const RAISED: u64 = 1 << (libc::SIGSEGV - 1)
    | 1 << (libc::SIGBUS - 1)
    | 1 << (libc::SIGFPE - 1)
    | 1 << (libc::SIGILL - 1)
    | 1 << (libc::SIGTRAP - 1);

/// A step of the calling thread.
struct Step {
    watch: Cell<Option<&'static Watch>>,
    /// The instruction.
    at: Cell<u64>,
    /// Its copy and what follows it, for repeated moves; else 0.
    copy: Cell<u64>,
    next: Cell<u64>,
    /// The thread's signal mask.
    mask: Cell<u64>,
    spans: [Cell<(u64, u64)>; SPANS],
    count: Cell<usize>,
    /// Faults during it.
    faults: Cell<u32>,
}

thread_local! {
    static STEP: Step = const {
        Step {
            watch: Cell::new(None),
            at: Cell::new(0),
            copy: Cell::new(0),
            next: Cell::new(0),
            mask: Cell::new(0),
            spans: [const { Cell::new((0, 0)) }; SPANS],
            count: Cell::new(0),
            faults: Cell::new(0),
        }
    };
}

fn instruction(frame: &SignalFrame) -> u64 {
    frame.machine.gregs[libc::REG_RIP as usize] as u64
}

fn set_instruction(frame: &mut SignalFrame, address: u64) {
    frame.machine.gregs[libc::REG_RIP as usize] = address as i64;
}

/// Lets the interrupted code do its instruction with `spans` open. `copy` is where a repeated move is done instead, and what follows
/// the original.
pub fn begin(
    frame: &mut SignalFrame,
    watch: &'static Watch,
    copy: Option<(u64, u64)>,
    spans: impl Iterator<Item = (u64, u64)>,
) {
    STEP.with(|step| {
        step.watch.set(Some(watch));
        step.at.set(instruction(frame));
        step.mask.set(frame.mask);
        step.count.set(0);
        step.faults.set(0);
        for (span, slot) in spans.zip(&step.spans) {
            slot.set(span);
            step.count.set(step.count.get() + 1);
        }
        frame.mask = !RAISED;
        match copy {
            Some((copy, next)) => {
                step.copy.set(copy);
                step.next.set(next);
                set_instruction(frame, copy);
            }
            None => {
                step.copy.set(0);
                frame.machine.gregs[libc::REG_EFL as usize] |= TRAP;
            }
        }
    });
}

/// Ends the thread's step, if it has one: pages are closed again and the thread is as its program knows it.
fn end(frame: &mut SignalFrame, step: &Step) {
    let Some(watch) = step.watch.take() else { return };
    for span in &step.spans[..step.count.get()] {
        let (start, end) = span.get();
        watch.close_after_step(start, end);
    }
    frame.mask = step.mask.get();
    if step.copy.get() == 0 {
        frame.machine.gregs[libc::REG_EFL as usize] &= !TRAP;
    } else if instruction(frame) == step.copy.get() {
        set_instruction(frame, step.at.get());
    }
}

/// The processor stopped behind an instruction. False if it is not because of a step.
pub fn finish(frame: &mut SignalFrame) -> bool {
    STEP.with(|step| {
        if step.watch.get().is_none() {
            return false;
        }
        let copy = step.copy.get();
        if copy != 0 && string::ends(copy, instruction(frame)) {
            set_instruction(frame, step.next.get());
        }
        end(frame, step);
        true
    })
}

/// A fault at `address` during a step: opens its page if the step may touch it (somebody else closed it meanwhile). Otherwise the step is
/// over, and the fault is an ordinary one of the original instruction.
pub fn interrupted(frame: &mut SignalFrame, address: Option<u64>) -> bool {
    STEP.with(|step| {
        let Some(watch) = step.watch.get() else { return false };
        let inside = |span: &Cell<(u64, u64)>| {
            let (start, end) = span.get();
            address.is_some_and(|address| start <= address && address < end)
        };
        let span = step.spans[..step.count.get()].iter().find(|span| inside(span)).map(Cell::get);
        let again = span.is_some_and(|(start, end)| {
            step.faults.set(step.faults.get() + 1);
            // Not closed by the watch: then the program closed it, unless it was opened since.
            watch.open_for_step(start, end) || step.faults.get() < RETRIES
        });
        if !again {
            end(frame, step);
        }
        again
    })
}
