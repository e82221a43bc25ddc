//! `hotfire explain`: what a rule is about.

use crate::report;
use hotfire_check::Rule;
use std::process::ExitCode;

/// The page of a rule, or the list of a family; of all rules for the empty name.
pub fn explain(name: &str) -> ExitCode {
    let name = name.trim_end_matches('/');
    let page = match Rule::find(name) {
        Some(rule) => hotfire_report::explain(rule),
        None => hotfire_report::list(name),
    };
    if !page.is_empty() {
        return crate::print(&page);
    }
    let near: Vec<_> = hotfire_report::nearest(name).into_iter().map(Rule::name).collect();
    let near = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
    report(&format!("there is no rule {name}{near}\n`hotfire explain` lists all rules"));
    ExitCode::FAILURE
}
