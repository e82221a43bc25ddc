//! `spmv bench`: what a device does with the strategies, with chains of small kernels, and with trees of launches.
//!
//! Everything is a median of several times taken in one process, between events of one stream. The program carries its kernels as PTX, so that it
//! runs wherever a driver is (and the device runtime, to which they are linked: see `hotfire_host::device_runtime`).

mod copy;
mod cusparse;
mod layers;
mod matrices;
mod products;
mod trees;

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hotfire_host::{Device, LaunchPool, Stream};
use serde_json::{Map, Value, json};

use crate::text;

/// What is measured, and where the results go.
#[derive(Args)]
pub struct Options {
    /// Matrix Market file to measure beside the generated matrices; may be given again
    #[arg(value_name = "MATRIX")]
    files: Vec<PathBuf>,
    /// Only some of it
    #[arg(long, value_enum, value_delimiter = ',', default_value = "products,layers,trees")]
    only: Vec<Part>,
    /// Small matrices and few runs, to see that it works
    #[arg(long)]
    quick: bool,
    /// Slots of the launch pool
    #[arg(long, default_value_t = 16_384, value_name = "SLOTS")]
    pool: usize,
    /// Folder for bench.json, bench.md and the pictures [default: only print]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// A part of the measurements.
#[derive(Clone, Copy, Eq, PartialEq, ValueEnum)]
enum Part {
    Products,
    Layers,
    Trees,
}

/// What a part found: for machines, for readers, and as pictures by name.
struct Found {
    json: Value,
    markdown: String,
    pictures: Vec<(String, String)>,
}

/// Measures all that was asked for.
pub fn run(options: &Options) -> Result<bool, String> {
    let device = Device::open(0).map_err(text)?;
    let pool = LaunchPool::for_pending(&device, options.pool).map_err(text)?;
    let stream = Stream::new(&device).map_err(text)?;
    let name = device.name().map_err(text)?;
    let mut all = Map::new();
    all.insert("device".to_owned(), json!(name));
    all.insert("pool".to_owned(), json!(pool.granted()));
    let mut markdown = format!("{name}, a launch pool of {} slots\n", pool.granted());
    for part in [Part::Products, Part::Layers, Part::Trees] {
        if !options.only.contains(&part) {
            continue;
        }
        let (title, found) = match part {
            Part::Products => ("products", products::measure(&device, &pool, options)?),
            Part::Layers => ("layers", layers::measure(&stream, options.quick).map_err(text)?),
            Part::Trees => ("trees", trees::measure(&stream, options.quick)?),
        };
        println!("\n## {title}\n\n{}", found.markdown);
        markdown += &format!("\n## {title}\n\n{}", found.markdown);
        all.insert(title.to_owned(), found.json);
        if let Some(folder) = &options.out {
            // After each part: what takes long must not be lost to what comes behind.
            let document = serde_json::to_string_pretty(&all).map_err(|error| error.to_string())?;
            write(folder, "bench.json", &document)?;
            write(folder, "bench.md", &markdown)?;
            for (name, picture) in &found.pictures {
                write(folder, &format!("{name}.svg"), picture)?;
            }
        }
    }
    Ok(true)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = folder.join(name);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// A table in markdown; the first column is text.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|&cell| cell.to_owned()).collect();
    let rule = format!("|---|{}\n", "---:|".repeat(head.len() - 1));
    let rows: String = rows.iter().map(|row| line(row)).collect();
    line(&head) + &rule + &rows
}
