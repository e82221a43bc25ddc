//! `--tune`: the threshold above which a row is heavy, found by measuring.
//!
//! Golden-section search over candidates that grow by a quarter: too low a threshold and launches dominate, too high and long rows stall their
//! warps, so that the time falls and rises again. Where it does not, the curve that is printed shows it.

use std::collections::BTreeMap;
use std::fs;

use hotfire_host::Error;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::device::Product;
use crate::json::matrix_facts;
use crate::options::Options;
use crate::plot::{Chart, Series};
use crate::strategy::Strategy;
use spmv::matrix::Matrix;

/// The lowest threshold that is tried.
const LIGHTEST: usize = 32;

/// Times of one threshold: enough for a median.
const RUNS: usize = 7;

/// Thresholds from the lightest on that may make a difference for a matrix.
fn candidates(lightest: usize, longest: usize) -> Vec<usize> {
    let mut list = vec![lightest];
    while let Some(&last) = list.last()
        && last <= longest
    {
        list.push((last * 5).div_ceil(4));
    }
    list
}

/// The index of a least value of `f` over `0..len`, by golden sections: about 1.44 log2(len) values are asked for.
pub fn golden_section<E>(len: usize, mut f: impl FnMut(usize) -> Result<f64, E>) -> Result<usize, E> {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let mut known = BTreeMap::new();
    let mut at = |index: usize| -> Result<f64, E> {
        if let Some(&value) = known.get(&index) {
            return Ok(value);
        }
        let value = f(index)?;
        known.insert(index, value);
        Ok(value)
    };
    let (mut low, mut high) = (0, len - 1);
    while high - low > 2 {
        let part = ((high - low) as f64 * RATIO).round() as usize;
        let (left, right) = (high - part, low + part);
        // Rounding may make them meet.
        let (left, right) =
            if left < right { (left, right) } else { (low + (high - low) / 2, low + (high - low) / 2 + 1) };
        if at(left)? <= at(right)? { high = right } else { low = left }
    }
    for index in low..=high {
        at(index)?;
    }
    let best = known.iter().min_by(|a, b| a.1.total_cmp(b.1));
    Ok(best.map_or(0, |(&index, _)| index))
}

/// The median of several times of one strategy.
pub fn median(product: &mut Product, strategy: Strategy, runs: usize) -> Result<f64, Error> {
    product.time(strategy)?;
    middle((0..runs).map(|_| product.time(strategy)))
}

/// The median of what is measured.
pub fn middle(times: impl Iterator<Item = Result<f64, Error>>) -> Result<f64, Error> {
    let mut times = times.collect::<Result<Vec<_>, _>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// What was measured of a strategy: threshold and milliseconds in the order of thresholds, and the best of them.
pub struct Curve {
    pub strategy: Strategy,
    pub points: BTreeMap<usize, f64>,
    pub best: usize,
}

/// Searches for the best threshold of one strategy.
pub fn tune(
    product: &mut Product,
    matrix: &Matrix,
    strategy: Strategy,
    lightest: usize,
    bar: &ProgressBar,
) -> Result<Curve, Error> {
    let candidates = candidates(lightest, matrix.lengths().max().unwrap_or(0));
    let mut points = BTreeMap::new();
    let best = golden_section(candidates.len(), |index| {
        product.set_heavy(candidates[index]);
        let time = median(product, strategy, RUNS)?;
        points.insert(candidates[index], time);
        bar.set_message(format!("{} above {}: {time:.3} ms", strategy.name(), candidates[index]));
        bar.inc(1);
        Ok::<_, Error>(time)
    })?;
    Ok(Curve { strategy, points, best: candidates[best] })
}

/// The lowest threshold that a run with these options asks for.
pub fn lightest(options: &Options) -> usize {
    let heavy = options.heavy as usize;
    if options.tune { LIGHTEST.min(heavy) } else { heavy }
}

/// Tunes all chosen strategies, and tells.
pub fn run(options: &Options, matrix: &Matrix, product: &mut Product, chosen: &[Strategy]) -> Result<(), String> {
    let chosen: Vec<Strategy> = chosen.iter().copied().filter(|strategy| strategy.has_threshold()).collect();
    if chosen.is_empty() {
        return Err("none of these strategies has a threshold".to_owned());
    }
    let style =
        ProgressStyle::with_template("  tuning   {spinner} {pos} measured; {msg}").expect("the template is valid");
    let bar = ProgressBar::new_spinner().with_style(style);
    let curves = chosen.iter().map(|&strategy| tune(product, matrix, strategy, lightest(options), &bar));
    let curves = curves.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    bar.finish_and_clear();

    if options.json {
        let told: Vec<_> = curves
            .iter()
            .map(|curve| json!({ "strategy": curve.strategy.name(), "best": curve.best, "milliseconds": curve.points }))
            .collect();
        let document = json!({ "matrix": matrix_facts(matrix), "curves": told });
        println!("{}", serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?);
    } else {
        curves.iter().for_each(print);
    }
    if let Some(path) = &options.plot {
        let series = curves.iter().map(|curve| Series {
            name: curve.strategy.name().to_owned(),
            points: curve.points.iter().map(|(&heavy, &time)| (heavy as f64, time)).collect(),
        });
        let chart = Chart {
            title: format!("{}: time by threshold", matrix.name),
            x: "rows above this many entries are heavy".to_owned(),
            y: "milliseconds".to_owned(),
            series: series.collect(),
        };
        fs::write(path, chart.svg()).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn print(curve: &Curve) {
    let worst = curve.points.values().copied().fold(0.0, f64::max);
    println!("  {}: best above {} entries", curve.strategy.name(), curve.best);
    for (&heavy, &time) in &curve.points {
        let bar = "=".repeat((time / worst * 40.0).ceil() as usize);
        let mark = if heavy == curve.best { " <" } else { "" };
        println!("  {heavy:>9} {time:>9.3} ms {bar}{mark}");
    }
}

#[cfg(test)]
mod tests {
    use super::{candidates, golden_section};

    #[test]
    fn the_least_value_is_found_with_few_questions() {
        for len in 1..60 {
            for least in 0..len {
                let mut asked = 0;
                let found = golden_section(len, |index| {
                    asked += 1;
                    Ok::<_, ()>((index as f64 - least as f64).abs())
                });
                assert_eq!(found, Ok(least), "of {len}");
                assert!(asked <= 14, "{asked} questions for {len}");
            }
        }
    }

    #[test]
    fn candidates_reach_past_the_longest_row() {
        let list = candidates(32, 21_809);
        assert!(list.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(list[list.len() - 1] > 21_809 && list[list.len() - 2] <= 21_809);
        assert_eq!(candidates(32, 3), [32]);
    }
}
