//! CUDA's compiler, from NVIDIA's PyPI packages, under `target/cuda/site`.
//!
//! The versions are pinned: the committed PTX and the tests' expectations are those of this compiler. Nothing
//! of it is ever committed.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::{Result, process, target};

/// The packages that together make a working `nvcc`, with their pinned versions.
pub const PACKAGES: [(&str, &str); 5] = [
    ("nvidia-cuda-nvcc", "13.0.88"),
    ("nvidia-cuda-runtime", "13.0.96"),
    ("nvidia-cuda-crt", "13.0.88"),
    ("nvidia-nvvm", "13.0.88"),
    ("nvidia-cuda-cccl", "13.0.85"),
];

/// A fetched compiler.
#[derive(Clone, Debug)]
pub struct Toolkit {
    home: PathBuf,
    /// Holds `libcudart.so`, the name that linking with the shared runtime looks for and the packages lack.
    names: PathBuf,
}

impl Toolkit {
    /// `nvcc`, able to find its own tools, headers and libraries.
    pub fn nvcc(&self) -> Command {
        let bin = self.home.join("bin");
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths(std::iter::once(bin.clone()).chain(env::split_paths(&path)));
        let mut command = Command::new(bin.join("nvcc"));
        command.env("PATH", path.expect("the workspace's path holds no colon"));
        command.arg("-L").arg(self.home.join("lib")).arg("-L").arg(&self.names);
        command
    }

    /// NVIDIA's own assembler, which says what PTX is.
    pub fn ptxas(&self) -> Command {
        Command::new(self.home.join("bin").join("ptxas"))
    }
}

/// The compiler for programs that compile at run time, from CUDA 12: what is compiled there is not nvcc's.
pub const NVRTC: [(&str, &str); 1] = [("nvidia-cuda-nvrtc-cu12", "12.9.86")];

fn site() -> PathBuf {
    target().join("cuda").join("site")
}

fn is_complete(site: &Path, packages: &[(&str, &str)]) -> bool {
    packages.iter().all(|(name, version)| {
        site.join(format!("{}-{version}.dist-info", name.replace('-', "_"))).join("METADATA").is_file()
    })
}

/// Installs packages into a folder of their own, unless they are there already. `what` they are is for messages.
pub(crate) fn install(site: &Path, packages: &[(&str, &str)], what: &str) -> Result<()> {
    if is_complete(site, packages) {
        return Ok(());
    }
    // Installed beside its final place and renamed, so that an interrupted fetch leaves nothing half done.
    let fresh = site.with_extension(format!("{}", std::process::id()));
    let shown = |path: &Path, error| format!("{}: {error}", path.display());
    fs::create_dir_all(&fresh).map_err(|error| shown(&fresh, error))?;
    eprintln!("fetching {what} into {}", site.display());
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]).arg(&fresh);
    pip.env("PIP_ROOT_USER_ACTION", "ignore");
    pip.args(packages.iter().map(|(name, version)| format!("{name}=={version}")));
    if let Err(error) = process::run(&mut pip) {
        let _ = fs::remove_dir_all(&fresh);
        return Err(format!("{error}\n(Python 3 with pip is needed to fetch {what})"));
    }
    if site.exists() {
        fs::remove_dir_all(site).map_err(|error| shown(site, error))?;
    }
    fs::rename(&fresh, site).map_err(|error| shown(site, error))?;
    if !is_complete(site, packages) {
        return Err(format!("{}: pip left {what} incomplete there", site.display()));
    }
    Ok(())
}

/// Fetches NVRTC unless it is there already; the path of `libnvrtc.so.12`.
pub fn fetch_nvrtc() -> Result<PathBuf> {
    let site = target().join("cuda").join("nvrtc");
    install(&site, &NVRTC, "CUDA's compiler")?;
    let library = site.join("nvidia").join("cuda_nvrtc").join("lib").join("libnvrtc.so.12");
    if library.is_file() { Ok(library) } else { Err(format!("{} is missing", library.display())) }
}

/// Fetches the compiler unless it is there already.
pub fn fetch() -> Result<Toolkit> {
    let site = site();
    install(&site, &PACKAGES, "CUDA's compiler")?;
    let home = site.join("nvidia").join("cu13");
    let names = site.with_file_name("names");
    link(&home.join("lib").join("libcudart.so.13"), &names.join("libcudart.so"))?;
    Ok(Toolkit { home, names })
}

fn link(file: &Path, name: &Path) -> Result<()> {
    let shown = |error| format!("{}: {error}", name.display());
    fs::create_dir_all(name.parent().expect("a name lies in a folder")).map_err(shown)?;
    match std::os::unix::fs::symlink(file, name) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        result => result.map_err(shown),
    }
}
