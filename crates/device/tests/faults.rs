//! Faults: sticky errors, what they stop, and recovery by a reset. launch-model.md sections 2.1 and 3.6.

mod common;

use common::{Fixture, fixture};
use hotfire_device::{Direction, Mode, Status, Stream};
use std::time::{Duration, Instant};

/// The context is lost: every call answers the same, until a reset.
fn is_lost(f: &Fixture, status: Status) {
    assert_eq!(f.device.synchronize(), status);
    assert_eq!(f.device.sticky(), status);
    assert_eq!(f.device.malloc(16), Err(status));
    assert_eq!(f.try_launch("empty", 1, 1, Stream::LEGACY, &[]), status);
    assert_eq!(f.device.stream_synchronize(Stream::LEGACY), status);
    assert_eq!(f.device.stream_create(false, 0), Err(status));
    assert_eq!(f.device.set(0x1000, 0, 1, 16, Stream::LEGACY, Mode::Async), status);
}

/// After a reset, a newly loaded module works.
fn recovers(f: Fixture) {
    assert_eq!(f.device.reset(), Status::SUCCESS);
    assert_eq!(f.device.sticky(), Status::SUCCESS);
    let module = hotfire_ptx::parse(include_str!("kernels/kernels.ptx")).unwrap();
    let module = f.device.load_module(vec![module]).unwrap();
    let f = Fixture { module, ..f };
    f.run("storm", 1, 1, &parameters!(100));
    assert_eq!(f.int("order_count"), 100);
}

#[test]
fn a_stray_pointer_is_sticky() {
    let f = fixture();
    f.launch("store_at", 1, 1, &parameters!(8u64));
    is_lost(&f, Status::ILLEGAL_ADDRESS);
    recovers(f);
}

#[test]
fn host_memory_and_freed_memory_are_stray() {
    let local = Box::new(0i32);
    let f = fixture();
    f.launch("store_at", 1, 1, &parameters!(&raw const *local as u64));
    is_lost(&f, Status::ILLEGAL_ADDRESS);
    assert_eq!(*local, 0);
    let f = fixture();
    let stale = f.device.malloc(64).unwrap();
    assert_eq!(f.device.free(stale), Status::SUCCESS);
    f.launch("store_at", 1, 1, &parameters!(stale));
    is_lost(&f, Status::ILLEGAL_ADDRESS);
    let f = fixture();
    f.launch("store_at", 1, 1, &parameters!(f.device as *const _ as u64));
    is_lost(&f, Status::ILLEGAL_ADDRESS);
    recovers(f);
}

#[test]
fn misaligned_accesses_fault() {
    let f = fixture();
    let x = f.device.malloc(64).unwrap();
    f.launch("store_at", 1, 1, &parameters!(x + 2));
    is_lost(&f, Status(716));
    recovers(f);
}

#[test]
fn a_childs_fault_reaches_the_host() {
    let f = fixture();
    f.launch("child_fault", 1, 1, &[]);
    is_lost(&f, Status::ILLEGAL_ADDRESS);
    recovers(f);
}

#[test]
fn private_pointers_fault_in_the_child() {
    for what in [0, 1] {
        let f = fixture();
        f.launch("private_pointer", 1, 1, &parameters!(what));
        is_lost(&f, Status::INVALID_ADDRESS_SPACE);
    }
}

#[test]
fn a_fault_stops_what_is_queued_and_what_spins() {
    let f = fixture();
    let out = f.device.malloc(8).unwrap();
    f.write(out, &[0i32; 2]);
    let spinning = f.device.stream_create(true, 0).unwrap();
    assert_eq!(f.try_launch("wait_for", 64, 32, spinning, &parameters!(out, out + 4)), Status::SUCCESS);
    f.launch("store_at", 1, 1, &parameters!(8u64));
    for _ in 0..100 {
        let _ = f.try_launch("leaf", 1, 1, Stream::LEGACY, &parameters!(1));
    }
    let start = Instant::now();
    is_lost(&f, Status::ILLEGAL_ADDRESS);
    assert_eq!(f.device.reset(), Status::SUCCESS);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_block_that_waits_for_ever_is_ended_by_a_reset() {
    let f = fixture();
    let out = f.device.malloc(8).unwrap();
    let stream = f.device.stream_create(true, 0).unwrap();
    assert_eq!(f.try_launch("stuck", 4, 32, stream, &parameters!(out)), Status::SUCCESS);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(f.device.stream_query(stream), Status::NOT_READY);
    // A fault elsewhere ends the context, and with it the waiting blocks.
    f.launch("store_at", 1, 1, &parameters!(8u64));
    is_lost(&f, Status::ILLEGAL_ADDRESS);
    recovers(f);
}

#[test]
fn asserts_are_sticky() {
    let f = fixture();
    f.run("assert_positive", 1, 1, &parameters!(1));
    f.launch("assert_positive", 1, 1, &parameters!(0));
    is_lost(&f, Status::ASSERT);
    recovers(f);
}

#[test]
fn copies_check_their_ranges() {
    let f = fixture();
    let x = f.device.malloc(64).unwrap();
    let mut host = [0u8; 128];
    let at = host.as_mut_ptr() as u64;
    let copy = |to, from, bytes, direction| {
        // SAFETY: what is legal lies within `host` and `x`; the rest is refused.
        unsafe { f.device.copy(to, from, bytes, direction, Stream::LEGACY, Mode::Sync) }
    };
    assert_eq!(copy(at, x, 64, Direction::DeviceToHost), Status::SUCCESS);
    assert_eq!(copy(at, x, 65, Direction::DeviceToHost), Status::INVALID_VALUE);
    assert_eq!(copy(x, at, 64, Direction::DeviceToHost), Status::INVALID_VALUE);
    assert_eq!(copy(x, at, 64, Direction::Default), Status::SUCCESS);
    assert_eq!(copy(0, at, 64, Direction::Default), Status::INVALID_VALUE);
    assert_eq!(copy(x + (1 << 30), at, 64, Direction::Default), Status::INVALID_VALUE);
    assert_eq!(copy(0, 0, 0, Direction::Default), Status::SUCCESS);
    assert_eq!(f.device.set(x, 0, 4, 17, Stream::LEGACY, Mode::Sync), Status::INVALID_VALUE);
    assert_eq!(f.device.set(x + 1, 0, 4, 1, Stream::LEGACY, Mode::Sync), Status::INVALID_VALUE);
    assert_eq!(f.device.set(at, 0, 1, 1, Stream::LEGACY, Mode::Sync), Status::INVALID_VALUE);
    assert_eq!(f.device.free(x + 8), Status::INVALID_VALUE);
    assert_eq!(f.device.free(at), Status::INVALID_VALUE);
    assert_eq!(f.device.free(x), Status::SUCCESS);
    assert_eq!(f.device.free(0), Status::SUCCESS);
}
