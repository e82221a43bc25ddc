//! Loaded modules: linked PTX whose variables have addresses and whose kernels are compiled at their first launch
//! (CUDA Driver API, module management).

mod cdp1;
mod code;
mod cooperative;
mod function;
mod image;
mod load;
pub(crate) mod places;

pub(crate) use code::{Code, call_target, resolve};
pub(crate) use cooperative::provides;
pub use function::{Function, FunctionAttributes};
pub(crate) use image::Image;

use crate::device::Device;
use crate::status::Status;
use hotfire_ptx::ast::Name;
use std::collections::HashMap;
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
    image: Arc<Image>,
    /// Kernels in the order of the text.
    functions: Vec<Arc<Function>>,
    by_name: HashMap<Name, usize>,
}

impl Module {
    /// The kernel of that (mangled) name.
    pub fn function(&self, name: &str) -> Option<Arc<Function>> {
        self.by_name.get(name).map(|&index| self.functions[index].clone())
    }

    /// All kernels, in the order of the text.
    pub fn functions(&self) -> Vec<Arc<Function>> {
        self.functions.clone()
    }

    /// Address and size of the module variable of that name, `.global` or `.const`.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        self.image.variable(name)
    }

    /// The address that device code has for a function.
    #[cfg(test)]
    pub(crate) fn code_address(&self, name: &str) -> u64 {
        hotfire_jit::Environment::address(&*self.image, name).expect("a function of the module")
    }

    /// Frees the variables. Nothing runs that uses them.
    pub(crate) fn release(&self, device: &Device) {
        self.image.release(device);
    }
}

impl Device {
    /// Links the units to one module and loads it. Kernels are compiled at their first launch.
    ///
    /// # Errors
    /// The status that `cuModuleLoadData` answers, and why.
    pub fn load_module(&'static self, units: Vec<hotfire_ptx::ast::Module>) -> Result<Arc<Module>, LoadError> {
        self.healthy().map_err(|status| LoadError { status, log: String::new() })?;
        let module = Arc::new(load::load(self, units)?);
        self.modules().lock().push(module.clone());
        Ok(module)
    }

    /// `cuModuleUnload`: frees its variables; grids that still run keep their code.
    pub fn unload_module(&self, module: &Arc<Module>) -> Status {
        if let Err(status) = self.drain().ok() {
            return status;
        }
        let mut modules = self.modules().lock();
        let Some(index) = modules.iter().position(|loaded| Arc::ptr_eq(loaded, module)) else {
            return Status::INVALID_RESOURCE_HANDLE;
        };
        modules.swap_remove(index).release(self);
        Status::SUCCESS
    }
}
