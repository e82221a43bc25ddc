//! One report of several: processes of one run, and runs under several schedules.
//!
//! Findings are one kind if the same rule is broken at the same two places, whichever side came first: another schedule may well turn a race
//! around. What is shown of a kind is its occurrence with the least replay token, and merged findings are sorted, so that the parts of a
//! partition merge into the same bytes in any order.

use hotfire_check::{Finding, Lost, Place, Pool, Report, Rule, Summary};
use std::cmp::Ordering;
use std::collections::btree_map::{BTreeMap, Entry};

/// What makes two findings one kind.
type Kind = (Rule, Vec<(Option<Place>, String)>, String);

fn kind(finding: &Finding) -> Kind {
    let mut sides: Vec<_> =
        finding.accesses.iter().map(|side| (side.place.clone(), side.thread.name().to_owned())).collect();
    sides.sort();
    // Without places, the sentence is what tells two findings apart.
    let placed = finding.accesses.iter().any(|side| side.place.is_some());
    (finding.rule, sides, if placed { String::new() } else { finding.message.clone() })
}

/// Reports of one program under several schedules. Counts of findings are added; of launches and of the pool, the most that one schedule had.
///
/// A single report keeps its order; several are sorted by severity, rule and place.
pub fn merge(reports: impl IntoIterator<Item = Report>) -> Report {
    let mut reports = reports.into_iter();
    let Some(mut merged) = reports.next() else { return empty() };
    let mut several = false;
    for report in reports {
        several = true;
        merged.findings.extend(report.findings);
        merged.summary = schedules_of(merged.summary, report.summary);
    }
    merged.findings = by_kind(merged.findings);
    if several {
        sort(&mut merged);
    }
    merged
}

/// Reports of the processes of one run: everything is added. A single report keeps its order.
pub fn processes(reports: impl IntoIterator<Item = Report>) -> Report {
    let mut reports = reports.into_iter();
    let Some(mut merged) = reports.next() else { return empty() };
    let mut several = false;
    for report in reports {
        several = true;
        merged.findings.extend(report.findings);
        let (a, b) = (merged.summary, report.summary);
        let (host, device) = (a.host_launches + b.host_launches, a.device_launches + b.device_launches);
        let lost = sum_lost(a.pool.lost.iter().chain(&b.pool.lost));
        merged.summary = schedules_of(a, b);
        merged.summary.host_launches = host;
        merged.summary.device_launches = device;
        merged.summary.pool.lost = lost;
    }
    merged.findings = by_kind(merged.findings);
    if several {
        sort(&mut merged);
    }
    merged
}

fn empty() -> Report {
    Report { version: crate::json::VERSION, ..Report::default() }
}

/// One finding a kind, in the order of the first of each.
fn by_kind(findings: Vec<Finding>) -> Vec<Finding> {
    let mut known = BTreeMap::new();
    let mut result: Vec<Finding> = Vec::new();
    for finding in findings {
        match known.entry(kind(&finding)) {
            Entry::Vacant(entry) => {
                entry.insert(result.len());
                result.push(finding);
            }
            Entry::Occupied(entry) => {
                let shown = &mut result[*entry.get()];
                *shown = join(std::mem::replace(shown, Finding::new(finding.rule, "")), finding);
            }
        }
    }
    result
}

/// Two findings of one kind.
fn join(a: Finding, b: Finding) -> Finding {
    let (mut shown, other) = if before(&b, &a) { (b, a) } else { (a, b) };
    shown.count += other.count;
    for consequence in other.consequences {
        let same =
            |known: &hotfire_check::Consequence| known.rule == consequence.rule && known.place == consequence.place;
        if !shown.consequences.iter().any(same) {
            shown.consequences.push(consequence);
        }
    }
    shown.consequences.sort_by(|a, b| (a.rule, &a.place, &a.message).cmp(&(b.rule, &b.place, &b.message)));
    shown
}

/// Whether `a` is the one to show. Without a token there is nothing to replay: last.
fn before(a: &Finding, b: &Finding) -> bool {
    match (&a.replay, &b.replay) {
        (Some(a), Some(b)) => natural(a, b) == Ordering::Less,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

fn sort(report: &mut Report) {
    report.findings.sort_by_cached_key(|finding| {
        let at = finding.accesses.first().and_then(|side| side.place.clone());
        (finding.severity, finding.rule, at, kind(finding), finding.message.clone())
    });
}

fn schedules_of(a: Summary, b: Summary) -> Summary {
    Summary {
        host_launches: a.host_launches.max(b.host_launches),
        device_launches: a.device_launches.max(b.device_launches),
        pool: Pool {
            size: a.pool.size.max(b.pool.size),
            high_water: a.pool.high_water.max(b.pool.high_water),
            worst_case: a.pool.worst_case.max(b.pool.worst_case),
            lost: most_lost(a.pool.lost, b.pool.lost),
        },
        suppressed: a.suppressed.max(b.suppressed),
        schedules: union(a.schedules, b.schedules, natural),
        shadow: a.shadow.into_iter().chain(b.shadow).max_by_key(|shadow| shadow.bytes),
        notes: union(a.notes, b.notes, |a, b| a.cmp(b)),
    }
}

fn union(mut a: Vec<String>, b: Vec<String>, order: impl Fn(&str, &str) -> Ordering) -> Vec<String> {
    a.extend(b);
    a.sort_by(|a, b| order(a, b));
    a.dedup();
    a
}

fn sum_lost<'a>(lost: impl Iterator<Item = &'a Lost>) -> Vec<Lost> {
    let mut kernels: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for Lost { kernel, count, noticed } in lost {
        let entry = kernels.entry(kernel).or_default();
        *entry = (entry.0 + count, entry.1 + noticed);
    }
    list_lost(kernels)
}

fn most_lost(a: Vec<Lost>, b: Vec<Lost>) -> Vec<Lost> {
    let mut kernels: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for Lost { kernel, count, noticed } in a.iter().chain(&b) {
        let entry = kernels.entry(kernel).or_default();
        *entry = (*entry).max((*count, *noticed));
    }
    list_lost(kernels)
}

fn list_lost(kernels: BTreeMap<&str, (u64, u64)>) -> Vec<Lost> {
    kernels.into_iter().map(|(kernel, (count, noticed))| Lost { kernel: kernel.to_owned(), count, noticed }).collect()
}

/// Compares texts with the numbers in them as numbers: `random:2` comes before `random:10`.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (pieces(a), pieces(b));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return a.cmp(b),
            (a, b) if a == b => {}
            (a, b) => return a.cmp(&b),
        }
    }
}

/// Characters, and whole numbers in one piece: by length without leading zeros, then by digits.
fn pieces(text: &str) -> impl Iterator<Item = (char, usize, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            let (piece, tail) = rest.split_at(first.len_utf8());
            rest = tail;
            return Some((first, 0, piece));
        }
        let (piece, tail) = rest.split_at(length);
        rest = tail;
        let digits = piece.trim_start_matches('0');
        Some(('0', digits.len(), digits))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;

    fn under(schedule: &str, mut report: Report) -> Report {
        report.summary.schedules = vec![schedule.to_owned()];
        for finding in &mut report.findings {
            finding.replay = Some(schedule.to_owned());
        }
        report
    }

    #[test]
    fn numbers_in_tokens_are_compared_as_numbers() {
        let sorted = ["eager", "latest", "random:2", "random:2/blocks:1", "random:10", "random:10/pool:4"];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(natural(a, b), i.cmp(&j), "{a} {b}");
            }
        }
        assert_eq!(natural("a01", "a1"), Ordering::Less, "different texts are never equal");
    }

    #[test]
    fn counts_are_added_and_the_first_schedule_is_shown() {
        let mut turned = examples::report();
        turned.findings[0].accesses.reverse();
        let merged = merge([under("random:10", turned), under("random:2", examples::report())]);
        let plain = examples::report();
        assert_eq!(merged.findings.len(), plain.findings.len());
        assert_eq!(merged.findings[0].count, 2 * plain.findings[0].count);
        assert_eq!(merged.findings[0].replay.as_deref(), Some("random:2"));
        assert_eq!(merged.findings[0].accesses, plain.findings[0].accesses);
        assert_eq!(merged.summary.schedules, ["random:2", "random:10"]);
        assert_eq!(merged.summary.host_launches, plain.summary.host_launches);
    }

    #[test]
    fn parts_merge_to_the_same_report_in_any_order() {
        let mut reports: Vec<Report> =
            (0..6).map(|seed| under(&format!("random:{seed}"), examples::report())).collect();
        // Not every schedule finds everything, nor in the same order.
        reports[0].findings.truncate(1);
        reports[1].findings.reverse();
        reports[2].findings.clear();
        reports[3].findings.remove(0);
        let whole = merge(reports.clone());
        let part = |k: usize| merge(reports.iter().skip(k).step_by(3).cloned());
        assert_eq!(merge([part(2), part(0), part(1)]), whole);
        assert_eq!(merge([part(0), part(1), part(2)]), whole);
    }

    #[test]
    fn processes_add_up() {
        let one = examples::report();
        let two = processes([one.clone(), one.clone()]);
        assert_eq!(two.summary.host_launches, 2 * one.summary.host_launches);
        assert_eq!(two.summary.pool.lost[0].count, 2 * one.summary.pool.lost[0].count);
        assert_eq!(two.summary.pool.size, one.summary.pool.size);
    }

    #[test]
    fn a_single_report_keeps_its_order() {
        let mut report = examples::report();
        report.findings.reverse();
        assert_eq!(merge([report.clone()]), report);
        assert_eq!(merge([]).version, 1);
    }
}
