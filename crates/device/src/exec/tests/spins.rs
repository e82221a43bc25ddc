//! Threads and blocks that wait for each other by looking again and again.

use super::*;

unsafe extern "C-unwind" fn ring(c: *mut ThreadContext) {
    // Thread i waits for thread i + 1's word; the last one starts.
    // SAFETY: generated code's contract; the same in all kernels here.
    unsafe {
        let (me, threads) = (linear(c), (*(*c).block).ntid[0]);
        let mut value = 1;
        if me + 1 < threads {
            loop {
                value = word(c, me + 1).load(Ordering::Acquire);
                if value != 0 {
                    break;
                }
                (rt().yield_now)(c);
            }
        }
        word(c, me).store(value + 1, Ordering::Release);
    }
}

#[test]
fn threads_of_a_block_may_wait_for_later_ones() {
    let out = Bench::new().output(&Launch::thread(ring, 1, 500));
    assert_eq!(out, (0..500).map(|i| 501 - i).collect::<Vec<_>>());
}

unsafe extern "C-unwind" fn block_waits(c: *mut ThreadContext) {
    // Block i waits for block i + 1; one thread looks, the others wait at a barrier.
    // SAFETY: as above.
    unsafe {
        let block = (*(*c).block).ctaid[0];
        if linear(c) == 0 && block + 1 < (*(*c).block).nctaid[0] {
            while word(c, block + 1).load(Ordering::Acquire) == 0 {
                (rt().yield_now)(c);
            }
        }
        sync(c);
        word(c, block).fetch_add(1, Ordering::Release);
    }
}

#[test]
fn blocks_that_spin_give_way_and_go_on_later() {
    let mut bench = Bench::new();
    let out = bench.words(4);
    let code = Launch::thread(block_waits, 4, 64).code(&[out.as_ptr() as u64]);
    let park = |outcome: Outcome| match outcome {
        Outcome::Parked(block) => block,
        other => panic!("{other:?}"),
    };
    let mut parked: Vec<_> = (0..3).map(|block| park(bench.worker.run(&code, block))).collect();
    assert!(parked.iter().all(|block| !block.stuck()));
    // Looking again changes nothing, and that shows.
    let again = park(bench.worker.resume(parked.remove(0)));
    assert!(again.unchanged());
    parked.insert(0, again);
    assert!(matches!(bench.worker.run(&code, 3), Outcome::Finished));
    for block in parked.into_iter().rev() {
        assert!(matches!(bench.worker.resume(block), Outcome::Finished));
    }
    assert_eq!(load(out), vec![64; 4]);
    assert_eq!(Arc::strong_count(&code), 1);
}

#[test]
fn any_worker_may_resume_a_block() {
    let mut bench = Bench::new();
    let out = bench.words(2);
    let code = Launch::thread(block_waits, 2, 64).code(&[out.as_ptr() as u64]);
    let Outcome::Parked(block) = bench.worker.run(&code, 0) else { panic!("block 0 waits for block 1") };
    let memory = bench.memory.clone();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut worker = Worker::new(memory).unwrap();
            let Outcome::Parked(block) = worker.resume(block) else { panic!("still waits") };
            block
        });
        let block = other.join().unwrap();
        assert!(matches!(bench.worker.run(&code, 1), Outcome::Finished));
        assert!(matches!(bench.worker.resume(block), Outcome::Finished));
    });
    assert_eq!(load(out), vec![64; 2]);
}

unsafe extern "C-unwind" fn counts(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        for _ in 0..100 {
            word(c, linear(c)).fetch_add(1, Ordering::Relaxed);
            (rt().yield_now)(c);
        }
    }
}

#[test]
fn blocks_that_compute_keep_going_for_a_while() {
    let mut bench = Bench::new();
    let out = bench.words(32);
    let code = Launch::thread(counts, 1, 32).code(&[out.as_ptr() as u64]);
    let (mut outcome, mut turns) = (bench.worker.run(&code, 0), 1);
    while let Outcome::Parked(block) = outcome {
        assert!(!block.stuck());
        outcome = bench.worker.resume(block);
        turns += 1;
    }
    assert!(matches!(outcome, Outcome::Finished) && (2..=20).contains(&turns), "{turns}");
    assert_eq!(load(out), vec![100; 32]);
}

unsafe extern "C-unwind" fn forever(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        loop {
            if parameter(c, 0) == 0 { (rt().yield_now)(c) } else { sync(c) }
        }
    }
}

#[test]
fn cancelled_blocks_stop_and_leave_nothing_behind() {
    let mut bench = Bench::new();
    for way in [0, 1] {
        let launch = Launch::thread(forever, 1, 64);
        let code = launch.code(&[way]);
        if way == 0 {
            let Outcome::Parked(block) = bench.worker.run(&code, 0) else { panic!("it spins") };
            launch.cancel.store(true, Ordering::Relaxed);
            assert!(matches!(bench.worker.resume(block), Outcome::Cancelled));
        } else {
            // It never parks: the flag must be seen in passing.
            let cancel = launch.cancel.clone();
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                    cancel.store(true, Ordering::Relaxed);
                });
                assert!(matches!(bench.worker.run(&code, 0), Outcome::Cancelled));
            });
        }
        assert_eq!(Arc::strong_count(&code), 1);
    }
    assert_eq!(bench.output(&Launch::thread(ring, 1, 3)), vec![4, 3, 2]);
}

unsafe extern "C-unwind" fn trace(c: *mut ThreadContext) {
    // Who comes when, among waiting of all kinds.
    // SAFETY: as above.
    unsafe {
        let me = linear(c);
        let note = || {
            let at = word(c, 0).fetch_add(1, Ordering::Relaxed);
            word(c, 1 + at).store(me, Ordering::Relaxed);
        };
        for round in 0..6 {
            note();
            match (me + round) % 5 {
                0 => (rt().yield_now)(c),
                1 => _ = (rt().vote)(c, 0, 1, 1 << (me % 32), 0),
                2 => _ = (rt().active_mask)(c),
                _ => {}
            }
            note();
            sync(c);
        }
    }
}

#[test]
fn the_order_of_threads_is_the_same_every_time() {
    let run = || {
        let mut bench = Bench::new();
        let out = bench.words(1 + 12 * 96);
        let code = Launch::thread(trace, 1, 96).code(&[out.as_ptr() as u64]);
        let mut outcome = bench.worker.run(&code, 0);
        while let Outcome::Parked(block) = outcome {
            outcome = bench.worker.resume(block);
        }
        assert!(matches!(outcome, Outcome::Finished));
        load(out)
    };
    let first = run();
    assert_eq!(first[0], 12 * 96);
    assert!((0..3).all(|_| run() == first));
}
