//! Every function that is not implemented answers "not supported" and names itself exactly once.

use std::process::Command;

mod common;
#[path = "common/library.rs"]
mod library;

const CHILD: &str = "HOTFIRE_TEST_CALL_STUBS";

fn unimplemented() -> Vec<&'static str> {
    hotfire_cuda::coverage().filter(|(_, implemented)| !implemented).map(|(name, _)| name).collect()
}

/// In the child: calls every stub twice.
#[test]
fn call_stubs() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let library = library::Library::open();
    for name in unimplemented() {
        // SAFETY: stubs have this type.
        let stub: extern "C" fn() -> u32 = unsafe { std::mem::transmute(library.symbol(name)) };
        assert_eq!((stub(), stub()), (801, 801), "{name}");
    }
}

#[test]
fn every_stub_answers_and_names_itself_once() {
    let names = unimplemented();
    assert!(!names.is_empty());
    let program = std::env::current_exe().expect("the test program has a path");
    let child = Command::new(program)
        .args(["--exact", "call_stubs", "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .expect("running the child");
    let stderr = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{stderr}");
    for name in names {
        let line = format!("hotfire: {name} is not implemented by this device");
        let count = stderr.lines().filter(|text| text.starts_with(&line)).count();
        assert_eq!(count, 1, "lines for {name}");
    }
}
