//! What the program tells its user.

use hotfire_host::{Device, LaunchPool};
use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;

use crate::device::Outcome;
use crate::strategy::Strategy;
use spmv::matrix::Matrix;

fn count(number: usize) -> HumanCount {
    HumanCount(number as u64)
}

/// What is multiplied.
pub fn matrix(matrix: &Matrix, heavy: usize) {
    let (rows, columns, entries) = (count(matrix.rows()), count(matrix.columns), count(matrix.entries()));
    println!("  matrix   {}: {rows} x {columns} with {entries} entries", matrix.name);
    let longest = matrix.lengths().max().unwrap_or(0);
    let heavy_rows = matrix.lengths().filter(|&length| length > heavy).count();
    let (heavy_rows, heavy, longest) = (count(heavy_rows), count(heavy), count(longest));
    println!("  heavy    {heavy_rows} rows above {heavy} entries; the longest row has {longest}");
}

/// Where it runs, and how many device launches may be pending there.
pub fn device(device: &Device, pool: &LaunchPool, bound: usize) -> hotfire_host::Result<()> {
    let (name, processors) = (device.name()?, device.multiprocessors()?);
    println!("  device   {name}, {processors} multiprocessors");
    let (slots, memory, bound) = (count(pool.granted()), HumanBytes(pool.bytes() as u64), count(bound));
    println!("  pool     {slots} slots ({memory} on an H200); at most {bound} launches can be pending");
    Ok(())
}

/// One run, as JSON has it.
#[derive(Serialize)]
pub struct Row {
    strategy: &'static str,
    milliseconds: f64,
    children: i32,
    tails: i32,
    pending: i32,
    lost: i32,
    /// The largest error of a row as a fraction of its bound, if rows were compared.
    error: Option<f64>,
    fault: Option<String>,
    digest: String,
}

/// The strategies' results, line by line as they come.
pub struct Table {
    pub rows: Vec<Row>,
    silent: bool,
    verified: bool,
}

impl Table {
    pub fn begin(silent: bool) -> Self {
        if !silent {
            println!();
            println!(
                "  {:17} {:>11} {:>9} {:>6} {:>8} {:>6} {:>12}  digest of y",
                "strategy", "time", "children", "tails", "pending", "lost", "error/bound"
            );
        }
        Self { rows: Vec::new(), silent, verified: true }
    }

    /// Adds a run; without a verdict its rows were not compared.
    pub fn row(&mut self, strategy: Strategy, outcome: &Outcome, verdict: Option<Result<f64, String>>) {
        let launches = &outcome.launches;
        let (error, fault) = match verdict {
            None => {
                self.verified = false;
                (None, None)
            }
            Some(Ok(error)) => (Some(error), None),
            Some(Err(fault)) => (None, Some(fault)),
        };
        let row = Row {
            strategy: strategy.name(),
            milliseconds: outcome.milliseconds,
            children: launches.children,
            tails: launches.tails,
            pending: launches.peak,
            lost: launches.lost + launches.lost_tails,
            error,
            fault,
            digest: format!("{:016x}", digest(&outcome.y)),
        };
        if !self.silent {
            print(strategy, &row);
            if let Some(failures) = &outcome.failures {
                let missing = if launches.lost_tails > 0 { ", and what the tail does is missing" } else { "" };
                println!("  {:17} {failures}: {} heavy rows read zero{missing}", "", launches.lost);
            }
        }
        self.rows.push(row);
    }

    pub fn is_right(&self) -> bool {
        self.rows.iter().all(|row| row.fault.is_none())
    }

    /// The verdict; whether all is well.
    pub fn end(self, rows: usize) -> bool {
        println!();
        let faults = self.rows.iter().filter(|row| row.fault.is_some()).count();
        match (faults, self.rows.iter().map(|row| row.lost).sum::<i32>()) {
            _ if !self.verified => println!("  No row was compared."),
            (0, 0) => println!("  All {} rows are right in every run.", count(rows)),
            (0, lost) => println!("  Every row is right but those of the {lost} lost launches."),
            (faults, _) => println!("  {faults} runs are WRONG."),
        }
        faults == 0
    }
}

fn print(strategy: Strategy, row: &Row) {
    // Only a strategy that launches has something to say of its launches.
    let told = |has: bool, number: i32| if has { HumanCount(number as u64).to_string() } else { "-".to_owned() };
    let worst = match (row.error, &row.fault) {
        (Some(worst), _) => format!("{:.1} %", worst * 100.0),
        (None, Some(_)) => "WRONG".to_owned(),
        (None, None) => "-".to_owned(),
    };
    println!(
        "  {:17} {:>8.3} ms {:>9} {:>6} {:>8} {:>6} {:>12}  {}",
        row.strategy,
        row.milliseconds,
        told(strategy.has_children(), row.children),
        told(strategy.has_tail(), row.tails),
        told(strategy.has_tail(), row.pending),
        told(strategy.has_tail(), row.lost),
        worst,
        row.digest,
    );
    if let Some(fault) = &row.fault {
        println!("  {:17} {fault}", "");
    }
}

/// FNV-1a over the bits of the result: equal results have equal digests.
pub fn digest(y: &[f32]) -> u64 {
    let bytes = y.iter().flat_map(|value| value.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
