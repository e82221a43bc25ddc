//! What the program tells its user.

use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{CudaContext, DriverError};
use indicatif::HumanCount;

use crate::device::Outcome;
use crate::matrix::Matrix;
use crate::strategy::Strategy;

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
pub fn device(context: &CudaContext, slots: usize, bound: usize) -> Result<(), DriverError> {
    let (major, minor) = context.compute_capability()?;
    let processors = context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let name = context.name()?;
    println!("  device   {name}, compute capability {major}.{minor}, {processors} multiprocessors");
    println!("  pool     {} slots; at most {} launches can be pending", count(slots), count(bound));
    Ok(())
}

/// The strategies' results, line by line as they come.
pub struct Table {
    faults: usize,
    lost: usize,
}

impl Table {
    pub fn begin() -> Self {
        println!();
        println!(
            "  {:17} {:>11} {:>9} {:>6} {:>8} {:>6} {:>12}  digest of y",
            "strategy", "time", "children", "tails", "pending", "lost", "error/bound"
        );
        Self { faults: 0, lost: 0 }
    }

    pub fn row(&mut self, strategy: Strategy, outcome: &Outcome, verdict: &Result<f64, String>) {
        let launches = &outcome.launches;
        let lost = (launches.lost + launches.lost_tails) as usize;
        // Only a strategy that launches has something to say of its launches.
        let told = |has: bool, number: i32| if has { HumanCount(number as u64).to_string() } else { "-".to_owned() };
        let worst = verdict.as_ref().map_or_else(|_| "WRONG".to_owned(), |worst| format!("{:.1} %", worst * 100.0));
        println!(
            "  {:17} {:>8.2} ms {:>9} {:>6} {:>8} {:>6} {:>12}  {:016x}",
            strategy.name(),
            outcome.milliseconds,
            told(strategy.has_children(), launches.children),
            told(strategy.has_tail(), launches.tails),
            told(strategy.has_tail(), launches.peak),
            told(strategy.has_tail(), lost as i32),
            worst,
            digest(&outcome.y),
        );
        if lost > 0 {
            let missing = if launches.lost_tails > 0 { ", and what the tail does is missing" } else { "" };
            println!("  {:17} error {}: {} heavy rows read zero{missing}", "", launches.error, launches.lost);
        }
        if let Err(fault) = verdict {
            println!("  {:17} {fault}", "");
            self.faults += 1;
        }
        self.lost += lost;
    }

    /// The verdict; whether all is well.
    pub fn end(self, rows: usize) -> bool {
        println!();
        match (self.faults, self.lost) {
            (0, 0) => println!("  All {} rows are right in every run.", count(rows)),
            (0, lost) => println!("  Every row is right but those of the {} lost launches.", count(lost)),
            (faults, _) => println!("  {faults} runs are WRONG."),
        }
        self.faults == 0
    }
}

/// FNV-1a over the bits of the result: equal results have equal digests.
fn digest(y: &[f32]) -> u64 {
    let bytes = y.iter().flat_map(|value| value.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
