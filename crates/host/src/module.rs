//! Modules with device launches, and their kernels.
//!
//! The rule: kernels that launch kernels call the device runtime, which has to be linked to them (`-rdc=true -lcudadevrt` for nvcc).

use std::ffi::CString;
use std::sync::Arc;
use std::{fs, ptr};

use cudarc::driver::{CudaFunction, CudaModule, sys};
use cudarc::nvrtc::Ptx;

use crate::driver::{check, from_cudarc};
use crate::link::{device_runtime, link};
use crate::ptx;
use crate::{Device, Error, Launch, Result, Shape, Source};

/// Loaded kernels.
#[derive(Clone)]
pub struct Module {
    device: Device,
    module: Arc<CudaModule>,
    text: Arc<str>,
}

impl Module {
    /// Loads PTX. The driver is given it alone first; if it refuses, the device runtime is linked to it, found as [`device_runtime`] says.
    pub fn from_ptx(device: &Device, name: &str, text: &str) -> Result<Self> {
        device.bind()?;
        // NVRTC's text may end with its zero byte.
        let text = text.trim_end_matches('\0');
        let terminated = CString::new(text).map_err(|_| Error::Invalid("PTX text with a zero byte"))?;
        let load = |ptx| device.context().load_module(ptx).map_err(from_cudarc("cuModuleLoadData"));
        let module = match load(Ptx::from_src(text)) {
            Ok(module) => module,
            Err(alone) => {
                let library =
                    device_runtime().map_err(|looked| Error::NoDeviceRuntime { alone: alone.to_string(), looked })?;
                let shown = library.display().to_string();
                let library = fs::read(&library).map_err(|error| Error::Link { what: format!("{shown}: {error}") })?;
                load(Ptx::from_binary(link(name, &terminated, &library)?))?
            }
        };
        Ok(Self { device: device.clone(), module, text: text.into() })
    }

    /// Compiles by NVRTC and loads.
    pub fn compile(device: &Device, source: &Source<'_>) -> Result<Self> {
        Self::from_ptx(device, source.name(), &source.compile()?)
    }

    /// A kernel by its symbol (write `extern "C"`).
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        self.device.bind()?;
        let function = self.module.load_function(name).map_err(from_cudarc("cuModuleGetFunction"))?;
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: two places for results. An index past the last parameter is answered by an error, and there are at most 4 KiB of them.
            let answer =
                unsafe { sys::cuFuncGetParamInfo(function.cu_function(), sizes.len(), &mut offset, &mut size) };
            if answer == sys::CUresult::CUDA_ERROR_INVALID_VALUE {
                break;
            }
            check("cuFuncGetParamInfo", answer)?;
            sizes.push(size);
        }
        let waits = ptx::waits(&self.text, name);
        let triggers = ptx::triggers(&self.text, name);
        let of = KernelOf { device: self.device.clone(), function, name: name.to_owned(), sizes, waits, triggers };
        Ok(Kernel(Arc::new(of)))
    }
}

/// A kernel of a module. Clones are the same kernel.
#[derive(Clone, Debug)]
pub struct Kernel(Arc<KernelOf>);

#[derive(Debug)]
struct KernelOf {
    device: Device,
    function: CudaFunction,
    name: String,
    sizes: Vec<usize>,
    waits: Option<bool>,
    triggers: bool,
}

impl Kernel {
    /// Its symbol.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether it contains `griddepcontrol.wait`; `None` if only a function that it calls may.
    pub fn waits(&self) -> Option<bool> {
        self.0.waits
    }

    /// Whether it contains `griddepcontrol.launch_dependents`.
    pub fn triggers(&self) -> bool {
        self.0.triggers
    }

    /// A launch of so many blocks of so many threads.
    pub fn over(&self, grid: impl Into<Shape>, block: impl Into<Shape>) -> Launch {
        Launch::new(self.clone(), grid.into(), block.into())
    }

    /// Blocks of that many threads that one multiprocessor holds.
    pub fn blocks_per_multiprocessor(&self, threads: u32, shared_bytes: usize) -> Result<usize> {
        self.0.device.bind()?;
        let mut blocks = 0;
        // SAFETY: a place for the result.
        let answer = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, self.handle(), threads as i32, shared_bytes)
        };
        check("cuOccupancyMaxActiveBlocksPerMultiprocessor", answer)?;
        Ok(blocks as usize)
    }

    pub(crate) fn handle(&self) -> sys::CUfunction {
        self.0.function.cu_function()
    }

    pub(crate) fn device(&self) -> &Device {
        &self.0.device
    }

    pub(crate) fn expect(&self, given: &[usize]) -> Result<()> {
        if self.0.sizes == given {
            return Ok(());
        }
        Err(Error::Arguments { kernel: self.0.name.clone(), declared: self.0.sizes.clone(), given: given.to_vec() })
    }
}

/// A null pointer of no type, for calls that take optional lists.
pub(crate) fn none<T>() -> *mut T {
    ptr::null_mut()
}
