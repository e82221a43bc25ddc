//! The command line.

use std::path::PathBuf;

use clap::{ArgAction, Parser, Subcommand};

use crate::bench;
use crate::plant::Plant;
use crate::strategy::Strategy;
use spmv::generate::PowerLaw;
use spmv::market;
use spmv::matrix::Matrix;

/// Multiplies a sparse matrix by a vector on a CUDA device, y = relu(A x), and checks every row of the result.
#[derive(Parser)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Exit code 0: every row of every run is within its error bound of a double precision reference, but for rows whose \
                  launch was refused: those are reported, and hold exactly what a lost launch leaves."
)]
pub struct Options {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Matrix Market file, plain or gzip
    #[arg(required_unless_present = "generate", conflicts_with = "generate")]
    matrix: Option<PathBuf>,
    /// Generate a matrix instead: row lengths by a power law, but for HUBS very long rows (of ENTRIES entries)
    #[arg(long, value_name = "ROWS,EXPONENT,HUBS,SEED[,ENTRIES]")]
    generate: Option<PowerLaw>,
    /// How to treat the long rows: inline, cdp, cdp-deterministic, worklist, two-pass, merge, all, or auto
    #[arg(long, default_value = "all", value_parser = strategies, value_name = "NAME")]
    pub strategy: Strategies,
    /// Rows with more entries than this are heavy
    #[arg(long, default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..1 << 30))]
    pub heavy: u32,
    /// Ask for so many slots for pending device launches; an H200 gives no fewer than 32 [default: what the heavy rows need, at least 2048]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..1 << 30))]
    pub pool: Option<u32>,
    /// Runs of each strategy
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Compare every row with a double precision reference
    #[arg(long, default_value = "yes", action = ArgAction::Set, value_name = "yes|no", value_parser = yes_or_no)]
    pub verify: bool,
    /// Measure the best threshold of every chosen strategy that has one, and print the curve
    #[arg(long)]
    pub tune: bool,
    /// Draw the curves of --tune
    #[arg(long, requires = "tune", value_name = "OUT.svg")]
    pub plot: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
    /// Plant a fault for `hotfire check` to find
    #[arg(long, hide = true)]
    pub plant: Option<Plant>,
}

/// What else the program does.
#[derive(Subcommand)]
pub enum Command {
    /// Measure this device: strategies against cuSPARSE, chains of layers, trees by host and device
    Bench(bench::Options),
}

#[derive(Clone)]
pub enum Strategies {
    These(Vec<Strategy>),
    /// As `Strategy::for_matrix` says.
    Auto,
}

fn strategies(name: &str) -> Result<Strategies, String> {
    if name == "auto" {
        return Ok(Strategies::Auto);
    }
    let chosen: Vec<Strategy> =
        Strategy::ALL.into_iter().filter(|strategy| name == "all" || strategy.name() == name).collect();
    if chosen.is_empty() { Err(format!("no strategy is called `{name}`")) } else { Ok(Strategies::These(chosen)) }
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("yes or no".to_owned()),
    }
}

impl Options {
    /// The matrix that the command line names.
    pub fn load(&self) -> Result<Matrix, String> {
        if let Some(law) = &self.generate {
            return law.matrix().ok_or_else(|| "that matrix would have more than 2^30 entries".to_owned());
        }
        let path = self.matrix.as_deref().ok_or("give a matrix file or --generate")?;
        let matrix = market::read(path)?;
        if matrix.rows() == 0 { Err(format!("{}: no rows", path.display())) } else { Ok(matrix) }
    }

    /// The strategies for a matrix.
    pub fn strategies(&self, matrix: &Matrix) -> Vec<Strategy> {
        match &self.strategy {
            Strategies::These(these) => these.clone(),
            Strategies::Auto => vec![Strategy::for_matrix(matrix)],
        }
    }
}
