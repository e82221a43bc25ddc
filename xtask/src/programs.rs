//! Builds the CUDA C++ programs of `programs/` and `litmus/` into `target/programs/`.
//!
//! How a program is built stands in its source: each line `// build: NAME FLAGS…` makes `target/programs/NAME`. Further
//! sources among the flags are paths from the root of the workspace.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use crate::toolkit::{self, PACKAGES, Toolkit};
use crate::{Result, process, root, target};

const FOLDERS: [&str; 2] = ["programs", "litmus"];

/// One executable to build.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its path under the folder that it is built into.
    pub name: String,
    pub(crate) directory: PathBuf,
    /// The source that declares it.
    pub source: PathBuf,
    /// What nvcc gets besides the source.
    pub flags: Vec<String>,
}

impl Program {
    /// Where it is built.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.name)
    }
}

/// The folder of the built programs.
pub fn directory() -> PathBuf {
    target().join("programs")
}

/// All programs that the sources declare, by name.
pub fn list() -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for folder in FOLDERS {
        for source in files(&root().join(folder), "cu")? {
            let before = programs.len();
            for line in read(&source)?.lines().filter_map(|line| line.strip_prefix("// build: ")) {
                let mut words = line.split_whitespace().map(str::to_owned);
                let name = words.next().ok_or_else(|| format!("{}: `// build:` without a name", source.display()))?;
                let (source, flags) = (source.clone(), words.collect());
                programs.push(Program { name, directory: directory(), source, flags });
            }
            if programs.len() == before {
                return Err(format!("{}: no line `// build: NAME FLAGS`", source.display()));
            }
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(pair) = programs.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(format!("two programs are named {}", pair[0].name));
    }
    Ok(programs)
}

/// Fetches the compiler where necessary and builds every program that is not up to date.
///
/// Safe to call from several processes at once: one builds, the others wait.
pub fn build() -> Result<Vec<Program>> {
    let programs = list()?;
    build_into(&directory(), &programs)?;
    Ok(programs)
}

/// Builds what is not up to date of `programs` into `directory`.
pub(crate) fn build_into(directory: &Path, programs: &[Program]) -> Result<()> {
    fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let lock_path = directory.join(".lock");
    let lock = fs::File::create(&lock_path).map_err(|error| format!("{}: {error}", lock_path.display()))?;
    lock.lock().map_err(|error| format!("{}: {error}", lock_path.display()))?;

    let toolkit = toolkit::fetch()?;
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = build_one(&toolkit, program) {
                        failures.lock().expect("no worker panics while it holds the list").push(error);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("all workers have ended");
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

fn build_one(toolkit: &Toolkit, program: &Program) -> Result<()> {
    let path = program.path();
    let folder = path.parent().expect("a program lies in a folder");
    let file = path.file_name().expect("a program has a name").to_string_lossy();
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let stamp = folder.join(format!(".{file}.stamp"));
    let wanted = fingerprint(program)?;
    if path.is_file() && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    eprintln!("nvcc {} ({})", program.name, program.flags.join(" "));
    // Relative paths from the root: line tables must not depend on where the checkout lies.
    let source = program.source.strip_prefix(root()).unwrap_or(&program.source);
    let mut nvcc = toolkit.nvcc();
    nvcc.current_dir(root()).arg(source).arg("-o").arg(&path).args(&program.flags);
    process::output(&mut nvcc)?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// Changes when anything does that the program is built from.
fn fingerprint(program: &Program) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    (PACKAGES, &program.flags).hash(&mut hasher);
    let others = program.flags.iter().filter(|flag| flag.ends_with(".cu")).map(|flag| root().join(flag));
    let mut sources: Vec<PathBuf> = std::iter::once(program.source.clone()).chain(others).collect();
    let mut next = 0;
    while let Some(source) = sources.get(next).cloned() {
        next += 1;
        let text = read(&source)?;
        text.hash(&mut hasher);
        for line in text.lines() {
            let Some(name) = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')) else { continue };
            let included = source.parent().expect("a source lies in a folder").join(name);
            if !sources.contains(&included) {
                sources.push(included);
            }
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

pub(crate) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
