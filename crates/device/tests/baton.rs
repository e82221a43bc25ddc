//! `hotfire check`'s way of running: the device stands still while host code runs, and what runs when depends on the program alone.

mod common;

use common::{Fixture, fixture_with};
use hotfire_device::{Call, Config, EventFlags, Limit, Status, Stream};
use hotfire_launch::Policy;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::time::Duration;

fn checked(policy: Policy) -> Fixture {
    fixture_with(Config { memory: Some(4 << 30), check: true, policy: Some(policy), ..Config::default() })
}

/// An int of mapped memory, as host code sees it.
fn mapped(f: &Fixture) -> (u64, &'static AtomicI32) {
    let address = f.device.host_alloc(8, 0).unwrap();
    // SAFETY: allocated above, never freed.
    (address, unsafe { &*(address as *const AtomicI32) })
}

#[test]
fn a_launch_returns_before_anything_has_run() {
    let f = checked(Policy::Eager);
    let (address, value) = mapped(&f);
    for round in 0..20 {
        f.launch("increment", 1, 1, &parameters!(address));
        std::thread::sleep(Duration::from_millis(1));
        // An access of host code would let the device advance first.
        let inside = Call::enter("cudaTest");
        assert_eq!(value.load(Ordering::Relaxed), round);
        drop(inside);
        assert_eq!(f.device.synchronize(), Status::SUCCESS);
        assert_eq!(value.load(Ordering::Relaxed), round + 1);
    }
}

#[test]
fn looking_again_and_again_is_enough() {
    let f = checked(Policy::Eager);
    let (address, value) = mapped(&f);
    let event = f.device.event_create(EventFlags::default()).unwrap();
    for round in 1..20 {
        f.launch("increment", 1, 1, &parameters!(address));
        assert_eq!(f.device.event_record(event, Stream::LEGACY), Status::SUCCESS);
        while f.device.event_query(event) == Status::NOT_READY {}
        assert_eq!(value.load(Ordering::Relaxed), round);
        assert_eq!(f.device.stream_query(Stream::LEGACY), Status::SUCCESS);
    }
}

#[test]
fn a_kernel_may_wait_for_the_host() {
    let f = checked(Policy::Eager);
    let (address, flag) = mapped(&f);
    f.launch("wait_for", 1, 1, &parameters!(address, address + 4));
    // Another host thread sets the flag while this one is in a call.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            flag.store(1, Ordering::Release);
        });
        assert_eq!(f.device.synchronize(), Status::SUCCESS);
    });
}

#[test]
fn host_functions_run_in_order_and_may_wait() {
    let f = checked(Policy::Eager);
    let (address, value) = mapped(&f);
    let seen = Arc::new(AtomicI32::new(0));
    for _ in 0..3 {
        f.launch("increment", 1, 1, &parameters!(address));
        let seen = seen.clone();
        let look =
            move || seen.store(seen.load(Ordering::Relaxed) * 10 + value.load(Ordering::Relaxed), Ordering::Relaxed);
        assert_eq!(f.device.host_function(Stream::LEGACY, Box::new(look)), Status::SUCCESS);
    }
    assert_eq!(seen.load(Ordering::Relaxed), 0);
    assert_eq!(f.device.synchronize(), Status::SUCCESS);
    assert_eq!(seen.load(Ordering::Relaxed), 123);
    // One that waits for a host thread, which waits for the device.
    let [a, b] = [(); 2].map(|()| f.device.stream_create(true, 0).unwrap());
    let (send, receive) = std::sync::mpsc::channel::<()>();
    assert_eq!(f.device.host_function(a, Box::new(move || receive.recv().unwrap())), Status::SUCCESS);
    assert_eq!(f.try_launch("increment", 1, 1, b, &parameters!(address)), Status::SUCCESS);
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(f.device.stream_synchronize(a), Status::SUCCESS));
        assert_eq!(f.device.stream_synchronize(b), Status::SUCCESS);
        send.send(()).unwrap();
    });
    assert_eq!(value.load(Ordering::Relaxed), 4);
}

#[test]
fn the_host_may_wait_for_a_host_function_outside_of_cuda() {
    let f = checked(Policy::Eager);
    let (address, _) = mapped(&f);
    for _ in 0..2 {
        let (send, receive) = std::sync::mpsc::channel();
        f.launch("increment", 100, 1, &parameters!(address));
        let signal = move || send.send(()).unwrap();
        assert_eq!(f.device.host_function(Stream::LEGACY, Box::new(signal)), Status::SUCCESS);
        receive.recv().unwrap();
    }
}

#[test]
fn several_host_threads_take_turns() {
    let f = checked(Policy::Eager);
    let (address, value) = mapped(&f);
    let done = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let stream = f.device.stream_create(true, 0).unwrap();
                for _ in 0..50 {
                    assert_eq!(f.try_launch("increment", 3, 1, stream, &parameters!(address)), Status::SUCCESS);
                    assert_eq!(f.device.stream_synchronize(stream), Status::SUCCESS);
                }
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
    assert_eq!((done.load(Ordering::Relaxed), value.load(Ordering::Relaxed)), (4, 600));
}

#[test]
fn an_eager_child_comes_before_its_launcher_goes_on() {
    let f = checked(Policy::Eager);
    f.run("storm", 1, 1, &parameters!(4000));
    assert_eq!((f.int("launched"), f.int("dropped")), (4000, 0));
    f.clear();
    f.run("storm", 50, 64, &parameters!(4));
    assert_eq!((f.int("launched"), f.int("dropped")), (50 * 64 * 4, 0));
    f.clear();
    f.run("nest", 1, 1, &parameters!(0, 1000));
    assert_eq!(f.order(), [1000]);
    let f = checked(Policy::Latest);
    f.run("storm", 1, 1, &parameters!(4000));
    assert_eq!((f.int("launched"), f.int("dropped")), (2048, 4000 - 2048));
}

/// In which order the kernels of a storm and of two streams came, and how long that took on the device's clock.
fn trace(policy: &Policy) -> (Vec<i32>, f32) {
    let f = checked(policy.clone());
    let [start, end] = [(); 2].map(|()| f.device.event_create(EventFlags::default()).unwrap());
    let [a, b] = [(); 2].map(|()| f.device.stream_create(true, 0).unwrap());
    assert_eq!(f.device.event_record(start, a), Status::SUCCESS);
    for tag in 0..10 {
        assert_eq!(f.try_launch("leaf", 1, 1, a, &parameters!(100 + tag)), Status::SUCCESS);
        assert_eq!(f.try_launch("leaf", 1, 1, b, &parameters!(200 + tag)), Status::SUCCESS);
        assert_eq!(f.try_launch("tails", 1, 32, b, &[]), Status::SUCCESS);
    }
    assert_eq!(f.device.event_record(end, a), Status::SUCCESS);
    assert_eq!(f.device.synchronize(), Status::SUCCESS);
    (f.order(), f.device.event_elapsed(start, end).unwrap())
}

#[test]
fn the_same_policy_gives_the_same_run() {
    let policies = [Policy::Eager, Policy::Latest, Policy::Random(1), Policy::Random(2)];
    let traces = policies.map(|policy| {
        let first = trace(&policy);
        assert_eq!(first, trace(&policy));
        assert!(first.1 > 0.0);
        first.0
    });
    assert_ne!(traces[2], traces[3]);
}

#[test]
fn the_user_sets_the_pool() {
    let f = fixture_with(Config { memory: Some(4 << 30), check: true, pool: Some(100), ..Config::default() });
    assert_eq!(f.device.limit(Limit::DevRuntimePendingLaunchCount), Ok(100));
    assert_eq!(f.device.set_limit(Limit::DevRuntimePendingLaunchCount, 5000), Status::SUCCESS);
    assert_eq!(f.device.limit(Limit::DevRuntimePendingLaunchCount), Ok(100));
    f.run("storm_tails", 1, 1, &parameters!(150));
    assert_eq!((f.int("launched"), f.int("dropped")), (100, 50));
    assert_eq!(f.device.findings().summary.notes.len(), 1);
}

#[test]
fn blocks_start_in_the_order_that_the_user_wants() {
    let order = |seed| {
        let config = Config { memory: Some(4 << 30), check: true, block_order: seed, ..Config::default() };
        let f = fixture_with(config);
        f.run("null_streams", 20, 1, &parameters!(1));
        let (address, _) = mapped(&f);
        f.run("increment", 1000, 1, &parameters!(address));
        assert_eq!(f.read::<i32>(address, 1), [1000]);
        f.order()
    };
    let increasing: Vec<i32> = (0..20).map(|block| 100 * block).collect();
    assert_eq!(order(None), increasing);
    let mut random = order(Some(3));
    assert_eq!(random, order(Some(3)));
    assert_ne!(random, order(Some(4)));
    assert_ne!(random, increasing);
    random.sort_unstable();
    assert_eq!(random, increasing);
}
