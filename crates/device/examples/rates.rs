//! Measures what launches cost: `cargo run --release -p hotfire-device --example rates`. Prints medians of several runs.

use hotfire_device::{Config, Device, EventFlags, LaunchAttributes, LaunchConfig, Limit, Module, Status, Stream};
use std::sync::Arc;
use std::time::Instant;

const RUNS: usize = 9;

struct Bench {
    device: &'static Device,
    module: Arc<Module>,
}

impl Bench {
    fn launch(&self, name: &str, parameters: &[u8]) {
        let config = LaunchConfig {
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared: 0,
            stream: Stream::LEGACY,
            handle: 0,
            attributes: LaunchAttributes::default(),
        };
        let function = self.module.function(name).expect("the kernel exists");
        assert_eq!(self.device.launch(&function, &config, parameters), Status::SUCCESS);
    }

    fn synchronize(&self) {
        assert_eq!(self.device.synchronize(), Status::SUCCESS);
    }
}

/// Median of the seconds that `run` takes.
fn median(mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

fn main() {
    let start = Instant::now();
    let device = Device::new(Config::default());
    let text = hotfire_ptx::parse(include_str!("../tests/kernels/kernels.ptx")).expect("our PTX parses");
    let parsed = start.elapsed();
    let module = device.load_module(vec![text]).unwrap_or_else(|error| panic!("{error:?}"));
    let bench = Bench { device, module };
    let loaded = start.elapsed();
    bench.launch("empty", &[]);
    bench.synchronize();
    println!("start to first kernel      {:>10.2} ms", start.elapsed().as_secs_f64() * 1e3);
    println!("  parsed {:.2} ms, loaded {:.2} ms", parsed.as_secs_f64() * 1e3, loaded.as_secs_f64() * 1e3);

    const LAUNCHES: u32 = 50_000;
    let seconds = median(|| {
        (0..LAUNCHES).for_each(|_| bench.launch("empty", &[]));
        bench.synchronize();
    });
    println!("host launches              {:>10.0} /s", f64::from(LAUNCHES) / seconds);

    let seconds = median(|| {
        for _ in 0..1000 {
            bench.launch("empty", &[]);
            bench.synchronize();
        }
    });
    println!("launch and synchronise     {:>10.2} us", seconds * 1e6 / 1e3);

    assert_eq!(device.set_limit(Limit::DevRuntimePendingLaunchCount, 65_536), Status::SUCCESS);
    const CHILDREN: i32 = 50_000;
    let seconds = median(|| {
        bench.launch("storm_empty", &CHILDREN.to_ne_bytes());
        bench.synchronize();
    });
    println!("fire-and-forget children   {:>10.0} /s", f64::from(CHILDREN) / seconds);

    const LINKS: i32 = 10_000;
    let seconds = median(|| {
        bench.launch("tail_chain", &LINKS.to_ne_bytes());
        bench.synchronize();
    });
    println!("tail link                  {:>10.3} us", seconds * 1e6 / f64::from(LINKS));

    let event = device.event_create(EventFlags::default()).expect("healthy");
    let seconds = median(|| {
        for _ in 0..10_000 {
            assert_eq!(device.event_record(event, Stream::LEGACY), Status::SUCCESS);
        }
        bench.synchronize();
    });
    println!("event record               {:>10.3} us", seconds * 1e6 / 1e4);
}
