//! The program's own handlers beside ours.

use super::{Fixture, map};
use crate::memory::map::PAGE;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Handlers belong to the process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
static PAGE_OF_PROGRAM: AtomicU64 = AtomicU64::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);
static OLD: Mutex<Option<libc::sigaction>> = Mutex::new(None);

unsafe extern "C" fn open_page(signal: i32, info: *mut libc::siginfo_t, frame: *mut c_void) {
    CALLS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the kernel's record; the page is the test's; the old handler takes these arguments.
    unsafe {
        let page = (*info).si_addr() as u64 & !(PAGE - 1);
        if page == PAGE_OF_PROGRAM.load(Ordering::Relaxed) {
            libc::mprotect(page as *mut _, PAGE as usize, libc::PROT_READ | libc::PROT_WRITE);
        } else if let Some(old) = *OLD.lock().unwrap() {
            type Handler = unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void);
            std::mem::transmute::<usize, Handler>(old.sa_sigaction)(signal, info, frame);
        }
    }
}

/// Installs the program's handler; answers what was there.
fn install() -> libc::sigaction {
    // SAFETY: a handler with the signature that the flags say.
    unsafe {
        let mut old = std::mem::zeroed();
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = open_page as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        assert_eq!(libc::sigaction(libc::SIGSEGV, &raw const action, &raw mut old), 0);
        old
    }
}

#[test]
fn a_handler_that_comes_later_gets_what_is_not_ours() {
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    let f = Fixture::new(1);
    let page = map(1);
    PAGE_OF_PROGRAM.store(page, Ordering::Relaxed);
    *OLD.lock().unwrap() = Some(install());
    f.watch.lift();
    f.watch.guard();
    // SAFETY: the test's memory.
    unsafe {
        f.at(3).write_volatile(1);
        assert_eq!((f.seen(), CALLS.load(Ordering::Relaxed)), (vec![(3, 1, true)], 0));
        libc::mprotect(page as *mut _, PAGE as usize, libc::PROT_NONE);
        (page as *mut u8).write_volatile(1);
    }
    assert_eq!((f.seen(), CALLS.load(Ordering::Relaxed)), (vec![], 1));
    // An instruction that touches both: ours and the program's.
    // SAFETY: the test's memory.
    unsafe {
        libc::mprotect(page as *mut _, PAGE as usize, libc::PROT_NONE);
        std::arch::asm!("rep movsb", inout("rdi") page => _, inout("rsi") f.at(0) => _, inout("rcx") 9usize => _);
        assert_eq!((page as *const u8).add(3).read(), 1);
    }
    assert!(f.seen().contains(&(0, 9, false)));
    assert_eq!(CALLS.load(Ordering::Relaxed), 2);
}

/// A child that dies of a null pointer still dies of it.
#[test]
fn a_fault_of_the_program_ends_it() {
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    let f = Fixture::new(1);
    // SAFETY: the child calls nothing that needs the locks of other threads.
    let status = unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::alarm(20);
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
            // Without a device there is nobody to tell.
            f.at(0).write_volatile(1);
            (8 as *mut u8).write_volatile(1);
            libc::_exit(0);
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        status
    };
    assert!(libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGSEGV, "{status:#x}");
    assert_eq!(f.seen(), []);
}
