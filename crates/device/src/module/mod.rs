//! Loaded modules: linked PTX whose variables have addresses and whose kernels are compiled at their first launch
//! (CUDA Driver API, module management).

use crate::status::Status;
use hotfire_ptx::ast;
use std::sync::Arc;

/// Why a module did not load.
#[derive(Clone, Debug)]
pub struct LoadError {
    /// What `cuModuleLoadData` answers: 218, 500, …
    pub status: Status,
    /// What `CU_JIT_ERROR_LOG_BUFFER` gets: one line a problem.
    pub log: String,
}

/// A loaded module.
pub struct Module {
    _private: (),
}

impl Module {
    /// The kernel of that (mangled) name.
    pub fn function(&self, name: &str) -> Option<Arc<Function>> {
        let _ = name;
        None
    }

    /// All kernels, in the order of the text.
    pub fn functions(&self) -> Vec<Arc<Function>> {
        Vec::new()
    }

    /// Address and size of the module variable of that name, `.global` or `.const`.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        let _ = name;
        None
    }
}

/// What `cudaFuncGetAttributes` answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionAttributes {
    /// Bytes of static shared memory.
    pub static_shared: u32,
    /// Bytes of constant memory of its module.
    pub constant: u32,
    /// Bytes of local memory a thread.
    pub local: u32,
    /// Most threads a block.
    pub max_threads: u32,
    /// Registers a thread (nominal: machine code here has none of a GPU's).
    pub registers: u32,
    /// `.version` of the PTX, 10 * major + minor.
    pub ptx_version: u32,
    /// Architecture it was compiled for: 90.
    pub binary_version: u32,
    /// Most bytes of dynamic shared memory, as set by [`Function::set_max_dynamic_shared`].
    pub max_dynamic_shared: u32,
    /// `cudaFuncAttributePreferredSharedMemoryCarveout`, -1 by default.
    pub carveout: i32,
}

/// A kernel of a loaded module.
pub struct Function {
    _private: (),
}

impl Function {
    /// Its mangled name.
    pub fn name(&self) -> &str {
        ""
    }

    /// Its parameters with offsets, sizes and alignments.
    pub fn parameters(&self) -> &[ast::Parameter] {
        &[]
    }

    /// Bytes of its parameter block.
    pub fn parameter_bytes(&self) -> u32 {
        0
    }

    /// Its attributes; compiles it if that has not happened.
    ///
    /// # Errors
    /// What launching it would answer.
    pub fn attributes(&self) -> Result<FunctionAttributes, Status> {
        Err(Status::NOT_SUPPORTED)
    }

    /// `cudaFuncAttributeMaxDynamicSharedMemorySize`; device launches obey it too.
    pub fn set_max_dynamic_shared(&self, bytes: u32) -> Status {
        let _ = bytes;
        Status::NOT_SUPPORTED
    }

    /// `cudaFuncAttributePreferredSharedMemoryCarveout`: kept, otherwise a hint.
    pub fn set_carveout(&self, percent: i32) -> Status {
        let _ = percent;
        Status::NOT_SUPPORTED
    }
}
