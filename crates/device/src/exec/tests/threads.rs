//! Start, coordinates, end and stacks of threads.

use super::*;

unsafe extern "C-unwind" fn coordinates(c: *mut ThreadContext) {
    // SAFETY: generated code's contract; the same in all kernels here.
    unsafe {
        let (tid, block) = ((*c).tid, &*(*c).block);
        let [x, y, z] = block.ctaid;
        let threads = block.ntid[0] * block.ntid[1] * block.ntid[2];
        let index = x + block.nctaid[0] * (y + block.nctaid[1] * z);
        let at = tid[0] + block.ntid[0] * (tid[1] + block.ntid[1] * tid[2]);
        assert_eq!(at, (*c).linear);
        word(c, index * threads + at).fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn every_thread_of_every_block_runs_once() {
    let mut bench = Bench::new();
    let mut launch = Launch::thread(coordinates, 1, 1);
    (launch.grid, launch.block) = ([3, 2, 2], [5, 3, 4]);
    let out = bench.words(12 * 60);
    bench.finish(&launch, &[out.as_ptr() as u64]);
    assert_eq!(load(out), vec![1; 12 * 60]);
    let (finished, outcome) = bench.worker.run_range(&launch.code(&[out.as_ptr() as u64]), 3, 9);
    assert!(finished == 9 && matches!(outcome, Outcome::Finished));
    assert_eq!(load(out), [vec![1; 180], vec![2; 540]].concat());
}

unsafe extern "C-unwind" fn looped(c: *mut ThreadContext, first: u32, count: u32) {
    // SAFETY: as above.
    unsafe {
        for linear in first..first + count {
            (*c).linear = linear;
            (*c).tid = [linear, 0, 0];
            if linear % 3 == 1 {
                (rt().exit)(c);
            }
            let at = word(c, (*(*c).block).ctaid[0] * (*(*c).block).ntid[0] + linear);
            at.fetch_add(linear + 1, Ordering::Relaxed);
        }
    }
}

#[test]
fn loops_go_on_behind_threads_that_exit() {
    let mut bench = Bench::new();
    // 62 threads: the last one exits.
    let launch = Launch::looped(looped, 5, 62);
    let one_block: Vec<u32> = (0..62).map(|i| if i % 3 == 1 { 0 } else { i + 1 }).collect();
    assert_eq!(bench.output(&launch), one_block.repeat(5));
    let out = bench.words(5 * 62);
    let (finished, outcome) = bench.worker.run_range(&launch.code(&[out.as_ptr() as u64]), 0, 5);
    assert!(finished == 5 && matches!(outcome, Outcome::Finished));
    assert_eq!(load(out), one_block.repeat(5));
}

unsafe extern "C-unwind" fn where_it_stands(c: *mut ThreadContext) {
    let here = 0u8;
    // SAFETY: as above.
    unsafe { put(c, (&raw const here as u64 - (*c).stack_limit as u64) as u32) };
}

#[test]
fn threads_that_never_wait_share_a_stack_that_is_large_enough() {
    let mut bench = Bench::new();
    for stack in [0u32, 1000, 10_000, 100_000, 1_000_000] {
        let mut launch = Launch::thread(where_it_stands, 1, 100);
        launch.kernel = Arc::new(Kernel::from_raw(launch.kernel.entry, 0, stack));
        let depths = bench.output(&launch);
        assert!(depths[0] >= stack, "{} of {stack}", depths[0]);
        assert!(depths.iter().all(|&depth| depth == depths[0]));
    }
    // No bound: several times what the limit says.
    let mut launch = Launch::thread(where_it_stands, 1, 1);
    let mut kernel = Kernel::from_raw(launch.kernel.entry, 0, 64);
    kernel.unbounded_stack = true;
    launch.kernel = Arc::new(kernel);
    assert!(bench.output(&launch)[0] > 16 << 10);
}

unsafe fn exit_inside(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe { (rt().exit)(c) };
}

unsafe extern "C-unwind" fn some_exit(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        match linear(c) % 4 {
            0 => return,
            1 => exit_inside(c),
            2 => {
                sync(c);
                exit_inside(c);
            }
            _ => {}
        }
        sync(c);
        sync(c);
        put(c, 1);
    }
}

#[test]
fn exited_threads_hold_nobody_up() {
    let mut bench = Bench::new();
    let expected: Vec<u32> = (0..1000).map(|i| u32::from(i % 4 == 3)).collect();
    for _ in 0..3 {
        assert_eq!(bench.output(&Launch::thread(some_exit, 2, 1000)), expected.repeat(2));
    }
}

unsafe extern "C-unwind" fn last_error(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        put(c, (*c).last_error);
        (*c).last_error = 9;
    }
}

#[test]
fn every_thread_begins_without_an_error() {
    assert_eq!(Bench::new().output(&Launch::thread(last_error, 2, 40)), vec![0; 80]);
}

unsafe extern "C-unwind" fn window_kept(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let seen = shared(c, linear(c)).swap((*(*c).block).ctaid[0] + 1, Ordering::Relaxed);
        put(c, seen);
    }
}

#[test]
fn a_window_is_reused_as_it_is() {
    let seen = Bench::new().output(&Launch::thread(window_kept, 3, 64).shared(4096 * 3));
    assert_eq!(seen[64..], [vec![1; 64], vec![2; 64]].concat());
}

unsafe extern "C-unwind" fn context_facts(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let block = &*(*c).block;
        let nested = super::super::on_worker_stack(c, || {
            let outer = 1u8;
            super::super::on_worker_stack(c, || &raw const outer as u64)
        });
        let facts = block.gridid == 7
            && block.dynamic_shared == 100
            && block.total_shared == 100
            && block.nsmid == 132
            && block.smid == block.ctaid[0] % 132
            && super::super::block_index(c) == u64::from(block.ctaid[0])
            && super::super::owner(c).is_null()
            && super::super::memory(c).contains(parameter(c, 0))
            && !super::super::is_private(nested)
            && super::super::is_private(c as u64)
            && super::super::is_private(block.shared as u64);
        put(c, u32::from(facts));
    }
}

#[test]
fn kernels_and_builtins_know_where_they_are() {
    assert_eq!(Bench::new().output(&Launch::thread(context_facts, 140, 1).shared(100)), vec![1; 140]);
}

#[test]
fn ranges_stop_where_they_are_told() {
    let mut bench = Bench::new();
    let out = bench.words(256);
    for entry in [Launch::looped(looped, 4, 64), Launch::thread(where_it_stands, 4, 64)] {
        entry.cancel.store(true, Ordering::Relaxed);
        let code = entry.code(&[out.as_ptr() as u64]);
        assert!(matches!(bench.worker.run_range(&code, 0, 4), (0, Outcome::Cancelled)));
        entry.cancel.store(false, Ordering::Relaxed);
        assert!(matches!(bench.worker.run_range(&code, 1, 3), (3, Outcome::Finished)));
        assert!(matches!(bench.worker.run_range(&code, 1, 0), (0, Outcome::Finished)));
    }
}
