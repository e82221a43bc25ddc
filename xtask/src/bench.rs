//! Speed on this machine: `programs/bench.cu` under `hotfire run`, then programs under `hotfire check` against `hotfire run`.
//!
//! Each benchmark times itself and prints `NAME VALUE`; only the time from the start of the process to the end of
//! its first kernel is taken here, from outside. Printed are medians of several processes beside the marks that the
//! project set itself. No test reads them: a machine's speed is no matter of right and wrong.

mod checked;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use crate::hotfire::{Hotfire, Profile};
use crate::{Result, process, programs};

struct Benchmark {
    name: &'static str,
    what: &'static str,
    unit: &'static str,
    mark: f64,
    better: Better,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Better {
    Higher,
    Lower,
}

const BENCHMARKS: [Benchmark; 8] = [
    Benchmark {
        name: "vector-add",
        what: "vector addition",
        unit: "M elements/s",
        mark: 300.0,
        better: Better::Higher,
    },
    Benchmark {
        name: "xorshift",
        what: "xorshift loop",
        unit: "M thread-instructions/s",
        mark: 10_000.0,
        better: Better::Higher,
    },
    Benchmark {
        name: "matmul",
        what: "matrix product, 16x16 tiles",
        unit: "MFLOP/s",
        mark: 900.0,
        better: Better::Higher,
    },
    Benchmark {
        name: "launches",
        what: "empty host launches",
        unit: "launches/s",
        mark: 300_000.0,
        better: Better::Higher,
    },
    Benchmark {
        name: "children",
        what: "fire-and-forget children",
        unit: "children/s",
        mark: 500_000.0,
        better: Better::Higher,
    },
    Benchmark { name: "tail", what: "self tail launch", unit: "us/link", mark: 2.0, better: Better::Lower },
    Benchmark {
        name: "graph",
        what: "captured graph, 2000 kernels",
        unit: "us/kernel",
        mark: 0.6,
        better: Better::Lower,
    },
    Benchmark { name: START, what: "process start to first kernel", unit: "ms", mark: 60.0, better: Better::Lower },
];

const START: &str = "start";

/// Runs every benchmark in `runs` processes and prints the table of medians.
pub fn run(runs: usize) -> Result<()> {
    let hotfire = Hotfire::build(Profile::Release)?;
    let built = programs::build()?;
    let program = built.iter().find(|program| program.name == "bench").ok_or("programs/bench.cu is missing")?.path();
    println!("{:32} {:>12} {:>12}   (medians of {runs} runs)", "", "here", "mark");
    for benchmark in &BENCHMARKS {
        let mut values = Vec::with_capacity(runs);
        for _ in 0..runs.max(1) {
            values.push(match benchmark.name {
                START => start(&hotfire, &program)?,
                name => once(&hotfire, &program, name)?,
            });
        }
        values.sort_by(f64::total_cmp);
        let median = values[values.len() / 2];
        let met = match benchmark.better {
            Better::Higher => median >= benchmark.mark,
            Better::Lower => median <= benchmark.mark,
        };
        let verdict = if met { "" } else { "  below the mark" };
        println!(
            "{:32} {:>12} {:>12}   {}{verdict}",
            benchmark.what,
            rounded(median),
            rounded(benchmark.mark),
            benchmark.unit
        );
    }
    checked::run(&hotfire, runs)
}

fn rounded(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

fn once(hotfire: &Hotfire, program: &Path, name: &str) -> Result<f64> {
    let output = process::output(hotfire.run(program).arg(name))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    value.ok_or_else(|| format!("bench {name} printed no value:\n{text}"))
}

/// Milliseconds from the start of the process to the line that it prints after its first kernel.
fn start(hotfire: &Hotfire, program: &Path) -> Result<f64> {
    let mut command = hotfire.run(program);
    command.arg(START).stdout(Stdio::piped());
    let line = process::shown(&command);
    let begin = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("cannot start `{line}`: {error}"))?;
    let mut first = String::new();
    let stdout = child.stdout.take().expect("stdout is piped");
    BufReader::new(stdout).read_line(&mut first).map_err(|error| format!("`{line}`: {error}"))?;
    let elapsed = begin.elapsed();
    let status = child.wait().map_err(|error| format!("`{line}`: {error}"))?;
    if !status.success() || first.trim() != START {
        return Err(format!("`{line}` printed {:?} and ended with {status}", first.trim()));
    }
    Ok(elapsed.as_secs_f64() * 1e3)
}
