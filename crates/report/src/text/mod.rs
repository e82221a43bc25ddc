//! Findings in the style of rustc: the sentence, the source lines of both sides, then what follows from it.

mod sources;
mod summary;

pub use sources::Sources;
pub use summary::summary;

use crate::words;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use hotfire_check::{Finding, Place, Report, Severity, Thread};
use sources::Shown;

/// Whether to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Characters only.
    Plain,
    /// With the terminal's colours.
    Coloured,
}

/// All findings, each with an empty line behind it. The summary is not in it: see [`summary`].
pub fn to_text(report: &Report, sources: &mut Sources, style: Style) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        text.push_str(&one(finding, sources, style));
        text.push_str("\n\n");
    }
    text
}

/// One finding.
pub fn one(finding: &Finding, sources: &mut Sources, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let shown = sides(finding, sources);
    let mut group = level(finding.severity)
        .primary_title(finding.message.as_str())
        .id(finding.rule.name())
        .elements([] as [Origin<'_>; 0]);
    for (index, (at, labels)) in shown.iter().enumerate() {
        group = group_with(group, at, labels, index == 0);
    }
    for (name, lines) in facts(finding, &shown) {
        group = group.element(Level::NOTE.with_name(name).message(lines));
    }
    renderer.render(&[group])
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// A side's label under its line; the later side is underlined as the primary one.
struct Label {
    text: String,
    line: usize,
    primary: bool,
}

/// What to show of the sides, those of one file together.
fn sides(finding: &Finding, sources: &mut Sources) -> Vec<(Shown, Vec<Label>)> {
    let mut result: Vec<(Shown, Vec<Label>)> = Vec::new();
    for (side, access) in finding.accesses.iter().enumerate() {
        let Some(place) = words::shown_place(access) else { continue };
        let shown = sources.show(&place);
        let mut text = words::mark(finding, side) + &words::access(access);
        if access.place.is_none() && access.stack.iter().all(|frame| frame.file.is_none()) {
            text.push_str(", queued here");
        }
        let label = Label { text: sources::printable(&text), line: shown.line, primary: side == 0 };
        match result.iter_mut().find(|(other, _)| other.source.is_some() && other.path == shown.path) {
            Some((_, labels)) => labels.push(label),
            None => result.push((shown, vec![label])),
        }
    }
    result
}

fn group_with<'a>(group: Group<'a>, at: &'a Shown, labels: &'a [Label], first: bool) -> Group<'a> {
    let Some(source) = &at.source else {
        // A place whose text cannot be shown: the labels go below it.
        let mut origin = Origin::path(at.path.as_str());
        if at.line > 0 {
            origin = origin.line(at.line);
        }
        let labels: Vec<_> = labels.iter().map(|label| label.text.as_str()).collect();
        return group.element(origin).element(Level::NOTE.no_name().message(labels.join("\n")));
    };
    let mut snippet = Snippet::source(&**source).line_start(at.first_line).path(at.path.as_str());
    let has_primary = labels.iter().any(|label| label.primary);
    for label in labels {
        // A snippet needs a primary annotation to be named by its line.
        let primary = label.primary || !(has_primary || first);
        let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        snippet = snippet.annotation(kind.span(at.span(label.line)).label(label.text.as_str()));
    }
    group.element(snippet)
}

/// The lines below the source: a name and what it says.
fn facts(finding: &Finding, shown: &[(Shown, Vec<Label>)]) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    for (side, access) in finding.accesses.iter().enumerate() {
        let mark = words::mark(finding, side);
        if words::shown_place(access).is_none() {
            facts.push(("at", format!("{mark}{}", words::access(access))));
        }
        let calls: Vec<_> = access.stack.iter().map(words::frame).collect();
        if !calls.is_empty() {
            facts.push(("called", format!("{mark}{}", calls.join("\n  from "))));
        }
        if !access.launches.is_empty() {
            let lines: Vec<_> = access.launches.iter().flat_map(words::launch).collect();
            let name = if matches!(access.thread, Thread::Operation { .. }) { "queued" } else { "launched" };
            facts.push((name, format!("{mark}{}", lines.join("\n"))));
        }
    }
    facts.extend(finding.edge.iter().map(|edge| ("edge", edge.clone())));
    facts.extend(finding.help.iter().map(|help| ("help", help.clone())));
    facts.extend(finding.notes.iter().map(|note| ("note", note.clone())));
    for (at, _) in shown {
        facts.extend(
            at.missing.iter().map(|file| ("note", format!("{file} cannot be read here, so its lines are not shown"))),
        );
    }
    for consequence in &finding.consequences {
        let at = consequence
            .place
            .as_ref()
            .map_or_else(String::new, |place: &Place| format!(", at {}", words::place(place)));
        facts.push(("causes", format!("{}: {}{at}", consequence.rule, consequence.message)));
    }
    facts.extend(finding.hardware.iter().map(|hardware| ("hardware", hardware.clone())));
    if finding.count > 1 {
        facts.push(("count", format!("{} times at these places", finding.count)));
    }
    facts.extend(finding.replay.iter().map(|token| ("replay", format!("hotfire check --replay {token} -- PROGRAM"))));
    let mut seen = std::collections::HashSet::new();
    facts.retain(|fact| seen.insert(fact.clone()));
    facts.into_iter().map(|(name, text)| (name, sources::printable(&text))).collect()
}

#[cfg(test)]
mod tests;
