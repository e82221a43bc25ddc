//! What all kernels of a module share: the linked text, where its variables lie, and code of functions called by address.

use super::code;
use crate::builtins;
use crate::checking::Origin;
use crate::device::Device;
use crate::exec;
use crate::status::Status;
use hotfire_jit::{Environment, Kernel, Options, abi};
use hotfire_ptx::ast::{self, Name};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// A linked and placed module.
pub(crate) struct Image {
    text: ast::Module,
    /// Address and size of each module variable.
    variables: HashMap<Name, (u64, u64)>,
    /// Index of each function with a body.
    functions: HashMap<Name, usize>,
    /// Address of function 0.
    first_code: u64,
    /// Functions that were called by address.
    pub(super) by_address: Vec<OnceLock<Option<Arc<Kernel>>>>,
    /// Allocations of the variables.
    allocations: Mutex<Vec<u64>>,
    constant_bytes: u32,
    arena: hotfire_jit::Arena,
    /// Whether code is compiled for checks.
    check: bool,
    /// Where the lines of each kept text begin, once somebody asked.
    pub(super) lines: Vec<OnceLock<Vec<u32>>>,
}

impl Image {
    pub(super) fn new(
        text: ast::Module,
        variables: HashMap<Name, (u64, u64)>,
        first_code: u64,
        allocations: Vec<u64>,
        constant_bytes: u32,
        device: &Device,
    ) -> Self {
        let defined = text.functions.iter().enumerate().filter(|(_, function)| function.body.is_some());
        let functions = defined.map(|(index, function)| (function.name.clone(), index)).collect();
        let by_address = text.functions.iter().map(|_| OnceLock::new()).collect();
        let arena = device.memory().arena();
        let allocations = Mutex::new(allocations);
        let check = device.checking.is_some();
        let lines = text.texts.iter().map(|_| OnceLock::new()).collect();
        Self { text, variables, functions, first_code, by_address, allocations, constant_bytes, arena, check, lines }
    }

    /// The linked module.
    pub fn text(&self) -> &ast::Module {
        &self.text
    }

    /// Address and size of a variable.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        self.variables.get(name).copied()
    }

    /// Bytes of `.const` variables.
    pub fn constant_bytes(&self) -> u32 {
        self.constant_bytes
    }

    /// Compiles a kernel, or a function to be called by address. 218 and a line on stderr when that fails.
    pub fn compile(&self, name: &str) -> Result<Arc<Kernel>, Status> {
        #[cfg(test)]
        if let Some(kernel) = crate::engine::native::kernel(name) {
            return Ok(Arc::new(kernel));
        }
        let options = Options {
            arena: self.arena,
            runtime: exec::runtime(),
            checks: self.check.then(crate::checking::checks),
            costs: crate::tracing::active().is_some(),
        };
        hotfire_jit::compile(&self.text, name, self, &options).map(Arc::new).map_err(|error| {
            eprintln!("hotfire: {name} cannot be compiled: {error}");
            Status::INVALID_PTX
        })
    }

    /// Code of a function to be called by address; `None` if it cannot be compiled.
    pub fn device_function(&self, index: usize) -> Option<Arc<Kernel>> {
        let name = &self.text.functions.get(index)?.name;
        self.by_address[index].get_or_init(|| self.compile(name).ok()).clone()
    }

    /// Frees the variables.
    pub fn release(&self, device: &Device) {
        for allocation in self.allocations.lock().drain(..) {
            if let Some(checking) = &device.checking {
                checking.unshare(allocation);
            }
            let _ = device.memory().free(allocation);
        }
        if let Some(checking) = &device.checking {
            let mut known = checking.allocations.lock();
            self.variables.values().for_each(|(address, _)| known.freed(*address, Origin::Load));
        }
    }
}

impl Environment for Image {
    fn address(&self, symbol: &str) -> Option<u64> {
        let variable = self.variables.get(symbol).map(|&(address, _)| address);
        variable.or_else(|| self.functions.get(symbol).map(|&index| code::address(self.first_code, index)))
    }

    fn builtin(&self, symbol: &str) -> Option<abi::DeviceFunction> {
        builtins::find(symbol)
    }
}
