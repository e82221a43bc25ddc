//! The matrices that are measured.

use spmv::generate::{PowerLaw, uniform};
use spmv::market;
use spmv::matrix::Matrix;

use super::Options;

/// How a matrix comes to be, by the name that tables give it. Made one after the other: together they are gigabytes.
pub type Recipe = (String, Box<dyn Fn() -> Result<Matrix, String>>);

/// Files first, then power laws with hubs, then the uniform control.
pub fn recipes(options: &Options) -> Vec<Recipe> {
    let mut all: Vec<Recipe> = Vec::new();
    for path in &options.files {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let name = name.trim_end_matches(".gz").trim_end_matches(".mtx").to_owned();
        let path = path.clone();
        all.push((name, Box::new(move || market::read(&path))));
    }
    let too_large = || "a matrix of more than 2^30 entries".to_owned();
    // Rows, hubs, entries of a hub.
    let laws: &[(u32, u32, u32)] = if options.quick {
        &[(20_000, 4, 10_000)]
    } else {
        &[
            (1_000_000, 0, 0),
            (1_000_000, 64, 10_000),
            (1_000_000, 16, 100_000),
            (1_000_000, 4, 1_000_000),
            (10_000_000, 256, 10_000),
            (10_000_000, 64, 100_000),
            (10_000_000, 8, 1_000_000),
        ]
    };
    for &(rows, hubs, entries) in laws {
        let name = match hubs {
            0 => format!("{} rows", short(rows)),
            _ => format!("{} rows, {hubs} of {}", short(rows), short(entries)),
        };
        let law = PowerLaw { rows, exponent: 1.8, hubs, seed: 7, hub_entries: Some(entries) };
        all.push((name, Box::new(move || law.matrix().ok_or_else(too_large))));
    }
    let alike =
        if options.quick { [(5_000, 4), (1_000, 16), (500, 64)] } else { [(1 << 20, 4), (1 << 20, 16), (1 << 18, 64)] };
    for (rows, entries) in alike {
        let name = format!("{} rows, all of {entries}", short(rows));
        all.push((name, Box::new(move || uniform(rows, entries, 7).ok_or_else(too_large))));
    }
    all
}

fn short(number: u32) -> String {
    match number {
        number if number >= 1_000_000 => format!("{} M", number / 1_000_000),
        number if number >= 1_000 => format!("{} k", number / 1_000),
        number => number.to_string(),
    }
}
