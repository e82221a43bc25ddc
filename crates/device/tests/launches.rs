//! Kernels launched by the host: parameters, variables, barriers, configurations, streams, events, host functions.

mod common;

use common::{Fixture, fixture};
use hotfire_device::{Config, EventFlags, Limit, Mode, Status, Stream};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn buffer(fixture: &Fixture, bytes: u64) -> u64 {
    fixture.device.malloc(bytes).unwrap()
}

#[test]
fn a_vector_is_added() {
    let f = fixture();
    const N: usize = 100_000;
    let a: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..N).map(|i| 2.0 * i as f32).collect();
    let [da, db, dc] = [(); 3].map(|()| buffer(&f, 4 * N as u64));
    f.write(da, &a);
    f.write(db, &b);
    f.run("add", N.div_ceil(256) as u32, 256, &parameters!(da, db, dc, N as i32));
    let c: Vec<f32> = f.read(dc, N);
    assert!(c.iter().enumerate().all(|(i, &c)| c == 3.0 * i as f32));
}

#[test]
fn variables_constants_and_pointers_are_in_place() {
    let f = fixture();
    let out = buffer(&f, 16);
    f.run("use_tables", 1, 4, &parameters!(out));
    assert_eq!(f.read::<i32>(out, 4), [32, 33, 35, 37]);
    assert_eq!(f.module.global("table").unwrap().1, 16);
    assert!(f.module.global("nothing").is_none() && f.module.function("nothing").is_none());
}

#[test]
fn functions_are_called_by_address() {
    let f = fixture();
    let out = buffer(&f, 4);
    for (which, expected) in [(0, 14), (1, 21)] {
        f.run("call_by_address", 1, 1, &parameters!(out, which));
        assert_eq!(f.read::<i32>(out, 1), [expected]);
    }
}

#[test]
fn blocks_wait_at_barriers() {
    let f = fixture();
    let out = buffer(&f, 4 * 300);
    f.run("wait_at_barriers", 300, 256, &parameters!(out));
    assert!(f.read::<i32>(out, 300).iter().all(|&sum| sum == 255 * 256 / 2));
}

#[test]
fn bad_configurations_fail_at_the_call_and_harm_nothing() {
    let f = fixture();
    for (grid, block) in [(0, 1), (1, 0), (1, 1025)] {
        assert_eq!(f.try_launch("empty", grid, block, Stream::LEGACY, &[]), Status::INVALID_VALUE);
    }
    assert_eq!(f.try_launch("bounded", 1, 65, Stream::LEGACY, &[]), Status::INVALID_VALUE);
    assert_eq!(f.try_launch("bounded", 1, 64, Stream::LEGACY, &[]), Status::SUCCESS);
    assert_eq!(f.try_launch("leaf", 1, 1, Stream::LEGACY, &[0; 2]), Status::INVALID_VALUE);
    assert_eq!(f.try_launch("empty", 1, 1, Stream(12345 << 32), &[]), Status::INVALID_RESOURCE_HANDLE);
    let function = f.function("empty");
    let mut config = hotfire_device::LaunchConfig {
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared: 49_153,
        stream: Stream::LEGACY,
        handle: 0,
        attributes: Default::default(),
    };
    assert_eq!(f.device.launch(&function, &config, &[]), Status::INVALID_VALUE);
    assert_eq!(function.set_max_dynamic_shared(227 * 1024 + 1), Status::INVALID_VALUE);
    assert_eq!(function.set_max_dynamic_shared(227 * 1024), Status::SUCCESS);
    config.dynamic_shared = 227 * 1024;
    assert_eq!(f.device.launch(&function, &config, &[]), Status::SUCCESS);
    assert_eq!(f.device.synchronize(), Status::SUCCESS);
}

#[test]
fn a_kernel_that_spins_on_mapped_memory_ends_when_the_host_sets_it() {
    let f = fixture();
    let mapped = f.device.host_alloc(8, 0).unwrap();
    // SAFETY: mapped host memory of 8 bytes.
    let (flag, out) = unsafe { (&*(mapped as *const AtomicI32), &*((mapped + 4) as *const AtomicI32)) };
    f.launch("wait_for", 1, 1, &parameters!(mapped, mapped + 4));
    // Longer than the device looks without a rest.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(f.device.stream_query(Stream::LEGACY), Status::NOT_READY);
    flag.store(41, Ordering::Release);
    assert_eq!(f.device.synchronize(), Status::SUCCESS);
    assert_eq!(out.load(Ordering::Acquire), 42);
}

#[test]
fn a_spinning_kernel_does_not_keep_other_streams_from_running() {
    let f = fixture();
    let flag = buffer(&f, 8);
    f.write(flag, &[0i32; 2]);
    let streams = [(); 3].map(|()| f.device.stream_create(true, 0).unwrap());
    // More spinning grids than workers.
    for &stream in &streams {
        assert_eq!(f.try_launch("wait_for", 1, 1, stream, &parameters!(flag, flag + 4)), Status::SUCCESS);
    }
    let other = f.device.stream_create(true, 0).unwrap();
    assert_eq!(f.device.set(flag, 1, 4, 1, other, Mode::Async), Status::SUCCESS);
    assert_eq!(f.device.synchronize(), Status::SUCCESS);
    assert_eq!(f.read::<i32>(flag, 2), [1, 2]);
}

#[test]
fn spinning_without_end_costs_little() {
    fn cpu_time() -> Duration {
        // SAFETY: plain system call with a valid buffer.
        let usage = unsafe {
            let mut usage = std::mem::zeroed::<libc::rusage>();
            assert_eq!(libc::getrusage(libc::RUSAGE_SELF, &mut usage), 0);
            usage
        };
        Duration::new(usage.ru_utime.tv_sec as u64, usage.ru_utime.tv_usec as u32 * 1000)
            + Duration::new(usage.ru_stime.tv_sec as u64, usage.ru_stime.tv_usec as u32 * 1000)
    }
    let f = fixture();
    let mapped = f.device.host_alloc(8, 0).unwrap();
    f.launch("wait_for", 1, 1, &parameters!(mapped, mapped + 4));
    std::thread::sleep(Duration::from_millis(500));
    // Other tests of this process run too: the least of several windows counts.
    let least = (0..20).map(|_| {
        let before = cpu_time();
        std::thread::sleep(Duration::from_millis(100));
        cpu_time() - before
    });
    let least = least.min().unwrap();
    assert!(least < Duration::from_millis(30), "{least:?} of 100 ms");
    // SAFETY: mapped host memory.
    unsafe { (*(mapped as *const AtomicI32)).store(1, Ordering::Release) };
    assert_eq!(f.device.synchronize(), Status::SUCCESS);
}

#[test]
fn streams_keep_their_order_and_events_join_them() {
    let f = fixture();
    let x = buffer(&f, 4);
    f.write(x, &[0i32]);
    let [a, b] = [(); 2].map(|()| f.device.stream_create(true, 0).unwrap());
    let event = f.device.event_create(EventFlags::default()).unwrap();
    for round in 0..200 {
        let (from, to) = if round % 2 == 0 { (a, b) } else { (b, a) };
        assert_eq!(f.try_launch("increment", 1, 1, from, &parameters!(x)), Status::SUCCESS);
        assert_eq!(f.device.event_record(event, from), Status::SUCCESS);
        assert_eq!(f.device.stream_wait_event(to, event), Status::SUCCESS);
    }
    assert_eq!(f.device.event_synchronize(event), Status::SUCCESS);
    assert_eq!(f.read::<i32>(x, 1), [200]);
    assert_eq!(f.device.stream_destroy(a), Status::SUCCESS);
    assert_eq!(f.device.stream_destroy(a), Status::INVALID_RESOURCE_HANDLE);
    assert_eq!(f.try_launch("empty", 1, 1, a, &[]), Status::INVALID_RESOURCE_HANDLE);
}

#[test]
fn the_legacy_stream_joins_blocking_streams() {
    let f = fixture();
    let x = buffer(&f, 4);
    f.write(x, &[0i32]);
    let streams = [(); 4].map(|()| f.device.stream_create(false, 0).unwrap());
    for round in 0..100 {
        let stream = if round % 2 == 0 { streams[round / 2 % 4] } else { Stream::LEGACY };
        assert_eq!(f.try_launch("increment", 1, 1, stream, &parameters!(x)), Status::SUCCESS);
    }
    assert_eq!(f.device.stream_synchronize(Stream::LEGACY), Status::SUCCESS);
    assert_eq!(f.read::<i32>(x, 1), [100]);
    assert_eq!(f.try_launch("increment", 1, 1, Stream::PER_THREAD, &parameters!(x)), Status::SUCCESS);
    assert_eq!(f.device.stream_synchronize(Stream::PER_THREAD), Status::SUCCESS);
    assert_eq!(f.read::<i32>(x, 1), [101]);
}

#[test]
fn events_measure_time() {
    let f = fixture();
    let mapped = f.device.host_alloc(8, 0).unwrap();
    let [start, end, late] = [(); 3].map(|()| f.device.event_create(EventFlags::default()).unwrap());
    assert_eq!(f.device.event_query(start), Status::SUCCESS);
    assert_eq!(f.device.event_elapsed(start, end), Err(Status::INVALID_RESOURCE_HANDLE));
    assert_eq!(f.device.event_record(start, Stream::LEGACY), Status::SUCCESS);
    f.launch("wait_for", 1, 1, &parameters!(mapped, mapped + 4));
    assert_eq!(f.device.event_record(end, Stream::LEGACY), Status::SUCCESS);
    assert_eq!(f.device.event_elapsed(start, end), Err(Status::NOT_READY));
    std::thread::sleep(Duration::from_millis(2));
    // SAFETY: mapped host memory.
    unsafe { (*(mapped as *const AtomicI32)).store(1, Ordering::Release) };
    assert_eq!(f.device.event_synchronize(end), Status::SUCCESS);
    let forwards = f.device.event_elapsed(start, end).unwrap();
    assert!(forwards >= 2.0, "{forwards}");
    assert_eq!(f.device.event_elapsed(end, start), Ok(-forwards));
    assert_eq!(f.device.event_record(late, Stream::LEGACY), Status::SUCCESS);
    assert!(f.device.event_elapsed(start, late).unwrap() >= forwards);
    let untimed = f.device.event_create(EventFlags { disable_timing: true, ..Default::default() }).unwrap();
    assert_eq!(f.device.event_record(untimed, Stream::LEGACY), Status::SUCCESS);
    assert_eq!(f.device.event_elapsed(start, untimed), Err(Status::INVALID_RESOURCE_HANDLE));
    assert_eq!(f.device.event_destroy(untimed), Status::SUCCESS);
    assert_eq!(f.device.event_query(untimed), Status::INVALID_RESOURCE_HANDLE);
}

#[test]
fn host_functions_run_in_stream_order() {
    let f = fixture();
    let mapped = f.device.host_alloc(4, 0).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..50 {
        f.launch("increment", 1, 1, &parameters!(mapped));
        let seen = seen.clone();
        let function = move || {
            // SAFETY: mapped host memory.
            let value = unsafe { (*(mapped as *const AtomicI32)).load(Ordering::Acquire) };
            seen.lock().unwrap().push(value);
        };
        assert_eq!(f.device.host_function(Stream::LEGACY, Box::new(function)), Status::SUCCESS);
    }
    assert_eq!(f.device.synchronize(), Status::SUCCESS);
    assert_eq!(*seen.lock().unwrap(), (1..=50).collect::<Vec<_>>());
}

#[test]
fn many_host_threads_share_the_device() {
    let f = fixture();
    let sums: Vec<u64> = (0..4).map(|_| buffer(&f, 4)).collect();
    std::thread::scope(|scope| {
        for &x in &sums {
            let f = &f;
            scope.spawn(move || {
                assert_eq!(f.device.set(x, 0, 4, 1, Stream::PER_THREAD, Mode::Async), Status::SUCCESS);
                for _ in 0..500 {
                    assert_eq!(f.try_launch("increment", 1, 1, Stream::PER_THREAD, &parameters!(x)), Status::SUCCESS);
                }
                assert_eq!(f.device.stream_synchronize(Stream::PER_THREAD), Status::SUCCESS);
            });
        }
    });
    assert!(sums.iter().all(|&x| f.read::<i32>(x, 1) == [500]));
}

#[test]
fn limits_are_an_h200s() {
    let f = fixture();
    let limit = |limit| f.device.limit(limit);
    assert_eq!(limit(Limit::StackSize), Ok(1024));
    assert_eq!(limit(Limit::PrintfFifoSize), Ok(8_650_752));
    assert_eq!(limit(Limit::MallocHeapSize), Ok(8 << 20));
    assert_eq!(limit(Limit::DevRuntimePendingLaunchCount), Ok(2048));
    assert_eq!(limit(Limit::DevRuntimeSyncDepth), Err(Status::UNSUPPORTED_LIMIT));
    let free = f.device.mem_info().0;
    assert_eq!(f.device.set_limit(Limit::DevRuntimePendingLaunchCount, 262_144), Status::SUCCESS);
    assert_eq!(limit(Limit::DevRuntimePendingLaunchCount), Ok(262_144));
    assert_eq!(free - f.device.mem_info().0, 262_144 * 8200);
    let large = common::fixture_with(Config { workers: Some(1), memory: Some(16 << 30), ..Config::default() });
    assert_eq!(large.device.set_limit(Limit::DevRuntimePendingLaunchCount, 1_048_576), Status::SUCCESS);
    assert_eq!(large.device.limit(Limit::DevRuntimePendingLaunchCount), Ok(599_186));
}

#[test]
fn a_long_grid_of_waiting_blocks_fits_by_turns() {
    // More blocks than are resident at once, each waiting at barriers.
    let f = fixture();
    let out = buffer(&f, 4 * 20_000);
    f.run("wait_at_barriers", 20_000, 32, &parameters!(out));
    assert!(f.read::<i32>(out, 20_000).iter().all(|&sum| sum == 31 * 16));
}
