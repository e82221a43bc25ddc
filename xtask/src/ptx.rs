//! Regenerates the committed PTX: each `kernels/*.cu` of an example has its `.ptx` beside it.
//!
//! The examples need Rust alone that way. `check` proves in CI that the committed text is what the pinned
//! compiler makes of the source.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Result, process, root, target, toolkit};

/// The compiler's flags for every committed PTX file. `-fmad=false` keeps a product and the addition after it two
/// roundings, so that a reference can follow them exactly.
const FLAGS: [&str; 4] = ["-ptx", "-arch=compute_90", "-rdc=true", "-fmad=false"];

fn sources() -> Result<Vec<PathBuf>> {
    let examples = root().join("examples");
    let mut sources = Vec::new();
    for example in read_dir(&examples)? {
        let kernels = example.join("kernels");
        if kernels.is_dir() {
            sources.extend(read_dir(&kernels)?.into_iter().filter(|path| path.extension().is_some_and(|e| e == "cu")));
        }
    }
    sources.sort();
    Ok(sources)
}

fn read_dir(folder: &Path) -> Result<Vec<PathBuf>> {
    let shown = |error| format!("{}: {error}", folder.display());
    fs::read_dir(folder).map_err(shown)?.map(|entry| entry.map(|entry| entry.path()).map_err(shown)).collect()
}

fn generate(source: &Path) -> Result<String> {
    let toolkit = toolkit::fetch()?;
    let folder = target().join("ptx");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let fresh = folder.join(source.with_extension("ptx").file_name().expect("a source has a name"));
    let relative = source.strip_prefix(root()).expect("the examples lie in the workspace");
    process::output(toolkit.nvcc().current_dir(root()).args(FLAGS).arg(relative).arg("-o").arg(&fresh))?;
    fs::read_to_string(&fresh).map_err(|error| format!("{}: {error}", fresh.display()))
}

/// Writes the PTX of every example beside its source.
pub fn regenerate() -> Result<()> {
    for source in sources()? {
        let path = source.with_extension("ptx");
        fs::write(&path, generate(&source)?).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{}", path.strip_prefix(root()).unwrap_or(&path).display());
    }
    Ok(())
}

/// Fails when a committed PTX file is not what the compiler makes of its source.
pub fn check() -> Result<()> {
    for source in sources()? {
        let path = source.with_extension("ptx");
        let committed = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if committed != generate(&source)? {
            return Err(format!("{} is out of date: run `cargo xtask ptx`", path.display()));
        }
    }
    Ok(())
}
