//! `hotfire check --outcome` on the cases of `tests/outcome/`: what `differs` is noted at the annotated lines, and what is the `same`, or
//! differs for a reason that the program shows, is not.
//!
//! `CASES_SEEDS=64` compares with that many seeds instead of the default schedules.

use std::env;

use hotfire_check::Rule;
use hotfire_tests::case::Case;
use hotfire_tests::verdict;
use xtask::cases;

fn check(case: &Case) -> Result<(), String> {
    let file = case.executable.with_extension("outcome.json");
    let mut options = vec!["--outcome", "--block-order", "random", "--error-exitcode", "0"];
    let seeds = env::var("CASES_SEEDS").map(|seeds| format!("0..{seeds}"));
    if let Ok(seeds) = &seeds {
        options.extend(["--seeds", seeds]);
    }
    let (report, ended) = hotfire_tests::check(&options, &file, &case.executable, &case.arguments)?;
    let mut wrong = verdict::compare(case, "outcome", &report);
    let noted = report.findings.iter().filter(|finding| finding.rule == Rule::AdviceOutcome).count();
    let expected = case.expected.iter().filter(|expected| expected.rule == Rule::AdviceOutcome).count();
    if (noted == 0) != (expected == 0) {
        wrong.push(format!("{noted} notes, not {expected}"));
    }
    if ended.code != Some(0) {
        wrong.push(format!("exit code {:?}", ended.code));
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{}: {}\n{}", case.name, wrong.join("\n"), ended.stderr)) }
}

fn all(group: &str) {
    let programs = cases::build_of(&["outcome"]).expect("the cases build");
    let cases = programs.iter().filter(|program| program.name.starts_with(group));
    let wrong: Vec<String> = cases
        .map(|program| Case::read(program).expect("the comments of a case are right"))
        .filter_map(|case| check(&case).err())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_depends_on_the_schedule_is_noted() {
    all("outcome/differs");
}

#[test]
fn what_programs_explain_is_not() {
    all("outcome/same");
}
