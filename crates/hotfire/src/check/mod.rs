//! `hotfire check`: the program under the checker, once or under many schedules, and what is made of the findings.

mod outcome;
mod output;
mod program;
mod schedule;

use crate::child::exit_code;
use crate::{report, run};
use hotfire_check::Report;
use hotfire_report::{Suppressions, has_failed, merge, summary};
use outcome::Recorded;
use output::Format;
pub use program::files;
use schedule::{Choice, Partition, PolicyOption, Schedule, Seeds};
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

/// What the help says below the options.
pub const NOTES: &str = "\
Findings go to stderr as text; other formats go to stdout or to --output. The last lines on stderr say what was found and how full the
launch pool was. `hotfire explain RULE` tells what a finding is about.

Examples:
  hotfire check -- ./program                                     one run, every fault whose code ran
  hotfire check --seeds 0..64 --block-order random -- ./program  64 legal schedules, findings merged by kind
  hotfire check --replay random:17 -- ./program                  the schedule that a finding names
  hotfire check --outcome -- ./program                           what memory holds under several schedules, compared
  hotfire check --seeds 0..64 --partition 2/4 --format json --output part2.json -- ./program
  hotfire check --merge part1.json part2.json part3.json part4.json";

/// Arguments of `hotfire check`.
#[derive(clap::Args)]
pub struct Arguments {
    /// What to exit with if there is an error among the findings
    #[arg(long, value_name = "N", default_value_t = 86)]
    error_exitcode: u8,
    /// Let warnings decide the exit code too
    #[arg(long, value_name = "warnings", value_enum)]
    deny: Option<Deny>,
    /// Which of the legal schedules runs: eager (as early as possible, the default), latest (as late as possible) or random
    #[arg(long, value_name = "POLICY")]
    policy: Option<PolicyOption>,
    /// The seed of --policy random and --block-order random [default: 0]
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    seed: Option<u64>,
    /// Run once for each seed from A up to, but not including, B, and merge the findings by kind
    #[arg(long, value_name = "A..B")]
    seeds: Option<Seeds>,
    /// Start the blocks of a grid, and the warps of a block, in random order instead of increasing index
    #[arg(long, value_name = "random", value_enum)]
    block_order: Option<BlockOrder>,
    /// Run the schedule of this token, as findings print it
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["policy", "seed", "seeds", "block_order", "pool", "partition"])]
    replay: Option<Schedule>,
    /// Slots of the pool of device launches, whatever the program asks for
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pool: Option<u32>,
    /// Whose limits the device has
    #[arg(long, value_name = "NAME", value_enum)]
    profile: Option<Profile>,
    /// What cudaGridDependencySynchronize() covers: the direct prerequisite, as documented (strict, the default), or all that is in front
    /// in the stream, as an H200 behaves (inorder)
    #[arg(long, value_name = "RULE", value_enum, default_value_t = Pdl::Strict)]
    pdl: Pdl,
    /// Also warn where nothing went wrong: kernels that are launched programmatically and have no wait (pdl/no-wait)
    #[arg(long)]
    lint: bool,
    /// Compare memory between schedules: note what differs for no reason that the program shows. All schedules are compared with
    /// eager: those of --seeds or --policy, else latest and a few random ones
    #[arg(long)]
    outcome: bool,
    /// Run only the K-th of N parts of --seeds (every N-th seed), for CI matrices and job arrays
    #[arg(long, value_name = "K/N", requires = "seeds")]
    partition: Option<Partition>,
    /// How to write the findings
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the findings to this file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave out the findings that this file lists, each with a reason
    #[arg(long, value_name = "FILE")]
    suppressions: Option<PathBuf>,
    /// Run nothing: merge reports that --format json wrote
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["program", "replay", "policy", "seed", "seeds", "block_order", "pool", "outcome", "partition"])]
    merge: Vec<PathBuf>,
    /// The program and its arguments, after `--`
    #[arg(
        required_unless_present = "merge",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Deny {
    Warnings,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum BlockOrder {
    Random,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Pdl {
    Strict,
    Inorder,
}

impl Pdl {
    /// The word that the device knows it by.
    fn word(self) -> &'static str {
        match self {
            Pdl::Strict => "strict",
            Pdl::Inorder => "inorder",
        }
    }
}

/// Names of device limits. There is one so far, and it is what the device has anyway.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Profile {
    H200,
}

/// What all runs together came to.
struct Checked {
    /// None if no device was used.
    report: Option<Report>,
    /// The exit code if nothing was found.
    code: u8,
}

/// Checks as the arguments say.
pub fn check(arguments: &Arguments) -> ExitCode {
    match try_check(arguments) {
        Ok(code) | Err(code) => ExitCode::from(code),
    }
}

/// The error is an exit code; what it means has been said.
fn try_check(arguments: &Arguments) -> Result<u8, u8> {
    let fail = |message: String| {
        report(&message);
        run::CANNOT_START
    };
    // Before anything runs: a mistake there should not cost a run.
    let suppressions = match &arguments.suppressions {
        Some(path) => {
            let text = fs::read_to_string(path).map_err(|error| error.to_string());
            let read = text.and_then(|text| Suppressions::parse(&text));
            read.map_err(|error| fail(format!("{}: {error}", path.display())))?
        }
        None => Suppressions::default(),
    };
    let mut is_idle = false;
    let Checked { report: found, code } = if arguments.merge.is_empty() {
        let schedules = arguments.schedules().map_err(fail)?;
        is_idle = schedules.is_empty();
        run_all(arguments, &schedules)?
    } else {
        let parts =
            arguments.merge.iter().map(|path| program::read(path)).collect::<Result<Vec<_>, _>>().map_err(fail)?;
        Checked { report: Some(merge(parts)), code: 0 }
    };
    let is_used = found.is_some();
    let mut found = found.unwrap_or_else(|| merge([]));
    suppressions.apply(&mut found);
    let lines = match is_used {
        true => summary(&found),
        false if is_idle => vec!["this part has no schedule: nothing ran".to_owned()],
        // A program that a signal ended says nothing of what it did.
        false if code > 128 => vec!["the program reported nothing before it ended: nothing was checked".to_owned()],
        false => vec!["the program used no CUDA device: nothing was checked".to_owned()],
    };
    output::write(&found, &lines, arguments).map_err(fail)?;
    for entry in suppressions.unused() {
        report(&format!("unused suppression: {entry}"));
    }
    Ok(if has_failed(&found, arguments.denies_warnings()) { arguments.error_exitcode } else { code })
}

impl Arguments {
    fn denies_warnings(&self) -> bool {
        self.deny.is_some()
    }

    fn schedules(&self) -> Result<Vec<Schedule>, String> {
        // Its limits are the device's own: 132 SMs, a pool of 2048 (launch-model 2.7).
        let (None | Some(Profile::H200)) = self.profile;
        if let Some(schedule) = &self.replay {
            let chosen = vec![schedule.clone()];
            return if self.outcome { outcome::schedules(chosen, false) } else { Ok(chosen) };
        }
        let choice = Choice {
            policy: self.policy,
            seed: self.seed,
            seeds: self.seeds.clone(),
            random_blocks: self.block_order.is_some(),
            pool: self.pool,
            partition: self.partition,
        };
        let chosen = choice.schedules()?;
        if !self.outcome || chosen.is_empty() {
            return Ok(chosen);
        }
        let is_default = self.policy.is_none() && self.seed.is_none() && self.seeds.is_none();
        outcome::schedules(chosen, is_default)
    }
}

/// Runs under each schedule, until one is interrupted.
fn run_all(arguments: &Arguments, schedules: &[Schedule]) -> Result<Checked, u8> {
    let mut recorded = Vec::new();
    let mut is_interrupted = false;
    let mut checked = Checked { report: None, code: 0 };
    for schedule in schedules {
        let outcome = arguments.outcome.then_some("1");
        let ran = program::run(&arguments.program, schedule, arguments.pdl.word(), outcome, arguments.lint)?;
        let code = exit_code(ran.status);
        if let Some(end) = describe(ran.status, schedules.len() > 1) {
            report(&format!(
                "the program {end} under {schedule}{}",
                if ran.report.is_none() { " and reported nothing" } else { "" }
            ));
        }
        if checked.code == 0 {
            checked.code = code;
        }
        checked.report = match (checked.report.take(), ran.report) {
            (Some(all), Some(one)) => Some(merge([all, one])),
            (all, one) => all.or(one),
        };
        recorded.push(Recorded { schedule: schedule.clone(), records: ran.records });
        is_interrupted = ran.is_interrupted;
        if is_interrupted {
            break;
        }
    }
    if let Some(found) = checked.report.as_mut().filter(|_| arguments.outcome && !is_interrupted) {
        outcome::compare(&recorded, &arguments.program, found)?;
    }
    Ok(checked)
}

/// What is worth saying of an end: a signal always, a code only where several schedules may differ in it.
fn describe(status: ExitStatus, several: bool) -> Option<String> {
    if let Some(signal) = status.signal() {
        let name = signal_hook::low_level::signal_name(signal).map_or_else(String::new, |name| format!(" ({name})"));
        return Some(format!("was ended by signal {signal}{name}"));
    }
    status.code().filter(|code| several && *code != 0).map(|code| format!("exited with {code}"))
}
