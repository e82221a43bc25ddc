//! `hotfire trace`: the program on the software device, which logs what it does; then the simulation of that log, as a file for Perfetto or as
//! the answer to a question.

use crate::{child, report, run};
use hotfire_trace::log::{Log, VERSION};
use hotfire_trace::{Changes, Machine, Timeline, chrome, gains, simulate};
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the help says below the options.
pub const NOTES: &str = "\
The file is a trace in JSON that https://ui.perfetto.dev and chrome://tracing open: calls of host threads, streams with their grids, blocks on
the multiprocessors, programmatic preambles and waits, device launches as arrows.

All times are model time: what the program did (instructions and bytes counted while it ran here) played on a simple model of an
NVIDIA H200. docs/trace.md says what the model knows and how far it was off where it was compared with the machine.";

/// Arguments of `hotfire trace`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Where to write the trace [default: trace.json, unless --what-if asks for something else]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Predict what another way to launch would gain, for each pair of kernels that follow each other in a stream
    #[arg(long, value_name = "HOW", value_enum)]
    what_if: Option<WhatIf>,
    /// The program and its arguments, after `--`
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// `--what-if`
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum WhatIf {
    /// Programmatic dependent launch on every kernel
    Pdl,
    /// All kernels of the host in graphs
    Graph,
}

/// Runs the program, then says what was asked for.
pub fn trace(arguments: &Arguments) -> ExitCode {
    match run_and_simulate(arguments) {
        Ok(code) | Err(code) => ExitCode::from(code),
    }
}

fn run_and_simulate(arguments: &Arguments) -> Result<u8, u8> {
    let fail = |message: String| {
        report(&message);
        run::CANNOT_START
    };
    let directory = tempfile::Builder::new().prefix("hotfire-trace-").tempdir();
    let directory = directory.map_err(|error| fail(format!("cannot make a directory for logs: {error}")))?;
    // The program may change its own directory before it ends.
    let path = directory.path().canonicalize().map_err(|error| fail(format!("the directory for logs: {error}")))?;
    let mut command = run::command(&arguments.program).map_err(fail)?;
    command.env("HOTFIRE_TRACE", &path).env_remove("HOTFIRE_CHECK");
    let (status, _) = child::run(&mut command)?;
    let logs = read(&path).map_err(fail)?;
    if logs.is_empty() {
        report("no process used the device; there is nothing to show");
        return Ok(child::exit_code(status));
    }
    let machine = Machine::default();
    let play = |changes| logs.iter().map(|log| simulate(log, &machine, changes)).collect::<Vec<Timeline>>();
    let timelines = play(Changes::default());
    for note in timelines.iter().flat_map(|timeline| &timeline.notes) {
        report(note);
    }
    let output = match (&arguments.output, arguments.what_if) {
        (Some(path), _) => Some(path.clone()),
        (None, None) => Some(PathBuf::from("trace.json")),
        (None, Some(_)) => None,
    };
    if let Some(output) = output {
        let text = chrome::trace(&timelines).to_string();
        fs::write(&output, text).map_err(|error| fail(format!("cannot write {}: {error}", output.display())))?;
        report(&summary(&timelines, &machine, &output));
    }
    match arguments.what_if {
        None => {}
        Some(WhatIf::Pdl) => {
            let wait = Changes { programmatic: true, ..Changes::default() };
            let both = [play(wait), play(Changes { trigger: true, ..wait })];
            eprint!(
                "{}",
                answer(
                    "programmatic",
                    &["a wait at the start", "a trigger and a wait at the start"],
                    &timelines,
                    &both,
                    &machine
                )
            );
        }
        Some(WhatIf::Graph) => {
            let then = [play(Changes { graph: true, ..Changes::default() })];
            eprint!("{}", answer("in graphs", &["as a graph"], &timelines, &then, &machine));
        }
    }
    Ok(child::exit_code(status))
}

/// The logs of all processes.
fn read(directory: &Path) -> Result<Vec<Log>, String> {
    let mut logs = Vec::new();
    for path in crate::check::files(directory, "json")? {
        let text = fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let log: Log = serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        if log.version != VERSION {
            return Err(format!("{}: a log of version {}", path.display(), log.version));
        }
        logs.push(log);
    }
    Ok(logs)
}

fn summary(timelines: &[Timeline], machine: &Machine, output: &Path) -> String {
    let grids: usize = timelines.iter().map(|timeline| timeline.grids.len()).sum();
    let blocks: usize = timelines.iter().map(|timeline| timeline.blocks.len()).sum();
    let end = timelines.iter().map(|timeline| timeline.end).fold(0.0, f64::max);
    format!(
        "{}: {:.1} us of model time ({}), {grids} grids, {blocks} blocks",
        output.display(),
        end / 1000.0,
        machine.name
    )
}

/// The gains of each pair of kernels, as text.
fn answer(what: &str, ways: &[&str], now: &[Timeline], then: &[Vec<Timeline>], machine: &Machine) -> String {
    let mut text = format!("hotfire: what if kernels were launched {what}? A model of an {} says:\n", machine.name);
    for (process, timeline) in now.iter().enumerate() {
        let others: Vec<Timeline> = then.iter().map(|all| all[process].clone()).collect();
        let gains = gains(timeline, &others);
        if gains.is_empty() {
            text += "  no kernel follows another one in a stream\n";
            continue;
        }
        for gain in &gains {
            let name = |(kernel, blocks, threads): &(String, u64, u32)| format!("{kernel} ({blocks} x {threads})");
            let times = if gain.count == 1 { String::new() } else { format!(", {} times", gain.count) };
            let already = if gain.programmatic { ", programmatic already" } else { "" };
            let _ = writeln!(
                text,
                "  {} -> {}{times}{already}: {:.2} us",
                name(&gain.from),
                name(&gain.to),
                gain.now / 1000.0
            );
            for (way, took) in ways.iter().zip(&gain.then) {
                let gained = (gain.now - took) / 1000.0;
                let _ = writeln!(text, "    {way}: {:.2} us, gains {gained:.2} us each", took / 1000.0);
            }
        }
        let line = |way: &str, end: f64| format!("  {way}: {:.1} us in all\n", end / 1000.0);
        text += &line("as it is", timeline.end);
        for (way, other) in ways.iter().zip(&others) {
            text += &line(way, other.end);
        }
    }
    text += "  It is a model, not a measurement: it may be off by a third (docs/trace.md).\n";
    text
}
