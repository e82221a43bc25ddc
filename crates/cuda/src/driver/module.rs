//! Module management.

use std::ffi::{c_uint, c_void};
use std::sync::Arc;

use hotfire_device::{LoadError, Status};

use crate::code::{Code, KERNELS};
use crate::export::export;
use crate::jit_options::Options;
use crate::pointer::{Out, Text};
use crate::table::Table;
use crate::types::{Address, Handle};
use crate::{binary, context};

/// A loaded module. What a library lends out is not unloaded through its module handle.
pub(crate) struct Module {
    pub code: Arc<Code>,
    pub lent: bool,
}

/// `CUmodule`s.
pub(crate) static MODULES: Table<Module> = Table::new();

/// Code that is kept as texts, so that it can be loaded again.
fn from_texts(name: String, texts: Vec<String>) -> Arc<Code> {
    Code::new(name, Box::new(move || binary::parse(&texts)))
}

/// Loads an image from memory.
pub(crate) fn from_memory(image: *const c_void) -> Result<Arc<Code>, LoadError> {
    // SAFETY: the API's contract: the image is whole.
    let texts = unsafe { binary::in_memory(image.cast()) };
    loaded(String::from("the image given to the driver"), texts)
}

/// Loads an image from a file.
pub(crate) fn from_file(path: &str) -> Result<Arc<Code>, LoadError> {
    let bytes = std::fs::read(path).map_err(|error| {
        let status = match error.kind() {
            std::io::ErrorKind::NotFound => Status::FILE_NOT_FOUND,
            _ => Status::INVALID_IMAGE,
        };
        binary::failure(status, error.to_string())
    });
    loaded(path.to_string(), bytes.and_then(|bytes| binary::of_bytes(&bytes)))
}

/// Loads texts; an image that could not even be read is told on stderr here, the rest by [`Code::module`].
fn loaded(name: String, texts: Result<Vec<String>, LoadError>) -> Result<Arc<Code>, LoadError> {
    let texts = texts.inspect_err(|error| crate::notice::once(&format!("cannot load {name}: {}", error.log)))?;
    let code = from_texts(name, texts);
    code.module().map(|_| code)
}

/// Keeps what was loaded, and tells the program's logs how it went.
pub(crate) fn told(result: Result<Arc<Code>, LoadError>, options: &Options) -> Result<Arc<Code>, Status> {
    options.finish(result.as_ref().map_or_else(|error| error.log.as_str(), |_| ""));
    result.map_err(|error| error.status)
}

fn load(out: Out<Handle>, result: Result<Arc<Code>, LoadError>, options: &Options) -> Result<(), Status> {
    let code = told(result, options)?;
    out.set(MODULES.insert(Arc::new(Module { code, lent: false })))
}

fn no_options() -> Result<Options, Status> {
    Options::read(0, std::ptr::null(), std::ptr::null_mut())
}

/// Modules that were loaded before a device reset are gone, and memory that was made to be mapped.
pub(crate) fn forget_all() {
    MODULES.retain(|_| false);
    super::mapping::forget_all();
}

export! {
    /// Loads a module from a file.
    context fn cuModuleLoad(out: Out<Handle>, path: Text) {
        out.check()?;
        load(out, from_file(path.get()?), &no_options()?)
    }

    /// Loads a module from memory.
    context fn cuModuleLoadData(out: Out<Handle>, image: *const c_void) {
        out.check()?;
        load(out, from_memory(image), &no_options()?)
    }

    /// Loads a module from memory, with options.
    context fn cuModuleLoadDataEx(out: Out<Handle>, image: *const c_void, count: c_uint, names: *const c_uint,
        values: *mut *mut c_void) {
        out.check()?;
        let options = Options::read(count, names, values)?;
        load(out, from_memory(image), &options)
    }

    /// Loads a module from a fat binary.
    context fn cuModuleLoadFatBinary(out: Out<Handle>, image: *const c_void) {
        out.check()?;
        load(out, from_memory(image), &no_options()?)
    }

    /// Unloads a module.
    context fn cuModuleUnload(module: Handle) {
        if MODULES.get(module)?.lent {
            return Err(Status::INVALID_RESOURCE_HANDLE);
        }
        MODULES.remove(module)?.code.unload().ok()
    }

    /// Whether kernels are loaded at their first use: they are.
    driver fn cuModuleGetLoadingMode(mode: Out<u32>) {
        const LAZY: u32 = 2;
        context::require_initialised()?;
        mode.set(LAZY)
    }

    /// A kernel of a module.
    context fn cuModuleGetFunction(out: Out<Handle>, module: Handle, name: Text) {
        out.check()?;
        let module = MODULES.get(module)?;
        out.set(module.code.kernel(name.get()?)?)
    }

    /// How many kernels a module has.
    context fn cuModuleGetFunctionCount(count: Out<c_uint>, module: Handle) {
        let module = MODULES.get(module)?.code.module().map_err(|error| error.status)?;
        count.set(module.functions().len() as c_uint)
    }

    /// The kernels of a module.
    context fn cuModuleEnumerateFunctions(out: Out<Handle>, room: c_uint, module: Handle) {
        enumerate(&out, room, &MODULES.get(module)?.code)
    }

    /// Address and size of a variable.
    context fn cuModuleGetGlobal_v2(address: Out<Address>, bytes: Out<usize>, module: Handle, name: Text) {
        let (at, size) = MODULES.get(module)?.code.global(name.get()?)?;
        address.set_if_wanted(at);
        bytes.set_if_wanted(size as usize);
        Ok(())
    }

    /// The module of a kernel.
    context fn cuFuncGetModule(out: Out<Handle>, function: Handle) {
        let kernel = KERNELS.get(function)?;
        out.set(handle_of(&kernel.code))
    }
}

/// A module handle for code, made if there is none yet.
pub(crate) fn handle_of(code: &Arc<Code>) -> Handle {
    MODULES
        .handle(|module| Arc::ptr_eq(&module.code, code))
        .unwrap_or_else(|| MODULES.insert(Arc::new(Module { code: Arc::clone(code), lent: true })))
}

/// The first `room` kernels of code.
pub(crate) fn enumerate(out: &Out<Handle>, room: c_uint, code: &Arc<Code>) -> Result<(), Status> {
    let module = code.module().map_err(|error| error.status)?;
    for (index, function) in module.functions().iter().take(room as usize).enumerate() {
        out.set_at(index, code.kernel_unchecked(function.name()))?;
    }
    Ok(())
}
