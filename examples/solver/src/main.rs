//! Solves a sparse system of equations by many small kernels, with the loop in six places, and shows that all of them compute the same. An
//! ordinary CUDA client on `hotfire-host`: it runs on a GPU as on Hotfire.

mod device;
mod forms;
mod system;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use hotfire_host::{Device, LaunchPool};
use serde::Serialize;
use spmv::generate::PowerLaw;
use spmv::matrix::Matrix;

use crate::device::{Method, Solver};
use crate::forms::{Loop, Prepared};
use crate::system::System;

/// Solves S x = b on a CUDA device, S made positive definite from any square matrix, by conjugate gradients and Jacobi's method, with the
/// loop on the host, in chains, in graphs and on the device.
#[derive(Parser)]
#[command(
    after_help = "Exit code 0: every form took the same iterations with the same residuals and the same x, bit for bit, and x solves the \
                  equations in double precision."
)]
struct Options {
    /// Matrix Market file, plain or gzip
    #[arg(required_unless_present = "generate", conflicts_with = "generate")]
    matrix: Option<PathBuf>,
    /// Generate a matrix instead: row lengths by a power law, but for HUBS very long rows (of ENTRIES entries)
    #[arg(long, value_name = "ROWS,EXPONENT,HUBS,SEED[,ENTRIES]")]
    generate: Option<PowerLaw>,
    /// Only some methods
    #[arg(long, value_enum, value_delimiter = ',', default_value = "cg,jacobi")]
    method: Vec<Method>,
    /// Only some forms of the loop [default: all that the device has]
    #[arg(long, value_enum, value_delimiter = ',')]
    form: Option<Vec<Loop>>,
    /// Solved when the residual is this part of the right side
    #[arg(long, default_value_t = 1e-5)]
    tolerance: f64,
    /// The most iterations
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..1 << 24))]
    most: u32,
    /// Runs of each form; the median of their times counts
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// A form of one method.
#[derive(Serialize)]
struct Row {
    method: &'static str,
    form: &'static str,
    iterations: usize,
    /// |b - S x| / |b|, in double precision.
    residual: f64,
    milliseconds: f64,
    microseconds_an_iteration: f64,
    /// Of x and of all residuals.
    digest: String,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("solver: {message}");
            ExitCode::FAILURE
        }
    }
}

fn load(options: &Options) -> Result<Matrix, String> {
    if let Some(law) = &options.generate {
        return law.matrix().ok_or_else(|| "that matrix would have more than 2^30 entries".to_owned());
    }
    spmv::market::read(options.matrix.as_deref().ok_or("give a matrix file or --generate")?)
}

fn run(options: &Options) -> Result<(), String> {
    let matrix = load(options)?;
    let system = System::from_matrix(&matrix)?;
    let device = Device::open(0).map_err(|error| error.to_string())?;
    // A turn of the tail loop launches at most four kernels and itself.
    let pool = LaunchPool::for_pending(&device, 8).map_err(|error| error.to_string())?;
    let solver = Solver::new(&device, pool, &system, options.tolerance, options.most as usize);
    let mut solver = solver.map_err(|error| format!("copying the system: {error}"))?;
    if !options.json {
        let entries = system.off_diagonal.entries() + system.rows();
        println!("  system   {}, made symmetric: {} rows, {entries} entries", matrix.name, system.rows());
        println!("  device   {}", device.name().map_err(|error| error.to_string())?);
        println!();
        println!(
            "  {:20} {:14} {:>10} {:>10} {:>12} {:>12}  digest",
            "method", "loop", "iterations", "residual", "ms", "us/iteration"
        );
    }
    let forms = options.form.as_deref().unwrap_or(Loop::value_variants());
    let mut rows: Vec<Row> = Vec::new();
    for &method in &options.method {
        let first = rows.len();
        for &form in forms {
            let named = |error: hotfire_host::Error| format!("{}, {}: {error}", method.name(), form.name());
            let mut prepared = match Prepared::new(&solver, form, method) {
                // A form that was asked for by name must be there.
                Err(error) if error.is_unsupported() && options.form.is_none() => {
                    eprintln!("solver: {}: this device does not have it ({error})", form.name());
                    continue;
                }
                prepared => prepared.map_err(named)?,
            };
            let row = solve(&mut solver, &system, &mut prepared, form, method, options).map_err(named)?;
            if !options.json {
                print(&row);
            }
            check(&row, rows.get(first), options)?;
            rows.push(row);
        }
    }
    if options.json {
        println!("{}", serde_json::to_string_pretty(&rows).map_err(|error| error.to_string())?);
    } else {
        println!("\n  Every form took the same steps to the same x, bit for bit.");
    }
    Ok(())
}

fn solve(
    solver: &mut Solver,
    system: &System,
    prepared: &mut Prepared,
    form: Loop,
    method: Method,
    options: &Options,
) -> hotfire_host::Result<Row> {
    let mut times = Vec::new();
    for _ in 0..options.repeat {
        solver.begin(system)?;
        let begin = Instant::now();
        prepared.run(solver, method)?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let milliseconds = times[times.len() / 2];
    let solution = solver.solution(method)?;
    Ok(Row {
        method: method.name(),
        form: form.name(),
        iterations: solution.iterations,
        residual: system.residual(&solution.x),
        milliseconds,
        microseconds_an_iteration: milliseconds * 1e3 / solution.iterations.max(1) as f64,
        digest: digest(solution.x.iter().chain(&solution.history)),
    })
}

/// A form must do what the first one did, and its x must solve the equations.
fn check(row: &Row, first: Option<&Row>, options: &Options) -> Result<(), String> {
    if let Some(first) = first
        && (row.iterations, &row.digest) != (first.iterations, &first.digest)
    {
        return Err(format!("{}: the {} and the {} differ", row.method, first.form, row.form));
    }
    // The residual that iterations carry on in single precision drifts from the true one.
    let solved = row.residual <= 10.0 * options.tolerance;
    if solved || row.iterations == options.most as usize {
        return Ok(());
    }
    Err(format!("{}, {}: the residual is {:e}", row.method, row.form, row.residual))
}

fn print(row: &Row) {
    println!(
        "  {:20} {:14} {:>10} {:>10.2e} {:>12.3} {:>12.2}  {}",
        row.method, row.form, row.iterations, row.residual, row.milliseconds, row.microseconds_an_iteration, row.digest
    );
}

/// FNV-1a over bits: equal results have equal digests.
fn digest<'a>(values: impl Iterator<Item = &'a f32>) -> String {
    let bytes = values.flat_map(|value| value.to_le_bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}
