//! What the integration tests share: the built command line tool, the built programs, and the output of a run.
//!
//! CUDA's compiler is fetched and the programs are built when the first test asks for them; where that is impossible the
//! tests fail, they are never skipped.
#![forbid(unsafe_code)]

pub mod case;
pub mod verdict;

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use hotfire_check::Report;
use xtask::hotfire::{Hotfire, Profile};
use xtask::programs;

/// A run that takes longer than this hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// The tool and its shared object, built once with the profile of the tests.
pub fn hotfire() -> &'static Hotfire {
    static HOTFIRE: OnceLock<Hotfire> = OnceLock::new();
    HOTFIRE.get_or_init(|| Hotfire::build(Profile::own()).expect("hotfire builds"))
}

/// Path of one of the programs of `programs/` and `litmus/`.
pub fn program(name: &str) -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        programs::build().expect("the CUDA programs build");
    });
    let path = programs::directory().join(name);
    assert!(path.is_file(), "no program is named {name}");
    path
}

/// What a program printed and how it ended.
#[derive(Debug)]
pub struct Output {
    /// Exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Output {
    /// The lines of standard output that start with `prefix`.
    pub fn lines<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        self.stdout.lines().filter(move |line| line.starts_with(prefix))
    }

    /// Panics with everything printed unless the program exited with 0.
    #[track_caller]
    pub fn success(self) -> Self {
        assert_eq!(self.code, Some(0), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// Runs a built program under `hotfire run` with the given environment.
pub fn run_with(name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = hotfire().run(&program(name));
    command.args(arguments).envs(environment.iter().copied());
    output(command)
}

/// Runs a built program under `hotfire run`.
pub fn run(name: &str, arguments: &[&str]) -> Output {
    run_with(name, arguments, &[])
}

/// Runs `hotfire check` on a program, from the root, since line tables are relative to it. The report, which stays in `file`, and what
/// was printed.
pub fn check(
    options: &[&str],
    file: &Path,
    program: &Path,
    arguments: &[impl AsRef<OsStr>],
) -> Result<(Report, Output), String> {
    check_with(&[], options, file, program, arguments)
}

/// The same with more in the environment.
pub fn check_with(
    environment: &[(&str, &OsStr)],
    options: &[&str],
    file: &Path,
    program: &Path,
    arguments: &[impl AsRef<OsStr>],
) -> Result<(Report, Output), String> {
    let mut command = hotfire().command();
    command.current_dir(xtask::root()).envs(environment.iter().copied());
    command.arg("check").args(options).args(["--format", "json", "--output"]).arg(file);
    command.arg("--").arg(program).args(arguments);
    let ended = output(command);
    let json = fs::read_to_string(file).map_err(|error| format!("{}: {error}\n{ended:?}", file.display()))?;
    let report = serde_json::from_str(&json).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok((report, ended))
}

/// Runs a command to its end, killing it and failing if it hangs.
pub fn output(mut command: Command) -> Output {
    // A group of its own: what hangs may be a child of the command.
    let mut child = command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stdout = collect(child.stdout.take().expect("piped"));
    let stderr = collect(child.stderr.take().expect("piped"));
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break Some(status);
        }
        if started.elapsed() > LIMIT {
            let group = format!("-{}", child.id());
            Command::new("kill").args(["-KILL", "--", &group]).status().expect("there is kill");
            child.wait().expect("a killed child ends");
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let stdout = stdout.join().expect("the reader ends with its pipe");
    let stderr = stderr.join().expect("the reader ends with its pipe");
    let Some(status) = status else {
        panic!("{command:?} hangs; stdout so far:\n{stdout}\nstderr:\n{stderr}");
    };
    Output { code: status.code(), stdout, stderr }
}

fn collect(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
