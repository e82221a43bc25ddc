//! Device code as programs refer to it: something that can be loaded ([`Code`]) and a kernel of it ([`Kernel`]).
//!
//! Both outlive a device reset, as the runtime API's kernels and the driver API's `CUkernel` do: what was loaded before is
//! loaded again at the next use. Loading is lazy for the code that programs register (CUDA guide, "Lazy loading").

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, OnceLock};

use hotfire_device::{Device, Function, LoadError, Module, Status};
use hotfire_ptx::ast;
use parking_lot::{Mutex, RwLock};

use crate::table::Table;
use crate::types::Handle;
use crate::{context, notice};

/// Where code comes from: asked at each load.
type Source = Box<dyn Fn() -> Result<Vec<ast::Module>, LoadError> + Send + Sync>;

/// The generation that code was loaded in, and how that went.
type Loaded = (u64, Result<Arc<Module>, LoadError>);

/// One module's worth of device code.
pub(crate) struct Code {
    source: Source,
    /// What the code is called in messages.
    name: String,
    /// `None` until it is first needed.
    loaded: Mutex<Option<Loaded>>,
    /// Handles of its kernels, so that one kernel has one handle.
    kernels: Mutex<HashMap<String, usize>>,
}

/// Kernel handles: `CUfunction`, `CUkernel`, `cudaFunction_t` and `cudaKernel_t` are the same thing here.
pub(crate) static KERNELS: Table<Kernel> = Table::new();

/// A kernel by name.
pub(crate) struct Kernel {
    pub code: Arc<Code>,
    pub name: String,
    /// The name as C text, once somebody asked for it.
    pub text: OnceLock<CString>,
    function: RwLock<Option<(u64, Arc<Function>)>>,
}

impl Code {
    /// Code that is loaded at first use. `name` is for messages.
    pub(crate) fn new(name: String, source: Source) -> Arc<Self> {
        Arc::new(Self { source, name, loaded: Mutex::new(None), kernels: Mutex::new(HashMap::new()) })
    }

    /// The loaded module. A failure is remembered, and told on stderr once.
    pub(crate) fn module(&self) -> Result<Arc<Module>, LoadError> {
        let mut loaded = self.loaded.lock();
        let generation = context::generation();
        if let Some((then, result)) = loaded.as_ref()
            && *then == generation
        {
            return result.clone();
        }
        let result = (self.source)().and_then(|units| Device::get().load_module(units));
        if let Err(error) = &result {
            let log = if error.log.is_empty() { "no reason was given" } else { error.log.trim_end() };
            notice::once(&format!("cannot load {}: {log}", self.name));
        }
        *loaded = Some((generation, result.clone()));
        result
    }

    /// The module if it is loaded now.
    fn loaded_module(&self) -> Option<Arc<Module>> {
        let loaded = self.loaded.lock();
        let (generation, result) = loaded.as_ref()?;
        (*generation == context::generation()).then(|| result.clone().ok())?
    }

    /// Unloads the module and takes the handles of its kernels out of use.
    pub(crate) fn unload(self: &Arc<Self>) -> Status {
        for handle in std::mem::take(&mut *self.kernels.lock()).into_values() {
            // Its kernels are only reachable through the handles.
            let _ = KERNELS.remove(handle as Handle);
        }
        let module = self.loaded_module();
        *self.loaded.lock() = None;
        module.map_or(Status::SUCCESS, |module| Device::get().unload_module(&module))
    }

    /// The handle of the kernel of that name, whether or not the code has such a kernel.
    pub(crate) fn kernel_unchecked(self: &Arc<Self>, name: &str) -> Handle {
        let mut kernels = self.kernels.lock();
        if let Some(handle) = kernels.get(name) {
            return *handle as Handle;
        }
        let kernel = Kernel {
            code: Arc::clone(self),
            name: name.to_string(),
            text: OnceLock::new(),
            function: RwLock::new(None),
        };
        let handle = KERNELS.insert(Arc::new(kernel));
        kernels.insert(name.to_string(), handle as usize);
        handle
    }

    /// The handle of a kernel that the code has.
    pub(crate) fn kernel(self: &Arc<Self>, name: &str) -> Result<Handle, Status> {
        let module = self.module().map_err(|error| error.status)?;
        module.function(name).ok_or(Status::SYMBOL_NOT_FOUND)?;
        Ok(self.kernel_unchecked(name))
    }

    /// Address and size of a module variable.
    pub(crate) fn global(&self, name: &str) -> Result<(u64, u64), Status> {
        let module = self.module().map_err(|error| error.status)?;
        module.global(name).ok_or(Status::SYMBOL_NOT_FOUND)
    }
}

impl Kernel {
    /// The device's function; loads the code if need be.
    pub(crate) fn function(&self) -> Result<Arc<Function>, Status> {
        let generation = context::generation();
        if let Some((then, function)) = self.function.read().as_ref()
            && *then == generation
        {
            return Ok(Arc::clone(function));
        }
        let module = self.code.module().map_err(|error| error.status)?;
        // NVIDIA's device runtime registers kernels whose code is left out (launch-model.md section 3.7).
        let function = module.function(&self.name).ok_or(Status::INVALID_DEVICE_FUNCTION)?;
        *self.function.write() = Some((generation, Arc::clone(&function)));
        Ok(function)
    }
}
