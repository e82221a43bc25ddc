//! Kernels written in Rust against the contract of generated code, run block by block on one worker.

mod barriers;
mod collectives;
mod faults;
mod spins;
mod threads;

use super::{GridCode, Outcome, Worker, runtime};
use crate::memory::{Kind, Memory};
use hotfire_jit::Kernel;
use hotfire_jit::abi::{EntryKind, LoopEntry, Runtime, ThreadContext, ThreadEntry};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// What kernels call.
fn rt() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(runtime)
}

/// A worker with memory of its own.
struct Bench {
    memory: Arc<Memory>,
    worker: Worker,
}

/// How to launch; parameters are 64-bit words.
#[derive(Clone)]
struct Launch {
    kernel: Arc<Kernel>,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    cancel: Arc<AtomicBool>,
}

impl Launch {
    fn new(entry: EntryKind, blocks: u32, threads: u32) -> Self {
        Self {
            kernel: Arc::new(Kernel::from_raw(entry, 0, 1024)),
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            dynamic_shared: 0,
            cancel: Arc::default(),
        }
    }

    fn thread(entry: ThreadEntry, blocks: u32, threads: u32) -> Self {
        Self::new(EntryKind::Thread(entry), blocks, threads)
    }

    fn looped(entry: LoopEntry, blocks: u32, threads: u32) -> Self {
        Self::new(EntryKind::Loop(entry), blocks, threads)
    }

    fn shared(mut self, bytes: u32) -> Self {
        self.dynamic_shared = bytes;
        self
    }

    /// The grid, its parameters in place. Parameters are never freed: tests are short.
    fn code(&self, parameters: &[u64]) -> Arc<GridCode> {
        Arc::new(GridCode {
            kernel: self.kernel.clone(),
            grid: self.grid,
            block: self.block,
            cluster: [1; 3],
            clusters: crate::exec::Clusters::default(),
            dynamic_shared: self.dynamic_shared,
            parameters: Box::leak(parameters.to_vec().into_boxed_slice()).as_ptr().cast(),
            gridid: 7,
            current_graph: Default::default(),
            workspace: 0,
            warp_order: None,
            stack_limit: 1024,
            cancel: self.cancel.clone(),
            call_target: |_, _| None,
            owner: std::ptr::null(),
            observer: None,
            start: Default::default(),
            dependency: Default::default(),
            costs: None,
        })
    }
}

impl Bench {
    fn new() -> Self {
        rt();
        let memory = Memory::new(1 << 30).unwrap();
        Self { worker: Worker::new(memory.clone()).unwrap(), memory }
    }

    /// Zeroed words of device memory, for the test's lifetime.
    fn words(&self, count: usize) -> &'static [AtomicU32] {
        let address = self.memory.alloc(Kind::Managed, 4 * count as u64, 256).unwrap();
        // SAFETY: allocated just now and never freed before the arena; tests keep the bench to their end.
        unsafe { std::slice::from_raw_parts(address as *const AtomicU32, count) }
    }

    /// Runs all blocks of a grid, one after the other; panics unless all finish.
    fn finish(&mut self, launch: &Launch, parameters: &[u64]) {
        let code = launch.code(parameters);
        for block in 0..code.blocks() {
            let outcome = self.worker.run(&code, block);
            assert!(matches!(outcome, Outcome::Finished), "block {block}: {outcome:?}");
        }
    }

    /// Runs a grid with one word of output a thread and block.
    fn output(&mut self, launch: &Launch) -> Vec<u32> {
        let blocks: u32 = launch.grid.iter().product();
        let threads: u32 = launch.block.iter().product();
        let out = self.words((blocks * threads) as usize);
        self.finish(launch, &[out.as_ptr() as u64]);
        load(out)
    }
}

fn load(words: &[AtomicU32]) -> Vec<u32> {
    words.iter().map(|word| word.load(Ordering::Relaxed)).collect()
}

/// Parameter `i` of the running kernel.
unsafe fn parameter(context: *mut ThreadContext, i: usize) -> u64 {
    // SAFETY: tests pass as many parameters as their kernels read.
    unsafe { (*(*context).block).parameters.cast::<u64>().add(i).read() }
}

/// Word `index` of the array that parameter 0 points to.
unsafe fn word(context: *mut ThreadContext, index: u32) -> &'static AtomicU32 {
    // SAFETY: tests pass large enough arrays.
    unsafe { &*(parameter(context, 0) as *const AtomicU32).add(index as usize) }
}

/// Word `index` of shared memory.
unsafe fn shared(context: *mut ThreadContext, index: u32) -> &'static AtomicU32 {
    // SAFETY: tests launch with large enough shared memory.
    unsafe { &*(*(*context).block).shared.cast::<AtomicU32>().add(index as usize) }
}

unsafe fn linear(context: *mut ThreadContext) -> u32 {
    // SAFETY: the context of the running thread.
    unsafe { (*context).linear }
}

/// Stores a thread's word of output.
unsafe fn put(context: *mut ThreadContext, value: u32) {
    // SAFETY: as above.
    unsafe {
        let block = &*(*context).block;
        let threads: u32 = block.ntid.iter().product();
        word(context, block.ctaid[0] * threads + (*context).linear).store(value, Ordering::Relaxed);
    }
}

/// `bar.sync 0`
unsafe fn sync(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe { (rt().barrier)(context, 0, 0, hotfire_jit::abi::barrier::SYNC, 0, 0) };
}
