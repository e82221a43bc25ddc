//! `hotfire run`: the program, on the software device.

use crate::library::{self, Environment};
use crate::report;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// What the help says below the options.
pub const NOTES: &str = "\
The program is replaced in place: it keeps this process's number, streams and signals.

Children of the program run on the software device too. Messages of the device begin with `hotfire:` on stderr.";

/// As env(1) and timeout(1) have them.
pub const CANNOT_START: u8 = 125;
const CANNOT_EXECUTE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Arguments of `hotfire run`.
#[derive(clap::Args)]
pub struct Arguments {
    /// How many threads of this machine execute device code [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    workers: Option<u32>,
    /// Which of the legal schedules runs: eager (as early as possible), latest (as late as possible) or random:SEED
    #[arg(long, value_name = "POLICY")]
    policy: Option<String>,
    /// Start the blocks of a grid, and the warps of a block, in random order: random:SEED [default: increasing index]
    #[arg(long, value_name = "ORDER")]
    block_order: Option<String>,
    /// What device to be: h200, a100, rtx4090, t4, or a file of `key = value` lines [default: h200]
    #[arg(long, value_name = "PROFILE")]
    profile: Option<OsString>,
    /// How much device memory there is, such as 512M or 24G [default: the profile's, or what this machine has available]
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
    /// The program and its arguments, after `--`
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Does not return if the program could be started.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut command = match command(&arguments.program) {
        Ok(command) => command,
        Err(message) => {
            report(&message);
            return ExitCode::from(CANNOT_START);
        }
    };
    if let Some(workers) = arguments.workers {
        command.env("HOTFIRE_WORKERS", workers.to_string());
    }
    if let Some(policy) = &arguments.policy {
        command.env("HOTFIRE_POLICY", policy);
    }
    if let Some(order) = &arguments.block_order {
        command.env("HOTFIRE_BLOCK_ORDER", order);
    }
    if let Some(profile) = &arguments.profile {
        // A file is meant from here, wherever the program goes.
        let path = Path::new(profile);
        let known = path.is_file().then(|| path.canonicalize().ok()).flatten();
        command.env("HOTFIRE_PROFILE", known.map_or_else(|| profile.clone(), OsString::from));
    }
    if let Some(memory) = &arguments.memory {
        command.env("HOTFIRE_MEMORY", memory);
    }
    let error = command.exec();
    ExitCode::from(not_started(&command, &error))
}

/// The program with its arguments, set up to load the software device. Warns of programs that cannot load anything.
pub fn command(program: &[OsString]) -> Result<Command, String> {
    let environment = library::find().and_then(|library| Environment::prepare(&library))?;
    let (program, rest) = program.split_first().ok_or("no program is named")?;
    if let Some(path) = library::in_path(program)
        && is_static(&path)
    {
        report(&format!("{} is linked statically: no CUDA library can be given to it", path.display()));
    }
    let mut command = Command::new(program);
    command.args(rest).envs(environment.variables());
    Ok(command)
}

/// Says why a program did not start. The exit code that tells so.
pub fn not_started(command: &Command, error: &io::Error) -> u8 {
    report(&format!("cannot run {}: {error}", Path::new(command.get_program()).display()));
    if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { CANNOT_EXECUTE }
}

/// Whether this is an ELF executable without a dynamic loader. Unreadable files and scripts are not.
fn is_static(path: &Path) -> bool {
    // Program headers follow the ELF header in all that linkers make.
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start));
    read.is_ok() && hotfire_image::container::is_static_executable(&start)
}
