//! Hotfire itself, built from this workspace, and commands that run on it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, process, target};

/// With which of Cargo's profiles something is built.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Profile {
    /// As `cargo build` does.
    Dev,
    /// As `cargo build --release` does.
    Release,
}

impl Profile {
    /// The profile of the calling code itself.
    pub fn own() -> Self {
        if cfg!(debug_assertions) { Self::Dev } else { Self::Release }
    }

    /// Where Cargo puts what it builds with this profile.
    pub fn directory(self) -> PathBuf {
        target().join(match self {
            Self::Dev => "debug",
            Self::Release => "release",
        })
    }
}

/// Builds `packages` of this workspace.
pub fn cargo_build(profile: Profile, packages: &[&str]) -> Result<()> {
    let mut cargo = process::cargo();
    cargo.args(["build", "--locked", "--quiet"]);
    if profile == Profile::Release {
        cargo.arg("--release");
    }
    for package in packages {
        cargo.args(["--package", package]);
    }
    process::run(&mut cargo)
}

/// The command line tool with its shared object beside it.
#[derive(Clone, Debug)]
pub struct Hotfire {
    executable: PathBuf,
}

impl Hotfire {
    /// Builds the tool and the shared object that it loads into programs.
    pub fn build(profile: Profile) -> Result<Self> {
        cargo_build(profile, &["hotfire", "hotfire-cuda"])?;
        Ok(Self { executable: profile.directory().join("hotfire") })
    }

    /// The tool itself.
    pub fn command(&self) -> Command {
        Command::new(&self.executable)
    }

    /// `hotfire run -- program`, to which the program's arguments can be added.
    pub fn run(&self, program: &Path) -> Command {
        let mut command = self.command();
        command.args(["run", "--"]).arg(program);
        command
    }
}
