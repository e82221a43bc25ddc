//! SARIF 2.1.0, for code hosts and editors: a result for each finding, at its later side; the earlier side (1) is a related location, and
//! how each side's grid came to be is a stack.
//!
//! Source: the OASIS standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".

mod format;

use crate::words;
use format::*;
use hotfire_check::{Access, Finding, Frame, Launch, Place, Report, Rule, Severity};

/// One document with one run.
pub fn to_sarif(report: &Report) -> String {
    let rules: Vec<_> = Rule::ALL.iter().map(|rule| rule_of(*rule)).collect();
    let driver = Driver { name: "hotfire check", version: env!("CARGO_PKG_VERSION"), rules };
    let results = report.findings.iter().map(result).collect();
    let notifications =
        crate::summary(report).into_iter().map(|line| Notification { level: "note", message: line.into() });
    let invocation = Invocation { execution_successful: true, notifications: notifications.collect() };
    let run = Run { tool: Tool { driver }, invocations: [invocation], results, column_kind: "unicodeCodePoints" };
    let log = Log { schema: SCHEMA, version: "2.1.0", runs: [run] };
    // Plain data with text keys cannot fail to be written.
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

fn level(severity: Severity) -> &'static str {
    words::severity(severity)
}

fn rule_of(rule: Rule) -> RuleDescription {
    let text = rule.text();
    let help: String = text.help.iter().map(|line| format!("{line}\n")).collect();
    RuleDescription {
        id: rule.name(),
        short_description: text.summary.to_owned().into(),
        full_description: format!("{} {}", text.models, text.fires).into(),
        help: help.trim_end().to_owned().into(),
        default_configuration: Configuration { level: level(rule.severity()) },
    }
}

fn result(finding: &Finding) -> Outcome<'_> {
    let mut locations = finding.accesses.iter().enumerate().map(|(side, access)| location(finding, side, access));
    let first = locations.next();
    let related = locations.enumerate().map(|(index, location)| Location { id: Some(index as u64 + 1), ..location });
    let mut message = finding.message.clone();
    message.extend(finding.edge.iter().map(|edge| format!("\n{edge}")));
    message.extend(finding.help.iter().map(|help| format!("\nhelp: {help}")));
    Outcome {
        rule_id: finding.rule.name(),
        rule_index: Rule::ALL.iter().position(|rule| *rule == finding.rule).unwrap_or_default(),
        level: level(finding.severity),
        message: message.into(),
        locations: first.into_iter().collect(),
        related_locations: related.collect(),
        stacks: finding.accesses.iter().enumerate().filter_map(|(side, access)| stack(finding, side, access)).collect(),
        occurrence_count: finding.count,
        partial_fingerprints: Fingerprints { places: fingerprint(finding) },
        properties: Properties {
            notes: &finding.notes,
            consequences: finding.consequences.iter().map(|c| format!("{}: {}", c.rule, c.message)).collect(),
            hardware: finding.hardware.as_deref(),
            replay: finding.replay.as_deref(),
        },
    }
}

fn location(finding: &Finding, side: usize, access: &Access) -> Location {
    let place = words::shown_place(access).unwrap_or_default();
    let line = place.ptx_line.map_or_else(String::new, |line| format!(", at PTX line {line}"));
    let message = words::mark(finding, side) + &words::access(access) + &line;
    at(place, Some(message))
}

fn at(place: Place, message: Option<String>) -> Location {
    let physical = place.file.as_deref().map(|file| Physical {
        artifact_location: Artifact { uri: uri(file) },
        region: place.line.filter(|line| *line > 0).map(|start_line| Region { start_line }),
    });
    let logical = place.function.map(|function| Logical { fully_qualified_name: function, kind: "function" });
    Location {
        id: None,
        message: message.map(Text::from),
        physical_location: physical,
        logical_locations: logical.into_iter().collect(),
    }
}

/// The access, the host's calls that led to it, and the launches up to the host.
fn stack(finding: &Finding, side: usize, access: &Access) -> Option<Stack> {
    let call = |frame: &Frame| {
        let Frame { function, file, line } = frame.clone();
        StackFrame { location: at(Place { file, line, function: Some(function), ..Place::default() }, None) }
    };
    let launch = |launch: &Launch| StackFrame {
        location: at(
            launch.place.clone().unwrap_or_default(),
            Some(format!("{} ({}), by {}", launch.what, launch.stream, words::thread(&launch.by))),
        ),
    };
    let mut frames: Vec<_> = access.stack.iter().map(call).collect();
    for step in &access.launches {
        frames.push(launch(step));
        frames.extend(step.stack.iter().map(call));
    }
    let message = format!("{}how it came to be", words::mark(finding, side));
    (!frames.is_empty()).then(|| Stack { message: message.into(), frames })
}

/// The same for the same rule at the same places, so that a code host recognises a finding after unrelated changes of its texts.
fn fingerprint(finding: &Finding) -> String {
    let mut sides: Vec<_> = finding
        .accesses
        .iter()
        .map(|side| {
            let place = words::shown_place(side).map_or_else(String::new, |place| words::place(&place));
            format!("{} at {place}", side.thread.name())
        })
        .collect();
    if sides.is_empty() {
        sides.push(finding.message.clone());
    }
    // Another schedule may turn a race around.
    sides.sort();
    format!("{}: {}", finding.rule, sides.join("; "))
}

/// A path as a URI: what RFC 3986 does not allow in a path is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~+@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use expect_test::expect_file;
    use serde_json::Value;

    #[test]
    fn the_examples() {
        let mut log: Value = serde_json::from_str(&to_sarif(&examples::report())).unwrap();
        // The descriptions are the rules' texts: one is enough.
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array_mut().unwrap();
        assert_eq!(rules.len(), Rule::ALL.len());
        for result in examples::report().findings {
            let index = rule_index(&result);
            assert_eq!(rules[index]["id"], result.rule.name());
        }
        rules.truncate(1);
        log["runs"][0]["tool"]["driver"]["version"] = "VERSION".into();
        let text = serde_json::to_string_pretty(&log).unwrap() + "\n";
        expect_file!["../../tests/report.sarif.json"].assert_eq(&text);
    }

    fn rule_index(finding: &Finding) -> usize {
        result(finding).rule_index
    }

    #[test]
    fn the_earlier_side_is_the_related_location() {
        let race = examples::race();
        let result = result(&race);
        assert!(result.locations[0].message.as_ref().is_some_and(|text| text.text.starts_with("(2) read ")));
        assert!(result.related_locations[0].message.as_ref().is_some_and(|text| text.text.starts_with("(1) write ")));
        assert_eq!(result.related_locations[0].id, Some(1));
    }

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("src/a b#1%.cu"), "src/a%20b%231%25.cu");
        assert_eq!(uri("/home/ü/k.cu"), "file:///home/%C3%BC/k.cu");
    }
}
