//! What running blocks costs by itself, with kernels that do nothing else: medians of processor time on one worker.
//!
//! `cargo run --release -p hotfire-device --example exec_costs`

use hotfire_device::exec::{GridCode, Outcome, ParkedBlock, Worker, runtime};
use hotfire_device::memory::{Kind, Memory};
use hotfire_jit::Kernel;
use hotfire_jit::abi::{EntryKind, Runtime, ThreadContext, shuffle};
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(runtime);

unsafe fn count(context: *mut ThreadContext) -> u64 {
    // SAFETY: the first parameter of every kernel here.
    unsafe { (*(*context).block).parameters.cast::<u64>().read() }
}

unsafe extern "C-unwind" fn empty(_: *mut ThreadContext) {}

unsafe extern "C-unwind" fn empty_loop(_: *mut ThreadContext, _: u32, _: u32) {}

unsafe extern "C-unwind" fn barriers(context: *mut ThreadContext) {
    // SAFETY: generated code's contract, as in all kernels here.
    unsafe { (0..count(context)).for_each(|_| _ = (RUNTIME.barrier)(context, 0, 0, 0, 0, 0)) }
}

unsafe extern "C-unwind" fn shuffles(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        (0..count(context)).for_each(|_| _ = (RUNTIME.shuffle)(context, shuffle::BFLY, 1, 1, 31, u32::MAX, 0));
    }
}

unsafe extern "C-unwind" fn warp_syncs(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe { (0..count(context)).for_each(|_| (RUNTIME.warp_sync)(context, u32::MAX, 0)) }
}

unsafe extern "C-unwind" fn yields(context: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe { (0..count(context)).for_each(|_| (RUNTIME.yield_now)(context)) }
}

fn grid(entry: EntryKind, blocks: u32, threads: u32, count: u64, shared: u32) -> Arc<GridCode> {
    Arc::new(GridCode {
        kernel: Arc::new(Kernel::from_raw(entry, shared, 512)),
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        cluster: [1; 3],
        clusters: hotfire_device::exec::Clusters::default(),
        dynamic_shared: 0,
        parameters: Box::leak(Box::new(count)) as *const u64 as *const u8,
        gridid: 0,
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
    })
}

/// Processor time of this thread in nanoseconds.
fn now() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Median nanoseconds of 15 runs, divided by `units`.
fn median(units: u64, mut run: impl FnMut()) -> f64 {
    run();
    let mut times: Vec<f64> = (0..15)
        .map(|_| {
            let start = now();
            run();
            (now() - start) / units as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn finish(worker: &mut Worker, code: &Arc<GridCode>) {
    for block in 0..code.blocks() {
        let mut outcome = worker.run(code, block);
        while let Outcome::Parked(block) = outcome {
            outcome = worker.resume(block);
        }
        assert!(matches!(outcome, Outcome::Finished));
    }
}

fn main() {
    let memory = Memory::new(1 << 30).expect("address space");
    let mut worker = Worker::new(memory.clone()).expect("a worker");
    let worker = &mut worker;

    for threads in [1, 32, 256, 1024] {
        let code = grid(EntryKind::Thread(empty), 1000, threads, 0, 0);
        let each = median(1000, || finish(worker, &code));
        println!(
            "empty block of {threads:4} threads, one by one      {each:9.1} ns  ({:.2} ns a thread)",
            each / f64::from(threads)
        );
    }
    for threads in [1, 256] {
        let code = grid(EntryKind::Thread(empty), 10_000, threads, 0, 0);
        let each =
            median(10_000, || assert!(matches!(worker.run_range(&code, 0, 10_000), (10_000, Outcome::Finished))));
        println!("empty block of {threads:4} threads, in a range       {each:9.1} ns");
    }
    let code = grid(EntryKind::Loop(empty_loop), 10_000, 256, 0, 0);
    let each = median(10_000, || assert!(matches!(worker.run_range(&code, 0, 10_000), (10_000, Outcome::Finished))));
    println!("empty loop block, in a range                  {each:9.1} ns");
    let code = grid(EntryKind::Loop(empty_loop), 1000, 256, 0, 0);
    println!("empty loop block, one by one                  {:9.1} ns", median(1000, || finish(worker, &code)));
    let code = grid(EntryKind::Thread(empty), 1000, 32, 0, 48 << 10);
    println!("empty block of   32 threads, 48 KiB shared    {:9.1} ns", median(1000, || finish(worker, &code)));

    for threads in [32u32, 256, 1024] {
        let once = grid(EntryKind::Thread(barriers), 20, threads, 1, 0);
        let each = median(20 * u64::from(threads), || finish(worker, &once));
        println!("thread that waits once, of {threads:4}                {each:9.2} ns a thread");
        let code = grid(EntryKind::Thread(barriers), 1, threads, 1000, 0);
        let each = median(1000, || finish(worker, &code));
        println!(
            "barrier of {threads:4} threads                       {each:9.1} ns  ({:.2} ns a thread)",
            each / f64::from(threads)
        );
    }
    for (name, kernel) in [("shfl", shuffles as unsafe extern "C-unwind" fn(_)), ("bar.warp.sync", warp_syncs)] {
        for threads in [32, 256, 1024] {
            let code = grid(EntryKind::Thread(kernel), 1, threads, 1000, 0);
            let each = median(1000 * u64::from(threads), || finish(worker, &code));
            println!("{name:13} by a warp, {threads:4} threads           {each:9.2} ns a lane");
        }
    }
    for threads in [1, 256] {
        let code = grid(EntryKind::Thread(yields), 1, threads, 1000, 0);
        let each = median(1000 * u64::from(threads), || finish(worker, &code));
        println!("yield of {threads:4} threads                         {each:9.2} ns a thread");
    }
    for blocks in [2u64, 264] {
        let code = grid(EntryKind::Thread(yields), blocks as u32, 1, u64::MAX, 0);
        let park = |outcome| match outcome {
            Outcome::Parked(block) => block,
            _ => unreachable!("they spin"),
        };
        let mut parked: VecDeque<ParkedBlock> = (0..blocks).map(|block| park(worker.run(&code, block))).collect();
        let each = median(10_000, || {
            for _ in 0..10_000 {
                let block = parked.pop_front().expect("as many as before");
                parked.push_back(park(worker.resume(block)));
            }
        });
        println!("turn of one of {blocks:3} parked blocks               {each:9.1} ns");
    }

    let each = median(100_000, || {
        for _ in 0..100_000 {
            let block = memory.alloc(Kind::Parameters, 100, 64).expect("a block");
            memory.free(block).expect("its start");
        }
    });
    println!("parameter block, taken and freed              {each:9.1} ns");
    let each = median(1000, || {
        for _ in 0..1000 {
            let pages = memory.alloc(Kind::Device, 4096, 256).expect("a page");
            memory.free(pages).expect("its start");
        }
    });
    println!("page of device memory, taken and freed        {each:9.1} ns");
}
