//! Regenerates the committed PTX: each `kernels/*.cu` of an example or crate has its `.ptx` beside it.
//!
//! They need Rust alone that way. `check` proves in CI that the committed text is what the pinned
//! compiler makes of the source.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Result, process, root, target, toolkit};

/// The compiler's flags for every committed PTX file. `-fmad=false` keeps a product and the addition after it two
/// roundings, so that a reference can follow them exactly. `-lineinfo` lets `hotfire check` show lines of the source.
const FLAGS: [&str; 5] = ["-ptx", "-lineinfo", "-arch=compute_90", "-rdc=true", "-fmad=false"];

fn sources() -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for folder in ["crates", "examples"] {
        for package in read_dir(&root().join(folder))? {
            let kernels = package.join("kernels");
            if kernels.is_dir() {
                let files = read_dir(&kernels)?;
                sources.extend(files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "cu")));
            }
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
    let relative = source.strip_prefix(root()).expect("packages lie in the workspace");
    process::output(toolkit.nvcc().current_dir(root()).args(FLAGS).arg(relative).arg("-o").arg(&fresh))?;
    let text = fs::read_to_string(&fresh).map_err(|error| format!("{}: {error}", fresh.display()))?;
    Ok(without_place(&text))
}

/// The same text has to come out wherever the checkout lies: line tables get paths from the root, and the hash of the folder that the
/// compiler mixes into the names of what only one file sees (`_INTERNAL_1a2b3c4d_…`) goes, also where names are lists of bytes.
fn without_place(text: &str) -> String {
    let text = &without_hashes_in_bytes(&text.replace(&format!("{}/", root().display()), ""));
    const MARK: &str = "_INTERNAL_";
    let mut parts = text.split(MARK);
    let mut fixed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        fixed.push_str(MARK);
        let hash = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        if hash == 8 {
            fixed.push_str("00000000");
            fixed.push_str(&part[8..]);
        } else {
            fixed.push_str(part);
        }
    }
    fixed
}

/// The names in debugging sections: bytes in decimal.
fn without_hashes_in_bytes(text: &str) -> String {
    const MARK: &str = "95,73,78,84,69,82,78,65,76,95,";
    let mut parts = text.split(MARK);
    let mut fixed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        fixed.push_str(MARK);
        let numbers: Vec<&str> = part.splitn(9, ',').collect();
        let is_digit = |number: &&str| number.parse::<u8>().is_ok_and(|byte| byte.is_ascii_hexdigit());
        match numbers.split_last() {
            Some((rest, hash)) if hash.len() == 8 && hash.iter().all(is_digit) => {
                fixed.push_str(&"48,".repeat(8));
                fixed.push_str(rest);
            }
            _ => fixed.push_str(part),
        }
    }
    fixed
}

/// Writes the PTX of every kernel file beside its source.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_bytes_do_not_tell_the_folder() {
        let name = |hash: &str| {
            let bytes: Vec<String> = format!("_INTERNAL_{hash}_7_a").bytes().map(|byte| byte.to_string()).collect();
            format!(".b8 95,90,{},0\n", bytes.join(","))
        };
        assert_eq!(without_place(&name("cdb7804b")), name("00000000"));
        assert_eq!(without_place(&name("other")), name("other"));
    }

    #[test]
    fn names_do_not_tell_the_folder() {
        assert_eq!(
            without_place("mov _ZN37_INTERNAL_cdb7804b_7_a_cu_1, _INTERNAL_; x_INTERNAL_0498a986_7"),
            "mov _ZN37_INTERNAL_00000000_7_a_cu_1, _INTERNAL_; x_INTERNAL_00000000_7"
        );
    }
}
