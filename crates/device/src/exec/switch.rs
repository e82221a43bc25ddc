//! Switching between a worker's stack and a device thread's (x86-64, System V).
//!
//! A block's threads are mostly suspended at the same place in the code, with the same return addresses above them. A switch
//! that jumps, instead of calling and returning, leaves the processor's return predictor with exactly those addresses, so that the
//! returns behind a barrier are predicted although another thread makes them. A barrier of 256 threads cost 22 ns a thread
//! instead of 44 (same machine, same load) with a general library, whose switches call and return.
//!
//! Device threads are never unwound: generated frames own nothing and are abandoned where they stand.

use std::arch::{asm, naked_asm};
use std::ffi::c_void;

/// Both stack pointers of a coroutine. Where it is running, `inside` is stale; where it is not, `outside` is.
#[derive(Debug)]
#[repr(C)]
pub struct Switch {
    inside: u64,
    outside: u64,
}

/// What a coroutine runs. Must never return.
pub type Body = unsafe extern "C" fn(*mut c_void) -> !;

impl Switch {
    /// A coroutine that runs `body(argument)` on the stack that ends at `top`, once entered.
    ///
    /// # Safety
    /// `top` is a multiple of 16, and the memory below it is a stack for this coroutine alone.
    pub unsafe fn new(top: u64, body: Body, argument: *mut c_void) -> Self {
        let inside = top - 32;
        // SAFETY: the caller's promise.
        unsafe {
            (inside as *mut [u64; 4]).write([start as *const () as u64, body as usize as u64, argument as u64, 0])
        };
        Self { inside, outside: 0 }
    }

    /// Lets the coroutine run until it leaves; returns what it left with.
    ///
    /// # Safety
    /// The coroutine is not running.
    #[inline(always)]
    pub unsafe fn enter(this: *mut Self) -> u64 {
        let value;
        // SAFETY: everything that a function must preserve is saved: rbx and rbp here, the rest by the compiler, which is told that all
        // is clobbered. The stack pointer is this one's again at the end.
        unsafe {
            asm!(
                "push rbp",
                "push rbx",
                "lea rax, [rip + 2f]",
                "push rax",
                "mov [rdi + 8], rsp",
                "mov rsp, [rdi]",
                "pop rax",
                "jmp rax",
                "2:",
                "pop rbx",
                "pop rbp",
                inout("rdi") this => _,
                lateout("rax") value,
                lateout("r12") _, lateout("r13") _, lateout("r14") _, lateout("r15") _,
                clobber_abi("sysv64"),
            );
        }
        value
    }

    /// Leaves the coroutine, on whose stack this runs. Returns when it is entered again, perhaps by another host thread.
    ///
    /// # Safety
    /// Runs inside the coroutine.
    #[inline(always)]
    pub unsafe fn leave(this: *mut Self, value: u64) {
        // SAFETY: as in `enter`.
        unsafe {
            asm!(
                "push rbp",
                "push rbx",
                "lea rcx, [rip + 2f]",
                "push rcx",
                "mov [rdi], rsp",
                "mov rsp, [rdi + 8]",
                "pop rcx",
                "jmp rcx",
                "2:",
                "pop rbx",
                "pop rbp",
                inout("rdi") this => _,
                inout("rax") value => _,
                lateout("r12") _, lateout("r13") _, lateout("r14") _, lateout("r15") _,
                clobber_abi("sysv64"),
            );
        }
    }

    /// Where a suspended coroutine's stack begins: saved registers first, then the frames.
    pub fn suspended_at(&self) -> u64 {
        self.inside
    }

    /// Calls `f(argument)` on the stack of whoever entered the coroutine, on whose stack this runs.
    ///
    /// # Safety
    /// Runs inside the coroutine. `f` does not unwind.
    pub unsafe fn call_outside(this: *mut Self, f: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) {
        // SAFETY: below the stack pointer that `enter` saved nothing is in use.
        unsafe { call_on((*this).outside & !15, f, argument) }
    }
}

/// Where a coroutine begins: the body and its argument lie on its stack.
#[unsafe(naked)]
unsafe extern "C" fn start() {
    naked_asm!("pop rax", "pop rdi", "sub rsp, 8", "xor ebp, ebp", "call rax", "ud2")
}

/// Calls a function on another stack. The directives let a debugger, or a panic's backtrace, find the way back.
#[unsafe(naked)]
unsafe extern "C" fn call_on(stack: u64, f: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa rsp, 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa rbp, 16",
        "mov rsp, rdi",
        "mov rdi, rdx",
        "call rsi",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter {
        switch: Switch,
        count: u64,
        outside: u64,
    }

    unsafe extern "C" fn counts(counter: *mut c_void) -> ! {
        let counter = counter.cast::<Counter>();
        // Kept in registers across switches, if the compiler likes.
        let (mut a, mut b, mut c, mut d) = (1u64, 10u64, 100u64, 0.5f64);
        loop {
            // SAFETY: the test's counter, whose coroutine this is.
            unsafe {
                (a, b, c, d) = (a + 1, b + a, c + b, d * 2.0);
                (*counter).count = a + b + c + d as u64;
                Switch::call_outside(&raw mut (*counter).switch, note, counter.cast());
                Switch::leave(&raw mut (*counter).switch, a);
            }
        }
    }

    unsafe extern "C" fn note(counter: *mut c_void) {
        let here = 0u8;
        // SAFETY: as above.
        unsafe { (*counter.cast::<Counter>()).outside = &raw const here as u64 };
    }

    #[test]
    fn registers_survive_on_both_sides() {
        let mut stack = vec![0u128; 1024];
        let (low, top) = (stack.as_ptr() as u64, stack.as_mut_ptr_range().end as u64);
        let mut counter = Counter { switch: Switch { inside: 0, outside: 0 }, count: 0, outside: 0 };
        let counter = &raw mut counter;
        let (mut a, mut b, mut c, mut d) = (1u64, 10u64, 100u64, 0.5f64);
        // SAFETY: the stack is the coroutine's alone; it is abandoned in the end, and owns nothing.
        unsafe {
            (*counter).switch = Switch::new(top, counts, counter.cast());
            for _ in 0..40 {
                let left = Switch::enter(&raw mut (*counter).switch);
                (a, b, c, d) = (a + 1, b + a, c + b, d * 2.0);
                assert_eq!((left, (*counter).count), (a, a + b + c + d as u64));
                assert!((low..top).contains(&(*counter).switch.suspended_at()));
                assert!(!(low..top).contains(&(*counter).outside));
                let here = 0u8;
                assert!((*counter).outside.abs_diff(&raw const here as u64) < 4096);
            }
        }
    }
}
