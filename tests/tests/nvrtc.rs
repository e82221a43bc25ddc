//! `hotfire check` on the programs of `tests/nvrtc/`, which compile their kernels when they run and load them by the driver's calls.
//!
//! With line tables, findings are at the annotated lines: of the source that the program holds (NVRTC knows it as `NAME.cu`, and its
//! first line is the one with the opening quote), or of the program itself. Without any, they name kernels with lines of PTX and host
//! symbols with offsets.

use std::fs;
use std::path::Path;

use hotfire_check::{Access, Finding, Report, Rule, Severity, Thread};
use hotfire_tests::case::annotations;
use hotfire_tests::check_with;
use xtask::nvrtc::{self, Program};

/// An annotation: a rule, and where one of its sides is.
type Expected = (Rule, String, u32);

fn expected(program: &Program) -> Vec<Expected> {
    let text = fs::read_to_string(&program.source).expect("a case can be read");
    let name = |extension| program.source.with_extension(extension).file_name().unwrap().to_string_lossy().into_owned();
    let line_of = |part: &str| 1 + text.lines().position(|line| line.contains(part)).expect("it holds a source") as u32;
    let (first, last) = (line_of("R\"("), line_of(")\";"));
    let annotations = annotations(&text).expect("the annotations are right");
    let place = |line: u32| {
        if (first..last).contains(&line) { (name("cu"), line - first + 1) } else { (name("cpp"), line) }
    };
    annotations
        .into_iter()
        .map(|expected| {
            let (file, line) = place(expected.line.expect("a line is annotated"));
            (expected.rule, file, line)
        })
        .collect()
}

/// Whether a side of a finding is at a place.
fn is_at(access: &Access, file: &str, line: u32) -> bool {
    let is_file = |path: &Option<String>| path.as_deref().is_some_and(|path| Path::new(path).ends_with(file));
    let at_place = access.place.as_ref().is_some_and(|place| is_file(&place.file) && place.line == Some(line));
    at_place || access.calls().any(|frame| is_file(&frame.file) && frame.line == Some(line))
}

fn check(program: &Path, library: &Path, options: &[&str]) -> Result<(Report, String), String> {
    let file = program.with_extension("json");
    let environment = [("HOTFIRE_NVRTC", library.as_os_str())];
    let (report, ended) = check_with(&environment, &["--error-exitcode", "86"], &file, program, options)?;
    let has_failed = report.findings.iter().any(|finding| finding.severity == Severity::Error);
    if ended.code != Some(if has_failed { 86 } else { 0 }) {
        return Err(format!("{}: {ended:?}", program.display()));
    }
    Ok((report, ended.stderr))
}

fn faults(report: &Report) -> impl Iterator<Item = &Finding> {
    report.findings.iter().filter(|finding| finding.severity != Severity::Note)
}

/// With `-lineinfo` and `-g`: exactly the annotated rules at the annotated lines.
fn with_lines(program: &Program, library: &Path) -> Result<(), String> {
    let (report, text) = check(&program.with_lines, library, &["-lineinfo"])?;
    let expected = expected(program);
    let is = |finding: &Finding, (rule, file, line): &Expected| {
        finding.rule == *rule && finding.accesses.iter().any(|access| is_at(access, file, *line))
    };
    for wanted in &expected {
        if !faults(&report).any(|finding| is(finding, wanted)) {
            return Err(format!("{}: no {wanted:?}\n{:#?}\n{text}", program.name, report.findings));
        }
    }
    for finding in faults(&report) {
        if !expected.iter().any(|wanted| is(finding, wanted)) {
            return Err(format!("{}: unexpected {finding:#?}\n{text}", program.name));
        }
    }
    Ok(())
}

/// With neither: the same rules, each side named by a line of PTX or by a symbol and an offset.
fn plain(program: &Program, library: &Path) -> Result<(), String> {
    let (report, text) = check(&program.plain, library, &[])?;
    let mut rules: Vec<Rule> = expected(program).into_iter().map(|(rule, ..)| rule).collect();
    rules.sort();
    rules.dedup();
    let mut found: Vec<Rule> = faults(&report).map(|finding| finding.rule).collect();
    found.sort();
    found.dedup();
    if found != rules {
        return Err(format!("{}: {found:?}, not {rules:?}\n{text}", program.name));
    }
    let stem = program.plain.file_name().expect("a program has a name").to_string_lossy();
    for access in faults(&report).flat_map(|finding| &finding.accesses) {
        let named = match (&access.thread, &access.place) {
            (Thread::Device { kernel, .. }, Some(place)) => {
                !kernel.is_empty() && place.function.is_some() && place.ptx_line.is_some() && place.ptx.is_some()
            }
            (Thread::Device { .. }, None) => false,
            _ => access.calls().any(|frame| frame.function.starts_with(&format!("main ({stem}+0x"))),
        };
        if !named || access.place.as_ref().is_some_and(|place| place.line.is_some()) {
            return Err(format!("{}: not named as it should be: {access:#?}", program.name));
        }
    }
    Ok(())
}

fn all(test: impl Fn(&Program, &Path) -> Result<(), String>) {
    let (library, programs) = nvrtc::build().expect("the programs build");
    let wrong: Vec<String> = programs.iter().filter_map(|program| test(program, &library).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn findings_name_lines_of_the_source_that_the_program_holds() {
    all(with_lines);
}

#[test]
fn findings_name_lines_of_ptx_and_symbols_otherwise() {
    all(plain);
}

#[test]
fn fail_cases_have_twins() {
    let (_, programs) = nvrtc::build().expect("the programs build");
    let has = |name: &str| programs.iter().any(|program| program.name == name);
    for program in programs.iter().filter(|program| program.name.starts_with("fail/")) {
        assert!(!expected(program).is_empty(), "{} expects nothing", program.name);
        assert!(has(&program.name.replace("fail/", "pass/")), "{} has no twin", program.name);
    }
}
