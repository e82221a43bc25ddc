//! Python packages that use CUDA, as others wrote them, in an environment of their own under `target/clients/`.
//!
//! Pinned, and about 250 MB to fetch. nvJitLink is left out: without it Numba links by the driver, which is what there is to test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::hotfire::Hotfire;
use crate::{Result, process, root, target, toolkit};

/// What the programs of `clients/` import, with what that needs.
pub const PACKAGES: [(&str, &str); 11] = [
    ("cuda-bindings", "13.0.3"),
    ("cuda-core", "1.2.2"),
    ("cuda-pathfinder", "1.9.1"),
    ("llvmlite", "0.50.0"),
    ("numba", "0.68.1"),
    ("numba-cuda", "0.30.4"),
    ("numpy", "2.4.6"),
    ("nvidia-cuda-nvrtc", "13.0.88"),
    ("nvidia-cuda-runtime", "13.0.96"),
    ("nvidia-nvvm", "13.0.88"),
    ("packaging", "26.4"),
];

/// The environment, ready for use.
#[derive(Clone, Debug)]
pub struct Clients {
    python: PathBuf,
}

/// Makes the environment and fetches the packages, unless they are there already.
///
/// Safe to call from several processes at once: one fetches, the others wait.
pub fn fetch() -> Result<Clients> {
    let folder = target().join("clients");
    let shown = |path: &Path, error| format!("{}: {error}", path.display());
    fs::create_dir_all(&folder).map_err(|error| shown(&folder, error))?;
    let lock_path = folder.join(".lock");
    let lock = fs::File::create(&lock_path).map_err(|error| shown(&lock_path, error))?;
    lock.lock().map_err(|error| shown(&lock_path, error))?;

    let environment = folder.join("environment");
    let python = environment.join("bin").join("python3");
    if !python.exists() {
        // Without pip: that of the machine installs into it, so that no package for making environments is needed.
        process::run(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&environment))?;
    }
    let mut asked = Command::new(&python);
    asked.args(["-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]);
    let site = String::from_utf8_lossy(&process::output(&mut asked)?.stdout).into_owned();
    toolkit::install(Path::new(site.trim()), &PACKAGES, "Python packages that use CUDA")?;
    Ok(Clients { python })
}

impl Clients {
    /// `hotfire run -- python3 clients/PROGRAM` with the environment's Python, whatever else the machine has.
    pub fn run(&self, hotfire: &Hotfire, program: &str) -> Command {
        let mut command = hotfire.run(&self.python);
        command.arg("-I").arg(root().join("clients").join(program));
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("NUMBA_") {
                command.env_remove(name);
            }
        }
        command
    }
}
