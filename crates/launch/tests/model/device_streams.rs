//! The device's streams and events (launch-model 3.2).

use crate::run::{Call, Device, To, grid, launch, launch_from};
use crate::tails::everywhere;
use hotfire_launch::{
    DeviceEvent, DeviceLaunchStream, DeviceStream, EventPoolFull, Item, LaunchError, Limits, Model, Policy, Situation,
    Stream, Work,
};
use std::collections::HashSet;

/// Runs a grid with these calls everywhere and collects the orders of starts, without the grid itself.
fn orders(calls: &[Call]) -> HashSet<Vec<u32>> {
    let mut orders = HashSet::new();
    everywhere(|policy, seed| {
        let mut device = Device::new(Model::new(Limits::default(), policy), seed);
        device.submit(Stream::LEGACY, grid(0, calls));
        orders.insert(device.run()[1..].to_vec());
    });
    orders
}

fn before(orders: &HashSet<Vec<u32>>, a: u32, b: u32) -> bool {
    orders.iter().all(|order| order.iter().position(|&n| n == a) < order.iter().position(|&n| n == b))
}

fn unordered(orders: &HashSet<Vec<u32>>, a: u32, b: u32) -> bool {
    !before(orders, a, b) && !before(orders, b, a)
}

#[test]
fn the_null_stream_is_one_per_block() {
    let call = |block, name| launch_from(block, To::Null, grid(name, []));
    let orders = orders(&[call(0, 1), call(1, 11), call(0, 2), call(1, 12), call(0, 3), call(1, 13)]);
    for (a, b) in [(1, 2), (2, 3), (11, 12), (12, 13)] {
        assert!(before(&orders, a, b));
    }
    assert!(unordered(&orders, 1, 13) && unordered(&orders, 3, 11));
}

#[test]
fn fire_and_forget_launches_are_unordered() {
    let orders = orders(&[1, 2, 3].map(|name| launch(To::FireAndForget, grid(name, []))));
    assert_eq!(orders.len(), 6, "all permutations occur");
}

#[test]
fn events_order_named_streams() {
    let call = |stream, name| launch(To::Named(stream), grid(name, []));
    let (record, wait) = (|to| Call::Record { block: 0, to, event: 0 }, |to| Call::Wait { block: 0, to, event: 0 });
    let found = orders(&[call(0, 1), record(To::Named(0)), call(0, 2), call(1, 11), wait(To::Named(1)), call(1, 12)]);
    assert!(before(&found, 1, 2) && before(&found, 11, 12) && before(&found, 1, 12), "the event orders");
    assert!(unordered(&found, 1, 11) && unordered(&found, 2, 12), "and nothing else");

    let found = orders(&[call(0, 1), record(To::Named(0)), wait(To::Null), launch(To::Null, grid(21, []))]);
    assert!(before(&found, 1, 21), "the NULL stream waits too");
    let found = orders(&[call(0, 1), wait(To::Named(1)), call(1, 11), record(To::Named(0))]);
    assert!(unordered(&found, 1, 11), "an event that was not recorded yet orders nothing");
    let found =
        orders(&[call(0, 1), record(To::Named(0)), call(0, 2), record(To::Named(0)), wait(To::Named(1)), call(1, 11)]);
    assert!(before(&found, 2, 11), "the last record counts");
    let (busy, idle) = (To::Named(0), To::Named(2));
    let found = orders(&[call(0, 1), record(busy), record(idle), wait(To::Named(1)), call(1, 11)]);
    assert!(unordered(&found, 1, 11), "also that in a stream without work");
}

/// A model in which one grid runs.
fn running(pending_launches: u32) -> (Model, Item) {
    let mut model = Model::new(Limits { pending_launches, ..Limits::default() }, Policy::Eager);
    model.submit(Stream::LEGACY, Work::Grid);
    let grid = model.next(Situation::Idle).unwrap();
    (model, grid)
}

#[test]
fn streams_without_events_refuse_them() {
    let (mut model, grid) = running(1);
    let event = model.device_event_create(grid).unwrap();
    for stream in [DeviceLaunchStream::FireAndForget, DeviceLaunchStream::Tail] {
        assert_eq!(model.device_record(grid, 0, stream, event), Err(LaunchError::InvalidValue));
        assert_eq!(model.device_wait(grid, 0, stream, event), Err(LaunchError::InvalidValue));
    }
}

#[test]
fn handles_belong_to_the_grid_that_made_them() {
    let (mut model, owner) = running(4);
    let stream = model.device_stream_create(owner);
    let event = model.device_event_create(owner).unwrap();
    model.reserve_slot(owner).unwrap();
    let child = model.launch(owner, 0, DeviceLaunchStream::Null, Work::Grid).unwrap();
    assert_eq!(model.next(Situation::Busy), Some(child));

    let (named, foreign) = (DeviceLaunchStream::Named(stream), Err(LaunchError::ForeignHandle { owner }));
    model.reserve_slot(child).unwrap();
    assert_eq!(model.launch(child, 0, named, Work::Grid).err(), foreign.err());
    assert_eq!(model.pending(), 1, "the slot of a failed launch is free again");
    assert_eq!(model.launch(child, 0, named, Work::Operation).err(), foreign.err());
    assert_eq!(model.device_record(child, 0, DeviceLaunchStream::Null, event), foreign);
    assert_eq!(model.device_wait(child, 0, DeviceLaunchStream::Null, event), foreign);
    assert_eq!(model.device_stream_destroy(child, stream), foreign);
    assert_eq!(model.device_event_destroy(child, event), foreign);

    model.finished(owner);
    let stale = Err(LaunchError::StaleHandle);
    assert_eq!(model.launch(child, 0, named, Work::Operation).err(), stale.err());
    assert_eq!(model.device_record(child, 0, DeviceLaunchStream::Null, event), stale);
    let mine = model.device_stream_create(child);
    assert_ne!(mine, stream, "a reused place is another handle");
    assert_eq!(model.device_stream_destroy(child, mine), Ok(()));
    assert_eq!(model.device_stream_destroy(child, mine), stale);
}

#[test]
fn a_destroyed_stream_still_runs_its_work_in_order() {
    let (mut model, grid) = running(4);
    let stream = model.device_stream_create(grid);
    let [first, second] = [0, 1].map(|_| {
        model.reserve_slot(grid).unwrap();
        model.launch(grid, 0, DeviceLaunchStream::Named(stream), Work::Grid).unwrap()
    });
    model.device_stream_destroy(grid, stream).unwrap();
    model.finished(grid);
    assert_eq!(model.next(Situation::Idle), Some(first));
    assert_eq!(model.next(Situation::Busy), None);
    model.finished(first);
    assert_eq!(model.next(Situation::Idle), Some(second));
    model.finished(second);
    assert!(model.all_idle());
}

#[test]
fn event_slots_are_twice_the_launch_slots() {
    let (mut model, grid) = running(2);
    let events: Vec<_> = (0..4).map(|_| model.device_event_create(grid).unwrap()).collect();
    assert_eq!(model.device_event_create(grid), Err(EventPoolFull));
    model.device_event_destroy(grid, events[1]).unwrap();
    assert!(model.device_event_create(grid).is_ok());
    model.finished(grid);
    assert_eq!(model.device_events(), 0, "the rest goes with the grid");
}

#[test]
fn no_number_below_2_to_the_32_is_a_handle() {
    let (mut model, grid) = running(2);
    for bits in (0..1000).chain([u64::from(u32::MAX)]) {
        assert!(DeviceStream::from_bits(bits).is_none() && DeviceEvent::from_bits(bits).is_none());
    }
    let (stream, event) = (model.device_stream_create(grid), model.device_event_create(grid).unwrap());
    assert_eq!((DeviceStream::from_bits(event.to_bits()), DeviceEvent::from_bits(stream.to_bits())), (None, None));
    let invented = DeviceStream::from_bits(stream.to_bits() + 2).unwrap();
    let error = model.launch(grid, 0, DeviceLaunchStream::Named(invented), Work::Operation);
    assert_eq!(error, Err(LaunchError::StaleHandle));
}
