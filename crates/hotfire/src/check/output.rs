//! Where the findings go, and in which format.

use super::Arguments;
use hotfire_check::Report;
use hotfire_report::{Sources, Style, to_json, to_junit, to_sarif, to_text};
use std::fs;
use std::io::{self, IsTerminal, Write};

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// All there is, to process or to merge
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
    /// JUnit's XML, for CI systems
    Junit,
}

/// Writes the findings, then these lines to stderr.
pub fn write(report: &Report, lines: &[String], arguments: &Arguments) -> Result<(), String> {
    let mut sources = Sources::new();
    let lines: String = lines.iter().map(|line| format!("hotfire: {line}\n")).collect();
    let to_stderr = |text: &str| io::stderr().write_all(text.as_bytes()).map_err(|error| format!("stderr: {error}"));
    let text = match arguments.format {
        Format::Text if arguments.output.is_none() => {
            return to_stderr(&(to_text(report, &mut sources, style()) + &lines));
        }
        Format::Text => to_text(report, &mut sources, Style::Plain) + &lines,
        Format::Json => to_json(report),
        Format::Sarif => to_sarif(report),
        Format::Junit => to_junit(report, &mut sources, arguments.denies_warnings()),
    };
    match &arguments.output {
        Some(path) => fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?,
        None => match io::stdout().write_all(text.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(format!("stdout: {error}")),
            _ => {}
        },
    }
    to_stderr(&lines)
}

/// Colours for a terminal that has them, unless `NO_COLOR` is set (no-color.org).
fn style() -> Style {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if io::stderr().is_terminal() && !is_set("NO_COLOR") && !is_dumb { Style::Coloured } else { Style::Plain }
}
