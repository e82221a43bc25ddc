//! Cooperative launches: all blocks are resident together, and meet.

mod common;

use common::{Fixture, fixture_of};
use hotfire_device::{Config, LaunchAttributes, LaunchConfig, Status, Stream};
use hotfire_launch::Policy;

fn fixture(config: Config) -> Fixture {
    fixture_of(Config { memory: Some(4 << 30), ..config }, include_str!("kernels/progress.ptx"))
}

/// The same kernel, which calls the device runtime's functions by their names.
fn by_name(config: Config) -> Fixture {
    fixture_of(Config { memory: Some(4 << 30), ..config }, include_str!("kernels/by_name.ptx"))
}

fn launch(f: &Fixture, stream: Stream, grid: u32, block: u32, parameters: &[u8]) -> Status {
    let attributes = LaunchAttributes { cooperative: true, ..Default::default() };
    let config =
        LaunchConfig { grid: [grid, 1, 1], block: [block, 1, 1], dynamic_shared: 0, stream, handle: 0, attributes };
    f.device.launch(&f.function("meet"), &config, parameters)
}

/// Launches `grid` blocks that meet so many times, twice; the sums that their rounds leave are right only if nobody was early or late.
fn meets(f: &Fixture, grid: u32, block: u32, rounds: i32) {
    let out = f.device.malloc(4 * u64::from(grid)).unwrap();
    for _ in 0..2 {
        f.write(out, &vec![0i32; grid as usize]);
        f.write(f.address("count"), &[0i32]);
        assert_eq!(launch(f, Stream::LEGACY, grid, block, &parameters!(rounds, out)), Status::SUCCESS);
        assert_eq!(f.device.synchronize(), Status::SUCCESS);
        assert!(f.read::<i32>(out, grid as usize).iter().all(|&sum| sum == rounds));
        assert_eq!(f.int("count"), grid as i32);
    }
    let findings = f.device.findings().findings;
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn blocks_meet() {
    let f = fixture(Config { workers: Some(2), ..Config::default() });
    meets(&f, 1, 32, 3);
    meets(&f, 50, 64, 20);
    meets(&f, 264, 1024, 3);
}

#[test]
fn blocks_meet_under_every_policy() {
    for policy in [Policy::Eager, Policy::Latest, Policy::Random(1), Policy::Random(2)] {
        let f = fixture(Config { check: true, policy: Some(policy), ..Config::default() });
        meets(&f, 1, 32, 3);
        meets(&f, 40, 64, 5);
    }
}

#[test]
fn blocks_meet_by_functions_of_the_device_runtime() {
    for (check, workers) in [(false, 1), (false, 2), (true, 1)] {
        let f = by_name(Config { workers: Some(workers), check, ..Config::default() });
        meets(&f, 1, 32, 3);
        meets(&f, 40, 64, 5);
        assert_eq!(f.int("wrong"), 0);
    }
}

#[test]
fn ordinary_grids_have_no_handle() {
    let f = by_name(Config { workers: Some(1), ..Config::default() });
    let (handle, errors) = (f.device.malloc(8).unwrap(), f.device.malloc(16).unwrap());
    f.write(handle, &[1u64]);
    f.run("alone", 1, 1, &parameters!(handle, errors));
    assert_eq!(f.read::<u64>(handle, 1), [0]);
    assert_eq!(f.read::<i32>(errors, 4), [1, 1, 1, 5]);
}

#[test]
fn grids_that_do_not_fit_are_refused() {
    let f = fixture(Config { workers: Some(2), ..Config::default() });
    let out = f.device.malloc(4096).unwrap();
    let too_large = Status::COOPERATIVE_LAUNCH_TOO_LARGE;
    assert_eq!(launch(&f, Stream::LEGACY, 265, 1024, &parameters!(1, out)), too_large);
    assert_eq!(f.device.sticky(), Status::SUCCESS);
    assert_eq!(f.device.attribute(95), Some(1));
    // An ordinary launch of the same size is fine.
    f.run("chain", 265, 1024, &[]);
}

#[test]
fn grids_that_do_not_fit_beside_each_other_take_turns() {
    for (check, rounds) in [(false, 3), (true, 1)] {
        let f = fixture(Config { workers: Some(2), check, ..Config::default() });
        let streams = [(); 3].map(|()| f.device.stream_create(true, 0).unwrap());
        let outs = [(); 3].map(|()| f.device.malloc(4 * 200).unwrap());
        for (stream, out) in streams.into_iter().zip(outs) {
            f.write(out, &[0i32; 200]);
            assert_eq!(launch(&f, stream, 200, 1024, &parameters!(rounds, out)), Status::SUCCESS);
        }
        assert_eq!(f.device.synchronize(), Status::SUCCESS);
        for out in outs {
            assert!(f.read::<i32>(out, 200).iter().all(|&sum| sum == rounds));
        }
    }
}
