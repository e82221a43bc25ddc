//! The threads of the process: which are the device's own, which are blocked in a CUDA call, and whether any other could act.

use parking_lot::Mutex;
use std::cell::Cell;
use std::collections::BTreeSet;

/// The device's own threads: they never act for the program.
static OWN: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
/// Host threads that are blocked in a CUDA call.
static BLOCKED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

thread_local! {
    static HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

fn this_thread() -> i32 {
    // SAFETY: a system call without arguments.
    unsafe { libc::gettid() }
}

/// The calling thread is one of the device's own.
pub(super) fn own() {
    OWN.lock().insert(this_thread());
}

/// The calling thread runs host functions.
pub(super) fn runs_host_functions() {
    HOST_FUNCTION.set(true);
}

/// Whether the calling thread runs host functions.
pub(crate) fn is_host_function() -> bool {
    HOST_FUNCTION.get()
}

/// Marks the calling host thread as blocked in a CUDA call.
pub(super) struct Blocked(i32);

impl Blocked {
    pub fn new() -> Self {
        let this = Self(this_thread());
        BLOCKED.lock().insert(this.0);
        this
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        BLOCKED.lock().remove(&self.0);
    }
}

/// What a thread that is none of the device's does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// It runs, or the system may wake it.
    Acts,
    /// It waits for another thread, without a limit.
    WaitsForThread,
    /// It waits in some system call.
    Sleeps,
}

/// What `/proc/self/task/*/syscall` says: `running`, or the number of the call and its arguments.
fn doing(text: &str) -> Doing {
    let mut words = text.split_ascii_whitespace();
    let Some(call) = words.next().and_then(|word| word.parse::<i64>().ok()) else { return Doing::Acts };
    let no_limit = words.nth(3) == Some("0x0");
    if call == libc::SYS_futex && no_limit { Doing::WaitsForThread } else { Doing::Sleeps }
}

/// The threads of the process but the device's own and those blocked in CUDA calls; nothing if the system does not say.
fn others() -> Option<Vec<Doing>> {
    let mut others = Vec::new();
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let task = task.ok()?;
        let thread: i32 = task.file_name().to_str()?.parse().ok()?;
        if OWN.lock().contains(&thread) || BLOCKED.lock().contains(&thread) {
            continue;
        }
        match std::fs::read_to_string(task.path().join("syscall")) {
            Ok(text) => others.push(doing(&text)),
            // It has ended, or the system does not tell.
            Err(_) if !task.path().exists() => {}
            Err(_) => return None,
        }
    }
    Some(others)
}

/// True when no host thread can do anything before the device does: each is blocked in a CUDA call, or waits without limit for a
/// thread that is. If the system does not tell, every thread counts as able to act.
pub(super) fn none_can_act() -> bool {
    others().is_some_and(|others| others.iter().all(|&doing| doing == Doing::WaitsForThread))
}

/// True when every host thread waits for something.
pub(super) fn all_wait() -> bool {
    others().is_some_and(|others| !others.contains(&Doing::Acts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_told_apart() {
        assert_eq!(doing("running\n"), Doing::Acts);
        let futex = |limit| format!("202 0x7f 0x189 0x0 {limit} 0x0 0xffffffff 0x7ffc 0x7fef");
        assert_eq!(doing(&futex("0x0")), Doing::WaitsForThread);
        assert_eq!(doing(&futex("0x7ffc00")), Doing::Sleeps);
        assert_eq!(doing("0 0x3 0x7fef4ed82000 0x20000 0x0 0x0 0x0 0x7ffc 0x7fef"), Doing::Sleeps);
        assert_eq!(doing(""), Doing::Acts);
    }
}
