//! Builds the programs of `tests/nvrtc/`, which compile their kernels at run time, into `target/cases/nvrtc/`.
//!
//! The host's compiler suffices: they load NVRTC and the driver when they run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::programs::files;
use crate::{Result, cases, process, root, toolkit};

/// A program in two builds.
#[derive(Clone, Debug)]
pub struct Program {
    /// `fail/streams`
    pub name: String,
    /// Its source.
    pub source: PathBuf,
    /// Built with `-g`.
    pub with_lines: PathBuf,
    /// Built without.
    pub plain: PathBuf,
}

/// Fetches NVRTC and builds what is not up to date. The path of the library, and the programs.
///
/// Safe to call from several processes at once: one builds, the others wait.
pub fn build() -> Result<(PathBuf, Vec<Program>)> {
    let directory = cases::directory().join("nvrtc");
    let shown = |path: &Path, error| format!("{}: {error}", path.display());
    fs::create_dir_all(&directory).map_err(|error| shown(&directory, error))?;
    let lock_path = directory.join(".lock");
    let lock = fs::File::create(&lock_path).map_err(|error| shown(&lock_path, error))?;
    lock.lock().map_err(|error| shown(&lock_path, error))?;

    let library = toolkit::fetch_nvrtc()?;
    let folder = root().join("tests").join("nvrtc");
    let mut programs = Vec::new();
    for kind in ["fail", "pass"] {
        for source in files(&folder.join(kind), "cpp")? {
            let stem = source.file_stem().expect("a source has a name").to_string_lossy().into_owned();
            let program = Program {
                with_lines: directory.join(kind).join(&stem),
                plain: directory.join(kind).join(format!("{stem}-plain")),
                name: format!("{kind}/{stem}"),
                source,
            };
            build_one(&program.source, &program.with_lines, &["-O1", "-g"])?;
            build_one(&program.source, &program.plain, &["-O1"])?;
            programs.push(program);
        }
    }
    Ok((library, programs))
}

fn build_one(source: &Path, path: &Path, flags: &[&str]) -> Result<()> {
    let header = root().join("tests").join("nvrtc").join("nvrtc.h");
    let time = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    if time(path).is_some_and(|built| [source, &header].iter().all(|file| time(file).is_some_and(|time| time < built)))
    {
        return Ok(());
    }
    let folder = path.parent().expect("a program lies in a folder");
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut compiler = Command::new("c++");
    compiler.current_dir(root()).args(["-std=c++17", "-Wall", "-o"]).arg(path).args(flags);
    process::output(compiler.arg(source.strip_prefix(root()).unwrap_or(source)).arg("-ldl")).map(drop)
}
