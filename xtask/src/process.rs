//! Running commands, with failures that name the command.

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

use crate::{Result, root};

/// Cargo, the one that runs this where there is one, in the root of the workspace.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// The command line as a person would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// Runs `command` with the terminal it inherits; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let line = shown(command);
    let status = command.status().map_err(|error| format!("cannot start `{line}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed: {status}")) }
}

/// Runs `command` and keeps what it prints; an exit code other than 0 is an error that ends with its stderr.
pub fn output(command: &mut Command) -> Result<Output> {
    let line = shown(command);
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cannot start `{line}`: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{line}` failed: {}\n{}", output.status, stderr.trim_end()))
}
