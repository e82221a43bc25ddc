//! `hotfire check` on every case of `tests/fail/` and `tests/pass/`: exactly the annotated rules at the annotated lines, under
//! the default policy, as late as possible and under random seeds, and for each `fail` case the text that people see.
//!
//! `BLESS=1` rewrites the texts (`tests/fail/**/*.stderr`); `CASES_SEEDS=64` tries that many seeds instead of 16.

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

use hotfire_check::{Rule, Severity};
use hotfire_tests::case::Case;
use hotfire_tests::{hotfire, output, verdict};
use libtest_mimic::{Arguments, Failed, Trial};
use xtask::cases;

/// The exit code that says that there are errors.
const FOUND: i32 = 86;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let listed = if arguments.list { cases::list() } else { cases::build() };
    let trials = listed.and_then(|programs| programs.iter().map(|program| Case::read(program).map(trial)).collect());
    match trials {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn trial(case: Case) -> Trial {
    let is_ignored = case.needs.is_some();
    Trial::test(case.name.clone(), move || run(&case).map_err(Failed::from)).with_ignored_flag(is_ignored)
}

fn run(case: &Case) -> Result<(), String> {
    let seeds = format!("0..{}", env::var("CASES_SEEDS").unwrap_or_else(|_| "16".to_owned()));
    let mut wrong = Vec::new();
    for (policy, options) in
        [("default", &[][..]), ("latest", &["--policy", "latest"]), ("random", &["--seeds", seeds.as_str()])]
    {
        let found = check(case, policy, options)?;
        wrong.extend(found.into_iter().map(|line| format!("{policy}: {line}")));
    }
    if let Some(rules) = &case.lint {
        wrong.extend(lint(case, rules)?);
    }
    if case.name.starts_with("fail/") {
        wrong.extend(text(case)?);
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// A file of this case under `target/`, where nothing else writes.
fn scratch(case: &Case, name: &str) -> PathBuf {
    case.executable.with_extension(name)
}

/// One command, whose report is compared with the annotations, and whose exit code with the report.
fn check(case: &Case, policy: &str, options: &[&str]) -> Result<Vec<String>, String> {
    let file = scratch(case, &format!("{policy}.json"));
    let (report, ended) = hotfire_tests::check(options, &file, &case.executable, &case.arguments)?;
    let mut wrong = verdict::compare(case, policy, &report);
    let expected = if verdict::has_error(&report) { FOUND } else { 0 };
    if ended.code != Some(expected) {
        wrong.push(format!("exit code {:?}, not {expected}", ended.code));
    }
    if !wrong.is_empty() {
        wrong.push(format!("stdout:\n{}\nstderr:\n{}", ended.stdout, ended.stderr));
    }
    Ok(wrong)
}

/// What `--lint` finds, notes aside, against what it should.
fn lint(case: &Case, rules: &[Rule]) -> Result<Vec<String>, String> {
    let file = scratch(case, "lint.json");
    let (report, _) = hotfire_tests::check(&["--lint"], &file, &case.executable, &case.arguments)?;
    let found = report.findings.iter().map(|finding| finding.rule);
    let found: Vec<Rule> = found.filter(|rule| rule.severity() != Severity::Note).collect();
    Ok(if found == rules { Vec::new() } else { vec![format!("--lint: {found:?}, not {rules:?}")] })
}

/// Places in machine code (`main (d01+0x1234)`) depend on the host's compiler.
fn without_offsets(text: &str) -> String {
    let mut parts = text.split("+0x");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "+…" + part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit()))
}

/// The text of the findings against the blessed one.
fn text(case: &Case) -> Result<Option<String>, String> {
    let file = scratch(case, "txt");
    let mut command = hotfire().command();
    command.current_dir(xtask::root()).args(["check", "--policy", "eager", "--format", "text", "--output"]).arg(&file);
    command.arg("--").arg(&case.executable).args(&case.arguments);
    let ended = output(command);
    let found = fs::read_to_string(&file).map_err(|error| format!("{}: {error}\n{ended:?}", file.display()))?;
    let found = without_offsets(&found.replace(&format!("{}/", xtask::root().display()), ""));
    let blessed = case.source.with_extension("stderr");
    if env::var_os("BLESS").is_some_and(|value| value == "1") {
        fs::write(&blessed, &found).map_err(|error| format!("{}: {error}", blessed.display()))?;
        return Ok(None);
    }
    let expected = fs::read_to_string(&blessed).unwrap_or_default();
    let first = found.lines().zip(expected.lines()).position(|(a, b)| a != b);
    let first = first.unwrap_or_else(|| found.lines().count().min(expected.lines().count())) + 1;
    Ok((found != expected).then(|| {
        format!("the text differs from {} from line {first} on (BLESS=1 rewrites it):\n{found}", blessed.display())
    }))
}
