//! `--outcome`: memory compared between schedules.
//!
//! Every run records digests of memory at the host's synchronisation points ([`hotfire_check::outcome`]). Where those of the first
//! schedule and another's differ, both run again and show the bytes. That also tells whether a schedule gives the same memory twice: a
//! program that depends on the time of day, say, is not compared.

use super::program;
use super::schedule::{Policy, Schedule};
use hotfire_check::outcome::{CHUNK, Piece, PieceId, Record};
use hotfire_check::{Access, Bytes, Consequence, Finding, Place, Report, Rule, Thread};
use std::collections::HashSet;
use std::ffi::OsString;

/// Differences that are looked into, for each pair of schedules.
const LOOKED_INTO: usize = 64;
/// Pairs of schedules that run again. Programs whose marks differ, and nothing else, need it too.
const AGAIN: usize = 8;

/// What one run recorded.
pub struct Recorded {
    /// Its schedule.
    pub schedule: Schedule,
    /// By process.
    pub records: Vec<Record>,
}

/// Adds the schedule that all others are compared with, and without a choice of the user's, some to compare with.
pub fn schedules(chosen: Vec<Schedule>, is_default: bool) -> Result<Vec<Schedule>, String> {
    let pool = chosen.first().and_then(|schedule| schedule.pool);
    let random_blocks = chosen.iter().any(|schedule| schedule.blocks.is_some());
    let first = Schedule { policy: Policy::Eager, blocks: None, pool };
    let mut all = vec![first.clone()];
    all.extend(chosen.into_iter().filter(|schedule| *schedule != first));
    if is_default {
        all.push(Schedule { policy: Policy::Latest, ..first.clone() });
        let random = |seed| Schedule { policy: Policy::Random(seed), blocks: random_blocks.then_some(seed), pool };
        all.extend((0..6).map(random));
    }
    if all.len() == 1 {
        return Err(
            "--outcome compares schedules with eager, and there is no other: choose --seeds or --policy latest".into(),
        );
    }
    Ok(all)
}

/// Compares the first with all others, and adds what differs to the report.
///
/// The error is an exit code; what it means has been said.
pub fn compare(runs: &[Recorded], command: &[OsString], report: &mut Report) -> Result<(), u8> {
    let Some((first, others)) = runs.split_first() else { return Ok(()) };
    let mut again = 0;
    let mut known = HashSet::new();
    for other in others {
        let found = differences(first, other, &known);
        if found.is_empty() {
            continue;
        }
        if again == AGAIN {
            note(
                report,
                format!("--outcome: differences under {} schedules were looked into, further ones were not", AGAIN),
            );
            break;
        }
        again += 1;
        let shown = [
            show(first, command, found.iter().map(|d| d.ids.0))?,
            show(other, command, found.iter().map(|d| d.ids.1))?,
        ];
        let mut repeats = true;
        for Difference { process, ids, .. } in found {
            let [Some(mine), Some(theirs)] =
                [same(first, &shown[0], process, ids.0), same(other, &shown[1], process, ids.1)]
            else {
                repeats = false;
                continue;
            };
            let Some(at) = mine.difference(theirs) else { continue };
            let name = first.records[process].points[ids.0.point].areas[ids.0.area].name.clone();
            if known.insert((process, name.clone())) {
                add(report, describe(first, other, &name, at, (mine, theirs)), &name);
            }
        }
        if !repeats {
            note(report, "--outcome: the program's memory differs from run to run under one schedule; such memory was not compared".into());
        }
    }
    Ok(())
}

/// A chunk whose digests differ.
struct Difference {
    process: usize,
    /// By the numbers of both records.
    ids: (PieceId, PieceId),
}

fn differences(first: &Recorded, other: &Recorded, known: &HashSet<(usize, String)>) -> Vec<Difference> {
    if first.records.len() != other.records.len() {
        return Vec::new();
    }
    let pairs = first.records.iter().zip(&other.records).enumerate();
    let found = pairs.flat_map(|(process, (mine, theirs))| {
        let found = mine.differences(theirs, LOOKED_INTO).into_iter();
        found.map(move |ids| Difference { process, ids })
    });
    let name = |difference: &Difference| {
        let id = difference.ids.0;
        (difference.process, first.records[difference.process].points[id.point].areas[id.area].name.clone())
    };
    found.filter(|difference| !known.contains(&name(difference))).take(LOOKED_INTO).collect()
}

/// Runs a schedule again and asks for these chunks.
fn show(run: &Recorded, command: &[OsString], ids: impl Iterator<Item = PieceId>) -> Result<Vec<Record>, u8> {
    let wanted: Vec<String> = ids.map(|id| id.to_string()).collect();
    // What a wait covers changes findings only, and these are not asked for here.
    Ok(program::run(command, &run.schedule, "strict", Some(&wanted.join(",")), false)?.records)
}

/// The bytes of a chunk, if the run that showed them was like the one before.
fn same<'a>(run: &Recorded, shown: &'a [Record], process: usize, id: PieceId) -> Option<&'a Piece> {
    let again = shown.get(process)?;
    (again.digest(id)? == run.records[process].digest(id)?).then(|| again.piece(id)).flatten()
}

fn describe(first: &Recorded, other: &Recorded, name: &str, at: usize, (mine, theirs): (&Piece, &Piece)) -> Finding {
    let offset = mine.id.chunk as u64 * CHUNK + at as u64;
    let tokens = [&first.schedule, &other.schedule].map(Schedule::to_string);
    let values = match (mine.word(at), theirs.word(at)) {
        (Some(a), Some(b)) => [a, b].map(|word| format!("{word} (0x{word:08x})")),
        _ => [mine, theirs].map(|piece| format!("0x{:02x}", piece.bytes[at])),
    };
    let what = if mine.word(at).and(theirs.word(at)).is_some() { "the word" } else { "the byte" };
    let start = if what == "the word" { offset & !3 } else { offset };
    let mut finding = Finding::new(
        Rule::AdviceOutcome,
        format!("byte {offset} of {name} depends on the schedule, and no atomic, clock or address says why"),
    );
    let bytes = |size| Some(Bytes { allocation: name.to_owned(), offset, size });
    let side = |piece: &Piece| piece.writer(at).map(|access| Access { bytes: bytes(1), ..access.clone() });
    finding.accesses = [side(theirs), side(mine)].into_iter().flatten().collect();
    if finding.accesses.is_empty() {
        finding.accesses = mine.made.iter().map(|made| Access { bytes: bytes(1), ..made.clone() }).collect();
    }
    finding.notes.push(format!(
        "{what} at offset {start} is {} under `{}` and {} under `{}`",
        values[0], tokens[0], values[1], tokens[1]
    ));
    if let Some(made) = &mine.made {
        finding.notes.push(format!("{name} was allocated by {}", place(made)));
    }
    if let Some(call) = &mine.call {
        let number = mine.id.point + 1;
        finding.notes.push(format!("seen when the host synchronised (for the {number}. time) {}", place(call)));
    }
    finding.help = vec![format!(
        "order the two that write it; `--replay {}` and `--replay {}` run the two schedules again",
        tokens[0], tokens[1]
    )];
    finding.replay = Some(tokens[1].clone());
    finding
}

/// `host code at main.cu:12`
fn place(access: &Access) -> String {
    let who = match &access.thread {
        Thread::Device { kernel, .. } => kernel.as_str(),
        _ => "host code",
    };
    let line = |place: &Place| Some(format!("{}:{}", place.file.as_deref()?, place.line?));
    let at = access.place.as_ref().and_then(|place| line(place).or_else(|| place.function.clone()));
    at.map_or_else(|| who.to_owned(), |at| format!("{who} at {at}"))
}

/// Adds a difference. One that a race explains is the race's consequence.
fn add(report: &mut Report, finding: Finding, name: &str) {
    let is_race = |known: &&mut Finding| {
        let about = |access: &Access| access.bytes.as_ref().is_some_and(|bytes| bytes.allocation == name);
        known.rule.is_race() && known.accesses.iter().any(about)
    };
    match report.findings.iter_mut().find(is_race) {
        Some(race) => {
            let place = finding.accesses.first().and_then(|side| side.place.clone());
            race.consequences.push(Consequence { rule: finding.rule, message: finding.message, place });
        }
        None => report.findings.push(finding),
    }
}

fn note(report: &mut Report, line: String) {
    if !report.summary.notes.contains(&line) {
        report.summary.notes.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hotfire_check::Action;

    fn tokens(chosen: &[&str], is_default: bool) -> Vec<String> {
        let chosen = chosen.iter().map(|token| token.parse().unwrap()).collect();
        schedules(chosen, is_default).unwrap().iter().map(Schedule::to_string).collect()
    }

    #[test]
    fn everything_is_compared_with_eager() {
        assert_eq!(tokens(&["eager"], true)[..3], ["eager", "latest", "random:0"]);
        assert_eq!(tokens(&["eager/blocks:0"], true)[..4], ["eager", "eager/blocks:0", "latest", "random:0/blocks:0"]);
        assert_eq!(tokens(&["latest/pool:4"], false), ["eager/pool:4", "latest/pool:4"]);
        assert_eq!(tokens(&["random:3", "random:4"], false), ["eager", "random:3", "random:4"]);
        assert!(schedules(vec!["eager".parse().unwrap()], false).is_err());
    }

    #[test]
    fn a_race_explains_what_differs() {
        let mut report = Report::default();
        let access = Access {
            action: Action::Write,
            bytes: Some(Bytes { allocation: "variable x".into(), offset: 0, size: 4 }),
            thread: Thread::Host,
            place: None,
            launches: vec![],
            stack: vec![],
        };
        report
            .findings
            .push(Finding { accesses: vec![access], ..Finding::new(Rule::find("race/stream").unwrap(), "") });
        add(&mut report, Finding::new(Rule::AdviceOutcome, "x"), "variable x");
        assert_eq!((report.findings.len(), report.findings[0].consequences.len()), (1, 1));
        add(&mut report, Finding::new(Rule::AdviceOutcome, "y"), "variable y");
        assert_eq!(report.findings.len(), 2);
    }
}
