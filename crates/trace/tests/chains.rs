//! The model against the machine: chains of kernels as an H200 ran them (`litmus/chains.h200.txt`), and as the model has them, from what
//! the software device counts (`litmus/chains.costs.json`).

use hotfire_launch::recording::{Command, Manner, stream_number};
use hotfire_launch::{Stream, Work};
use hotfire_trace::log::{Await, Grid, Log, Run, Step};
use hotfire_trace::{Changes, Machine, simulate};
use serde_json::Value;
use std::collections::HashMap;

const MEASURED: &str = include_str!("../../../litmus/chains.h200.txt");
const COSTS: &str = include_str!("../../../litmus/chains.costs.json");

/// Lines that the constants of the machine were fitted to, besides the four figures of section 4.12 of the launch model; all others are held
/// out. The shortest kernels and one longer one gave what lies between grids, the largest ones the bandwidths and how long loads from
/// memory take.
fn is_calibration(line: &Line) -> bool {
    match line.kilobytes {
        0 => matches!((line.blocks, line.rounds), (1, 0 | 150) | (132 | 1000, 0)),
        16384 => line.blocks == 1000,
        65536 => line.blocks == 1000 || line.form == "serial",
        _ => false,
    }
}

#[derive(Debug)]
struct Line {
    form: &'static str,
    blocks: u64,
    rounds: u64,
    kilobytes: u64,
    us: f64,
}

fn measured() -> Vec<Line> {
    let lines = MEASURED.lines().filter(|line| line.starts_with("chain "));
    let parse = |line: &'static str| {
        let fields: HashMap<_, _> = line.split_whitespace().filter_map(|word| word.split_once('=')).collect();
        let number = |name| fields[name].parse().expect("a number");
        let us = fields["us"].parse().expect("a number");
        Line {
            form: fields["form"],
            blocks: number("blocks"),
            rounds: number("rounds"),
            kilobytes: number("kilobytes"),
            us,
        }
    };
    lines.map(parse).collect()
}

/// What the blocks of such a kernel cost.
fn costs(form: &str, line: &Line) -> Vec<Run> {
    let all: Value = serde_json::from_str(COSTS).expect("the record is JSON");
    let blocks = if line.kilobytes == 0 { 1 } else { line.blocks };
    let found = all.as_array().expect("it is a list").iter().find(|one| {
        one["form"] == form
            && one["blocks"] == blocks
            && one["rounds"] == line.rounds
            && one["kilobytes"] == line.kilobytes
    });
    let found = found.unwrap_or_else(|| panic!("nothing is recorded for {line:?}"));
    let mut runs: Vec<Run> = serde_json::from_value(found["costs"].clone()).expect("it holds runs");
    if line.kilobytes == 0 {
        runs[0].count = line.blocks;
    }
    runs
}

/// A program that launches the same kernel again and again.
fn chain(form: &str, blocks: u64, costs: &[Run], count: u64) -> Log {
    let stream = stream_number(Stream::LEGACY);
    let manner = if form == "serial" { Manner::Plain } else { Manner::Programmatic };
    let mut log = Log::default();
    for item in 0..count {
        let command = Command::Submit { stream, work: Work::Grid, manner, item };
        log.steps.push(Step::Call { thread: 0, name: "cudaLaunchKernel".into() });
        log.steps.push(Step::Host { thread: 0, command });
        log.steps.push(Step::Return { thread: 0 });
        let grid = Grid {
            kernel: "step".into(),
            grid: [blocks as u32, 1, 1],
            block: [128, 1, 1],
            per_multiprocessor: 16,
            cooperative: false,
            costs: costs.to_vec(),
        };
        log.grids.insert(item, grid);
    }
    log.steps.push(Step::Call { thread: 0, name: "cudaStreamSynchronize".into() });
    log.steps.push(Step::Await { thread: 0, what: Await::All });
    log.steps.push(Step::Return { thread: 0 });
    log
}

/// Microseconds a kernel, as the model has it.
fn predicted(form: &str, blocks: u64, costs: &[Run]) -> f64 {
    let graph = form.starts_with("graph");
    let form = form.trim_start_matches("graph").trim_start_matches('-');
    let form = if form.is_empty() { "serial" } else { form };
    let log = chain(form, blocks, costs, 40);
    let timeline = simulate(&log, &Machine::H200, Changes { graph, ..Changes::default() });
    assert!(timeline.notes.is_empty(), "{:?}", timeline.notes);
    let complete = |item: u64| timeline.grids[&item].complete;
    (complete(39) - complete(9)) / 30.0 / 1000.0
}

fn plain(form: &str) -> &str {
    match form.trim_start_matches("graph").trim_start_matches('-') {
        "" => "serial",
        form => form,
    }
}

/// Where the model is known to be further off: many blocks that do next to nothing and trigger at once, in graphs.
fn is_known_miss(line: &Line) -> bool {
    line.form == "graph-early" && line.blocks == 1000 && line.rounds == 0 && line.kilobytes <= 1024
}

/// By what part of it the model misses the time of a line.
fn off(line: &Line) -> f64 {
    predicted(line.form, line.blocks, &costs(plain(line.form), line)) / line.us - 1.0
}

fn check(lines: impl Iterator<Item = Line>, most: f64) -> usize {
    let (mut count, mut wrong) = (0, Vec::new());
    for line in lines {
        let off = off(&line);
        let us = line.us * (1.0 + off);
        println!("{line:?}: {us:.3} ({:+.0} %)", 100.0 * off);
        count += 1;
        if off.abs() > most {
            wrong.push(format!("{line:?}: the model says {us:.3} ({:+.0} %)", 100.0 * off));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    count
}

#[test]
fn section_4_12_fits_and_is_in_order() {
    let recorded = [("serial", 3.11), ("early", 2.60), ("graph", 0.98), ("graph-early", 0.61)];
    let model = recorded.map(|(form, us)| {
        let line = Line { form, blocks: 1, rounds: 0, kilobytes: 0, us };
        let us = predicted(form, 1, &costs(plain(form), &line));
        assert!((us / line.us - 1.0).abs() < 0.25, "{line:?}: the model says {us:.3}");
        us
    });
    assert!(model.is_sorted_by(|one, other| one > other), "{model:?}");
}

#[test]
fn calibration_lines_fit() {
    let lines = measured().into_iter().filter(|line| is_calibration(line) && !is_known_miss(line));
    assert_eq!(check(lines, 0.35), 38);
}

/// What docs/trace.md lists as misses, and no more.
#[test]
fn known_misses_are_misses() {
    let missed: Vec<Line> = measured().into_iter().filter(is_known_miss).collect();
    assert_eq!(missed.len(), 3);
    for line in missed {
        assert!(off(&line).abs() > 0.35, "{line:?}: only {:+.0} % off", 100.0 * off(&line));
    }
}

#[test]
fn held_out_lines_fit() {
    let lines = measured().into_iter().filter(|line| !is_calibration(line) && !is_known_miss(line));
    assert_eq!(check(lines, 0.35), measured().len() - 38 - 3);
}

/// Of those with 1, 132 and 1,000 blocks, 1 to 100 us long, with and without early trigger, there are many in each kind.
#[test]
fn held_out_lines_are_of_all_kinds() {
    for blocks in [1, 132, 1000] {
        for early in [false, true] {
            let is_such = |line: &&Line| line.blocks == blocks && plain(line.form).ends_with("early") == early;
            let held_out: Vec<Line> = measured().into_iter().filter(|line| !is_calibration(line)).collect();
            let such: Vec<&Line> = held_out.iter().filter(is_such).collect();
            assert!(
                such.iter().any(|line| line.us < 3.0) && such.iter().any(|line| line.us > 90.0),
                "{blocks} {early}"
            );
            assert!(such.len() >= 10, "{blocks} {early}: {}", such.len());
        }
    }
}

#[test]
fn most_held_out_lines_fit_well() {
    let lines = measured().into_iter().filter(|line| !is_calibration(line) && line.rounds > 0 && line.us > 4.7);
    let near = |line: &Line| off(line).abs() < 0.10;
    let (fit, all) = lines.fold((0, 0), |(fit, all), line| (fit + usize::from(near(&line)), all + 1));
    assert!(10 * fit >= 8 * all, "{fit} of {all} kernels of 4 microseconds and more are within 10 %");
}
