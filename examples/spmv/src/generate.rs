//! Matrices that are generated: a power law of row lengths with some very long rows, and the uniform control.

use std::str::FromStr;

use crate::matrix::{MOST_ENTRIES, Matrix, Random};

/// What `--generate` says.
#[derive(Clone, Debug)]
pub struct PowerLaw {
    /// Rows and columns.
    pub rows: u32,
    /// P(length) ~ length^-exponent.
    pub exponent: f64,
    /// Rows that are very long.
    pub hubs: u32,
    /// Of the random numbers.
    pub seed: u64,
    /// Entries of a hub; otherwise a quarter to a half of the rows.
    pub hub_entries: Option<u32>,
}

impl FromStr for PowerLaw {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words: Vec<&str> = text.split(',').collect();
        let (&[rows, exponent, hubs, seed], rest) =
            words.split_first_chunk().ok_or("expected ROWS,EXPONENT,HUBS,SEED[,ENTRIES]")?;
        let rows = rows.parse().ok().filter(|rows| (1..=1 << 26).contains(rows)).ok_or("ROWS must be 1 to 2^26")?;
        let exponent = exponent.parse().ok().filter(|exponent: &f64| exponent.is_finite());
        let hub_entries = match rest {
            [] => None,
            [entries] => Some(entries.parse().map_err(|_| "ENTRIES must be a whole number")?),
            _ => return Err("expected ROWS,EXPONENT,HUBS,SEED[,ENTRIES]"),
        };
        Ok(Self {
            rows,
            exponent: exponent.ok_or("EXPONENT must be a number")?,
            hubs: hubs.parse().ok().filter(|&hubs| hubs <= rows).ok_or("HUBS must be at most ROWS")?,
            seed: seed.parse().map_err(|_| "SEED must be a whole number")?,
            hub_entries,
        })
    }
}

impl PowerLaw {
    /// A square matrix with P(length) ~ length^-exponent for lengths of 1 to 1024, but for the hubs.
    ///
    /// `None` when it would have more than [`MOST_ENTRIES`].
    pub fn matrix(&self) -> Option<Matrix> {
        let Self { rows, exponent, hubs, seed, hub_entries } = *self;
        let mut random = Random(seed);
        let longest = rows.clamp(1, 1024);
        let mut total = 0.0;
        let cumulative: Vec<f64> = (1..=longest)
            .map(|length| {
                total += f64::from(length).powf(-exponent);
                total
            })
            .collect();
        let mut lengths: Vec<u32> = (0..rows)
            .map(|_| {
                let point = random.unit() * total;
                1 + cumulative[..cumulative.len() - 1].partition_point(|&sum| sum < point) as u32
            })
            .collect();
        for _ in 0..hubs {
            let row = random.below(rows) as usize;
            lengths[row] = match hub_entries {
                Some(entries) => entries,
                None => rows / 4 + random.below(rows / 4 + 1),
            };
        }
        filled(format!("power law, seed {seed}"), rows, &lengths, random)
    }
}

/// A square matrix whose rows all have one length.
pub fn uniform(rows: u32, entries_a_row: u32, seed: u64) -> Option<Matrix> {
    let name = format!("uniform, {entries_a_row} a row");
    filled(name, rows, &vec![entries_a_row; rows as usize], Random(seed))
}

/// Columns and values by chance, row after row.
fn filled(name: String, columns: u32, lengths: &[u32], mut random: Random) -> Option<Matrix> {
    let entries: usize = lengths.iter().map(|&length| length as usize).sum();
    if entries > MOST_ENTRIES {
        return None;
    }
    let mut at = 0;
    let mut start = vec![0];
    start.extend(lengths.iter().map(|&length| {
        at += length as i32;
        at
    }));
    let (column, value) = (0..entries).map(|_| (random.below(columns) as i32, random.signed_unit())).unzip();
    Some(Matrix { name, columns: columns as usize, start, column, value })
}
