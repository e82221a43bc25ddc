//! CUDA C++ to PTX by NVRTC, where that is installed.

use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts, sys};

use crate::{Error, HEADER, Result};

/// CUDA C++ that a module is made of. Kernels may launch kernels, and have [`HEADER`] at hand without an `#include`.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    name: &'a str,
    text: &'a str,
    options: Vec<String>,
}

impl<'a> Source<'a> {
    /// A source by the name that messages call it.
    pub fn new(name: &'a str, text: &'a str) -> Self {
        Self { name, text, options: Vec::new() }
    }

    /// A further option of NVRTC's, such as `-lineinfo` or `--fmad=false`.
    #[must_use]
    pub fn option(mut self, option: &str) -> Self {
        self.options.push(option.to_owned());
        self
    }

    pub(crate) fn name(&self) -> &str {
        self.name
    }

    pub(crate) fn compile(&self) -> Result<String> {
        // SAFETY: this only looks whether the library can be loaded.
        if !unsafe { sys::is_culib_present() } {
            return Err(Error::NoCompiler);
        }
        let mut options = vec!["-rdc=true".to_owned(), "--gpu-architecture=compute_90".to_owned()];
        options.extend_from_slice(&self.options);
        let text = format!("{HEADER}\n#line 1 \"{}\"\n{}", self.name, self.text);
        let options = CompileOptions { options, name: Some(self.name.to_owned()), ..Default::default() };
        match compile_ptx_with_opts(text, options) {
            Ok(ptx) => Ok(ptx.to_src()),
            Err(CompileError::CompileError { log, .. }) => Err(Error::Compile(log.to_string_lossy().into_owned())),
            Err(other) => Err(Error::Compile(other.to_string())),
        }
    }
}
