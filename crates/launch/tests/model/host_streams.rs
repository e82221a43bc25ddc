//! The host's streams (launch-model 2.2).

use hotfire_launch::{Item, Limits, Model, Policy, Situation, Stream, StreamKind, Work};

fn model() -> Model {
    Model::new(Limits::default(), Policy::Eager)
}

/// Everything that may run at once, started.
fn wave(model: &mut Model) -> Vec<Item> {
    std::iter::from_fn(|| model.next(Situation::Busy)).collect()
}

#[test]
fn a_stream_is_in_order() {
    let mut model = model();
    let stream = model.create_stream(StreamKind::NonBlocking);
    let items = [Work::Grid, Work::Operation, Work::Grid].map(|work| model.submit(stream, work));
    for item in items {
        assert_eq!(wave(&mut model), [item]);
        assert!(!model.stream_idle(stream));
        model.finished(item);
    }
    assert!(model.stream_idle(stream) && model.all_idle());
    assert_eq!(model.drain_completed().collect::<Vec<_>>(), items);
}

#[test]
fn the_legacy_stream_joins_blocking_streams_on_both_sides() {
    let mut model = model();
    let kinds = [StreamKind::Blocking, StreamKind::PerThreadDefault, StreamKind::NonBlocking];
    let [blocking, thread, non_blocking] = kinds.map(|kind| model.create_stream(kind));
    let [a, b, c] = [blocking, thread, non_blocking].map(|stream| model.submit(stream, Work::Grid));
    let legacy = model.submit(Stream::LEGACY, Work::Grid);
    let [d, e, f] = [blocking, thread, non_blocking].map(|stream| model.submit(stream, Work::Grid));
    assert_eq!(wave(&mut model), [a, b, c], "these do not wait for each other");
    model.finished(c);
    assert_eq!(wave(&mut model), [f], "a non-blocking stream joins with nothing");
    model.finished(a);
    assert_eq!(wave(&mut model), []);
    model.finished(b);
    assert_eq!(wave(&mut model), [legacy]);
    assert!(!model.stream_idle(Stream::LEGACY));
    model.finished(legacy);
    assert_eq!(wave(&mut model), [d, e]);
    assert!(!model.stream_idle(Stream::LEGACY), "work of blocking streams counts");
    for item in [d, e] {
        model.finished(item);
    }
    assert!(model.stream_idle(Stream::LEGACY) && !model.stream_idle(non_blocking));
}

#[test]
fn per_thread_default_streams_do_not_join_each_other() {
    let mut model = model();
    let [one, other] = [0, 1].map(|_| model.create_stream(StreamKind::PerThreadDefault));
    let items = [one, other, one].map(|stream| model.submit(stream, Work::Grid));
    assert_eq!(wave(&mut model), items[..2]);
    model.finished(items[0]);
    assert_eq!(wave(&mut model), items[2..]);
}

#[test]
fn events_order_streams() {
    let mut model = model();
    let [one, other] = [0, 1].map(|_| model.create_stream(StreamKind::NonBlocking));
    let first = model.submit(one, Work::Grid);
    let event = model.record(one);
    let behind_the_event = model.submit(one, Work::Grid);
    let before = model.submit(other, Work::Grid);
    model.wait(other, event);
    let after = model.submit(other, Work::Grid);
    assert_eq!(wave(&mut model), [first, before]);
    model.finished(before);
    assert!(!model.stream_idle(other), "it waits");
    assert_eq!(wave(&mut model), []);
    model.finished(first);
    assert!(model.is_complete(event));
    assert_eq!(wave(&mut model), [behind_the_event, after]);
}

#[test]
fn a_record_in_an_idle_stream_is_complete_at_once_and_reported() {
    let mut model = model();
    let stream = model.create_stream(StreamKind::Blocking);
    let event = model.record(stream);
    assert!(model.is_complete(event) && model.stream_idle(stream));
    assert_eq!(model.drain_completed().collect::<Vec<_>>(), [event]);
}

#[test]
fn a_record_in_the_legacy_stream_stands_for_all_blocking_streams() {
    let mut model = model();
    let stream = model.create_stream(StreamKind::Blocking);
    let work = model.submit(stream, Work::Operation);
    let event = model.record(Stream::LEGACY);
    assert!(!model.is_complete(event));
    wave(&mut model);
    model.finished(work);
    assert!(model.is_complete(event));
}

/// A wait in the legacy stream is an action there, whether or not its event is long complete.
#[test]
fn a_wait_in_the_legacy_stream_joins() {
    let mut model = model();
    let [one, other] = [0, 1].map(|_| model.create_stream(StreamKind::Blocking));
    let event = model.record(one);
    assert!(model.is_complete(event));
    let first = model.submit(one, Work::Grid);
    model.wait(Stream::LEGACY, event);
    let second = model.submit(other, Work::Grid);
    assert_eq!(wave(&mut model), [first]);
    model.finished(first);
    assert_eq!(wave(&mut model), [second]);
}

#[test]
fn a_destroyed_stream_still_runs_its_work_and_still_joins() {
    let mut model = model();
    let stream = model.create_stream(StreamKind::Blocking);
    let items = [0, 1].map(|_| model.submit(stream, Work::Grid));
    model.destroy_stream(stream);
    assert!(!model.stream_exists(stream));
    let reused = model.create_stream(StreamKind::NonBlocking);
    assert_ne!(reused.index(), stream.index(), "not before its work is over");
    let legacy = model.submit(Stream::LEGACY, Work::Grid);
    for item in [items[0], items[1], legacy] {
        assert_eq!(wave(&mut model), [item]);
        model.finished(item);
    }
    assert_eq!(model.create_stream(StreamKind::Blocking).index(), stream.index());
}

/// A stream in the place of another inherits none of its joins.
#[test]
fn a_reused_stream_joins_as_its_own_kind() {
    let mut model = model();
    let old = model.create_stream(StreamKind::Blocking);
    let item = model.submit(old, Work::Grid);
    wave(&mut model);
    model.finished(item);
    model.destroy_stream(old);
    let new = model.create_stream(StreamKind::NonBlocking);
    assert_eq!(new.index(), old.index());
    let items = [new, Stream::LEGACY].map(|stream| model.submit(stream, Work::Grid));
    assert_eq!(wave(&mut model), items);
}

#[test]
fn waits_say_why_nothing_starts() {
    use hotfire_launch::EdgeKind;
    let mut model = model();
    let [one, other] = [0, 1].map(|_| model.create_stream(StreamKind::Blocking));
    let first = model.submit(one, Work::Grid);
    let second = model.submit(one, Work::Grid);
    let legacy = model.submit(Stream::LEGACY, Work::Grid);
    let third = model.submit(other, Work::Grid);
    let expected = [
        (first, second, EdgeKind::Stream),
        (second, legacy, EdgeKind::LegacyDefault),
        (legacy, third, EdgeKind::LegacyDefault),
    ];
    assert_eq!(model.waits(), expected);
}
