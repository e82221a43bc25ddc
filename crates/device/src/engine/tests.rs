//! The engine with kernels written in Rust.

use super::native::{NAMES, Shared, text};
use crate::{Config, Device, LaunchAttributes, LaunchConfig, Limit, Module, Status, Stream};
use hotfire_launch::Policy;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

struct Fixture {
    device: &'static Device,
    module: Arc<Module>,
    shared: &'static Shared,
}

fn fixture() -> Fixture {
    fixture_of(Policy::Eager)
}

fn fixture_of(policy: Policy) -> Fixture {
    let config = Config { workers: Some(2), memory: Some(1 << 30), policy: Some(policy), ..Config::default() };
    let device = Device::new(config);
    let module = device.load_module(vec![hotfire_ptx::parse(&text()).unwrap()]).unwrap_or_else(|e| panic!("{e:?}"));
    let shared: &'static Shared = Box::leak(Box::default());
    for (slot, name) in shared.kernels.iter().zip(NAMES) {
        slot.store(module.code_address(name), Ordering::Relaxed);
    }
    Fixture { device, module, shared }
}

impl Fixture {
    fn launch(&self, name: &str, grid: u32, block: u32, first: i32, second: i32) -> Status {
        self.launch_with(name, [grid, block], [first, second], LaunchAttributes::default())
    }

    fn launch_with(
        &self,
        name: &str,
        [grid, block]: [u32; 2],
        [first, second]: [i32; 2],
        attributes: LaunchAttributes,
    ) -> Status {
        let mut parameters = (std::ptr::from_ref(self.shared) as u64).to_ne_bytes().to_vec();
        parameters.extend(first.to_ne_bytes());
        parameters.extend(second.to_ne_bytes());
        let config = LaunchConfig {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            dynamic_shared: 0,
            stream: Stream::LEGACY,
            handle: 0,
            attributes,
        };
        self.device.launch(&self.module.function(name).unwrap(), &config, &parameters)
    }

    fn run(&self, name: &str, grid: u32, block: u32, first: i32, second: i32) {
        assert_eq!(self.launch(name, grid, block, first, second), Status::SUCCESS);
        assert_eq!(self.device.synchronize(), Status::SUCCESS);
    }

    fn counts(&self) -> (i32, i32, i32) {
        let take = |value: &std::sync::atomic::AtomicI32| value.swap(0, Ordering::Relaxed);
        (take(&self.shared.launched), take(&self.shared.dropped), take(&self.shared.code))
    }

    fn order(&self) -> Vec<i32> {
        std::mem::take(&mut self.shared.order.lock().unwrap())
    }
}

#[test]
fn blocks_run_once_each() {
    let f = fixture();
    for (grid, block) in [(1, 1), (1000, 3), (7, 256)] {
        f.shared.count.store(0, Ordering::Relaxed);
        f.run("count_blocks", grid, block, 0, 0);
        assert_eq!(f.shared.count.load(Ordering::Relaxed), (grid * block) as i32);
    }
}

#[test]
fn threads_meet_at_barriers() {
    let f = fixture();
    f.run("barriers", 50, 256, 20, 0);
    assert_eq!(f.shared.count.load(Ordering::Relaxed), 50 * 256);
}

#[test]
fn tails_run_in_order() {
    let f = fixture();
    for _ in 0..100 {
        assert_eq!(f.launch("tails", 1, 32, 0, 0), Status::SUCCESS);
        f.run("leaf", 1, 1, 999, 0);
        let mut order = f.order();
        order[..2].sort_unstable();
        order[5..7].sort_unstable();
        assert_eq!(order, [10, 2010, 1010, 1, 2, 20, 2020, 1020, 3, 999]);
    }
}

#[test]
fn the_pool_counts_running_and_queued_grids() {
    let f = fixture();
    for n in [100, 2048, 2049, 3000] {
        f.shared.gate.store(false, Ordering::Relaxed);
        f.shared.count.store(0, Ordering::Relaxed);
        f.run("hold", 1, 1, n, 0);
        let fit = n.min(2048);
        assert_eq!(f.counts(), (fit, n - fit, if n > fit { 69 } else { 0 }));
        assert_eq!(f.shared.count.load(Ordering::Relaxed), fit);
        f.run("storm_tails", 1, 1, n, 0);
        assert_eq!(f.counts(), (fit, n - fit, if n > fit { 69 } else { 0 }));
        assert_eq!(f.order(), (0..fit).collect::<Vec<_>>());
    }
    assert_eq!(f.device.set_limit(Limit::DevRuntimePendingLaunchCount, 4), Status::SUCCESS);
    f.run("storm_tails", 1, 1, 40, 0);
    assert_eq!(f.counts(), (32, 8, 69));
}

#[test]
fn trees_are_deep_and_chains_long() {
    let f = fixture();
    f.run("nest", 1, 1, 0, 1000);
    assert_eq!(f.order(), [1000]);
    f.run("tail_chain", 1, 1, 10_000, 0);
    assert_eq!(f.order(), [0]);
    let start = Instant::now();
    f.run("storm", 1, 1, 50_000, 0);
    eprintln!("storm of 50,000: {:?}", start.elapsed());
}

#[test]
fn a_fault_is_sticky_until_a_reset() {
    let f = fixture();
    assert_eq!(f.launch("blocked", 100, 1, 0, 0), Status::SUCCESS);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let stream = f.device.stream_create(true, 0).unwrap();
    let config = LaunchConfig {
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared: 0,
        stream,
        handle: 0,
        attributes: Default::default(),
    };
    let wild = f.module.function("wild").unwrap();
    let mut parameters = (std::ptr::from_ref(f.shared) as u64).to_ne_bytes().to_vec();
    parameters.extend([8, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(f.device.launch(&wild, &config, &parameters), Status::SUCCESS);
    assert_eq!(f.device.synchronize(), Status::ILLEGAL_ADDRESS);
    assert_eq!(f.launch("empty", 1, 1, 0, 0), Status::ILLEGAL_ADDRESS);
    assert_eq!(f.device.reset(), Status::SUCCESS);
    assert_eq!(f.device.synchronize(), Status::SUCCESS);
    let module = f.device.load_module(vec![hotfire_ptx::parse(&text()).unwrap()]).unwrap();
    let f = Fixture { module, ..f };
    f.run("leaf", 1, 1, 5, 0);
    assert_eq!(f.order(), [5]);
}

/// Tags in the order in which threads said them, when a chain of programmatic launches has run; `early` of its threads must have come to
/// their waits before the first kernel may end.
fn chain(f: &Fixture, shape: [u32; 2], early: i32) -> Vec<i32> {
    let attributes = LaunchAttributes { programmatic_serialization: true, ..LaunchAttributes::default() };
    assert_eq!(f.launch("primary", 2, 3, 1, 0), Status::SUCCESS);
    for tag in 2..5 {
        assert_eq!(f.launch_with("dependent", shape, [tag, 0], attributes), Status::SUCCESS);
    }
    assert_eq!(f.launch("leaf", 1, 1, 5, 0), Status::SUCCESS);
    let began = Instant::now();
    while f.shared.count.load(Ordering::Relaxed) < early {
        assert!(began.elapsed().as_secs() < 60, "nothing starts early");
        std::thread::yield_now();
    }
    assert_eq!(f.order(), [0; 0], "nobody passes a wait before the first kernel has ended");
    f.shared.gate.store(true, Ordering::Release);
    assert_eq!(f.device.synchronize(), Status::SUCCESS);
    f.order()
}

#[test]
fn dependents_start_at_the_trigger_and_wait_for_the_end() {
    let f = fixture();
    // The last: more threads than may rest at once.
    for (shape, early) in [([1, 1], 3), ([5, 40], 600), ([40, 1024], 1 << 15)] {
        f.shared.gate.store(false, Ordering::Release);
        f.shared.count.store(0, Ordering::Relaxed);
        let order = chain(&f, shape, early);
        let threads = (shape[0] * shape[1]) as usize;
        assert_eq!(order.len(), 6 + 3 * threads + 1);
        assert_eq!(order[..6], [1; 6]);
        assert_eq!(order.last(), Some(&5));
    }
}

#[test]
fn other_policies_come_to_the_same_end() {
    for policy in [Policy::Latest, Policy::Random(1), Policy::Random(2)] {
        let f = fixture_of(policy);
        let order = chain(&f, [3, 5], 0);
        assert_eq!((order.len(), &order[..6], order.last()), (6 + 45 + 1, &[1; 6][..], Some(&5)));
    }
}

#[test]
fn a_reset_ends_what_waits() {
    let f = fixture();
    let attributes = LaunchAttributes { programmatic_serialization: true, ..LaunchAttributes::default() };
    assert_eq!(f.launch("primary", 1, 1, 1, 0), Status::SUCCESS);
    assert_eq!(f.launch_with("dependent", [4, 32], [2, 0], attributes), Status::SUCCESS);
    while f.shared.count.load(Ordering::Relaxed) < 128 {
        std::thread::yield_now();
    }
    f.device.set_sticky(Status::LAUNCH_FAILURE);
    f.device.with(|state| state.fail(Status::LAUNCH_FAILURE));
    assert_eq!(f.device.reset(), Status::SUCCESS);
    assert_eq!(f.order(), [0; 0]);
}
