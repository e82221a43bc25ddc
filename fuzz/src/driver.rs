//! Runs targets in child processes, notices how they end, keeps the input that ended them.

use crate::mutate::{Random, mutate};
use crate::targets::Target;
use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Address space of a child. Inputs have at most 128 KiB, decompressed ones may declare up to 512 MiB.
const ADDRESS_SPACE_KIB: u64 = 2 << 20;

/// One input takes milliseconds; longer than this is a hang, also on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// More kept inputs would only thin out the good ones.
const MAX_KEPT: usize = 4096;

/// Longer inputs are tried, but not built upon: they take the time of many short ones.
const MAX_KEPT_LENGTH: usize = 8 << 10;

/// Runs each target in a child of its own, all at the same time.
pub fn drive(targets: &[&Target], seed: u64, duration: Duration) -> Result<(), String> {
    let children: Vec<_> = targets.iter().map(|target| spawn(target, seed, duration)).collect::<Result<_, _>>()?;
    let mut failures = Vec::new();
    for (target, mut child) in targets.iter().zip(children) {
        let status = child.wait().map_err(|error| format!("cannot wait for {}: {error}", target.name))?;
        if !status.success() {
            failures.push(format!("{}: {status}; {}", target.name, keep(target)));
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// The shell is what can limit a process without unsafe code.
fn spawn(target: &Target, seed: u64, duration: Duration) -> Result<Child, String> {
    let executable =
        std::env::current_exe().map_err(|error| format!("cannot tell where this executable is: {error}"))?;
    Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {ADDRESS_SPACE_KIB} && ulimit -c 0 && exec \"$@\""))
        .arg("sh")
        .arg(executable)
        .args(["--child", "--seed", &seed.to_string(), "--seconds", &duration.as_secs().to_string(), target.name])
        .spawn()
        .map_err(|error| format!("cannot start a child: {error}"))
}

/// Moves the input at which a child ended to a name of its own, and says how to run it again.
fn keep(target: &Target) -> String {
    let current = current(target);
    let kept = fs::read(&current).and_then(|input| {
        let sum = input
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let kept = current.with_file_name(format!("{}-{sum:016x}", target.name));
        fs::rename(&current, &kept).map(|()| kept)
    });
    match kept {
        Ok(kept) => format!("run it again: cargo run -p hotfire-fuzz -- {} --input {}", target.name, kept.display()),
        Err(error) => format!("its input was not kept: {error}"),
    }
}

fn current(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts").join(format!("{}.current", target.name))
}

/// What a child does: inputs until the time is over. The one in work is in a file, for whoever finds this process dead.
pub fn child(target: &'static Target, seed: u64, duration: Duration) -> Result<(), String> {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let path = current(target);
    let cannot_write = |error| format!("{}: {error}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(cannot_write)?;
    let file = File::create(&path).map_err(cannot_write)?;
    std::thread::spawn(move || watch(target, &RUNS));

    let mut random = Random::new(seed);
    let mut kept = (target.seeds)();
    let dictionary = (target.dictionary)();
    let mut answers = HashSet::new();
    let start = Instant::now();
    let mut pending = kept.len();
    let mut slowest = Duration::ZERO;
    while start.elapsed() < duration {
        // The seeds first, as they are.
        let input = if pending > 0 {
            pending -= 1;
            kept[pending].clone()
        } else {
            // The shorter of two takes less time and has less beside the point.
            let (one, two) = (&kept[random.below(kept.len())], &kept[random.below(kept.len())]);
            let one = if one.len() <= two.len() { one } else { two };
            mutate(one, &kept[random.below(kept.len())], &dictionary, &mut random)
        };
        file.write_all_at(&input, 0).and_then(|()| file.set_len(input.len() as u64)).map_err(cannot_write)?;
        let begin = Instant::now();
        // The message of the panic is on stderr.
        let Ok(answer) = catch_unwind(AssertUnwindSafe(|| (target.run)(&input))) else {
            return Err(format!("{}: panicked", target.name));
        };
        slowest = slowest.max(begin.elapsed());
        RUNS.fetch_add(1, Ordering::Relaxed);
        if answers.insert(answer) && kept.len() < MAX_KEPT && input.len() <= MAX_KEPT_LENGTH {
            kept.push(input);
        }
    }
    let (runs, answers, slowest) = (RUNS.load(Ordering::Relaxed), answers.len(), slowest.as_millis());
    println!("{}: {runs} inputs, {answers} different answers, {slowest} ms at most", target.name);
    fs::remove_file(&path).map_err(cannot_write)
}

/// Ends the process when an input takes too long.
fn watch(target: &Target, runs: &AtomicU64) {
    let mut last = runs.load(Ordering::Relaxed);
    loop {
        std::thread::sleep(PATIENCE);
        let now = runs.load(Ordering::Relaxed);
        if now == last {
            eprintln!("{}: an input takes longer than {} s", target.name, PATIENCE.as_secs());
            std::process::exit(2);
        }
        last = now;
    }
}

/// Gives one file to the targets, within this process, for a debugger.
pub fn replay(targets: &[&Target], file: &Path) -> Result<(), String> {
    let input = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    for target in targets {
        println!("{}:\n{}", target.name, (target.run)(&input));
    }
    Ok(())
}
