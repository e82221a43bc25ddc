//! The host program's own signal handlers keep working beside the device's.
//!
//! One test, since handlers belong to the process.

use hotfire_device::exec::{GridCode, Outcome, Worker};
use hotfire_device::memory::Memory;
use hotfire_jit::Kernel;
use hotfire_jit::abi::{EntryKind, Fault, ThreadContext};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const PAGE: usize = 4096;
static GUARDED: AtomicU64 = AtomicU64::new(0);
static SEEN: AtomicUsize = AtomicUsize::new(0);

/// What a garbage collector does: opens the page that was touched.
unsafe extern "C" fn open_page(_: i32, info: *mut libc::siginfo_t, _: *mut c_void) {
    SEEN.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the kernel passes a valid pointer; the page is the test's.
    unsafe {
        let page = (*info).si_addr() as usize & !(PAGE - 1);
        if page as u64 == GUARDED.load(Ordering::Relaxed) {
            libc::mprotect(page as *mut _, PAGE, libc::PROT_READ | libc::PROT_WRITE);
        }
    }
}

unsafe extern "C-unwind" fn faults(_: *mut ThreadContext) {
    // SAFETY: never; that is the point.
    unsafe { (64 as *const u32).read_volatile() };
}

fn touch_guarded_page() {
    let before = SEEN.load(Ordering::Relaxed);
    let page = GUARDED.load(Ordering::Relaxed) as *mut u32;
    // SAFETY: the handler opens the page.
    unsafe {
        assert_eq!(libc::mprotect(page.cast(), PAGE, libc::PROT_NONE), 0);
        page.write_volatile(5);
        assert_eq!(page.read_volatile(), 5);
    }
    assert_eq!(SEEN.load(Ordering::Relaxed), before + 1);
}

#[test]
fn host_faults_go_to_the_host_and_device_faults_to_the_device() {
    // SAFETY: plain system calls with valid arguments.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let page = libc::mmap(std::ptr::null_mut(), PAGE, libc::PROT_NONE, flags, -1, 0);
        assert_ne!(page, libc::MAP_FAILED);
        GUARDED.store(page as u64, Ordering::Relaxed);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = open_page as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut()), 0);
    }
    touch_guarded_page();
    let memory = Memory::new(1 << 20).unwrap();
    let code = Arc::new(GridCode {
        kernel: Arc::new(Kernel::from_raw(EntryKind::Thread(faults), 0, 1024)),
        grid: [1; 3],
        block: [1; 3],
        cluster: [1; 3],
        clusters: hotfire_device::exec::Clusters::default(),
        dynamic_shared: 0,
        parameters: std::ptr::null(),
        gridid: 1,
        current_graph: Default::default(),
        workspace: 0,
        warp_order: None,
        stack_limit: 1024,
        cancel: Arc::default(),
        call_target: |_, _| None,
        owner: std::ptr::null(),
        observer: None,
        start: Default::default(),
        dependency: Default::default(),
        costs: None,
    });
    for _ in 0..3 {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut worker = Worker::new(memory.clone()).unwrap();
                let seen = SEEN.load(Ordering::Relaxed);
                let outcome = worker.run(&code, 0);
                let Outcome::Fault(report) = outcome else { panic!("{outcome:?}") };
                assert_eq!((report.fault, report.address), (Fault::IllegalAddress, 64));
                assert_eq!(SEEN.load(Ordering::Relaxed), seen);
                // A worker's own code is host code.
                touch_guarded_page();
            });
        });
        touch_guarded_page();
    }
    // A worker leaves its host thread as it found it.
    let worker = Worker::new(memory).unwrap();
    let blocked = || {
        // SAFETY: plain system calls with valid arguments.
        unsafe {
            let mut mask: libc::sigset_t = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut mask);
            libc::sigismember(&raw const mask, libc::SIGUSR1)
        }
    };
    assert_eq!(blocked(), 1);
    drop(worker);
    assert_eq!(blocked(), 0);
    touch_guarded_page();
}
