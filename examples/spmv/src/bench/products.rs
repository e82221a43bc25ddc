//! Every strategy on every matrix, beside cuSPARSE and the bandwidth of copies.

use std::collections::BTreeMap;

use hotfire_host::{Device, Error, LaunchPool};
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::json;

use super::cusparse::{Algorithm, Library};
use super::{Found, Options, copy, matrices, table};
use crate::device::{Product, pending};
use crate::plot::Bars;
use crate::report::digest;
use crate::strategy::Strategy;
use crate::tune::{middle, tune};
use crate::verify::Reference;
use crate::{text, vector};
use spmv::matrix::Matrix;

/// One strategy on one matrix.
#[derive(Serialize)]
struct Cell {
    milliseconds: f64,
    /// The threshold that was best, if the strategy has one.
    heavy: Option<usize>,
    /// Of the threshold of the example's default, where that is possible.
    milliseconds_by_default: Option<f64>,
    /// Of the result by the default threshold, where additions have one order.
    digest: Option<String>,
}

#[derive(Serialize)]
struct Line {
    matrix: String,
    rows: usize,
    entries: usize,
    longest: usize,
    /// Bytes that a product must move at least.
    bytes: usize,
    cells: BTreeMap<&'static str, Cell>,
    auto: &'static str,
    cusparse: BTreeMap<&'static str, f64>,
}

/// Measures, matrix by matrix.
pub fn measure(device: &Device, pool: &LaunchPool, options: &Options) -> Result<Found, String> {
    let library = Library::load()?;
    if library.is_none() {
        eprintln!("spmv: cuSPARSE is not installed here: nothing to compare with");
    }
    let mut lines = Vec::new();
    let mut bandwidth = 0.0;
    for (name, make) in matrices::recipes(options) {
        eprintln!("spmv: {name}");
        let matrix = make()?;
        let line = measure_one(device, pool, options, library.as_ref(), name, &matrix)?;
        if bandwidth == 0.0 {
            let stream = hotfire_host::Stream::new(device).map_err(text)?;
            bandwidth = copy::bandwidth(&stream, if options.quick { 1 << 20 } else { 1 << 30 }).map_err(text)?;
        }
        lines.push(line);
    }
    Ok(Found {
        markdown: markdown(&lines, bandwidth),
        pictures: vec![("products".to_owned(), picture(&lines))],
        json: json!({ "copy_bytes_a_second": bandwidth, "matrices": lines }),
    })
}

fn measure_one(
    device: &Device,
    pool: &LaunchPool,
    options: &Options,
    library: Option<&Library>,
    name: String,
    matrix: &Matrix,
) -> Result<Line, String> {
    const DEFAULT: usize = 4096;
    let x = vector(matrix);
    let reference = Reference::new(matrix, &x);
    let mut lightest = 32;
    while pending(matrix, lightest) > options.pool / 2 {
        lightest *= 2;
    }
    let mut product = Product::new(device, pool, matrix, &x, lightest, None).map_err(text)?;
    let median = |product: &mut Product, strategy| -> Result<f64, Error> {
        let (runs, products) = rows_of(options, product.time_row(strategy, 2)?);
        middle((0..runs).map(|_| product.time_row(strategy, products)))
    };

    let mut cells = BTreeMap::new();
    for strategy in Strategy::ALL {
        let failed = |error: Error| format!("{name}, {}: {error}", strategy.name());
        let check = |product: &mut Product, heavy: usize| -> Result<String, String> {
            product.set_heavy(heavy);
            let outcome = product.run(strategy).map_err(failed)?;
            reference
                .check(matrix, heavy, strategy, &outcome)
                .map_err(|fault| format!("{name}, {}: {fault}", strategy.name()))?;
            if outcome.failures.is_some() {
                return Err(format!("{name}, {}: launches were lost", strategy.name()));
            }
            Ok(format!("{:016x}", digest(&outcome.y)))
        };
        let default = DEFAULT.max(lightest);
        let first = check(&mut product, default)?;
        let by_default = median(&mut product, strategy).map_err(failed)?;
        let (mut milliseconds, mut heavy) = (by_default, None);
        if strategy.has_threshold() {
            let curve = tune(&mut product, matrix, strategy, lightest, &ProgressBar::hidden()).map_err(failed)?;
            check(&mut product, curve.best)?;
            product.set_heavy(curve.best);
            let tuned = median(&mut product, strategy).map_err(failed)?;
            heavy = Some(if tuned < by_default { curve.best } else { default });
            milliseconds = tuned.min(by_default);
        }
        let cell = Cell {
            milliseconds,
            heavy,
            milliseconds_by_default: strategy.has_threshold().then_some(by_default),
            digest: strategy.is_deterministic().then_some(first),
        };
        cells.insert(strategy.name(), cell);
    }
    let mut cusparse = BTreeMap::new();
    if let Some(library) = library {
        for algorithm in Algorithm::ALL {
            let mut spmv = library.product(&product, matrix, algorithm)?;
            let mut worst: f64 = 0.0;
            for (y, (sum, bound)) in spmv.result()?.iter().zip(reference.rows()) {
                worst = worst.max((f64::from(*y) - sum).abs() - bound);
            }
            if worst > 0.0 {
                eprintln!("spmv: {name}: cuSPARSE is off by {worst:e} more than any order of additions allows");
            }
            let (runs, products) = rows_of(options, spmv.time_row(2)?);
            let times = (0..runs).map(|_| spmv.time_row(products)).collect::<Result<Vec<_>, _>>()?;
            let time = middle(times.into_iter().map(Ok)).map_err(text)?;
            cusparse.insert(algorithm.name(), time);
        }
    }
    let (rows, entries) = (matrix.rows(), matrix.entries());
    let bytes = 8 * entries + 8 * rows + 4 * matrix.columns;
    let longest = matrix.lengths().max().unwrap_or(0);
    let auto = Strategy::for_matrix(matrix).name();
    Ok(Line { matrix: name, rows, entries, longest, bytes, cells, auto, cusparse })
}

/// How often a row of how many products is timed, by the time of one.
fn rows_of(options: &Options, milliseconds: f64) -> (usize, u32) {
    match milliseconds {
        _ if options.quick => (3, 1),
        slow if slow > 5.0 => (5, 1),
        _ => (11, 10),
    }
}

fn markdown(lines: &[Line], bandwidth: f64) -> String {
    let mut head = vec!["microseconds"];
    head.extend(Strategy::ALL.map(Strategy::name));
    let algorithms = Algorithm::ALL.map(Algorithm::name);
    head.extend(algorithms);
    head.extend(["auto", "auto / best", "auto, of the copy's bandwidth"]);
    let rows = lines.iter().map(|line| {
        let mut row = vec![line.matrix.clone()];
        for strategy in Strategy::ALL {
            let cell = &line.cells[strategy.name()];
            let heavy = cell.heavy.map_or_else(String::new, |heavy| format!(" ({heavy})"));
            row.push(format!("{:.1}{heavy}", cell.milliseconds * 1e3));
        }
        for name in algorithms {
            row.push(line.cusparse.get(name).map_or_else(|| "-".to_owned(), |time| format!("{:.1}", time * 1e3)));
        }
        let auto = line.cells[line.auto].milliseconds;
        let best = line.cells.values().map(|cell| cell.milliseconds).fold(f64::MAX, f64::min);
        row.push(line.auto.to_owned());
        row.push(format!("{:.2}", auto / best));
        row.push(format!("{:.0} %", 100.0 * line.bytes as f64 / (auto / 1e3) / bandwidth));
        row
    });
    let rows: Vec<_> = rows.collect();
    format!(
        "Time of one product of ten in a row (one alone where it takes more than 5 ms), median; in brackets the threshold that was best. Copies in device memory move {:.2} TB/s, reads \
         and writes counted.\n\n{}",
        bandwidth / 1e12,
        table(&head, &rows)
    )
}

fn picture(lines: &[Line]) -> String {
    let algorithms = Algorithm::ALL.map(Algorithm::name);
    let names = Strategy::ALL.map(Strategy::name).into_iter().chain(algorithms).map(str::to_owned).collect();
    let groups = lines.iter().map(|line| {
        let own = Strategy::ALL.map(|strategy| Some(line.cells[strategy.name()].milliseconds * 1e3));
        let theirs = algorithms.map(|name| line.cusparse.get(name).map(|time| time * 1e3));
        (line.matrix.clone(), own.into_iter().chain(theirs).collect())
    });
    let title = "One product, by matrix and strategy".to_owned();
    Bars { title, y: "microseconds".to_owned(), names, groups: groups.collect() }.svg()
}
