//! What a rule is about, in words: the pages of `hotfire explain`.

/// The description of one rule. Paragraphs without line breaks; whoever prints them wraps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleText {
    /// One line that says what is wrong.
    pub summary: &'static str,
    /// The part of the launch model behind it.
    pub models: &'static str,
    /// When it is reported.
    pub fires: &'static str,
    /// What it does not see, and what it may see wrongly.
    pub misses: &'static str,
    /// The listed cases that break it (`cases.md`), each `name: program`.
    pub cases: &'static [&'static str],
    /// What to do, each a whole remedy.
    pub help: &'static [&'static str],
    /// Where the rule comes from.
    pub source: &'static str,
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use std::collections::HashSet;

    #[test]
    fn every_rule_is_described() {
        let mut summaries = HashSet::new();
        for rule in Rule::ALL {
            let text = rule.text();
            assert!(summaries.insert(text.summary), "{rule} says the same as another rule");
            assert!(text.summary.len() <= 110 && !text.summary.ends_with('.'), "{rule}: one line, no full stop");
            for part in [text.models, text.fires, text.misses] {
                assert!(part.len() > 30 && part.ends_with('.'), "{rule}: whole sentences: {part}");
            }
            assert!(!text.help.is_empty() && text.source.contains("aunch"), "{rule}");
        }
    }

    /// The listed cases that must be reported, and by which rules (`cases.md`).
    #[test]
    fn the_listed_cases_are_named() {
        let cases =
            |rule: &Rule| rule.text().cases.iter().filter_map(|case| case.split_once(": ")).map(|(name, _)| name);
        let named: HashSet<&str> = Rule::ALL.iter().flat_map(cases).collect();
        let of = |family: char, numbers: &[u32]| numbers.iter().map(|n| format!("{family}{n:02}")).collect::<Vec<_>>();
        let (d, clean) = ((1..=22).collect::<Vec<_>>(), ["d08"]);
        let listed = [
            of('d', &d),
            of('l', &(1..=13).collect::<Vec<_>>()),
            of('h', &(1..=8).collect::<Vec<_>>()),
            of('g', &[1, 2, 3, 4]),
        ];
        for case in listed.iter().flatten().filter(|case| !clean.contains(&case.as_str())) {
            assert!(named.contains(case.as_str()), "{case} is in no rule's text");
        }
    }
}
