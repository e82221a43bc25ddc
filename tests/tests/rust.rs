//! The examples in Rust under `hotfire check`: silent as they are, in every strategy and form; and each fault that they can plant is reported
//! with the line of the Rust source that launched.

use std::path::PathBuf;
use std::sync::OnceLock;

use hotfire_check::{Finding, Report, Rule, Severity};
use hotfire_tests::{check, hotfire, output};
use xtask::hotfire::{Profile, cargo_build};

const MATRIX: &str = "data/debian-deps.mtx.gz";
const DEVICE: &str = "examples/spmv/src/device.rs";

fn example(name: &str) -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        cargo_build(Profile::own(), &["spmv", "solver"]).expect("the examples build");
    });
    Profile::own().directory().join(name)
}

fn report(name: &str, options: &[&str], program: &str, arguments: &[&str]) -> Report {
    let file = std::env::temp_dir().join(format!("hotfire-rust-{}-{name}.json", std::process::id()));
    let checked = check(options, &file, &example(program), arguments);
    let _ = std::fs::remove_file(&file);
    checked.unwrap_or_else(|error| panic!("{name}: {error}")).0
}

/// Errors and warnings.
fn faults(report: &Report) -> Vec<&Finding> {
    report.findings.iter().filter(|finding| finding.severity != Severity::Note).collect()
}

/// The line of a source that holds some text.
fn line_of(file: &str, text: &str) -> u32 {
    let source = std::fs::read_to_string(xtask::root().join(file)).expect("the source is there");
    1 + source.lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{file} has no `{text}`")) as u32
}

/// Whether a launch that led to a side of the finding was made at a line.
#[track_caller]
fn assert_launched_at(finding: &Finding, file: &str, line: u32) {
    let launches = finding.accesses.iter().flat_map(|access| &access.launches);
    let mut frames = launches.flat_map(|launch| &launch.stack);
    let found =
        frames.any(|frame| frame.file.as_deref().is_some_and(|path| path.ends_with(file)) && frame.line == Some(line));
    assert!(found, "no launch at {file}:{line}: {finding:#?}");
}

#[track_caller]
fn planted(report: &Report, rule: Rule, launch: &str) {
    let faults = faults(report);
    let finding = faults.iter().find(|finding| finding.rule == rule);
    let finding = finding.unwrap_or_else(|| panic!("no {rule:?}: {faults:#?}"));
    assert_launched_at(finding, DEVICE, line_of(DEVICE, launch));
}

#[test]
fn spmv_is_clean_in_every_strategy() {
    for (name, options, arguments) in [
        ("all", &[][..], &["--repeat", "2", "--heavy", "256", MATRIX][..]),
        ("latest", &["--policy", "latest"], &["--heavy", "256", MATRIX]),
        ("random", &["--policy", "random:3"], &["--heavy", "256", MATRIX]),
        ("auto", &[], &["--strategy", "auto", MATRIX]),
        ("tune", &[], &["--strategy", "two-pass", "--tune", "--generate", "3000,1.8,2,7"]),
        ("bench", &[], &["bench", "--quick", "--only", "layers,trees"]),
    ] {
        let report = report(name, options, "spmv", arguments);
        assert!(faults(&report).is_empty(), "{name}: {:#?}", report.findings);
        assert!(report.summary.pool.lost.is_empty(), "{name}");
    }
}

#[test]
fn solver_is_clean_in_every_form() {
    for policy in ["eager", "latest"] {
        let options = ["--policy", policy];
        let report = report(policy, &options, "solver", &["--generate", "300,1.8,2,7"]);
        assert!(faults(&report).is_empty(), "{policy}: {:#?}", report.findings);
    }
}

#[test]
fn a_missing_failure_check_is_reported() {
    let arguments = ["--strategy", "cdp", "--heavy", "64", "--pool", "1", "--plant", "no-failure-check", MATRIX];
    let report = report("no-failure-check", &["--policy", "latest"], "spmv", &arguments);
    planted(&report, Rule::LaunchLostError, "over_rows(kernel, self.rows).on(");
}

#[test]
fn a_missing_wait_is_reported() {
    let report = report("no-wait", &[], "spmv", &["--strategy", "merge", "--plant", "no-wait", MATRIX]);
    planted(&report, Rule::RacePdl, "self.merge.run(&self.stream)");
}

#[test]
fn an_unguarded_read_of_mapped_memory_is_reported() {
    let report = report("early-read", &[], "spmv", &["--strategy", "two-pass", "--plant", "early-read", MATRIX]);
    planted(&report, Rule::RaceHost, "self.kernels.publish.over(1, 1).on(");
    let line = line_of(DEVICE, "early[0]");
    let faults = faults(&report);
    let mut calls = faults.iter().flat_map(|finding| &finding.accesses).flat_map(|access| access.calls());
    assert!(calls.any(|frame| frame.line == Some(line)), "the read itself is shown: {faults:#?}");
}

#[test]
fn a_pool_that_is_too_small_is_reported() {
    let arguments = ["--strategy", "cdp", "--heavy", "64", "--plant", "small-pool", MATRIX];
    let report = report("small-pool", &["--policy", "latest"], "spmv", &arguments);
    planted(&report, Rule::LaunchPool, "over_rows(kernel, self.rows).on(");
}

#[test]
fn every_form_of_the_solver_does_the_same() {
    let mut command = hotfire().run(&example("solver"));
    command.args(["--json", "--generate", "2000,1.8,4,7"]);
    let printed = output(command).success().stdout;
    let rows: serde_json::Value = serde_json::from_str(&printed).expect("one JSON document");
    let rows = rows.as_array().expect("a list");
    // The program itself compares iterations, residuals and x of all forms; the digest of conjugate gradients is
    // that of an H200 (docs/h200.md).
    let digests: Vec<_> = rows.iter().map(|row| row["digest"].as_str().expect("text")).collect();
    assert_eq!(digests, [["d8772b0073dec73a"; 6], ["6a58b12abaae5824"; 6]].concat());
}
