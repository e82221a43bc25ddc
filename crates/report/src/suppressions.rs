//! Findings that a project has decided to live with, each with its reason.
//!
//! A file in TOML, one table an entry (`docs/report.md`):
//!
//! ```toml
//! [[suppression]]
//! rule = "race/grid"            # required
//! kernel = "histogram*"         # a kernel or call on either side; `*` stands for anything
//! place = "src/histogram.cu:42" # the end of a path, with a line or without
//! reason = "…"                  # required
//! ```

use crate::{explain, words};
use hotfire_check::{Finding, Report, Rule};
use std::cell::Cell;
use std::fmt;

/// One entry.
#[derive(Debug)]
pub struct Suppression {
    /// The rule.
    pub rule: Rule,
    /// Pattern of a kernel's name.
    pub kernel: Option<String>,
    /// End of a path, with or without a line.
    pub place: Option<String>,
    /// Why.
    pub reason: String,
    used: Cell<bool>,
}

/// The entries of one file.
#[derive(Debug, Default)]
pub struct Suppressions(Vec<Suppression>);

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    suppression: Vec<Entry>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: String,
    kernel: Option<String>,
    place: Option<String>,
    reason: Option<String>,
}

impl Suppressions {
    /// Reads a file's text. The error says which entry is wrong, and how.
    pub fn parse(text: &str) -> Result<Suppressions, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let entries = file
            .suppression
            .into_iter()
            .enumerate()
            .map(|(index, entry)| entry.check().map_err(|error| format!("suppression {}: {error}", index + 1)));
        entries.collect::<Result<_, _>>().map(Suppressions)
    }

    /// Takes what is suppressed out of a report and counts it in the summary.
    pub fn apply(&self, report: &mut Report) {
        let before = report.findings.len();
        report.findings.retain(|finding| {
            let covering = self.0.iter().filter(|entry| entry.covers(finding));
            // Every entry that covers it is in use, not only the first.
            covering.fold(true, |_, entry| {
                entry.used.set(true);
                false
            })
        });
        report.summary.suppressed += (before - report.findings.len()) as u64;
    }

    /// Entries that covered nothing so far.
    pub fn unused(&self) -> impl Iterator<Item = &Suppression> {
        self.0.iter().filter(|entry| !entry.used.get())
    }
}

impl Entry {
    fn check(self) -> Result<Suppression, String> {
        let rule = Rule::find(&self.rule).ok_or_else(|| {
            let near: Vec<_> = explain::nearest(&self.rule).into_iter().map(Rule::name).collect();
            let near = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
            format!("there is no rule {}{near}", self.rule)
        })?;
        let reason = self.reason.filter(|reason| !reason.trim().is_empty());
        let reason = reason.ok_or_else(|| format!("{rule} is suppressed without a reason"))?;
        Ok(Suppression { rule, kernel: self.kernel, place: self.place, reason, used: Cell::new(false) })
    }
}

impl Suppression {
    fn covers(&self, finding: &Finding) -> bool {
        let kernel = |pattern: &String| {
            finding.accesses.iter().any(|side| {
                let name = side.thread.name();
                // Parameters need not be written.
                matches(pattern, name) || name.split_once('(').is_some_and(|(name, _)| matches(pattern, name))
            })
        };
        let place = |pattern: &String| {
            let own =
                finding.accesses.iter().flat_map(|side| side.place.clone().into_iter().chain(words::shown_place(side)));
            own.into_iter().any(|place| place.file.is_some_and(|file| is_at(pattern, &file, place.line)))
        };
        finding.rule == self.rule && self.kernel.as_ref().is_none_or(kernel) && self.place.as_ref().is_none_or(place)
    }
}

impl fmt::Display for Suppression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rule)?;
        if let Some(kernel) = &self.kernel {
            write!(f, ", kernel {kernel}")?;
        }
        if let Some(place) = &self.place {
            write!(f, ", place {place}")?;
        }
        write!(f, " ({})", self.reason)
    }
}

/// `*` stands for any number of characters.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Whether `pattern` is the end of the path, at the beginning of a component, and names the line if it names any.
fn is_at(pattern: &str, file: &str, line: Option<u32>) -> bool {
    let (path, wanted) = match pattern.rsplit_once(':').map(|(path, line)| (path, line.parse::<u32>())) {
        Some((path, Ok(wanted))) => (path, Some(wanted)),
        _ => (pattern, None),
    };
    let ends =
        file.strip_suffix(path).is_some_and(|start| start.is_empty() || start.ends_with('/') || path.starts_with('/'));
    ends && (wanted.is_none() || wanted == line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;

    fn left(text: &str) -> (Vec<&'static str>, usize) {
        let suppressions = Suppressions::parse(text).unwrap();
        let mut report = examples::report();
        suppressions.apply(&mut report);
        let left: Vec<_> = report.findings.iter().map(|finding| finding.rule.name()).collect();
        assert_eq!(report.summary.suppressed as usize, examples::report().findings.len() - left.len());
        (left, suppressions.unused().count())
    }

    #[test]
    fn entries_cover_by_rule_kernel_and_place() {
        let all = ["race/parent-child", "memory/bounds", "advice/storm"];
        let entry =
            |rule: &str, more: &str| left(&format!("[[suppression]]\nrule = \"{rule}\"\nreason = \"known\"\n{more}"));
        assert_eq!(entry("memory/bounds", ""), (vec![all[0], all[2]], 0));
        for covering in ["kernel = 'child'", "kernel = 'par*(int*, *'", "place = 'race.cu'", "place = 'race.cu:2'"] {
            assert_eq!(entry(all[0], covering), (vec![all[1], all[2]], 0), "{covering}");
        }
        let not_covering =
            ["kernel = 'chil'", "place = 'ace.cu'", "place = 'race.cu:3'", "kernel = 'child'\nplace = 'x.cu'"];
        for other in not_covering {
            assert_eq!(entry(all[0], other), (all.to_vec(), 1), "{other}");
        }
        assert_eq!(entry("race/grid", ""), (all.to_vec(), 1));
        assert_eq!(left(""), (all.to_vec(), 0));
    }

    #[test]
    fn every_entry_that_covers_a_finding_is_used() {
        let twice = "[[suppression]]\nrule = 'memory/bounds'\nreason = 'a'\n".repeat(2);
        assert_eq!(left(&twice).1, 0);
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        for (text, part) in [
            ("[[suppression]]\nrule = 'race/grid'", "suppression 1: race/grid is suppressed without a reason"),
            ("[[suppression]]\nrule = 'race/grid'\nreason = ' '", "without a reason"),
            ("[[suppression]]\nrule = 'race/grit'\nreason = 'x'", "there is no rule race/grit; did you mean race/grid"),
            ("[[suppression]]\nrule = 'race/grid'\nreason = 'x'\nline = 3", "unknown field `line`"),
            ("[[suppresion]]", "unknown field `suppresion`"),
            ("rule =", "TOML parse error"),
        ] {
            let error = Suppressions::parse(text).unwrap_err();
            assert!(error.contains(part), "{part:?} is not in {error:?}");
        }
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text) in [("a*c", "abc"), ("*", ""), ("a*", "a"), ("*b*b", "abab"), ("**", "x"), ("a", "a")] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a*a", "a"), ("", "a"), ("a", "ab"), ("*b*b", "ab"), ("b*", "ab")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
