//! Which pages trap, and when.

use super::{Fixture, map};
use crate::checking::host::range::{CHUNK, LIMIT};
use crate::checking::host::{Inside, Watch};
use crate::memory::map::PAGE;
use std::sync::atomic::Ordering;

fn read(address: *mut u8) -> u8 {
    // SAFETY: the test's memory.
    unsafe { address.read_volatile() }
}

fn write(address: *mut u8) {
    // SAFETY: as above.
    unsafe { address.write_volatile(1) }
}

#[test]
fn what_nobody_owns_is_open() {
    let f = Fixture::new(2);
    f.watch.quiet();
    write(f.at(0));
    // New memory is not what earlier work touches.
    f.watch.submitted(Some((f.base, f.base + PAGE)));
    let other = map(1);
    f.watch.add(other, PAGE);
    f.watch.guard();
    read(other as *mut u8);
    assert_eq!(f.seen(), []);
    read(f.at(PAGE));
    assert_eq!(f.seen(), [(PAGE, 1, false)]);
    f.watch.submitted(None);
    f.watch.guard();
    read(other as *mut u8);
    assert_eq!(f.seen(), [(other.wrapping_sub(f.base), 1, false)]);
    f.watch.remove(other);
    f.watch.remove(f.base);
    read(other as *mut u8);
    write(f.at(0));
    assert_eq!(f.seen(), []);
}

#[test]
fn the_device_and_calls_touch_without_a_word() {
    let f = Fixture::new(2 * CHUNK / PAGE);
    let inside = Inside::enter();
    write(f.at(5));
    drop(inside);
    // Its chunk is open until the device pauses; the others are not.
    write(f.at(6));
    write(f.at(2 * CHUNK - 1));
    assert_eq!(f.seen(), [(2 * CHUNK - 1, 1, true)]);
    f.watch.guard();
    write(f.at(6));
    assert_eq!(f.seen(), [(6, 1, true)]);
}

#[test]
fn a_page_that_traps_too_often_opens_until_the_next_synchronisation() {
    let f = Fixture::new(3);
    let all = usize::from(LIMIT);
    for round in 0..2 {
        for i in 0..all + 100 {
            write(f.at(PAGE + i as u64 % 8));
        }
        assert_eq!(f.seen().len(), all);
        // Only that page, and it stays open when the device pauses.
        read(f.at(0));
        f.watch.lift();
        f.watch.guard();
        read(f.at(PAGE));
        read(f.at(2 * PAGE));
        assert_eq!(f.seen(), [(0, 1, false), (2 * PAGE, 1, false)]);
        assert_eq!(f.watch.notes().len(), 1);
        assert!(f.watch.notes()[0].starts_with(["1 page of", "2 pages of"][round]));
        f.watch.synchronised();
    }
    read(f.at(PAGE));
    assert_eq!(f.seen().len(), 1);
}

#[test]
fn a_loop_that_polls_lets_the_device_advance() {
    let f = Fixture::new(1);
    f.recorder.counter.store(f.at(64) as u64, Ordering::Relaxed);
    let flag = f.at(64) as *mut u64;
    let target = 3 * u64::from(LIMIT);
    // SAFETY: the fixture's memory.
    while unsafe { flag.read_volatile() } < target {}
    assert_eq!(f.recorder.pumps.load(Ordering::Relaxed), target);
    assert_eq!(f.seen().len() as u64, target);
    assert!(f.watch.notes().is_empty());
}

#[test]
fn threads_at_the_same_page() {
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 400;
    let f = Fixture::new(2);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let f = &f;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    // SAFETY: each thread has a word of its own, across pages.
                    unsafe {
                        let own = f.at(PAGE - 16 + 8 * thread) as *mut u64;
                        own.write_volatile(own.read_volatile() + 1);
                        assert_eq!(own.read_volatile(), round + 1);
                    }
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..ROUNDS {
                f.watch.lift();
                f.watch.guard();
            }
        });
    });
    let seen = f.seen();
    assert!(seen.iter().all(|&(at, size, _)| at % 8 == 0 && size == 8));
    // An access may go unseen while its page is open for another thread's step, but none is seen twice.
    assert!(seen.len() as u64 <= 3 * THREADS * ROUNDS);
}

#[test]
fn registered_memory_keeps_its_protection() {
    let f = Fixture::new(1);
    let base = map(4);
    // SAFETY: fresh pages of the test's.
    unsafe { libc::mprotect((base + 2 * PAGE) as *mut _, PAGE as usize, libc::PROT_READ) };
    let watch = |start: u64, size: u64| {
        f.watch.add_registered(start, size);
        f.watch.submitted(None);
        f.watch.guard();
    };
    // Pages of different protection are left alone, as is a stack.
    watch(base, 4 * PAGE);
    let local = 0u8;
    watch((&raw const local as u64) & !(PAGE - 1), PAGE);
    read(base as *mut u8);
    assert_eq!(f.seen(), []);
    // Whole pages only.
    watch(base + 1, 2 * PAGE - 1);
    watch(base + 2 * PAGE, PAGE);
    read(base as *mut u8);
    assert_eq!(f.seen(), []);
    read((base + PAGE) as *mut u8);
    read((base + 2 * PAGE) as *mut u8);
    assert_eq!(f.seen().len(), 2);
    f.watch.quiet();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let line = maps.lines().find(|line| line.starts_with(&format!("{:x}-", base + 2 * PAGE))).unwrap();
    assert!(line.contains(" r--p "), "{line}");
}

#[test]
fn nothing_is_closed_before_somebody_listens() {
    let watch = Watch::new();
    let base = map(1);
    watch.add(base, PAGE);
    watch.submitted(None);
    watch.guard();
    read(base as *mut u8);
}
