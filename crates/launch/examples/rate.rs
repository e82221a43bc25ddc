//! What the model costs: nanoseconds for one item from submission to drained completion, host launches and device
//! launches of each kind, and the memory that the process needed for all of them.
//!
//! `cargo run --release -p hotfire-launch --example rate [millions]`

use hotfire_launch::{DeviceLaunchStream, Item, Limits, Model, Policy, Situation, Stream, StreamKind, Work};
use std::time::Instant;

fn measure(name: &str, count: u64, run: impl FnOnce(u64) -> u64) {
    let start = Instant::now();
    let completed = run(count);
    let nanoseconds = start.elapsed().as_nanos() as f64 / count as f64;
    assert!(completed >= count, "{name}: {completed} of {count} completed");
    println!("{name:<42} {nanoseconds:7.1} ns   {:7.1} MiB", resident_mib());
}

/// Peak resident memory, where the system tells.
fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok()).map_or(f64::NAN, |kib| kib / 1024.0)
}

fn model(policy: Policy) -> Model {
    Model::new(Limits::default(), policy)
}

fn drain(model: &mut Model) -> u64 {
    model.drain_completed().count() as u64
}

/// Submit, start, finish, drain, one after the other.
fn host_one_by_one(count: u64) -> u64 {
    let mut model = model(Policy::Eager);
    let stream = model.create_stream(StreamKind::Blocking);
    (0..count)
        .map(|_| {
            model.submit(stream, Work::Grid);
            let item = model.next(Situation::Idle).expect("an idle stream");
            model.finished(item);
            drain(&mut model)
        })
        .sum()
}

/// Everything queued first.
fn host_queue(count: u64) -> u64 {
    let mut model = model(Policy::Eager);
    let stream = model.create_stream(StreamKind::Blocking);
    for _ in 0..count {
        model.submit(stream, Work::Operation);
    }
    let mut completed = 0;
    while let Some(item) = model.next(Situation::Idle) {
        model.finished(item);
        completed += drain(&mut model);
    }
    completed
}

/// Streams that all join with the legacy default stream now and then, with an event between each two.
fn host_streams(count: u64) -> u64 {
    let mut model = model(Policy::Eager);
    let streams: Vec<_> = (0..32).map(|_| model.create_stream(StreamKind::Blocking)).collect();
    let mut completed = 0;
    for round in 0..count / 33 {
        for (at, &stream) in streams.iter().enumerate() {
            let item = model.submit(stream, Work::Grid);
            model.wait(streams[(at + 1 + round as usize % 7) % 32], item);
        }
        model.submit(Stream::LEGACY, Work::Grid);
        while let Some(item) = model.next(Situation::Busy) {
            model.finished(item);
        }
        completed += drain(&mut model);
    }
    completed + count % 33
}

/// One grid launches `count` children: while the pool has a slot it launches, else the device works one off.
fn children(count: u64, policy: Policy, stream: impl Fn(&mut Model, Item) -> DeviceLaunchStream, blocks: u64) -> u64 {
    let mut model = model(policy);
    model.submit(Stream::LEGACY, Work::Grid);
    let root = model.next(Situation::Idle).expect("the root");
    let stream = stream(&mut model, root);
    let mut completed = 0;
    let mut launched = 0;
    while launched < count {
        if model.reserve_slot(root).is_ok() {
            model.launch(root, launched % blocks, stream, Work::Grid).expect("a slot is reserved");
            launched += 1;
        } else {
            let item = model.next(Situation::Stuck).expect("a child");
            model.finished(item);
            completed += drain(&mut model);
        }
    }
    model.finished(root);
    while let Some(item) = model.next(Situation::Idle) {
        model.finished(item);
        completed += drain(&mut model);
    }
    completed
}

fn tail_chain(count: u64) -> u64 {
    let mut model = model(Policy::Eager);
    model.submit(Stream::LEGACY, Work::Grid);
    let mut completed = 0;
    for _ in 0..count {
        let grid = model.next(Situation::Idle).expect("the next link");
        model.reserve_slot(grid).expect("a chain needs two slots");
        model.launch(grid, 0, DeviceLaunchStream::Tail, Work::Grid).expect("a slot is reserved");
        model.finished(grid);
        completed += drain(&mut model);
    }
    let last = model.next(Situation::Idle).expect("the last link");
    model.finished(last);
    completed + drain(&mut model)
}

/// Fire-and-forget chains, as long as the pool allows.
fn nests(count: u64) -> u64 {
    let mut model = model(Policy::Eager);
    let mut completed = 0;
    while completed < count {
        model.submit(Stream::LEGACY, Work::Grid);
        let mut grid = model.next(Situation::Idle).expect("the root");
        while model.reserve_slot(grid).is_ok() {
            let child =
                model.launch(grid, 0, DeviceLaunchStream::FireAndForget, Work::Grid).expect("a slot is reserved");
            model.finished(grid);
            assert_eq!(model.next(Situation::Busy), Some(child));
            grid = child;
        }
        model.finished(grid);
        completed += drain(&mut model);
    }
    completed
}

fn main() {
    let millions: u64 = std::env::args().nth(1).and_then(|argument| argument.parse().ok()).unwrap_or(10);
    let count = millions * 1_000_000;
    let use_stream = |stream| move |_: &mut Model, _| stream;
    measure("host: launch by launch", count, host_one_by_one);
    measure("host: 32 streams, events, legacy joins", count, host_streams);
    measure("device: self tail chain", count, tail_chain);
    measure("device: nests 2048 deep", count, nests);
    for (name, blocks) in [("device: NULL stream of one block", 1), ("device: NULL streams of 1024 blocks", 1024)] {
        measure(name, count, |count| children(count, Policy::Eager, use_stream(DeviceLaunchStream::Null), blocks));
    }
    let named = |model: &mut Model, grid| DeviceLaunchStream::Named(model.device_stream_create(grid));
    measure("device: named stream", count, |count| children(count, Policy::Eager, named, 1));
    let fire = DeviceLaunchStream::FireAndForget;
    measure("device: fire-and-forget", count, |count| children(count, Policy::Eager, use_stream(fire), 1));
    println!("from here on memory grows, with the log of choices or the queue");
    measure("device: fire-and-forget, random", count, |count| children(count, Policy::Random(1), use_stream(fire), 1));
    measure("host: all queued first", count, host_queue);
}
