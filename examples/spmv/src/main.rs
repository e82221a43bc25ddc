//! y = relu(A x) for a sparse matrix whose rows differ much in length, by five strategies; two of them launch a grid per long
//! row from inside the kernel. An ordinary CUDA client: it loads the driver, and runs on a GPU as on Hotfire.

mod device;
mod market;
mod matrix;
mod module;
mod report;
mod strategy;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use clap::Parser;
use cudarc::driver::{CudaContext, sys};

use crate::device::Device;
use crate::matrix::{Matrix, Random};
use crate::strategy::Strategy;
use crate::verify::Reference;

/// Multiplies a sparse matrix by a vector on a CUDA device, y = relu(A x), and checks every row of the result.
#[derive(Parser)]
#[command(
    after_help = "Exit code 0: every row of every run is within its error bound of a double precision reference, but \
                        for rows whose launch was refused: those are reported, and hold exactly what a lost launch leaves."
)]
struct Options {
    /// Matrix Market file, plain or gzip
    #[arg(required_unless_present = "generate", conflicts_with = "generate")]
    matrix: Option<PathBuf>,
    /// Generate a matrix instead: row lengths by a power law, but for HUBS very long rows
    #[arg(long, value_name = "ROWS,EXPONENT,HUBS,SEED")]
    generate: Option<PowerLaw>,
    /// How to treat the long rows: inline, cdp, cdp-deterministic, worklist, two-pass or all
    #[arg(long, default_value = "all", value_parser = strategies, value_name = "NAME")]
    strategy: Strategies,
    /// Rows with more entries than this are heavy
    #[arg(long, default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..1 << 30))]
    heavy: u32,
    /// Ask for so many slots for pending device launches; an H200 gives no fewer than 32 [default: what the heavy rows need, at least 2048]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..1 << 30))]
    pool: Option<u32>,
    /// Runs of each strategy
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
}

#[derive(Clone)]
struct Strategies(Vec<Strategy>);

fn strategies(name: &str) -> Result<Strategies, String> {
    let chosen: Vec<Strategy> =
        Strategy::ALL.into_iter().filter(|strategy| name == "all" || strategy.name() == name).collect();
    if chosen.is_empty() { Err(format!("no strategy is called `{name}`")) } else { Ok(Strategies(chosen)) }
}

#[derive(Clone)]
struct PowerLaw {
    rows: u32,
    exponent: f64,
    hubs: u32,
    seed: u64,
}

impl FromStr for PowerLaw {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words: Vec<&str> = text.split(',').collect();
        let [rows, exponent, hubs, seed] = words[..] else { return Err("expected ROWS,EXPONENT,HUBS,SEED") };
        let rows = rows.parse().ok().filter(|rows| (1..=1 << 26).contains(rows)).ok_or("ROWS must be 1 to 2^26")?;
        let exponent = exponent.parse().ok().filter(|exponent: &f64| exponent.is_finite());
        Ok(Self {
            rows,
            exponent: exponent.ok_or("EXPONENT must be a number")?,
            hubs: hubs.parse().ok().filter(|&hubs| hubs <= rows).ok_or("HUBS must be at most ROWS")?,
            seed: seed.parse().map_err(|_| "SEED must be a whole number")?,
        })
    }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("spmv: {message}");
            ExitCode::FAILURE
        }
    }
}

fn load(options: &Options) -> Result<Matrix, String> {
    if let Some(law) = &options.generate {
        let matrix = matrix::power_law(law.rows, law.exponent, law.hubs, law.seed);
        return matrix.ok_or_else(|| "that matrix would have more than 2^30 entries".to_owned());
    }
    let path = options.matrix.as_deref().expect("the command line has a file or --generate");
    let matrix = market::read(path)?;
    if matrix.rows() == 0 { Err(format!("{}: no rows", path.display())) } else { Ok(matrix) }
}

fn run(options: &Options) -> Result<bool, String> {
    let matrix = load(options)?;
    let heavy = options.heavy as usize;
    let mut random = Random(1);
    let x: Vec<f32> = (0..matrix.columns).map(|_| random.signed_unit()).collect();
    let reference = Reference::new(&matrix, &x);

    // SAFETY: this only looks whether the driver's library can be loaded.
    if !unsafe { sys::is_culib_present() } {
        return Err("no CUDA driver here; start this program with `hotfire run -- …`".to_owned());
    }
    let cuda = |what: &'static str| move |error| format!("{what}: {error}");
    let context = CudaContext::new(0).map_err(cuda("opening the device"))?;

    // Every heavy row and the tail may be pending at once. The pool is sized before the first kernel.
    let heavy_rows = matrix.lengths().filter(|&length| length > heavy).count();
    let bound = heavy_rows + 1;
    let wanted = options.pool.map_or(bound.max(2048), |slots| slots as usize);
    let slots = device::set_pool(&context, wanted).map_err(cuda("sizing the launch pool"))?;

    report::matrix(&matrix, heavy);
    report::device(&context, slots, bound).map_err(cuda("asking for the device's properties"))?;
    let module = module::load(&context)?;
    let mut device = Device::new(&context, module, &matrix, &x, heavy).map_err(cuda("copying the matrix"))?;

    let mut table = report::Table::begin();
    for &strategy in &options.strategy.0 {
        for _ in 0..options.repeat {
            let outcome = device.run(strategy).map_err(|error| format!("{}: {error}", strategy.name()))?;
            let verdict = reference.check(&matrix, heavy, strategy, &outcome);
            table.row(strategy, &outcome, &verdict);
        }
    }
    Ok(table.end(matrix.rows()))
}
