//! `cargo xtask`: the one door to building, testing and measuring Hotfire.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::hotfire::{Hotfire, Profile, cargo_build};
use xtask::{Result, bench, cases, clients, nvrtc, process, programs, ptx, root, toolkit};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Builds, tests and measures Hotfire")]
struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Run the worked example in Rust on Debian's dependency graph (needs the Rust toolchain alone)
    Demo {
        /// Options of the example, such as `-- --strategy cdp`
        #[arg(last = true)]
        options: Vec<String>,
    },
    /// Fetch CUDA's compilers, nvcc and NVRTC, into target/ (needs Python 3 with pip)
    Fetch,
    /// Fetch the Python packages that the programs of clients/ use into target/ (about 250 MB)
    Clients,
    /// Build the CUDA programs of programs/ and litmus/ into target/programs/ (needs gcc)
    Programs,
    /// Build the cases of tests/fail/, tests/pass/, tests/outcome/ and tests/nvrtc/ into target/cases/ (needs gcc)
    Cases,
    /// Regenerate the PTX committed with the examples
    Ptx {
        /// Only compare, and fail where it differs
        #[arg(long)]
        check: bool,
    },
    /// Write docs/coverage.md: which instructions are read, and which are translated
    Coverage,
    /// Build the programs, then run every test of the workspace
    Test {
        /// Arguments of `cargo test`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Throw damaged images and PTX at what reads them
    Fuzz {
        /// How long
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Further options and targets
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Measure this machine: medians, with the marks beside them
    Bench {
        /// How often each program is run
        #[arg(long, default_value_t = 5)]
        runs: usize,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().step) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn list(built: &[programs::Program]) -> Result<()> {
    for program in built {
        println!("{}", program.path().display());
    }
    Ok(())
}

fn run(step: Step) -> Result<()> {
    match step {
        Step::Demo { options } => demo(&options),
        Step::Fetch => {
            toolkit::fetch()?;
            toolkit::fetch_nvrtc().map(drop)
        }
        Step::Clients => clients::fetch().map(drop),
        Step::Programs => list(&programs::build()?),
        Step::Cases => {
            list(&cases::build()?)?;
            list(&cases::build_of(&["outcome"])?)?;
            nvrtc::build().map(drop)
        }
        Step::Ptx { check: true } => ptx::check(),
        Step::Ptx { check: false } => ptx::regenerate(),
        Step::Coverage => {
            let mut page = process::cargo();
            page.args(["test", "--locked", "--quiet", "--package", "hotfire-jit", "--test", "coverage"]);
            process::run(page.env("BLESS", "1"))
        }
        Step::Test { arguments } => test(&arguments),
        Step::Fuzz { seconds, arguments } => {
            // Not optimised for release: overflow checks and debug assertions are what finds things.
            let mut fuzz = process::cargo();
            fuzz.args(["run", "--locked", "--quiet", "--package", "hotfire-fuzz", "--", "--seconds"]);
            process::run(fuzz.arg(seconds.to_string()).args(arguments))
        }
        Step::Bench { runs } => bench::run(runs),
    }
}

fn test(arguments: &[String]) -> Result<()> {
    programs::build()?;
    process::run(
        process::cargo().args(["test", "--workspace", "--locked", "--exclude", "hotfire-tests"]).args(arguments),
    )?;
    // The whole device at the end, after the parts that it is made of.
    process::run(process::cargo().args(["test", "--locked", "--package", "hotfire-tests", "--tests"]).args(arguments))
}

fn demo(options: &[String]) -> Result<()> {
    let hotfire = Hotfire::build(Profile::Release)?;
    cargo_build(Profile::Release, &["spmv"])?;
    let program = Profile::Release.directory().join("spmv");
    process::run(hotfire.run(&program).current_dir(root()).arg("data/debian-deps.mtx.gz").args(options))
}
