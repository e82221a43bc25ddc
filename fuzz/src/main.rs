//! Throws damaged images and PTX at what reads them, on stable Rust.
//!
//! The property: whatever the bytes, the readers answer a value or a located error. They do not panic, run away, overflow the stack or take
//! memory out of proportion. [`driver`] runs a target in a child process with limited address space and watches it; [`mutate`] makes the inputs, from
//! [`seeds`] and from earlier inputs that were answered in a new way, which stands in for coverage.

#![forbid(unsafe_code)]

mod driver;
mod mutate;
mod seeds;
mod targets;

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use targets::TARGETS;

#[derive(Parser)]
#[command(about = "Throws damaged images and PTX at what reads them")]
struct Arguments {
    /// How long, in seconds; all targets run at the same time
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The run is determined by this number
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Give the targets this file once, as it is, instead
    #[arg(long)]
    input: Option<PathBuf>,
    /// Run within this process, as the child of a driver does
    #[arg(long, hide = true)]
    child: bool,
    /// Which targets [default: all]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(TARGETS.iter().map(|target| target.name)))]
    targets: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let targets: Vec<_> = TARGETS
        .iter()
        .filter(|target| arguments.targets.is_empty() || arguments.targets.iter().any(|name| name == target.name))
        .collect();
    let duration = Duration::from_secs(arguments.seconds);
    let result = if let Some(file) = &arguments.input {
        driver::replay(&targets, file)
    } else if arguments.child {
        driver::child(targets[0], arguments.seed, duration)
    } else {
        driver::drive(&targets, arguments.seed, duration)
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
