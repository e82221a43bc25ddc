//! The workspace's build and test steps that Cargo has no words for.
//!
//! `cargo xtask` is their command line; the integration tests call this library, so that a fresh checkout
//! fetches CUDA's compiler and builds the programs by itself before it runs them.
#![forbid(unsafe_code)]

pub mod bench;
pub mod cases;
pub mod clients;
pub mod hotfire;
pub mod nvrtc;
pub mod process;
pub mod programs;
pub mod ptx;
pub mod toolkit;

use std::path::PathBuf;

/// What a step reports when it cannot go on: one message, already naming the file or command.
pub type Result<T> = std::result::Result<T, String>;

/// The root of the workspace.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// Cargo's target directory, where everything that is fetched or built goes.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}
