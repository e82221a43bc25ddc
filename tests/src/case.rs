//! What a case of `tests/fail/` or `tests/pass/` says about itself: which rules, at which lines, under which policies.
//!
//! | comment | means |
//! |---|---|
//! | `//~ RULE…` | findings of these rules have a side at this line |
//! | `//~^ RULE…` | the same for the line above (one line for each `^`) |
//! | `//~? RULE…` | findings of these rules, wherever they are |
//! | `//@args WORDS` | arguments of the program |
//! | `//@policy NAME: none` | under this policy nothing is found (`default` is `eager` unless it has a line of its own) |
//! | `//@policy NAME: any` | under this policy anything that is annotated may be found, or not |
//! | `//@policy NAME: RULE…` | under this policy these of the annotated rules are found |
//! | `//@lint RULE…` | `hotfire check --lint` finds these rules and no other; `none` for nothing |
//! | `//@pool FIELD=N…` | what the summary says of the launch pool, under every policy |
//! | `//@load-error` | the program's module is refused: `hotfire run` fails as well |
//! | `//@needs WORDS` | not run yet: the device lacks this |
//! | `//@gpu` | right on hardware too |

use std::collections::HashMap;
use std::path::PathBuf;

use hotfire_check::Rule;
use xtask::programs::Program;

/// A finding that is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Its rule.
    pub rule: Rule,
    /// A line at which one of its sides is; `None` if it may be anywhere.
    pub line: Option<u32>,
}

/// What a policy changes about the expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Under {
    /// Anything annotated or nothing.
    Any,
    /// Exactly these of the annotated rules.
    Rules(Vec<Rule>),
}

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// `fail/host/h01-mapped`
    pub name: String,
    /// The source.
    pub source: PathBuf,
    /// What is built from it.
    pub executable: PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// What is expected unless the policy says otherwise.
    pub expected: Vec<Expected>,
    /// Policies that differ.
    pub under: HashMap<String, Under>,
    /// What the summary says of the pool, by the name of the field.
    pub pool: Vec<(String, u64)>,
    /// Whether findings can have lines: with neither `-lineinfo` nor `-g` only the rules are compared.
    pub has_lines: bool,
    /// Whether the program's module is refused.
    pub is_refused: bool,
    /// What `--lint` finds, if that is asked.
    pub lint: Option<Vec<Rule>>,
    /// What the device lacks for it.
    pub needs: Option<String>,
}

impl Case {
    /// Reads a case's comments.
    pub fn read(program: &Program) -> Result<Case, String> {
        let text = std::fs::read_to_string(&program.source);
        let text = text.map_err(|error| format!("{}: {error}", program.source.display()))?;
        let mut case = Case {
            name: program.name.clone(),
            source: program.source.clone(),
            executable: program.path(),
            arguments: Vec::new(),
            expected: annotations(&text).map_err(|error| format!("{}: {error}", program.source.display()))?,
            under: HashMap::new(),
            pool: Vec::new(),
            has_lines: program.flags.iter().any(|flag| flag == "-lineinfo" || flag == "-g"),
            is_refused: false,
            needs: None,
            lint: None,
        };
        for directive in text.lines().filter_map(|line| line.strip_prefix("//@")) {
            case.directive(directive).map_err(|error| format!("{}: {error}", program.source.display()))?;
        }
        Ok(case)
    }

    fn directive(&mut self, text: &str) -> Result<(), String> {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        match name {
            "gpu" => {}
            "args" => self.arguments = rest.split_whitespace().map(str::to_owned).collect(),
            "load-error" => self.is_refused = true,
            "lint" => self.lint = Some(if rest == "none" { Vec::new() } else { rules_of(rest)? }),
            "needs" => self.needs = Some(rest.to_owned()),
            "policy" => {
                let (policy, what) = rest.split_once(": ").ok_or("`//@policy NAME: none, any or rules`")?;
                let what = match what {
                    "any" => Under::Any,
                    "none" => Under::Rules(Vec::new()),
                    rules => Under::Rules(rules_of(rules)?),
                };
                self.under.insert(policy.to_owned(), what);
            }
            "pool" => {
                for word in rest.split_whitespace() {
                    let pair = word.split_once('=').and_then(|(name, n)| Some((name.to_owned(), n.parse().ok()?)));
                    self.pool.push(pair.ok_or_else(|| format!("`//@pool {word}` is not FIELD=N"))?);
                }
            }
            other => return Err(format!("nobody knows `//@{other}`")),
        }
        Ok(())
    }

    /// What a policy changes.
    pub fn under(&self, policy: &str) -> Option<&Under> {
        let fallback = if policy == "default" { self.under.get("eager") } else { None };
        self.under.get(policy).or(fallback)
    }
}

fn rules_of(words: &str) -> Result<Vec<Rule>, String> {
    words.split_whitespace().map(|word| Rule::find(word).ok_or_else(|| format!("no rule is named {word}"))).collect()
}

/// The `//~` comments of a source.
pub fn annotations(text: &str) -> Result<Vec<Expected>, String> {
    let mut found = Vec::new();
    for (number, line) in (1u32..).zip(text.lines()) {
        let Some((_, annotation)) = line.split_once("//~") else { continue };
        let words = annotation.trim_start_matches(['^', '?']);
        let marks = &annotation[..annotation.len() - words.len()];
        let line = match marks {
            "?" => None,
            up if up.bytes().all(|mark| mark == b'^') => Some(number - u32::try_from(up.len()).unwrap_or(0)),
            _ => return Err(format!("line {number}: `//~{marks}`")),
        };
        let rules = rules_of(words).map_err(|error| format!("line {number}: {error}"))?;
        if rules.is_empty() {
            return Err(format!("line {number}: `//~` names no rule"));
        }
        found.extend(rules.into_iter().map(|rule| Expected { rule, line }));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_name_lines() {
        let text = "a;  //~ race/host\nb;\n//~^ memory/heap launch/pool\n//~? launch/pool\n";
        let found: Vec<_> = annotations(text).unwrap().iter().map(|e| (e.rule.name(), e.line)).collect();
        assert_eq!(
            found,
            [("race/host", Some(1)), ("memory/heap", Some(2)), ("launch/pool", Some(2)), ("launch/pool", None)]
        );
        assert!(annotations("//~ race/nothing").is_err());
        assert!(annotations("//~").is_err());
        assert!(annotations("//~?^ race/host").is_err());
    }
}
