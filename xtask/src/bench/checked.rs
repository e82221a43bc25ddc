//! What checking costs: the same programs under `hotfire check` and `hotfire run`, in turn, on this machine.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use super::rounded;
use crate::hotfire::Hotfire;
use crate::{Result, process, programs, root};

/// Programs of `programs/` with arguments that keep them busy for a while.
const PROGRAMS: [(&str, &[&str]); 9] = [
    ("spmv", &["--repeat", "20", "data/debian-deps.mtx.gz"]),
    ("spmv", &["--repeat", "5", "--heavy", "256", "data/debian-deps.mtx.gz"]),
    ("quicksort", &[]),
    ("mandelbrot", &[]),
    ("pipeline", &[]),
    ("bench", &["vector-add"]),
    ("bench", &["matmul"]),
    ("bench", &["children"]),
    ("bench", &["launches"]),
];

/// With all checks on: name, mark, unit.
const MARKS: [(&str, f64, &str); 2] = [("vector-add", 15.0, "M elements/s"), ("matmul", 60.0, "MFLOP/s")];

/// Prints speed under the checker, the ratios of times, and the shadow's size.
pub fn run(hotfire: &Hotfire, runs: usize) -> Result<()> {
    println!("\n{:44} {:>12} {:>12}   (medians of {runs} runs)", "under hotfire check", "here", "mark");
    for (name, mark, unit) in MARKS {
        let value = median(runs, || value_of(hotfire, name))?;
        let verdict = if value >= mark { "" } else { "  below the mark" };
        println!("{name:44} {:>12} {:>12}   {unit}{verdict}", rounded(value), rounded(mark));
    }
    let mut ratios = Vec::new();
    let mut shadows = Vec::new();
    for (name, arguments) in PROGRAMS {
        let arguments: Vec<PathBuf> = arguments.iter().map(|argument| resolved(argument)).collect();
        let program = programs::directory().join(name);
        let mut pairs = Vec::new();
        let mut shadow = None;
        for _ in 0..runs.max(1) {
            let plain = seconds(hotfire.run(&program).args(&arguments))?;
            let (checked, bytes) = checked(hotfire, &program, &arguments)?;
            pairs.push(checked / plain);
            shadow = bytes.or(shadow);
        }
        pairs.sort_by(f64::total_cmp);
        let ratio = pairs[pairs.len() / 2];
        ratios.push(ratio);
        shadows.extend(shadow);
        let shadow = shadow.map_or(String::new(), |shadow| format!("{shadow:.1} shadow bytes a touched byte"));
        let shown = arguments.iter().map(|a| a.file_name().unwrap_or_default().to_string_lossy()).collect::<Vec<_>>();
        println!("{:44} {:>11}x {:>12}   {shadow}", format!("{name} {}", shown.join(" ")), rounded(ratio), "");
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let most = ratios.iter().copied().fold(0.0, f64::max);
    shadows.sort_by(f64::total_cmp);
    println!("{:44} {:>11}x {:>12}   check time / run time", "geometric mean", rounded(mean), "10");
    println!("{:44} {:>11}x {:>12}   check time / run time", "most", rounded(most), "40");
    if let Some(middle) = shadows.get(shadows.len() / 2) {
        println!("{:44} {:>12} {:>12}   shadow bytes a touched byte", "median", rounded(*middle), "6");
    }
    Ok(())
}

/// Files of the repository by their whole path.
fn resolved(argument: &str) -> PathBuf {
    if argument.starts_with("data/") { root().join(argument) } else { argument.into() }
}

fn median(runs: usize, mut value: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut values = (0..runs.max(1)).map(|_| value()).collect::<Result<Vec<f64>>>()?;
    values.sort_by(f64::total_cmp);
    Ok(values[values.len() / 2])
}

fn seconds(command: &mut Command) -> Result<f64> {
    let begin = Instant::now();
    process::output(command)?;
    Ok(begin.elapsed().as_secs_f64())
}

/// The value that a benchmark prints under the checker.
fn value_of(hotfire: &Hotfire, name: &str) -> Result<f64> {
    let mut command = hotfire.command();
    command.args(["check", "--"]).arg(programs::directory().join("bench")).arg(name);
    let output = process::output(&mut command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    value.ok_or_else(|| format!("bench {name} printed no value:\n{text}"))
}

/// Seconds under the checker, and shadow bytes a touched byte.
fn checked(hotfire: &Hotfire, program: &PathBuf, arguments: &[PathBuf]) -> Result<(f64, Option<f64>)> {
    let report = crate::target().join("bench-report.json");
    let mut command = hotfire.command();
    command.args(["check", "--format", "json", "--output"]).arg(&report).arg("--").arg(program).args(arguments);
    let elapsed = seconds(&mut command)?;
    // Once more, for looking at every page takes time of its own.
    command.env("HOTFIRE_CHECK_MEMORY", "1");
    process::output(&mut command)?;
    let text = std::fs::read_to_string(&report).map_err(|error| format!("{}: {error}", report.display()))?;
    let ratio = text.split_once("\"shadow\"").and_then(|(_, shadow)| {
        let number = |key: &str| {
            let (_, rest) = shadow.split_once(&format!("\"{key}\":"))?;
            rest.trim_start().split(|c: char| !c.is_ascii_digit()).next()?.parse::<f64>().ok()
        };
        Some(number("bytes")? / number("touched").filter(|&touched| touched > 0.0)?)
    });
    Ok((elapsed, ratio))
}
