//! The last lines of a check: what was found, what ran, how full the launch pool was.

use crate::words::counted;
use hotfire_check::{Pool, Report, Severity, Summary};

/// Lines without an ending, the verdict first. They are the same whatever the format of the findings is.
pub fn summary(report: &Report) -> Vec<String> {
    let Report { findings, summary, .. } = report;
    let of = |severity| findings.iter().filter(|finding| finding.severity == severity).count() as u64;
    let numbers = [("error", of(Severity::Error)), ("warning", of(Severity::Warning)), ("note", of(Severity::Note))];
    let mut found: Vec<_> =
        numbers.iter().filter(|(_, number)| *number > 0).map(|(word, number)| counted(*number, word)).collect();
    if summary.suppressed > 0 {
        found.push(format!("{} suppressed", summary.suppressed));
    }
    let verdict = match (numbers[0].1 + numbers[1].1, &found[..]) {
        (0, []) if is_idle(summary) => "nothing was launched".to_owned(),
        (0, []) => "clean".to_owned(),
        (0, found) => format!("clean, {}", found.join(", ")),
        (_, found) => found.join(", "),
    };
    let mut lines = vec![format!("{verdict}{}: {}", schedules(&summary.schedules), ran(summary))];
    for lost in &summary.pool.lost {
        let noticed = match lost.noticed {
            all if all == lost.count => "all noticed by the launching thread".to_owned(),
            0 => "none noticed".to_owned(),
            some => format!("{some} noticed by the launching thread"),
        };
        lines.push(format!("lost: {} of {}, {noticed}", counted(lost.count, "launch"), lost.kernel));
    }
    lines.extend(summary.notes.iter().map(|note| format!("note: {note}")));
    lines.into_iter().map(|line| super::sources::printable(&line).replace('\n', " ")).collect()
}

fn is_idle(summary: &Summary) -> bool {
    summary.host_launches == 0 && summary.device_launches == 0
}

fn schedules(schedules: &[String]) -> String {
    match schedules {
        [] | [_] => String::new(),
        [first, .., last] => format!(" in {} schedules ({first} to {last})", schedules.len()),
    }
}

fn ran(summary: &Summary) -> String {
    let Summary { host_launches, device_launches, pool, .. } = summary;
    format!("{}, {}, {}", counted(*host_launches, "launch"), counted(*device_launches, "device launch"), fill(pool))
}

/// The high-water mark, and the limit to set.
fn fill(pool: &Pool) -> String {
    let Pool { size, high_water, worst_case, .. } = pool;
    let mark =
        if *size == 0 { format!("launch pool {high_water}") } else { format!("launch pool {high_water} of {size}") };
    let worst = (*worst_case).max(u64::from(*high_water));
    if worst == 0 {
        mark
    } else if worst <= u64::from(*size) {
        format!("{mark} ({worst} in the worst schedule: a limit of {worst} is enough)")
    } else {
        format!("{mark} ({worst} in the worst schedule: set cudaLimitDevRuntimePendingLaunchCount to {worst})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use hotfire_check::{Finding, Rule};

    fn clean() -> Report {
        let mut report = examples::report();
        report.findings.clear();
        report.summary = Summary { host_launches: 3, device_launches: 12, ..Summary::default() };
        report.summary.pool = Pool { size: 2048, high_water: 4, worst_case: 12, lost: Vec::new() };
        report
    }

    #[test]
    fn a_clean_program_prints_one_line() {
        let line = "clean: 3 launches, 12 device launches, launch pool 4 of 2048 (12 in the worst schedule: a limit of 12 is enough)";
        assert_eq!(summary(&clean()), [line]);
    }

    #[test]
    fn the_limit_to_set_is_named() {
        let mut report = clean();
        report.summary.pool.worst_case = 4000;
        let [line] = &summary(&report)[..] else { panic!() };
        assert!(
            line.ends_with("(4000 in the worst schedule: set cudaLimitDevRuntimePendingLaunchCount to 4000)"),
            "{line}"
        );
    }

    #[test]
    fn notes_and_suppressed_findings_leave_a_program_clean() {
        let mut report = clean();
        report.findings.push(Finding::new(Rule::AdviceStorm, "many"));
        report.summary.suppressed = 2;
        report.summary.schedules = (0..64).map(|seed| format!("random:{seed}")).collect();
        let [line] = &summary(&report)[..] else { panic!() };
        assert!(
            line.starts_with("clean, 1 note, 2 suppressed in 64 schedules (random:0 to random:63): 3 la"),
            "{line}"
        );
    }

    #[test]
    fn what_was_lost_is_listed() {
        let lines = summary(&examples::report());
        assert!(lines[0].starts_with("2 errors, 1 note: 3 launches, "), "{lines:?}");
        assert_eq!(lines[1], "lost: 52 launches of step(int*), none noticed");
    }

    #[test]
    fn a_program_that_launched_nothing_is_not_called_clean() {
        let report = Report { version: 1, ..Report::default() };
        assert_eq!(summary(&report), ["nothing was launched: 0 launches, 0 device launches, launch pool 0"]);
    }
}
