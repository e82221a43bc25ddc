//! Compares what `hotfire check` reported with what a case expects: every error and warning must be annotated, and every annotation found.
//!
//! An annotation stands at one side of a finding. Which of two unordered accesses comes later depends on the schedule, so a finding
//! matches if either of its sides is at the annotated line. Notes never count, but an annotated note must be there.

use std::path::Path;

use hotfire_check::{Access, Finding, Report, Severity};

use crate::case::{Case, Expected, Under};

/// What is wrong with a report, a line for each; nothing if it is as expected. `policy` is `default`, `eager`, `latest` or `random`.
pub fn compare(case: &Case, policy: &str, report: &Report) -> Vec<String> {
    let under = case.under(policy);
    let is_wanted = |expected: &&Expected| match under {
        None | Some(Under::Any) => true,
        Some(Under::Rules(rules)) => rules.contains(&expected.rule),
    };
    let expected: Vec<&Expected> = case.expected.iter().filter(is_wanted).collect();
    let mut wrong = Vec::new();
    for finding in report.findings.iter().filter(|finding| finding.severity != Severity::Note) {
        if !expected.iter().any(|expected| matches(case, expected, finding)) {
            wrong.push(format!("not expected: {} {}: {}", finding.rule, places(case, finding), finding.message));
        }
    }
    if under != Some(&Under::Any) {
        for expected in &expected {
            if !report.findings.iter().any(|finding| matches(case, expected, finding)) {
                let line = expected.line.map_or_else(String::new, |line| format!(" at line {line}"));
                wrong.push(format!("not found: {}{line}", expected.rule));
            }
        }
    }
    for (field, value) in &case.pool {
        let pool = &report.summary.pool;
        let said = match field.as_str() {
            "size" => pool.size.into(),
            "high-water" => pool.high_water.into(),
            "worst-case" => pool.worst_case,
            // How many are lost when depends on the policy.
            "lost" | "noticed" if under.is_some() => continue,
            "lost" => pool.lost.iter().map(|lost| lost.count).sum(),
            "noticed" => pool.lost.iter().map(|lost| lost.noticed).sum(),
            other => return vec![format!("nobody knows `//@pool {other}`")],
        };
        if said != *value {
            wrong.push(format!("the summary says {field}={said}, not {value}"));
        }
    }
    wrong
}

/// Whether a report has an error, which decides the exit code of `hotfire check`.
pub fn has_error(report: &Report) -> bool {
    report.findings.iter().any(|finding| finding.severity == Severity::Error)
}

fn matches(case: &Case, expected: &Expected, finding: &Finding) -> bool {
    if finding.rule != expected.rule {
        return false;
    }
    match expected.line {
        Some(line) if case.has_lines => lines(case, finding).any(|found| found == line),
        _ => true,
    }
}

/// The lines of the case's own source at which the sides of a finding are.
fn lines<'a>(case: &'a Case, finding: &'a Finding) -> impl Iterator<Item = u32> + 'a {
    finding.accesses.iter().filter_map(|access| line(case, access))
}

/// Device code has a place; host code a stack, of which the innermost frame in the case itself counts.
fn line(case: &Case, access: &Access) -> Option<u32> {
    let file = case.source.file_name().expect("a case has a name");
    let is_own = |path: &Option<String>| path.as_deref().is_some_and(|path| Path::new(path).file_name() == Some(file));
    let place = access.place.as_ref().filter(|place| is_own(&place.file)).and_then(|place| place.line);
    place.or_else(|| access.calls().find(|frame| is_own(&frame.file)).and_then(|frame| frame.line))
}

fn places(case: &Case, finding: &Finding) -> String {
    let lines: Vec<String> = lines(case, finding).map(|line| line.to_string()).collect();
    if lines.is_empty() { "nowhere in the source".to_owned() } else { format!("at {}", lines.join(" and ")) }
}
