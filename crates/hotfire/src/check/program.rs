//! One run of the program: started as `hotfire run` would, with a private directory for what its processes report.

use super::schedule::Schedule;
use crate::{report, run};
use hotfire_check::outcome::Record;
use hotfire_report::{from_json, processes};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
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
/// `pdl` is what a programmatic wait covers, `outcome` what the device is asked to say of memory.
pub fn run(program: &[OsString], schedule: &Schedule, pdl: &str, outcome: Option<&str>) -> Result<Ran, u8> {
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
    // Before the program starts, so that its end cannot be missed.
    let mut signals = Signals::new(forwarded().into_iter().chain([SIGCHLD]))
        .map_err(|error| cannot_start(format!("cannot listen to signals: {error}")))?;
    let mut child = command.spawn().map_err(|error| run::not_started(&command, &error))?;
    let ended = wait(&mut child, &mut signals);
    let (status, is_interrupted) =
        ended.map_err(|error| cannot_start(format!("cannot wait for the program: {error}")))?;
    let report = read_all(&path, &schedule.to_string()).map_err(cannot_start)?;
    let records = match outcome {
        Some(_) => read_records(&path).map_err(cannot_start)?,
        None => Vec::new(),
    };
    Ok(Ran { report, status, is_interrupted, records })
}

/// Signals that are the program's to answer. Those that were ignored stay so, for the program too (nohup).
fn forwarded() -> Vec<i32> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    let is_ignored = |signal: i32| mask.unwrap_or(0) & (1 << (signal - 1)) != 0;
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2].into_iter().filter(|signal| !is_ignored(*signal)).collect()
}

/// Waits until the program has ended, and passes on what is sent to this process meanwhile.
fn wait(child: &mut Child, signals: &mut Signals) -> io::Result<(ExitStatus, bool)> {
    let mut is_interrupted = false;
    for signal in signals.forever() {
        if signal == SIGCHLD {
            if let Some(status) = child.try_wait()? {
                return Ok((status, is_interrupted));
            }
            continue;
        }
        is_interrupted |= [SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(&signal);
        // What is typed at a terminal went to the program as well.
        let is_typed = [SIGINT, SIGQUIT].contains(&signal) && is_foreground();
        if let Some(signal) = Signal::from_named_raw(signal).filter(|_| !is_typed) {
            // The program has not been waited for, so that the number is still its own; it may have ended all the same.
            let _ = kill_process(Pid::from_child(child), signal);
        }
    }
    Ok((child.wait()?, is_interrupted))
}

/// Whether this process's group is the one that its terminal sends signals to.
fn is_foreground() -> bool {
    let own = rustix::process::getpgrp();
    rustix::termios::tcgetpgrp(io::stdin()).is_ok_and(|group| group == own)
        || rustix::termios::tcgetpgrp(io::stderr()).is_ok_and(|group| group == own)
}

/// Files of processes with this extension, by process number, as far as that means an order at all.
fn files(directory: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
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
