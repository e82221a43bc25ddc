//! Builds the cases of `tests/fail/`, `tests/pass/` and `tests/outcome/` into `target/cases/`.
//!
//! Each is one executable, at the same path as its source; a line `// build: FLAGS` says how.

use std::fs;
use std::path::{Path, PathBuf};

use crate::programs::{Program, build_into, files, read};
use crate::{Result, root, target};

const KINDS: [&str; 2] = ["fail", "pass"];

/// The folder of the built cases.
pub fn directory() -> PathBuf {
    target().join("cases")
}

/// All cases, by name: `fail/host/h01-mapped`.
pub fn list() -> Result<Vec<Program>> {
    list_of(&KINDS)
}

/// The cases of these folders of `tests/`.
pub fn list_of(kinds: &[&str]) -> Result<Vec<Program>> {
    let mut cases = Vec::new();
    for kind in kinds {
        for group in folders(&root().join("tests").join(kind))? {
            for source in files(&group, "cu")? {
                cases.push(case(kind, &group, source)?);
            }
        }
    }
    Ok(cases)
}

/// Fetches the compiler where necessary and builds every case that is not up to date.
pub fn build() -> Result<Vec<Program>> {
    build_of(&KINDS)
}

/// The same for the cases of these folders of `tests/`.
pub fn build_of(kinds: &[&str]) -> Result<Vec<Program>> {
    let cases = list_of(kinds)?;
    build_into(&directory(), &cases)?;
    Ok(cases)
}

/// Some cases as their authors did not mean them: without `-lineinfo`, `-g` and `-rdc`. By the names of the cases.
pub fn build_plain(names: &[&str]) -> Result<Vec<Program>> {
    let plain = |mut case: Program| {
        case.flags.retain(|flag| !matches!(flag.as_str(), "-lineinfo" | "-g" | "-G" | "-rdc=true"));
        case.name = format!("plain/{}", case.name);
        case
    };
    let cases: Vec<Program> =
        list()?.into_iter().filter(|case| names.contains(&case.name.as_str())).map(plain).collect();
    if cases.len() != names.len() {
        return Err(format!("not all of these are cases: {}", names.join(", ")));
    }
    build_into(&directory(), &cases)?;
    Ok(cases)
}

fn case(kind: &str, group: &Path, source: PathBuf) -> Result<Program> {
    let text = read(&source)?;
    let mut declared = text.lines().filter_map(|line| line.strip_prefix("// build: "));
    let (Some(flags), None) = (declared.next(), declared.next()) else {
        return Err(format!("{}: there must be one line `// build: FLAGS`", source.display()));
    };
    let name = |path: &Path| path.file_stem().expect("a case has a name").to_string_lossy().into_owned();
    Ok(Program {
        name: format!("{kind}/{}/{}", name(group), name(&source)),
        directory: directory(),
        flags: flags.split_whitespace().map(str::to_owned).collect(),
        source,
    })
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let shown = |error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(shown)? {
        let path = entry.map_err(shown)?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
