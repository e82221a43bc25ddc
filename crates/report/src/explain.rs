//! The pages of `hotfire explain`, and the nearest names for one that is not known.

use crate::words;
use hotfire_check::Rule;

/// Columns of a page.
const WIDTH: usize = 100;

/// The page of one rule.
pub fn explain(rule: Rule) -> String {
    let text = rule.text();
    let mut page = format!("{rule} ({})\n", words::severity(rule.severity()));
    page.push_str(&wrapped(text.summary, "", ""));
    for (title, body) in
        [("What it models", text.models), ("When it fires", text.fires), ("What it misses", text.misses)]
    {
        page.push_str(&format!("\n{title}\n{}", wrapped(body, "  ", "  ")));
    }
    for (title, items) in [("Cases", text.cases), ("What to do", text.help)] {
        if !items.is_empty() {
            let items: String = items.iter().map(|item| wrapped(item, "  - ", "    ")).collect();
            page.push_str(&format!("\n{title}\n{items}"));
        }
    }
    page + &format!("\nSource\n{}", wrapped(text.source, "  ", "  "))
}

/// All rules that a name or a family covers, a line each; all of them for the empty name.
pub fn list(family: &str) -> String {
    let rules = Rule::ALL.iter().filter(|rule| family.is_empty() || self::family(**rule) == family);
    let line = |rule: &Rule| {
        let summary = rule.text().summary;
        format!("{:<22} {:<8} {summary}\n", rule.name(), words::severity(rule.severity()))
    };
    rules.map(line).collect()
}

fn family(rule: Rule) -> &'static str {
    rule.name().split('/').next().unwrap_or_default()
}

/// Up to three rules whose names are like `name`, the likest first.
pub fn nearest(name: &str) -> Vec<Rule> {
    let name = name.to_lowercase();
    let likeness = |rule: &Rule| {
        let whole = strsim::jaro_winkler(&name, rule.name());
        let part = rule.name().split('/').map(|part| strsim::jaro_winkler(&name, part)).fold(0.0, f64::max);
        whole.max(part)
    };
    let mut rules: Vec<_> =
        Rule::ALL.iter().map(|rule| (likeness(rule), *rule)).filter(|(like, _)| *like > 0.75).collect();
    rules.sort_by(|a, b| b.0.total_cmp(&a.0));
    rules.into_iter().map(|(_, rule)| rule).take(3).collect()
}

fn wrapped(text: &str, first: &str, rest: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push_str(&line);
            lines.push('\n');
            line = rest.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_page() {
        expect![[r#"
            stream/special (error)
            An event is recorded on, or awaited by, the fire-and-forget or tail stream

            What it models
              cudaStreamFireAndForget and cudaStreamTailLaunch are names for two ways of launching, not queues
              that events could mark. Recording or waiting there answers cudaErrorInvalidValue and does nothing.

            When it fires
              Device code calls cudaEventRecord or cudaStreamWaitEvent with one of the two handles.

            What it misses
              Whether the program looks at the returned error: the call is reported either way, as it never does
              anything.

            Cases
              - d13: an event recorded on the tail stream, return code ignored

            What to do
              - Use a named stream: cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking).
              - For work that must come after everything else of the grid, put it into the tail stream itself:
                tails run in launch order.

            Source
              launch-model 3.2; CUDA C++ Programming Guide, Dynamic Parallelism, The Tail Launch Stream
        "#]]
        .assert_eq(&explain(Rule::StreamSpecial));
    }

    #[test]
    fn every_page_keeps_its_width() {
        for rule in Rule::ALL {
            assert!(explain(*rule).lines().all(|line| line.chars().count() <= WIDTH), "{rule}");
        }
    }

    #[test]
    fn lists_are_of_all_or_one_family() {
        assert_eq!(list("").lines().count(), Rule::ALL.len());
        assert_eq!(list("race").lines().count(), 8);
        assert!(list("race").starts_with("race/parent-child      error    "));
        assert_eq!(list("no-family"), "");
    }

    #[test]
    fn the_nearest_names() {
        let names = |name| nearest(name).into_iter().map(Rule::name).collect::<Vec<_>>();
        assert!(names("race/child").contains(&"race/parent-child"));
        assert_eq!(names("memory/uninitialized")[0], "memory/uninitialised");
        assert_eq!(names("lost-error")[0], "launch/lost-error");
        assert_eq!(names("Race/Host")[0], "race/host");
        assert_eq!(names("qqq"), [""; 0]);
    }
}
