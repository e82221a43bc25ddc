//! The cases of `tests/pass/` without the checker: each verifies its own results under every policy. And what holds for all cases:
//! they are annotated, and each `fail` case has a twin.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hotfire_tests::case::Case;
use hotfire_tests::{hotfire, output};
use xtask::cases;

fn all() -> Vec<Case> {
    let programs = cases::list().expect("the cases can be listed");
    programs.iter().map(|program| Case::read(program).expect("the comments of a case are right")).collect()
}

#[test]
fn cases_are_annotated() {
    for case in all() {
        let is_fail = case.name.starts_with("fail/");
        let is_note = |rule: hotfire_check::Rule| rule.severity() == hotfire_check::Severity::Note;
        if is_fail {
            assert!(!case.expected.is_empty(), "{} expects nothing", case.name);
        } else {
            assert!(case.expected.iter().all(|expected| is_note(expected.rule)), "{} expects a fault", case.name);
        }
    }
}

/// The twin names its case in its first lines; it may have another name (d08 is the twin of d07).
#[test]
fn fail_cases_have_twins() {
    let cases = all();
    let twins: Vec<String> = cases
        .iter()
        .filter(|case| case.name.starts_with("pass/"))
        .filter_map(|case| {
            let text = std::fs::read_to_string(&case.source).expect("a case can be read");
            let (_, twin) = text.lines().next()?.split_once("The twin of ")?;
            Some(twin.split_once(".cu")?.0.to_owned())
        })
        .collect();
    for case in cases.iter().filter(|case| case.name.starts_with("fail/")) {
        assert!(twins.contains(&case.name), "{} has no twin under tests/pass", case.name);
    }
}

#[test]
fn pass_cases_compute_what_they_should_under_every_policy() {
    cases::build().expect("the cases build");
    let cases: Vec<Case> =
        all().into_iter().filter(|case| case.name.starts_with("pass/") && case.needs.is_none()).collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for policy in ["eager", "latest", "random:1", "random:2", "random:3"] {
                        let mut command = hotfire().run(&case.executable);
                        command.args(&case.arguments).env("HOTFIRE_POLICY", policy);
                        let ended = output(command);
                        if ended.code != Some(0) {
                            let what = format!("{} under {policy}: {ended:?}", case.name);
                            wrong.lock().expect("nobody panics with the list").push(what);
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("all have ended");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
