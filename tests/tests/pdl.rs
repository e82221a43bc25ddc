//! Waits that are missing, late or partial, planted at every position of chains of programmatic launches up to depth 6: exactly the
//! right report under every policy, and none for the chain without a fault.

use hotfire_check::{Report, Rule, Severity, Thread};
use hotfire_tests::{hotfire, output, program};
use std::collections::BTreeSet;

const POLICIES: [&str; 4] = ["eager", "latest", "random:3", "random:8"];

/// The faults of a run: its errors and warnings.
fn check(depth: u32, position: u32, kind: u32, options: &[&str]) -> Report {
    let mut command = hotfire().command();
    command.arg("check").args(options).args(["--format", "json", "--"]).arg(program("pdl-plant"));
    command.args([depth, position, kind].map(|number| number.to_string()));
    let ended = output(command);
    let mut report: Report = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    report.findings.retain(|finding| finding.severity != Severity::Note);
    report
}

fn rules(report: &Report) -> Vec<Rule> {
    let mut rules: Vec<Rule> = report.findings.iter().map(|finding| finding.rule).collect();
    rules.sort_by_key(|rule| rule.name());
    rules
}

/// The launches, counted from 1, that the findings of a rule are about.
fn grids(report: &Report, rule: Rule) -> BTreeSet<u64> {
    let findings = report.findings.iter().filter(|finding| finding.rule == rule);
    let threads = findings.flat_map(|finding| &finding.accesses).map(|access| &access.thread);
    threads.filter_map(|thread| if let Thread::Device { grid, .. } = thread { Some(*grid) } else { None }).collect()
}

fn plant(kind: u32, rules_of: &[Rule], first: i64, last: u32) {
    for depth in 2..=6 {
        for position in 1..depth - last {
            for policy in POLICIES {
                let report = check(depth, position, kind, &["--policy", policy]);
                let place = format!("kind {kind} at {position} of {depth}, {policy}: {:#?}", report.findings);
                assert_eq!(rules(&report), rules_of, "{place}");
                let position = i64::from(position);
                let pair = [position + 1 + first, position + 1 + i64::from(last)].map(|grid| grid as u64);
                assert_eq!(grids(&report, rules_of[rules_of.len() - 1]), BTreeSet::from(pair), "{place}");
            }
        }
    }
}

#[test]
fn a_chain_in_which_all_wait_is_silent() {
    for depth in 1..=6 {
        for policy in POLICIES {
            let report = check(depth, 0, 0, &["--policy", policy]);
            assert_eq!(rules(&report), [], "{depth}, {policy}: {:#?}", report.findings);
        }
    }
}

#[test]
fn a_wait_that_is_missing() {
    plant(1, &[Rule::PdlNoWait, Rule::RacePdl], -1, 0);
}

#[test]
fn a_read_before_the_wait() {
    plant(2, &[Rule::RacePdl], -1, 0);
}

#[test]
fn a_write_before_the_wait() {
    plant(3, &[Rule::RacePdl], -1, 0);
}

#[test]
fn a_wait_of_one_warp_only() {
    plant(4, &[Rule::PdlPartialWait, Rule::RacePdl], -1, 0);
}

#[test]
fn a_read_before_the_wait_on_one_branch() {
    plant(6, &[Rule::RacePdl], -1, 0);
}

#[test]
fn a_kernel_between_that_does_not_wait() {
    plant(5, &[Rule::PdlChain], -1, 1);
    // As hardware has it, it is no fault.
    assert_eq!(rules(&check(4, 1, 5, &["--pdl", "inorder"])), []);
}
