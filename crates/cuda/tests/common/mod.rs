//! The shared object as programs load it.

use std::path::PathBuf;

/// The shared object under test: cargo puts it beside the test programs.
pub fn path() -> PathBuf {
    let program = std::env::current_exe().expect("the test program has a path");
    let path = program.with_file_name("libhotfire_cuda.so");
    assert!(path.exists(), "{} does not exist", path.display());
    path
}
