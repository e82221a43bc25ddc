//! Depth, length and memory: nothing recurses, nothing grows with the past.

use hotfire_launch::{DeviceLaunchStream, Item, Limits, Model, Policy, Situation, Stream, StreamKind, Work};

fn model() -> Model {
    Model::new(Limits::default(), Policy::Eager)
}

fn launch(model: &mut Model, launcher: Item, stream: DeviceLaunchStream) -> Item {
    model.reserve_slot(launcher).unwrap();
    model.launch(launcher, 0, stream, Work::Grid).unwrap()
}

/// Ran on an H200 with 2048 slots (3.5). Every grid launches itself as its tail.
#[test]
fn ten_thousand_self_tail_launches() {
    let mut model = model();
    let root = model.submit(Stream::LEGACY, Work::Grid);
    let behind = model.submit(Stream::LEGACY, Work::Grid);
    let mut grid = model.next(Situation::Idle).unwrap();
    let mut highest = 0;
    for _ in 0..10_000 {
        let tail = launch(&mut model, grid, DeviceLaunchStream::Tail);
        model.finished(grid);
        assert_eq!(model.next(Situation::Idle), Some(tail), "nothing else may start");
        model.drain_completed();
        highest = highest.max(tail.index());
        grid = tail;
    }
    assert!(!model.is_complete(root), "its tails run");
    model.finished(grid);
    assert!(model.is_complete(root));
    assert_eq!(model.next(Situation::Idle), Some(behind));
    assert!(model.peak_pending() <= 2 && highest < 8, "a chain needs no memory for its past");
}

/// A chain where each link also has a second tail, so that none of them is the last in its stream.
#[test]
fn tails_that_stack_up_are_bounded_by_the_pool() {
    let mut model = model();
    model.submit(Stream::LEGACY, Work::Grid);
    let mut grid = model.next(Situation::Idle).unwrap();
    for links in 1.. {
        let next = launch(&mut model, grid, DeviceLaunchStream::Tail);
        if model.reserve_slot(grid).is_err() {
            assert_eq!((links, model.unfinished()), (2047, 2049));
            break;
        }
        model.launch(grid, 0, DeviceLaunchStream::Tail, Work::Grid).unwrap();
        model.finished(grid);
        assert_eq!(model.next(Situation::Idle), Some(next));
        model.drain_completed();
        grid = next;
    }
    model.finished(grid);
    while let Some(grid) = model.next(Situation::Idle) {
        model.finished(grid);
    }
    assert!(model.all_idle());
}

/// Ran on an H200: fire-and-forget nesting 1000 deep. All of it completes in one call, iteratively.
#[test]
fn a_thousand_deep_nest() {
    nest(1000, 2048);
}

/// The same far beyond what a recursion would survive.
#[test]
fn a_million_deep_nest() {
    nest(1_000_000, 1_000_000);
}

fn nest(depth: u32, pending_launches: u32) {
    let mut model = Model::new(Limits { pending_launches, ..Limits::default() }, Policy::Eager);
    let root = model.submit(Stream::LEGACY, Work::Grid);
    let mut grid = model.next(Situation::Idle).unwrap();
    for _ in 0..depth {
        let child = launch(&mut model, grid, DeviceLaunchStream::FireAndForget);
        model.finished(grid);
        assert_eq!(model.next(Situation::Busy), Some(child));
        grid = child;
    }
    assert_eq!(model.peak_pending(), depth);
    assert!(model.drain_completed().next().is_none());
    model.finished(grid);
    assert!(model.all_idle() && model.pending() == 0);
    let completed: Vec<_> = model.drain_completed().collect();
    assert_eq!((completed.len() as u32, completed[0], completed[depth as usize]), (depth + 1, grid, root));
}

/// A million items queued in a stream, among them markers, all released by the one in front.
#[test]
fn a_million_queued_items() {
    let mut model = model();
    let [stream, other] = [0, 1].map(|_| model.create_stream(StreamKind::Blocking));
    let first = model.submit(stream, Work::Grid);
    for _ in 0..1_000_000 {
        model.record(stream);
    }
    let event = model.record(stream);
    model.wait(other, event);
    let last = model.submit(other, Work::Grid);
    let queued: Vec<_> = (0..1_000_000).map(|_| model.submit(stream, Work::Operation)).collect();
    assert_eq!(model.next(Situation::Idle), Some(first));
    assert_eq!(model.next(Situation::Busy), None);
    model.finished(first);
    assert_eq!([0, 1].map(|_| model.next(Situation::Idle)), [Some(queued[0]), Some(last)]);
    model.finished(last);
    model.finished(queued[0]);
    for &item in &queued[1..] {
        assert_eq!(model.next(Situation::Idle), Some(item));
        model.finished(item);
    }
    assert!(model.all_idle());
}

/// Indices, and with them all tables, stay as small as what is alive at once.
#[test]
fn memory_is_that_of_the_living() {
    let mut model = model();
    for round in 0..100_000 {
        let stream = model.create_stream(StreamKind::Blocking);
        let root = model.submit(stream, Work::Grid);
        model.destroy_stream(stream);
        assert_eq!(model.next(Situation::Idle), Some(root));
        let named = model.device_stream_create(root);
        let event = model.device_event_create(root).unwrap();
        let child = launch(&mut model, root, DeviceLaunchStream::Named(named));
        model.device_record(root, 0, DeviceLaunchStream::Named(named), event).unwrap();
        model.device_wait(root, round, DeviceLaunchStream::Null, event).unwrap();
        let second = launch(&mut model, root, DeviceLaunchStream::Null);
        model.finished(root);
        for item in [child, second] {
            assert_eq!(model.next(Situation::Idle), Some(item));
            model.finished(item);
        }
        assert!(model.all_idle());
        assert!(model.drain_completed().all(|item| item.index() < 4) && stream.index() == 1);
        assert!(named.to_bits() as u32 == 0 && event.to_bits() as u32 == 1, "the first place of each kind");
    }
}
