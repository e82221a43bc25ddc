//! A place of the test's own, and the command line started in it.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::{env, fs};

/// A directory with a harmless shared object in it, gone at the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let directory = env::temp_dir().join(format!("hotfire-cli-{}-{name}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        // Every Rust program has the unwinder's library mapped.
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let harmless = maps.split_whitespace().find(|word| word.contains("/libgcc_s.so")).unwrap();
        fs::copy(harmless, directory.join("libhotfire_cuda.so")).unwrap();
        Self(directory)
    }

    pub fn hotfire(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hotfire"));
        command.args(arguments).env("HOTFIRE_LIBRARY", self.0.join("libhotfire_cuda.so"));
        command.env("TMPDIR", &self.0).env_remove("XDG_RUNTIME_DIR").env("LD_LIBRARY_PATH", "/elsewhere");
        command.output().unwrap()
    }

    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::write(&path, contents).unwrap();
        path.display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
