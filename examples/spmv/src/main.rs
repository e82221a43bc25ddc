//! y = relu(A x) for a sparse matrix whose rows differ much in length, by six strategies; three of them launch grids from inside the
//! kernel. An ordinary CUDA client on `hotfire-host`: it loads the driver, and runs on a GPU as on Hotfire.

mod bench;
mod device;
mod json;
mod options;
mod plant;
mod plot;
mod report;
mod strategy;
mod tune;
mod verify;

use std::process::ExitCode;

use clap::Parser;
use hotfire_host::{Device, LaunchPool};
use spmv::matrix::{Matrix, Random};

use crate::device::Product;

use crate::options::{Command, Options};
use crate::plant::Plant;
use crate::verify::Reference;

fn main() -> ExitCode {
    let options = Options::parse();
    let ended = match &options.command {
        Some(Command::Bench(options)) => bench::run(options),
        None => run(&options),
    };
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("spmv: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The vector that everything here is multiplied by.
fn vector(matrix: &Matrix) -> Vec<f32> {
    let mut random = Random(1);
    (0..matrix.columns).map(|_| random.signed_unit()).collect()
}

/// An error as its reader sees it.
fn text(error: hotfire_host::Error) -> String {
    error.to_string()
}

fn run(options: &Options) -> Result<bool, String> {
    let matrix = options.load()?;
    let heavy = options.heavy as usize;
    let x = vector(&matrix);
    let reference = options.verify.then(|| Reference::new(&matrix, &x));
    let device = Device::open(0).map_err(text)?;

    // Every heavy row and the tail may be pending at once. The pool is sized before the first kernel.
    let lightest = tune::lightest(options);
    let bound = device::pending(&matrix, lightest);
    let pool = match (options.pool, options.plant) {
        (_, Some(Plant::SmallPool)) => LaunchPool::of_size(&device, 1),
        (Some(slots), _) => LaunchPool::of_size(&device, slots as usize),
        (None, _) => LaunchPool::for_pending(&device, bound),
    };
    let pool = pool.map_err(text)?;
    let product = Product::new(&device, &pool, &matrix, &x, lightest, options.plant);
    let mut product = product.map_err(|error| format!("copying the matrix: {error}"))?;
    let strategies = options.strategies(&matrix);
    if options.tune {
        return tune::run(options, &matrix, &mut product, &strategies).map(|()| true);
    }

    if !options.json {
        report::matrix(&matrix, heavy);
        report::device(&device, &pool, bound).map_err(text)?;
    }
    let mut table = report::Table::begin(options.json);
    for strategy in strategies {
        for _ in 0..options.repeat {
            let outcome = product.run(strategy).map_err(|error| format!("{}: {error}", strategy.name()))?;
            let verdict = reference.as_ref().map(|reference| reference.check(&matrix, heavy, strategy, &outcome));
            table.row(strategy, &outcome, verdict);
        }
    }
    if options.json {
        println!("{}", json::run(&device, &matrix, heavy, &pool, &table)?);
        return Ok(table.is_right());
    }
    Ok(table.end(matrix.rows()))
}
