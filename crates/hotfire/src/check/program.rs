//! One run of the program: started as `hotfire run` would, with a private directory for what its processes report.

use super::schedule::Schedule;
use crate::{child, report, run};
use hotfire_check::outcome::Record;
use hotfire_report::{from_json, processes};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::{fs, io};

/// How one run ended.
pub struct Ran {
    /// What its processes found together; none if no process used a device.
    pub report: Option<hotfire_check::Report>,
    /// How the program ended.
    pub status: ExitStatus,
    /// Whether this process was told to end meanwhile.
    pub is_interrupted: bool,
    /// What its processes say of memory, if that was asked for.
    pub records: Vec<Record>,
}

/// Runs the program once and reads what it reported. The error is an exit code; what it means has been said.
///
/// `pdl` is what a programmatic wait covers, `outcome` what the device is asked to say of memory, `lint` whether it warns where nothing went
/// wrong.
pub fn run(program: &[OsString], schedule: &Schedule, pdl: &str, outcome: Option<&str>, lint: bool) -> Result<Ran, u8> {
    let cannot_start = |message: String| {
        report(&message);
        run::CANNOT_START
    };
    let directory = tempfile::Builder::new().prefix("hotfire-check-").tempdir();
    let directory = directory.map_err(|error| cannot_start(format!("cannot make a directory for reports: {error}")))?;
    // The program may change its own directory before it ends.
    let path =
        directory.path().canonicalize().map_err(|error| cannot_start(format!("the directory for reports: {error}")))?;
    let mut command = run::command(program).map_err(cannot_start)?;
    command.env("HOTFIRE_CHECK", &path).env("HOTFIRE_PDL", pdl);
    match lint {
        true => command.env("HOTFIRE_LINT", "1"),
        false => command.env_remove("HOTFIRE_LINT"),
    };
    match outcome {
        Some(what) => command.env("HOTFIRE_OUTCOME", what),
        None => command.env_remove("HOTFIRE_OUTCOME"),
    };
    for (name, value) in schedule.variables() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let (status, is_interrupted) = child::run(&mut command)?;
    let report = read_all(&path, &schedule.to_string()).map_err(cannot_start)?;
    let records = match outcome {
        Some(_) => read_records(&path).map_err(cannot_start)?,
        None => Vec::new(),
    };
    Ok(Ran { report, status, is_interrupted, records })
}

/// Files of processes with this extension, by process number, as far as that means an order at all.
pub fn files(directory: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(directory).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
    let entries = entries.map_err(|error| format!("cannot read the reports: {error}"))?;
    let has = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
    let mut files: Vec<_> = entries.iter().map(fs::DirEntry::path).filter(has).collect();
    files.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    Ok(files)
}

/// What the processes of one run say of memory.
fn read_records(directory: &Path) -> Result<Vec<Record>, String> {
    let read = |path: &PathBuf| {
        let text = fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))
    };
    files(directory, "outcome")?.iter().map(read).collect()
}

/// What the processes of one run reported, with the schedule where the device left it open.
fn read_all(directory: &Path, token: &str) -> Result<Option<hotfire_check::Report>, String> {
    let reports = files(directory, "json")?.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    if reports.is_empty() {
        return Ok(None);
    }
    let mut report = processes(reports);
    if report.summary.schedules.is_empty() {
        report.summary.schedules.push(token.to_owned());
    }
    for finding in &mut report.findings {
        if finding.replay.as_deref().unwrap_or_default().is_empty() {
            finding.replay = Some(token.to_owned());
        }
    }
    Ok(Some(report))
}

/// One report from a file.
pub fn read(path: &Path) -> Result<hotfire_check::Report, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    from_json(&text).map_err(|error| format!("{}: {error}", path.display()))
}
