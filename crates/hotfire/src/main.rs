//! The command line: starts programs on the software device, looks into files, explains the machine.
#![forbid(unsafe_code)]

mod check;
mod child;
mod coverage;
mod doctor;
mod explain;
mod inspect;
mod library;
mod lint;
mod run;
mod trace;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const OVERVIEW: &str = "\
Hotfire is a CUDA device made of software: it runs CUDA programs, as they were built, on a machine with no GPU.

The program must carry PTX, the portable form of device code. nvcc embeds it with -arch=sm_90, or any
`-gencode arch=compute_NN,code=compute_NN` with NN up to 90; `hotfire inspect` shows whether it is there.";

const EXAMPLES: &str = "\
Examples:
  hotfire run -- ./program --its options    run a program on the software device
  hotfire run -- python3 train.py           anything that loads the CUDA driver or runtime
  hotfire check -- ./program                the same, and every broken rule of the launch model is named
  hotfire trace -o trace.json -- ./program  a timeline in model time, for Perfetto
  hotfire explain race/parent-child         what a rule is about
  hotfire inspect ./program                 which kernels it has, what they launch, what would not run
  hotfire lint ./program                    kernels that trigger and never wait, calls of CDP1
  hotfire coverage --missing                functions of CUDA's APIs that are not built
  hotfire doctor                            whether this machine is ready, tried with a small program";

#[derive(Parser)]
#[command(name = "hotfire", version, about = "A CUDA device made of software", long_about = OVERVIEW, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a CUDA program on the software device
    ///
    /// The program's own exit code or signal is what you get. 125 means that Hotfire itself could not start it, 126 that the program could not
    /// be executed, 127 that it was not found.
    #[command(after_help = run::NOTES)]
    Run(run::Arguments),
    /// Run a CUDA program on the software device and report every broken rule of the launch model
    ///
    /// The program's own exit code is what you get if nothing was found, 128 + N if signal N ended it, and 86 if there is an error. 125 means
    /// that Hotfire itself could not start it, 126 that the program could not be executed, 127 that it was not found.
    #[command(after_help = check::NOTES)]
    Check(check::Arguments),
    /// Run a CUDA program on the software device and write when everything would be on a GPU, in model time
    ///
    /// The program's own exit code is what you get. 125 means that Hotfire itself could not start it or write the file, 126 that the program could
    /// not be executed, 127 that it was not found.
    #[command(after_help = trace::NOTES)]
    Trace(trace::Arguments),
    /// Explain a rule of `hotfire check`, or list all of them
    Explain {
        /// The rule (race/host) or a family of rules (race)
        rule: Option<String>,
    },
    /// Show the device code in a file: kernels, parameters, launches, and what this device cannot run
    ///
    /// FILE may be an executable, a shared object, a relocatable object, a static library, a fat binary or PTX. Exits with 1 if the file has
    /// device code but some of it would not run here.
    Inspect {
        /// The file to look into
        file: PathBuf,
        /// Show mangled names as they are
        #[arg(long)]
        mangled: bool,
    },
    /// Look at the device code in a file for what `hotfire check` would only find where it runs
    ///
    /// Nothing is run. Exits with 1 if there is something to say.
    Lint {
        /// The file to look into: as for inspect
        file: PathBuf,
    },
    /// List the functions of CUDA's driver and runtime APIs, and which of them are implemented
    Coverage(coverage::Arguments),
    /// Check that this machine is ready, and run a small program through the whole path
    Doctor,
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Trace(arguments) => trace::trace(&arguments),
        Command::Explain { rule } => explain::explain(rule.as_deref().unwrap_or_default()),
        Command::Inspect { file, mangled } => inspect::inspect(&file, mangled),
        Command::Lint { file } => lint::lint(&file),
        Command::Coverage(arguments) => coverage::coverage(&arguments),
        Command::Doctor => doctor::doctor(),
    }
}

/// Prints an error as all of ours look, on stderr.
fn report(message: &str) {
    eprintln!("hotfire: {message}");
}

/// `value` before what the variable had, if anything.
fn prepend(variable: &str, value: OsString) -> OsString {
    let mut result = value;
    if let Some(old) = std::env::var_os(variable).filter(|old| !old.is_empty()) {
        result.push(":");
        result.push(old);
    }
    result
}

/// Prints to stdout. A reader that has seen enough (`| head`) is no error.
fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            report(&format!("cannot write to stdout: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
