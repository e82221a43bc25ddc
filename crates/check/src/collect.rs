//! Findings of one run, counted by place.

use crate::finding::{Consequence, Finding, Place, Report, Summary};
use crate::rules::Rule;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Places of a finding, and who stands there: what makes two occurrences one finding.
type Key = (Rule, Vec<(Option<Place>, String)>, String);

/// The place as its author knows it: one line of source may be many of PTX, where a loop was unrolled.
fn source_place(place: &Place) -> Place {
    match place.line {
        Some(_) => Place { ptx_line: None, ptx: None, ..place.clone() },
        None => place.clone(),
    }
}

#[derive(Default)]
struct State {
    report: Report,
    known: HashMap<Key, usize>,
}

/// Collects findings. Every method may be called from any thread.
#[derive(Default)]
pub struct Collector(Mutex<State>);

impl Collector {
    /// Nothing found yet.
    pub fn new() -> Self {
        let collector = Self::default();
        collector.state().report.version = 1;
        collector
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a finding, or counts it if the same rule was broken at the same places before. Its number among the findings.
    pub fn add(&self, finding: Finding) -> usize {
        let mut places: Vec<_> = finding
            .accesses
            .iter()
            .map(|side| (side.place.as_ref().map(source_place), side.thread.name().to_owned()))
            .collect();
        // Which side of a race came first is a matter of schedule.
        if finding.rule.is_race() {
            places.sort_by_cached_key(|side| format!("{side:?}"));
        }
        // Without places, the sentence is what tells two findings apart.
        let message = if finding.accesses.iter().any(|side| side.place.is_some()) {
            String::new()
        } else {
            finding.message.clone()
        };
        let mut state = self.state();
        let State { report, known } = &mut *state;
        let index = *known.entry((finding.rule, places, message)).or_insert(report.findings.len());
        match report.findings.get_mut(index) {
            Some(first) => first.count += finding.count,
            None => report.findings.push(finding),
        }
        index
    }

    /// The first finding of a rule.
    pub fn find(&self, rule: Rule) -> Option<usize> {
        self.state().report.findings.iter().position(|finding| finding.rule == rule)
    }

    /// Counts a finding again, by its number.
    pub fn again(&self, index: usize) {
        if let Some(finding) = self.state().report.findings.get_mut(index) {
            finding.count += 1;
        }
    }

    /// Changes a finding, by its number: what could not be said when it was first seen.
    pub fn change(&self, index: usize, change: impl FnOnce(&mut Finding)) {
        if let Some(finding) = self.state().report.findings.get_mut(index) {
            change(finding);
        }
    }

    /// Attaches a fault to the finding that caused it. Each place once.
    pub fn consequence(&self, index: usize, consequence: Consequence) {
        if let Some(finding) = self.state().report.findings.get_mut(index) {
            let same = |known: &Consequence| known.rule == consequence.rule && known.place == consequence.place;
            if !finding.consequences.iter().any(same) {
                finding.consequences.push(consequence);
            }
        }
    }

    /// Changes the summary.
    pub fn summary<R>(&self, change: impl FnOnce(&mut Summary) -> R) -> R {
        change(&mut self.state().report.summary)
    }

    /// All so far.
    pub fn report(&self) -> Report {
        self.state().report.clone()
    }
}
