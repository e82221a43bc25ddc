//! Whose calls.

use super::Fixture;
use crate::checking::host::stack::{capture, keep};
use crate::checking::host::symbols::symbolise;
use hotfire_check::Frame;
use std::sync::Arc;

#[inline(never)]
fn innermost(at: *mut u8) -> u32 {
    // SAFETY: the fixture's memory.
    unsafe { at.write_volatile(1) };
    std::hint::black_box(line!() - 1)
}

#[inline(never)]
fn outer(at: *mut u8) -> (u32, u32) {
    let inner = std::hint::black_box(innermost)(at);
    // Something is left to do here, so that it is a call.
    (std::hint::black_box(inner), line!() - 2)
}

fn place(frame: &Frame) -> (String, Option<u32>, bool) {
    let file = frame.file.as_deref().is_some_and(|file| file.ends_with("host/tests/traces.rs"));
    (frame.function.rsplit("::").next().unwrap_or_default().to_owned(), frame.line, file)
}

#[test]
fn a_trap_knows_the_calls_of_the_interrupted_code() {
    let f = Fixture::new(1);
    let (inner, middle) = outer(f.at(0));
    let (_, frames) = f.recorder.seen.lock().unwrap().pop().unwrap();
    let shown = symbolise(&frames);
    // The standard library may be inlined between.
    let own: Vec<_> = shown.iter().map(place).filter(|(_, _, file)| *file).collect();
    assert_eq!(own[0], (String::from("innermost"), Some(inner), true), "{shown:?}");
    assert_eq!(own[1], (String::from("outer"), Some(middle), true), "{shown:?}");
    assert!(own[2].0.starts_with("a_trap_knows"), "{shown:?}");
    assert!(shown.iter().all(|frame| !frame.function.contains("__rust_begin_short_backtrace")), "{shown:?}");
}

#[test]
fn a_call_knows_its_callers() {
    let trace = capture();
    let shown = symbolise(&trace);
    assert!(shown[0].function.ends_with("a_call_knows_its_callers"), "{shown:?}");
    assert_eq!(shown[0].line, Some(line!() - 3));
}

#[test]
fn code_without_symbols_has_an_object_and_an_offset() {
    // In a function of the C library, of which there may be debug information, and nowhere.
    let shown = symbolise(&[libc::qsort as *const () as usize + 5]);
    assert!(shown[0].function.contains("qsort") || shown[0].function.contains("libc.so.6+0x"), "{shown:?}");
    assert_eq!(symbolise(&[77])[0].function, "unknown code");
    assert!(symbolise(&[]).is_empty());
}

#[test]
fn equal_stacks_are_kept_once() {
    let (a, b) = (keep(&[1, 2]), keep(&[1, 2, 3]));
    assert!(Arc::ptr_eq(&a, &keep(&[1, 2])) && Arc::ptr_eq(&b, &keep(&[1, 2, 3])) && a != b);
}

/// Not a measurement to rely on; a walk that takes long would be felt at every call.
#[test]
fn a_capture_costs_microseconds() {
    let start = std::time::Instant::now();
    for _ in 0..1000 {
        std::hint::black_box(capture());
    }
    let each = start.elapsed() / 1000;
    println!("capture: {each:?}");
    assert!(each < std::time::Duration::from_micros(100), "{each:?}");
}
