//! Commands given again to another model make the same run.

use hotfire_launch::recording::{Command, Replay};
use hotfire_launch::{DeviceLaunchStream, Early, Limits, Model, Policy, Situation, Stream, StreamKind, Work};

/// Runs a model to its end, one item at a time; the numbers of its items in the order of completion.
fn run(model: &mut Model, number: impl Fn(&Model, hotfire_launch::Item) -> Option<u64>) -> Vec<u64> {
    let mut order = Vec::new();
    while !model.all_idle() {
        let item = model.next(Situation::Idle).expect("what is idle can start");
        model.finished(item);
        let completed: Vec<_> = model.drain_completed().collect();
        order.extend(completed.into_iter().filter_map(|item| number(model, item)));
    }
    order
}

/// Streams of all kinds, programmatic launches, events, and a grid that launches.
fn program(model: &mut Model) {
    let one = model.create_stream(StreamKind::NonBlocking);
    let other = model.create_stream(StreamKind::Blocking);
    let first = model.submit(one, Work::Grid);
    model.submit_programmatic(one);
    model.submit_aside(one);
    let begun = model.record_early(first, Early::Begun);
    model.wait(other, begun);
    model.wait_early(other, first);
    model.submit(other, Work::Grid);
    model.submit(Stream::LEGACY, Work::Operation);
    let event = model.record_timed(other);
    model.wait(one, event);
    model.submit(one, Work::Grid);
    model.destroy_stream(other);
}

fn children(model: &mut Model, parent: hotfire_launch::Item) {
    let stream = model.device_stream_create(parent);
    let event = model.device_event_create(parent).unwrap();
    let launch = |model: &mut Model, stream| {
        model.reserve_slot(parent).unwrap();
        model.launch(parent, 3, stream, Work::Grid).unwrap();
    };
    launch(model, DeviceLaunchStream::Tail);
    launch(model, DeviceLaunchStream::Null);
    model.device_record(parent, 3, DeviceLaunchStream::Null, event).unwrap();
    model.device_wait(parent, 3, DeviceLaunchStream::Named(stream), event).unwrap();
    launch(model, DeviceLaunchStream::Named(stream));
    launch(model, DeviceLaunchStream::FireAndForget);
}

#[test]
fn a_replayed_program_runs_as_the_recorded_one() {
    let mut model = Model::new(Limits::default(), Policy::Eager);
    model.enable_recording();
    program(&mut model);
    let parent = model.next(Situation::Idle).expect("the first grid can start");
    children(&mut model, parent);
    let commands = model.drain_commands();
    assert_eq!(commands.len(), 22);
    assert!(model.drain_commands().is_empty());
    model.finished(parent);
    let order = run(&mut model, Model::number);

    let mut model = Model::new(Limits::default(), Policy::Eager);
    let mut replay = Replay::default();
    for command in &commands {
        if matches!(command, Command::DeviceStream { .. }) {
            assert_eq!(model.next(Situation::Idle).and_then(|item| replay.number(item)), Some(0));
        }
        replay.apply(&mut model, command).unwrap();
    }
    model.finished(replay.item(0).unwrap());
    assert_eq!(run(&mut model, |_, item| replay.number(item)), order);
    assert!(order.len() > 8, "{order:?}");
}

#[test]
fn a_command_that_fits_nothing_is_refused() {
    let mut model = Model::new(Limits::default(), Policy::Eager);
    let mut replay = Replay::default();
    let stream = hotfire_launch::recording::stream_number(Stream::LEGACY);
    for command in [
        Command::Wait { stream, item: 7 },
        Command::DestroyStream { stream: 99 },
        Command::DeviceStream { grid: 0, stream: 1 },
    ] {
        assert!(replay.apply(&mut model, &command).is_err(), "{command:?}");
    }
    assert!(model.all_idle());
}
