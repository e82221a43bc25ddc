//! The program as a child of this process, which waits for it: signals go on to it, its end comes back.

use crate::{report, run};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::{fs, io};

/// Runs a command to its end: how it ended, and whether this process was told to end meanwhile. The error is an exit code; what it
/// means has been said.
pub fn run(command: &mut Command) -> Result<(ExitStatus, bool), u8> {
    let cannot_start = |message: String| {
        report(&message);
        run::CANNOT_START
    };
    // Before the program starts, so that its end cannot be missed.
    let mut signals = Signals::new(forwarded().into_iter().chain([SIGCHLD]))
        .map_err(|error| cannot_start(format!("cannot listen to signals: {error}")))?;
    let mut child = command.spawn().map_err(|error| run::not_started(command, &error))?;
    wait(&mut child, &mut signals).map_err(|error| cannot_start(format!("cannot wait for the program: {error}")))
}

/// As shells have it.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
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
