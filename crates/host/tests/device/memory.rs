//! Memory under guards: what a proof lets through, and what it does not.

use hotfire_host::{DeviceBuffer, Done, Error, Mapped, Pinned};

use crate::{Test, kernel, stream};

pub const TESTS: &[Test] = &[
    ("mapped_memory_is_read_behind_a_proof", mapped_memory_is_read_behind_a_proof),
    ("a_guard_keeps_the_device_away", a_guard_keeps_the_device_away),
    ("an_event_proves_what_was_before_it", an_event_proves_what_was_before_it),
    ("copies_give_their_buffers_back", copies_give_their_buffers_back),
    ("a_copy_that_is_dropped_waits", a_copy_that_is_dropped_waits),
    ("lengths_must_be_equal", lengths_must_be_equal),
];

fn mapped_memory_is_read_behind_a_proof() {
    let stream = stream();
    let scale = kernel("scale");
    let mut values = Mapped::from_slice(stream.device(), &[1.0f32; 256]).expect("mapped memory");
    assert_eq!(values.read(&Done::NOTHING).expect("no work has used it")[7], 1.0);
    // SAFETY: as many floats as threads.
    unsafe { scale.over(2, 128).on(&stream, &(&mut values, 3.0f32)) }.expect("a launch");
    assert!(matches!(values.read(&Done::NOTHING), Err(Error::NotDone)));
    let done = stream.synchronize().expect("the kernel ends");
    assert!(values.read(&done).expect("the proof covers it").iter().all(|&value| value == 3.0));

    // SAFETY: as above.
    unsafe { scale.over(2, 128).on(&stream, &(&mut values, 2.0f32)) }.expect("a launch");
    assert!(matches!(values.read(&done), Err(Error::NotDone)), "an old proof does not cover a new launch");
    let done = stream.device().synchronize().expect("the device is idle");
    assert_eq!(values.read(&done).expect("the whole device is done")[255], 6.0);
}

fn a_guard_keeps_the_device_away() {
    let stream = stream();
    let layer = kernel("layer_without_wait");
    let input = Mapped::from_slice(stream.device(), &[1.0f32; 32]).expect("mapped memory");
    let output = DeviceBuffer::<f32>::zeroed(&stream, 32).expect("memory");
    let reading = input.read(&Done::NOTHING).expect("idle");
    // SAFETY: 32 floats each. Both read the input: the guard and the kernel.
    unsafe { layer.over(1, 32).on(&stream, &(&input, output.address(), 32i32)) }.expect("two readers are fine");
    drop(reading);
    let mut input = input;
    assert!(matches!(input.write(&Done::NOTHING), Err(Error::NotDone)), "the kernel may still read");
    let done = stream.synchronize().expect("the kernel ends");
    input.write(&done).expect("now it is host code's")[0] = 5.0;
    // SAFETY: as above.
    unsafe { layer.over(1, 32).on(&stream, &(&input, output.address(), 32i32)) }.expect("the guard is gone");
    assert_eq!(output.read(&stream).expect("results")[..2], [6.0, 2.0]);
}

fn an_event_proves_what_was_before_it() {
    let (stream, other) = (stream(), stream());
    let scale = kernel("scale");
    let mut values = Mapped::from_slice(stream.device(), &[1.0f32; 32]).expect("mapped memory");
    // SAFETY: 32 floats.
    unsafe { scale.over(1, 32).on(&stream, &(&mut values, 2.0f32)) }.expect("a launch");
    let between = stream.record(false).expect("an event");
    let of_other = other.synchronize().expect("nothing to wait for");
    assert!(matches!(values.read(&of_other), Err(Error::NotDone)), "another stream proves nothing");
    let first = between.synchronize().expect("the first kernel ends");
    assert_eq!(values.read(&first).expect("it was before the event")[0], 2.0);
    // SAFETY: as above.
    unsafe { scale.over(1, 32).on(&stream, &(&mut values, 2.0f32)) }.expect("a launch");
    let again = between.synchronize().expect("it has ended");
    assert!(matches!(values.read(&again), Err(Error::NotDone)), "the second was not");
}

fn copies_give_their_buffers_back() {
    let stream = stream();
    let host = Pinned::from_slice(stream.device(), &[1u32, 2, 3, 4]).expect("pinned memory");
    let buffer = DeviceBuffer::zeroed(&stream, 4).expect("memory");
    let (mut host, buffer) = host.copy_to(buffer, &stream).expect("a copy").wait().expect("it ends");
    host.fill(0);
    let (host, _) = host.copy_from(buffer, &stream).expect("a copy").wait().expect("it ends");
    assert_eq!(*host, [1, 2, 3, 4]);
}

fn a_copy_that_is_dropped_waits() {
    let stream = stream();
    for _ in 0..8 {
        let host = Pinned::from_slice(stream.device(), &vec![7u8; 1 << 16]).expect("pinned memory");
        let buffer = DeviceBuffer::zeroed(&stream, 1 << 16).expect("memory");
        drop(host.copy_to(buffer, &stream).expect("a copy"));
        assert!(stream.query().expect("the stream is well").is_some(), "the copy was under way after its drop");
    }
}

fn lengths_must_be_equal() {
    let stream = stream();
    let host = Pinned::from_slice(stream.device(), &[1u32, 2]).expect("pinned memory");
    let buffer = DeviceBuffer::zeroed(&stream, 4).expect("memory");
    assert!(matches!(host.copy_to(buffer, &stream), Err(Error::Invalid(_))));
}
