//! `hotfire doctor`: what Hotfire needs of this machine, whether it is there, and a small program through the whole path.

use crate::library::{self, Environment};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// The example client that adds two vectors and checks the sum.
const PROGRAM: &str = "vector-add";

/// How long the program may take; it needs well below a second.
const PATIENCE: Duration = Duration::from_secs(60);

/// A finding about this machine.
enum Finding {
    Good(String),
    /// Works, but worse than it could.
    Poor(String),
    Bad(String),
}

/// Prints findings, one a line; fails if one is bad.
pub fn doctor() -> ExitCode {
    let mut healthy = true;
    let mut say = |subject: &str, finding: Finding| {
        let (mark, text) = match finding {
            Finding::Good(text) => ("ok", text),
            Finding::Poor(text) => ("--", text),
            Finding::Bad(text) => {
                healthy = false;
                ("!!", text)
            }
        };
        println!("{mark} {subject:<15} {text}");
    };
    say("processor", processor());
    say("memory", memory());
    say("address space", address_space());
    say("mappings", mappings());
    say("GPU", gpu());
    match library::find() {
        Err(message) => say("library", Finding::Bad(message)),
        Ok(path) => {
            say("library", Finding::Good(path.display().to_string()));
            match Environment::prepare(&path) {
                Err(message) => say("names", Finding::Bad(message)),
                Ok(environment) => {
                    say("names", Finding::Good(environment.directory.display().to_string()));
                    say("vector add", try_program(&environment));
                }
            }
        }
    }
    println!(
        "{}",
        if healthy { "This machine is ready: hotfire run -- PROGRAM" } else { "This machine is not ready." }
    );
    if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn processor() -> Finding {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let what = format!("{cores} cores, one worker each");
    #[cfg(target_arch = "x86_64")]
    if !std::arch::is_x86_feature_detected!("fma") {
        return Finding::Poor(format!("{what}; no fused multiply-add, so `fma` instructions are slow"));
    }
    Finding::Good(what)
}

fn memory() -> Finding {
    let available = fs::read_to_string("/proc/meminfo").ok().and_then(|text| field(&text, "MemAvailable:"));
    match available {
        None => Finding::Poor("/proc/meminfo does not tell how much is available".into()),
        Some(kib) if kib < 512 << 10 => Finding::Poor(format!("only {} MiB available", kib >> 10)),
        Some(kib) => Finding::Good(format!("{:.1} GiB available to the device", kib as f64 / f64::from(1 << 20))),
    }
}

/// The device reserves a large range of addresses without memory behind them (512 GiB, and windows for shared memory).
fn address_space() -> Finding {
    if number("/proc/sys/vm/overcommit_memory") == Some(2) {
        return Finding::Bad(
            "vm.overcommit_memory is 2: large reservations are refused (set it to 0: sysctl vm.overcommit_memory=0)"
                .into(),
        );
    }
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    match limits.lines().find_map(|line| line.strip_prefix("Max address space")) {
        Some(limit) if !limit.trim_start().starts_with("unlimited") => {
            Finding::Bad("the address space of processes is limited (ulimit -v unlimited)".into())
        }
        _ => Finding::Good("not limited".into()),
    }
}

/// Each allocation and each resident block's shared memory is a mapping.
fn mappings() -> Finding {
    match number("/proc/sys/vm/max_map_count") {
        Some(count) if count < 65_530 => Finding::Poor(format!(
            "at most {count} a process (vm.max_map_count): programs with many allocations may fail"
        )),
        Some(count) => Finding::Good(format!("up to {count} a process")),
        None => Finding::Poor("/proc/sys/vm/max_map_count cannot be read".into()),
    }
}

fn gpu() -> Finding {
    Finding::Good(if Path::new("/dev/nvidiactl").exists() {
        "there is one; `hotfire run` uses the software device all the same".into()
    } else {
        "none, and none is needed".into()
    })
}

fn try_program(environment: &Environment) -> Finding {
    let places = match library::beside_executable(PROGRAM) {
        Ok(places) => places,
        Err(message) => return Finding::Bad(message),
    };
    let Some(program) = places.into_iter().find(|place| place.is_file()) else {
        return Finding::Poor(format!("not tried: the program is not built (cargo build -p {PROGRAM})"));
    };
    let start = Instant::now();
    let child = Command::new(&program)
        .envs(environment.variables())
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Finding::Bad(format!("cannot run {}: {error}", program.display())),
    };
    // The program prints a few lines, which fit into its pipes: it never waits for a reader.
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Finding::Bad(format!("{} did not end within {} s", program.display(), PATIENCE.as_secs()));
            }
        }
    }
    let elapsed = start.elapsed().as_millis();
    match child.wait_with_output() {
        Ok(output) if output.status.success() => {
            Finding::Good(format!("{} ({elapsed} ms)", String::from_utf8_lossy(&output.stdout).trim()))
        }
        Ok(output) => Finding::Bad(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Finding::Bad(error.to_string()),
    }
}

fn number(path: &str) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The number behind a name in the format of /proc/meminfo.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn meminfo() {
        let text = "MemTotal:       100 kB\nMemFree:  20 kB\nMemAvailable:    42 kB\n";
        assert_eq!(field(text, "MemAvailable:"), Some(42));
        assert_eq!(field(text, "SwapFree:"), None);
    }
}
