//! CUB, Thrust and cooperative groups over up to ten data types (`programs/cub-*.cu`, `thrust.cu`, `groups.cu`): each program
//! compares every result, bit for bit, with one that the host made without them.
//!
//! Here run all types with small sizes, on and around the edges of warps, and one type a program with many blocks.
//! `CUB_SIZES=1000000,10000000` runs those sizes of all types instead, which takes a while.

use hotfire_tests::{hotfire, output, program};

/// What each program is built for: its width in bits, and the types of that width.
const WIDTHS: [(&str, &[&str]); 4] = [
    ("8", &["int8", "uint8"]),
    ("16", &["int16", "half"]),
    ("32", &["int32", "uint32", "float"]),
    ("64", &["int64", "uint64", "double"]),
];

/// One run: `types` of `sizes`; every case with a line that says ok.
#[track_caller]
fn verifies(name: &str, types: &[&str], sizes: &str) {
    let chosen = if let [one] = types { one } else { "all" };
    let mut command = hotfire().run(&program(name));
    command.args([chosen, sizes]);
    let ended = output(command).success();
    for kind in types {
        for size in sizes.split(',') {
            let line = format!("{kind} {size} ok");
            assert!(ended.stdout.lines().any(|found| found == line), "{name}: no line {line:?} in\n{}", ended.stdout);
        }
    }
}

/// A program that is built once for each of `widths`.
#[track_caller]
fn types_of(name: &str, widths: &[&str]) {
    for (round, (width, types)) in WIDTHS.into_iter().filter(|(width, _)| widths.contains(width)).enumerate() {
        let name = format!("{name}-{width}");
        if let Ok(sizes) = std::env::var("CUB_SIZES") {
            for size in sizes.split(',') {
                types.iter().for_each(|kind| verifies(&name, &[kind], size));
            }
            continue;
        }
        verifies(&name, types, "0,1,31,32,33,1000");
        verifies(&name, &types[round % types.len()..][..1], "100003");
    }
}

#[test]
fn cub_sorts() {
    types_of("cub-sort", &["8", "16", "32", "64"]);
}

#[test]
fn cub_scans_reduces_and_counts() {
    types_of("cub-scan", &["8", "16", "32", "64"]);
}

#[test]
fn cub_selects_and_partitions() {
    types_of("cub-select", &["16", "32"]);
}

#[test]
fn cub_inside_kernels() {
    types_of("cub-block", &["16"]);
}

#[test]
fn thrust() {
    types_of("thrust", &["16"]);
}

#[test]
fn cooperative_groups() {
    let types: Vec<&str> = WIDTHS.iter().flat_map(|(_, types)| *types).copied().collect();
    match std::env::var("CUB_SIZES") {
        Ok(sizes) => sizes.split(',').for_each(|size| types.iter().for_each(|kind| verifies("groups", &[kind], size))),
        Err(_) => {
            verifies("groups", &types, "0,1,31,32,33,1000");
            verifies("groups", &["int16"], "100003");
        }
    }
}
