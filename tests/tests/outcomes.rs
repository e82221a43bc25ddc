//! The outcomes of `litmus/outcomes.cu`, collected over policies, seeds and orders of blocks, against what an H200 showed
//! (`litmus/outcomes.h200.txt`): nothing that the launch model forbids happens, and all that happened there can happen here.

use hotfire_tests::{Output, run_with};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const RECORDED: &str = include_str!("../../litmus/outcomes.h200.txt");

/// Recorded outcomes that need not happen here, none of them one of scheduling; litmus/README.md says more.
const LEFT_OUT: [(&str, &str); 2] = [
    // Device code made a stream without cudaStreamNonBlocking.
    ("flags-of-streams-and-events", "0 1"),
    // A slot of the pool came back after the host had synchronised with the grid that held it: forbidden by 3.5.1.
    ("pool-nesting", "3 taken, 4 ran, 1 dropped with 69, then 0"),
];

/// Tests that leave room which hardware did not use: both kinds of outcome, told apart by how they begin, happen here.
const BOTH: [(&str, &str, &str); 19] = [
    ("per-thread-streams", "1", "2"),
    ("child-starts", "while", "behind"),
    ("child-starts-null", "while", "behind"),
    ("child-starts-named", "while", "behind"),
    ("two-named", "1", "2"),
    ("fork-and-join", "1 2 3", "1 3 2"),
    ("tail-first", "3 1", "3 2"),
    ("pool-short", "none", "some"),
    ("all-trigger", "early", "late"),
    ("one-thread-triggers", "early", "late"),
    ("other-blocks-exit", "early", "late"),
    ("cluster-both-trigger", "early", "late"),
    ("trigger-without-wait", "old", "new"),
    ("chain-triggers", "early", "late"),
    ("chain-triggers-then-waits", "early", "late"),
    ("programmatic-event", "early", "late"),
    ("port-programmatic", "early", "late"),
    ("port-launch-completion", "early", "late"),
    ("captured-dependent", "early", "late"),
];

type Outcomes = BTreeMap<String, BTreeSet<String>>;

/// `test | outcome | count`
fn outcomes(text: &str) -> Outcomes {
    let mut all = Outcomes::new();
    for line in text.lines().filter(|line| !line.starts_with("FORBIDDEN")) {
        if let [test, outcome, _] = line.split(" | ").collect::<Vec<_>>()[..] {
            all.entry(test.to_owned()).or_default().insert(outcome.to_owned());
        }
    }
    all
}

fn forbidden(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("FORBIDDEN")).collect()
}

/// What the program prints under a policy, and in a random order of blocks and warps if there is a seed for that.
fn run(policy: &str, blocks: Option<u64>, arguments: &[&str]) -> Output {
    let order = blocks.map(|seed| format!("random:{seed}"));
    let mut environment = vec![("HOTFIRE_POLICY", policy)];
    environment.extend(order.as_ref().map(|order| ("HOTFIRE_BLOCK_ORDER", order.as_str())));
    run_with("outcomes", arguments, &environment)
}

/// How often each test runs, and for how many microseconds its grids wait for what may never come.
const OFTEN: [&str; 2] = ["12", "5000"];

/// Tests of what does not hang on blocks that start in increasing order (launch-model 2.6).
const ANY_ORDER: [&str; 7] =
    ["blocks-in-any-order", "one-more-than-fits", "nested", "null-stream", "tail", "all-trigger", "pool"];

/// The outcomes under many schedules.
fn collect() -> Outcomes {
    let mut schedules: Vec<(String, Option<u64>)> = vec![("eager".to_owned(), None), ("latest".to_owned(), None)];
    schedules.extend((0..12).map(|seed| (format!("random:{seed}"), None)));
    schedules.extend((0..6).map(|seed| (format!("random:{seed}"), Some(seed))));
    schedules.push(("eager".to_owned(), Some(6)));
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Outcomes::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((policy, blocks)) = schedules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut arguments = OFTEN.to_vec();
                    if blocks.is_some() {
                        arguments.extend(ANY_ORDER);
                    }
                    let output = run(policy, *blocks, &arguments);
                    assert_eq!(forbidden(&output.stdout), [""; 0], "{policy} {blocks:?}");
                    let output = output.success();
                    let mut all = all.lock().expect("no thread failed while it held the outcomes");
                    for (test, found) in outcomes(&output.stdout) {
                        all.entry(test).or_default().extend(found);
                    }
                }
            });
        }
    });
    all.into_inner().expect("no thread failed while it held the outcomes")
}

#[test]
fn all_that_hardware_showed_can_happen_and_nothing_that_is_forbidden() {
    let (here, there) = (collect(), outcomes(RECORDED));
    assert_eq!(here.keys().collect::<Vec<_>>(), there.keys().collect::<Vec<_>>(), "the record is of other tests");
    let mut missing = Vec::new();
    for (test, recorded) in &there {
        let is_wanted = |outcome: &&String| !LEFT_OUT.contains(&(test.as_str(), outcome.as_str()));
        let impossible = recorded.iter().filter(is_wanted).filter(|&outcome| !here[test].contains(outcome));
        missing.extend(impossible.map(|outcome| format!("{test}: an H200 showed {outcome}, here {:?}", here[test])));
    }
    for (test, one, other) in BOTH {
        for kind in [one, other] {
            if !here[test].iter().any(|outcome| outcome.starts_with(kind)) {
                missing.push(format!("{test}: never {kind}…, only {:?}", here[test]));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_record_has_the_outcomes_that_are_left_out_and_one_that_is_forbidden() {
    let there = outcomes(RECORDED);
    for (test, outcome) in LEFT_OUT {
        assert!(there[test].contains(outcome), "{test}: {outcome}");
    }
    let [contradiction] = forbidden(RECORDED)[..] else { panic!("{:?}", forbidden(RECORDED)) };
    assert!(contradiction.starts_with("FORBIDDEN pool-nesting | 3 taken"), "{contradiction}");
}

/// Three tests of the program allow what never happens.
#[test]
fn the_program_tells_what_is_forbidden() {
    let output = run("eager", None, &["1", "5000", "WRONG"]);
    assert_eq!(output.code, Some(1));
    assert_eq!(forbidden(&output.stdout).len(), 3, "{}", output.stdout);
}
