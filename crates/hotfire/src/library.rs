//! The shared object that stands in for the CUDA driver and runtime, and the names under which programs load it.
//!
//! It is loaded twice over, into one copy: by `LD_PRELOAD`, so that it is there before a static runtime registers anything, and under the
//! names that programs link with or `dlopen`, by links in a directory of our own in `LD_LIBRARY_PATH` (ld.so(8) knows that they are one file).

use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const FILE: &str = "libhotfire_cuda.so";

/// Says where the shared object is, if it is not beside the executable.
pub const OVERRIDE: &str = "HOTFIRE_LIBRARY";

/// The names that programs load, as CUDA 11 to 13 install them.
const NAMES: [&str; 6] =
    ["libcuda.so", "libcuda.so.1", "libcudart.so", "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"];

/// The shared object: `HOTFIRE_LIBRARY`, else beside the executable as Cargo builds it, else in `../lib` as it is installed.
pub fn find() -> Result<PathBuf, String> {
    if let Some(path) = env::var_os(OVERRIDE) {
        let path = PathBuf::from(path);
        return match path.canonicalize() {
            Ok(path) => Ok(path),
            Err(error) => Err(format!("{OVERRIDE} names {}: {error}", path.display())),
        };
    }
    let places = beside_executable(FILE)?;
    let found = places.iter().find(|place| place.is_file());
    found.and_then(|place| place.canonicalize().ok()).ok_or_else(|| {
        let places: Vec<_> = places.iter().map(|place| format!("\n  {}", place.display())).collect();
        format!(
            "cannot find {FILE}; looked for{}\nbuild it with `cargo build -p hotfire-cuda`, or name it in {OVERRIDE}",
            places.concat()
        )
    })
}

/// Where a file that belongs to the executable may be.
pub fn beside_executable(file: &str) -> Result<Vec<PathBuf>, String> {
    let executable = env::current_exe().map_err(|error| format!("cannot tell where this executable is: {error}"))?;
    let directory = executable.parent().unwrap_or(Path::new("/"));
    Ok(["", "../lib", "../lib/hotfire", "deps"].iter().map(|place| directory.join(place).join(file)).collect())
}

/// The environment that makes a program load the shared object.
#[derive(Debug)]
pub struct Environment {
    /// Directory of links under CUDA's names.
    pub directory: PathBuf,
    /// What to preload.
    pub preload: PathBuf,
}

impl Environment {
    /// Prepares the links for `library`.
    pub fn prepare(library: &Path) -> Result<Environment, String> {
        let directory = private_directory(library)?;
        link_names(&directory, library).map_err(|error| format!("{}: {error}", directory.display()))?;
        // ld.so separates preloaded objects by spaces and colons.
        let preload = if is_listable(library) { library.to_path_buf() } else { directory.join(FILE) };
        Ok(Environment { directory, preload })
    }

    /// The variables to set for the program.
    pub fn variables(&self) -> [(&'static str, OsString); 2] {
        [
            ("LD_PRELOAD", crate::prepend("LD_PRELOAD", self.preload.clone().into())),
            ("LD_LIBRARY_PATH", crate::prepend("LD_LIBRARY_PATH", self.directory.clone().into())),
        ]
    }
}

fn is_listable(path: &Path) -> bool {
    !path.as_os_str().as_bytes().iter().any(|byte| b": ;".contains(byte))
}

/// Makes `directory` hold a link to `library` under every name. Safe against others doing the same at the same time.
fn link_names(directory: &Path, library: &Path) -> io::Result<()> {
    if !is_listable(directory) {
        return Err(io::Error::other("a path with colons or spaces cannot stand in LD_LIBRARY_PATH; set TMPDIR"));
    }
    for name in NAMES.iter().copied().chain([FILE]) {
        let link = directory.join(name);
        if fs::read_link(&link).is_ok_and(|target| target == library) {
            continue;
        }
        let fresh = directory.join(format!(".{name}.{}", std::process::id()));
        // Left over from a process of the same number that was killed.
        let _ = fs::remove_file(&fresh);
        symlink(library, &fresh)?;
        fs::rename(&fresh, &link)?;
    }
    Ok(())
}

/// A directory for `library` that only this user can write to, under `XDG_RUNTIME_DIR` or the directory for temporary files.
///
/// Whoever could write to it could run code as this user, so one that somebody else made is refused.
fn private_directory(library: &Path) -> Result<PathBuf, String> {
    // Processes own their entry there.
    let user = fs::metadata("/proc/self").map_err(|error| format!("/proc/self: {error}"))?.uid();
    let base = env::var_os("XDG_RUNTIME_DIR").map_or_else(env::temp_dir, PathBuf::from);
    // Several Hotfires may be installed; each has its own links.
    let mut hash = DefaultHasher::new();
    library.hash(&mut hash);
    let directory = base.join(format!("hotfire-{user}-{:016x}", hash.finish()));
    match fs::DirBuilder::new().mode(0o700).create(&directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(format!("cannot make {}: {error}", directory.display()));
        }
        _ => {}
    }
    let metadata = fs::symlink_metadata(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    if !metadata.is_dir() || metadata.uid() != user || metadata.mode() & 0o022 != 0 {
        return Err(format!("{} is not a directory that only this user can write to", directory.display()));
    }
    Ok(directory)
}

/// The file that the shell would execute for `program`.
pub fn in_path(program: &OsStr) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    let path = env::var_os("PATH")?;
    let is_executable = |path: &PathBuf| path.metadata().is_ok_and(|file| file.is_file() && file.mode() & 0o111 != 0);
    env::split_paths(&path).map(|directory| directory.join(program)).find(is_executable)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory of the test's own.
    fn scratch(name: &str) -> PathBuf {
        let directory = env::temp_dir().join(format!("hotfire-test-{}-{name}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        directory
    }

    #[test]
    fn links_are_made_and_renewed() {
        let directory = scratch("links");
        let names = directory.join("names");
        fs::create_dir(&names).unwrap();
        for library in ["old.so", "new.so", "new.so"] {
            let library = directory.join(library);
            fs::write(&library, b"").unwrap();
            link_names(&names, &library).unwrap();
            for name in NAMES {
                assert_eq!(fs::read_link(names.join(name)).unwrap(), library);
            }
        }
        assert_eq!(fs::read_dir(&names).unwrap().count(), NAMES.len() + 1, "nothing is left over");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_path_that_cannot_be_listed_is_served_by_links_elsewhere() {
        let directory = scratch("a b:c");
        let library = directory.join(FILE);
        fs::write(&library, b"").unwrap();
        let environment = Environment::prepare(&library).unwrap();
        assert!(is_listable(&environment.directory) && is_listable(&environment.preload));
        assert_eq!(environment.preload.canonicalize().unwrap(), library.canonicalize().unwrap());
        fs::remove_dir_all(environment.directory).unwrap();
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn programs_are_found_as_the_shell_finds_them() {
        assert!(in_path(OsStr::new("sh")).is_some_and(|path| path.is_absolute()));
        assert_eq!(in_path(OsStr::new("./no/such/program")), None);
        assert_eq!(in_path(OsStr::new("no-such-program-anywhere")), None);
    }
}
