//! Programmatic dependent launch (launch-model 4).

use hotfire_launch::order::{Fact, Facts};
use hotfire_launch::{
    DeviceLaunchStream, Early, EdgeKind, Item, Limits, Model, Policy, Situation, Stage, Stream, StreamKind, Work,
};

fn model(policy: Policy) -> (Model, Stream) {
    let mut model = Model::new(Limits::default(), policy);
    let stream = model.create_stream(StreamKind::NonBlocking);
    (model, stream)
}

/// Everything that may run at once, started.
fn wave(model: &mut Model) -> Vec<Item> {
    std::iter::from_fn(|| model.next(Situation::Busy)).collect()
}

/// A kernel, and one behind it that may start early.
fn pair(model: &mut Model, stream: Stream) -> [Item; 2] {
    [model.submit(stream, Work::Grid), model.submit_programmatic(stream)]
}

#[test]
fn a_trigger_lets_the_next_kernel_start_and_completion_stays_in_order() {
    let (mut model, stream) = model(Policy::Eager);
    let [a, b] = pair(&mut model, stream);
    assert_eq!(wave(&mut model), [a]);
    assert!(model.has_dependents(a) && model.is_tied(b));
    model.reached(a, Early::Triggered);
    model.reached(a, Early::Triggered);
    assert_eq!(wave(&mut model), [b]);
    model.finished(b);
    assert_eq!((model.stage(b), model.drain_completed().count()), (Stage::Exited, 0));
    assert_eq!(model.waits(), [(a, b, EdgeKind::Prerequisite)]);
    model.finished(a);
    assert_eq!(model.drain_untied().collect::<Vec<_>>(), [b]);
    assert_eq!(model.drain_completed().collect::<Vec<_>>(), [a, b]);
    assert!(model.all_idle() && model.stream_idle(stream));
}

#[test]
fn the_end_of_all_blocks_is_a_trigger_but_no_completion() {
    let (mut model, stream) = model(Policy::Eager);
    let [a, b] = pair(&mut model, stream);
    wave(&mut model);
    model.reserve_slot(a).unwrap();
    let child = model.launch(a, 0, DeviceLaunchStream::FireAndForget, Work::Grid).unwrap();
    assert_eq!(wave(&mut model), [child]);
    model.finished(a);
    assert_eq!(wave(&mut model), [b], "a is not complete, but all its blocks have exited");
    assert!(model.is_tied(b));
    model.finished(child);
    assert!(!model.is_tied(b) && model.is_complete(a));
    model.finished(b);
    assert!(model.all_idle());
}

#[test]
fn a_chain_runs_as_deep_as_it_triggers() {
    let (mut model, stream) = model(Policy::Eager);
    let mut chain = vec![model.submit(stream, Work::Grid)];
    chain.extend((0..99).map(|_| model.submit_programmatic(stream)));
    for &item in &chain {
        assert_eq!(wave(&mut model), [item]);
        model.reached(item, Early::Triggered);
    }
    chain.iter().rev().for_each(|&item| model.finished(item));
    assert_eq!(model.drain_completed().collect::<Vec<_>>(), chain);
    assert_eq!(model.drain_untied().collect::<Vec<_>>(), chain[1..]);
}

#[test]
fn whatever_stands_in_between_breaks_the_early_start() {
    type Between = fn(&mut Model, Stream) -> Option<Item>;
    let between: [Between; 3] = [
        |model, stream| Some(model.submit(stream, Work::Operation)),
        |model, stream| {
            model.record_timed(stream);
            None
        },
        |model, stream| {
            let other = model.create_stream(StreamKind::NonBlocking);
            let running = model.submit(other, Work::Grid);
            assert_eq!(model.next(Situation::Busy).zip(model.next(Situation::Busy)).unwrap().1, running);
            model.wait(stream, running);
            model.finished(running);
            None
        },
    ];
    for put in between {
        let (mut model, stream) = model(Policy::Eager);
        let a = model.submit(stream, Work::Grid);
        let operation = put(&mut model, stream);
        let b = model.submit_programmatic(stream);
        wave(&mut model);
        model.reached(a, Early::Triggered);
        assert_eq!(wave(&mut model), []);
        model.finished(a);
        if let Some(operation) = operation {
            assert_eq!(wave(&mut model), [operation]);
            model.finished(operation);
        }
        assert_eq!(wave(&mut model), [b]);
        assert!(!model.is_tied(b));
    }
}

#[test]
fn records_without_a_time_and_waits_that_need_not_wait_break_nothing() {
    let (mut model, stream) = model(Policy::Eager);
    let a = model.submit(stream, Work::Grid);
    let event = model.record(stream);
    model.wait(stream, event);
    let complete = model.record(Stream::LEGACY);
    model.wait(stream, complete);
    let b = model.submit_programmatic(stream);
    wave(&mut model);
    model.reached(a, Early::Triggered);
    assert_eq!(wave(&mut model), [b]);
    model.finished(b);
    assert!(!model.is_complete(event));
    model.finished(a);
    assert!(model.is_complete(event) && model.all_idle());
}

#[test]
fn no_attribute_no_early_start_and_what_is_behind_waits_for_all() {
    let (mut model, stream) = model(Policy::Eager);
    let [a, b] = pair(&mut model, stream);
    let c = model.submit(stream, Work::Grid);
    wave(&mut model);
    model.reached(a, Early::Triggered);
    assert_eq!(wave(&mut model), [b]);
    model.reached(b, Early::Triggered);
    model.finished(b);
    assert_eq!(wave(&mut model), [], "c is behind b, which is not complete before a");
    model.finished(a);
    assert_eq!(wave(&mut model), [c]);
}

#[test]
fn the_tails_of_an_early_kernel_come_behind_its_prerequisites() {
    let (mut model, stream) = model(Policy::Eager);
    let [a, b] = pair(&mut model, stream);
    wave(&mut model);
    model.reached(a, Early::Triggered);
    wave(&mut model);
    model.reserve_slot(b).unwrap();
    let tail = model.launch(b, 0, DeviceLaunchStream::Tail, Work::Grid).unwrap();
    model.finished(b);
    assert_eq!(wave(&mut model), []);
    model.finished(a);
    assert_eq!(wave(&mut model), [tail]);
    model.finished(tail);
    assert!(model.all_idle());
}

#[test]
fn events_of_a_launch_fire_early_and_carry_the_dependency() {
    for early in [Early::Begun, Early::Triggered] {
        let (mut model, stream) = model(Policy::Eager);
        let other = model.create_stream(StreamKind::NonBlocking);
        let a = model.submit(stream, Work::Grid);
        let event = model.record_early(a, early);
        let first = model.submit(other, Work::Grid);
        match early {
            Early::Begun => model.wait(other, event),
            Early::Triggered => model.wait_early(other, a),
        }
        let b = model.submit(other, Work::Grid);
        let c = model.submit_programmatic(stream);
        assert_eq!(wave(&mut model), [a, first]);
        model.finished(first);
        assert_eq!(wave(&mut model), []);
        model.reached(a, Early::Begun);
        assert_eq!(model.is_complete(event), early == Early::Begun);
        assert_eq!(wave(&mut model), if early == Early::Begun { vec![b] } else { vec![] });
        model.reached(a, Early::Triggered);
        assert!(model.is_complete(event));
        assert_eq!(wave(&mut model), if early == Early::Begun { vec![c] } else { vec![b, c] });
        model.finished(b);
        model.finished(c);
        assert!(model.is_complete(b) == (early == Early::Begun) && !model.is_complete(c));
        model.finished(a);
        assert!(model.all_idle());
    }
}

#[test]
fn a_copy_behind_a_programmatic_event_waits_for_the_end() {
    let (mut model, stream) = model(Policy::Eager);
    let other = model.create_stream(StreamKind::NonBlocking);
    let a = model.submit(stream, Work::Grid);
    model.wait_early(other, a);
    let copy = model.submit(other, Work::Operation);
    wave(&mut model);
    model.reached(a, Early::Triggered);
    assert_eq!(wave(&mut model), []);
    model.finished(a);
    assert_eq!(wave(&mut model), [copy]);
}

#[test]
fn latest_starts_it_when_the_other_is_complete() {
    let (mut model, stream) = model(Policy::Latest);
    let [a, b] = pair(&mut model, stream);
    assert_eq!(model.next(Situation::Idle), Some(a));
    model.reached(a, Early::Triggered);
    assert_eq!(model.next(Situation::Busy), None);
    assert_eq!(model.startable(), [b]);
    assert_eq!(model.next(Situation::Stuck), None, "an early start is never promised");
    let (mut by_hand, mut over) = (model.clone(), model);
    assert!(by_hand.start(b) && !by_hand.start(b));
    by_hand.finished(a);
    assert_eq!(by_hand.next(Situation::Idle), None);
    by_hand.finished(b);
    assert!(by_hand.all_idle());
    over.reserve_slot(a).unwrap();
    let child = over.launch(a, 0, DeviceLaunchStream::FireAndForget, Work::Grid).unwrap();
    over.finished(a);
    assert_eq!(over.next(Situation::Idle), Some(child));
    assert_eq!(over.next(Situation::Busy), None);
    over.finished(child);
    assert_eq!(over.next(Situation::Idle), Some(b));
}

#[test]
fn random_starts_it_sooner_or_later() {
    let early = |seed| {
        let (mut model, stream) = model(Policy::Random(seed));
        let [a, b] = pair(&mut model, stream);
        assert_eq!(model.next(Situation::Idle), Some(a));
        model.reached(a, Early::Triggered);
        model.next(Situation::Busy) == Some(b)
    };
    assert!((0..32).any(early) && !(0..32).all(early));
}

fn facts(list: &[Fact]) -> Facts {
    let mut facts = Facts::default();
    list.iter().for_each(|&fact| facts.learn(fact));
    facts
}

#[test]
fn an_early_kernel_starts_with_what_the_chain_started_with() {
    let (mut model, stream) = model(Policy::Eager);
    model.order.enable();
    let place = |model: &Model| model.order.last().clone();
    model.submit(stream, Work::Operation);
    let copy = place(&model);
    model.submit(stream, Work::Grid);
    let a = place(&model);
    assert!(a.behind.knows(copy.complete.unwrap()) && a.prerequisites.is_empty());
    model.submit_programmatic(stream);
    let b = place(&model);
    model.submit_programmatic(stream);
    let c = place(&model);
    for early in [&b, &c] {
        assert_eq!(early.behind, facts(&[copy.complete.unwrap()]));
    }
    assert_eq!(b.prerequisites[0].complete, a.complete.unwrap());
    assert_eq!(c.prerequisites[0].complete, b.complete.unwrap());
    assert!(c.prerequisites[0].in_order.knows(a.complete.unwrap()));
    model.submit(stream, Work::Grid);
    let d = place(&model);
    assert!(d.prerequisites.is_empty() && d.behind.knows(c.complete.unwrap()) && d.behind == d.in_order);
    // What the host knows is known whatever starts early.
    model.submit(stream, Work::Grid);
    model.order.synchronised(&facts(&[d.complete.unwrap()]));
    model.submit_programmatic(stream);
    assert!(place(&model).behind.knows(d.complete.unwrap()));
}

#[test]
fn an_event_of_a_launch_carries_its_kernel_to_another_stream() {
    let (mut model, stream) = model(Policy::Eager);
    model.order.enable();
    let other = model.create_stream(StreamKind::NonBlocking);
    model.submit(stream, Work::Grid);
    let kernel = model.order.kernel(stream).unwrap();
    for (work, prerequisites) in [(Work::Grid, 1), (Work::Operation, 0)] {
        model.order.wait_early(other, &kernel);
        model.submit(other, work);
        let place = model.order.last().clone();
        assert_eq!(place.prerequisites.len(), prerequisites);
        assert_eq!(place.behind.knows(kernel.complete), work == Work::Operation);
        assert!(model.order.end(other).knows(kernel.complete), "complete only after its prerequisite");
    }
}

#[test]
fn a_release_in_between_breaks_nothing_and_comes_before_the_end() {
    let (mut model, stream) = model(Policy::Eager);
    model.order.enable();
    let a = model.submit(stream, Work::Grid);
    let release = model.submit_aside(stream);
    let b = model.submit_programmatic(stream);
    assert_eq!(model.order.last().prerequisites.len(), 1);
    wave(&mut model);
    model.reached(a, Early::Triggered);
    assert_eq!(wave(&mut model), [b]);
    model.finished(b);
    model.finished(a);
    assert_eq!(wave(&mut model), [release]);
    assert!(!model.is_complete(b));
    model.finished(release);
    assert!(model.all_idle() && model.stream_idle(stream));
}
