//! Kernels written in Rust, so that the engine is tested without a compiler of PTX: each does what a compiled kernel would.

use crate::builtins;
use crate::exec;
use hotfire_jit::Kernel;
use hotfire_jit::abi::{EntryKind, ThreadContext};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

/// What the kernels of one test share. Their first parameter is its address.
#[derive(Default)]
pub struct Shared {
    pub order: Mutex<Vec<i32>>,
    pub count: AtomicI32,
    pub launched: AtomicI32,
    pub dropped: AtomicI32,
    pub code: AtomicI32,
    pub gate: AtomicBool,
    /// Addresses of kernels, in the order of [`NAMES`].
    pub kernels: [AtomicU64; NAMES.len()],
}

/// All kernels.
pub const NAMES: [&str; 15] = [
    "empty",
    "leaf",
    "tails",
    "child_with_tail",
    "storm",
    "storm_tails",
    "blocked",
    "hold",
    "nest",
    "tail_chain",
    "barriers",
    "wild",
    "count_blocks",
    "primary",
    "dependent",
];

/// The kernel of a name.
pub fn kernel(name: &str) -> Option<Kernel> {
    type Entry = unsafe extern "C-unwind" fn(*mut ThreadContext);
    const ENTRIES: [Entry; NAMES.len()] = [
        empty,
        leaf,
        tails,
        child_with_tail,
        storm,
        storm_tails,
        blocked,
        hold,
        nest,
        tail_chain,
        barriers,
        wild,
        count_blocks,
        primary,
        dependent,
    ];
    let index = NAMES.iter().position(|&known| known == name)?;
    Some(Kernel::from_raw(EntryKind::Thread(ENTRIES[index]), 0, 4096))
}

/// PTX text that declares them; their bodies are never compiled.
pub fn text() -> String {
    let mut text = String::from(".version 8.0\n.target sm_90\n.address_size 64\n");
    for name in NAMES {
        text += &format!(
            ".visible .entry {name}(.param .u64 {name}_0, .param .u32 {name}_1, .param .u32 {name}_2) {{ ret; }}\n"
        );
    }
    text
}

unsafe fn parameters<'a>(context: *mut ThreadContext) -> (&'a Shared, i32, i32) {
    // SAFETY: the tests pass these three, and outlive the grids.
    unsafe {
        let block = (*(*context).block).parameters;
        (&**block.cast::<*const Shared>(), block.add(8).cast::<i32>().read(), block.add(12).cast::<i32>().read())
    }
}

/// Launches one thread of a kernel with two numbers, as compiled code does.
unsafe fn launch(context: *mut ThreadContext, name: &str, stream: u64, first: i32, second: i32) -> u32 {
    // SAFETY: the layouts are those of the built-in functions.
    unsafe {
        let shared = parameters(context).0;
        let index = NAMES.iter().position(|&known| known == name).unwrap();
        let kernel = shared.kernels[index].load(Ordering::Relaxed);
        #[repr(C)]
        struct Prepare(u64, [u32; 3], [u32; 3], u32);
        #[repr(C)]
        struct Launch(u64, u64);
        let mut buffer = 0u64;
        let prepare = Prepare(kernel, [1; 3], [1; 3], 0);
        let get = builtins::find("__cudaCDP2GetParameterBufferV2").unwrap();
        get(context, (&raw const prepare).cast(), (&raw mut buffer).cast());
        if buffer != 0 {
            (buffer as *mut u64).write(std::ptr::from_ref(shared) as u64);
            (buffer as *mut i32).add(2).write(first);
            (buffer as *mut i32).add(3).write(second);
            let mut result = 0u32;
            let launch = Launch(buffer, stream);
            let go = builtins::find("__cudaCDP2LaunchDeviceV2").unwrap();
            go(context, (&raw const launch).cast(), (&raw mut result).cast());
        }
        let mut error = 0u32;
        let last = builtins::find("__cudaCDP2GetLastError").unwrap();
        last(context, std::ptr::null(), (&raw mut error).cast());
        if error == 0 {
            shared.launched.fetch_add(1, Ordering::Relaxed);
        } else {
            shared.dropped.fetch_add(1, Ordering::Relaxed);
            shared.code.store(error as i32, Ordering::Relaxed);
        }
        error
    }
}

const TAIL: u64 = 3;
const FORGET: u64 = 4;

unsafe extern "C-unwind" fn empty(_context: *mut ThreadContext) {}

unsafe extern "C-unwind" fn leaf(context: *mut ThreadContext) {
    // SAFETY: as everywhere here, called by a worker with the tests' parameters.
    unsafe {
        let (shared, tag, _) = parameters(context);
        exec::on_worker_stack(context, || shared.order.lock().unwrap().push(tag));
    }
}

unsafe extern "C-unwind" fn tails(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        if (*context).linear == 0 {
            launch(context, "leaf", TAIL, 1, 0);
            launch(context, "child_with_tail", FORGET, 10, 0);
            launch(context, "leaf", TAIL, 2, 0);
            launch(context, "child_with_tail", TAIL, 20, 0);
            launch(context, "leaf", TAIL, 3, 0);
        }
    }
}

unsafe extern "C-unwind" fn child_with_tail(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let tag = parameters(context).1;
        launch(context, "leaf", TAIL, tag + 1000, 0);
        launch(context, "leaf", FORGET, tag + 2000, 0);
        leaf(context);
    }
}

unsafe extern "C-unwind" fn storm(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe { (0..parameters(context).1).for_each(|i| _ = launch(context, "empty", FORGET, i, 0)) }
}

unsafe extern "C-unwind" fn storm_tails(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe { (0..parameters(context).1).for_each(|i| _ = launch(context, "leaf", TAIL, i, 0)) }
}

unsafe extern "C-unwind" fn blocked(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let shared = parameters(context).0;
        while !shared.gate.load(Ordering::Acquire) {
            exec::yield_now(context);
        }
        shared.count.fetch_add(1, Ordering::Relaxed);
    }
}

unsafe extern "C-unwind" fn hold(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let (shared, n, _) = parameters(context);
        (0..n).for_each(|i| _ = launch(context, "blocked", FORGET, i, 0));
        shared.gate.store(true, Ordering::Release);
    }
}

unsafe extern "C-unwind" fn nest(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let (_, depth, most) = parameters(context);
        if depth == most {
            launch(context, "leaf", FORGET, depth, 0);
        } else {
            launch(context, "nest", FORGET, depth + 1, most);
        }
    }
}

unsafe extern "C-unwind" fn tail_chain(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let (_, depth, _) = parameters(context);
        if depth == 0 {
            leaf(context);
        } else {
            launch(context, "tail_chain", TAIL, depth - 1, 0);
        }
    }
}

unsafe extern "C-unwind" fn barriers(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let (shared, rounds, _) = parameters(context);
        let runtime = exec::runtime();
        for _ in 0..rounds {
            (runtime.barrier)(context, 0, 0, 0, 0, 0);
        }
        shared.count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Stores to an address that is no one's: the second parameter, times 8.
unsafe extern "C-unwind" fn wild(context: *mut ThreadContext) {
    // SAFETY: none; that is the point: the signal ends the thread.
    unsafe { (parameters(context).1 as u64 as *mut u32).write_volatile(1) }
}

unsafe extern "C-unwind" fn count_blocks(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe { parameters(context).0.count.fetch_add(1, Ordering::Relaxed) };
}

/// Triggers, waits for the gate, and says so.
unsafe extern "C-unwind" fn primary(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let (shared, tag, _) = parameters(context);
        (exec::runtime().grid_dependency)(context, 1, 0);
        while !shared.gate.load(Ordering::Acquire) {
            exec::yield_now(context);
        }
        exec::on_worker_stack(context, || shared.order.lock().unwrap().push(tag));
    }
}

/// Triggers, counts itself, waits for what is in front, and says so.
unsafe extern "C-unwind" fn dependent(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let (shared, tag, _) = parameters(context);
        (exec::runtime().grid_dependency)(context, 1, 0);
        shared.count.fetch_add(1, Ordering::Relaxed);
        (exec::runtime().grid_dependency)(context, 0, 0);
        exec::on_worker_stack(context, || shared.order.lock().unwrap().push(tag));
    }
}
