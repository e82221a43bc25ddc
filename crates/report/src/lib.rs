//! How findings look: as text, JSON, SARIF and JUnit. What they say is data of the `check` crate and is not changed here.
//!
//! Sides of a race are numbered in the order in which they happened, as Miri does: (1) came first, (2) is where the race was seen.
//! [`hotfire_check::Finding::accesses`] holds (2) first.
#![forbid(unsafe_code)]

mod explain;
mod json;
mod junit;
mod merge;
mod sarif;
mod suppressions;
mod text;
mod words;
mod xml;

#[cfg(test)]
mod examples;

pub use explain::{explain, list, nearest};
pub use json::{from_json, to_json};
pub use junit::to_junit;
pub use merge::{merge, processes};
pub use sarif::to_sarif;
pub use suppressions::{Suppression, Suppressions};
pub use text::{Sources, Style, summary, to_text};

use hotfire_check::{Report, Severity};

/// Whether something found decides the exit code: an error, or a warning where these are denied.
pub fn is_failure(severity: Severity, deny_warnings: bool) -> bool {
    match severity {
        Severity::Error => true,
        Severity::Warning => deny_warnings,
        Severity::Note => false,
    }
}

/// Whether a report decides the exit code.
pub fn has_failed(report: &Report, deny_warnings: bool) -> bool {
    report.findings.iter().any(|finding| is_failure(finding.severity, deny_warnings))
}
