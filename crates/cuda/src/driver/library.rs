//! Library management: code and kernels that belong to no context.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Arc;

use hotfire_device::{LoadError, Status};

use super::attribute::check_device;
use super::module::{enumerate, from_file, from_memory, handle_of, told};
use crate::code::{Code, KERNELS};
use crate::export::export;
use crate::jit_options::Options;
use crate::pointer::{Out, Text};
use crate::table::Table;
use crate::types::{Address, Handle};
use crate::{context, launch};

/// A loaded library.
pub(crate) struct Library {
    pub code: Arc<Code>,
}

/// `CUlibrary`s.
pub(crate) static LIBRARIES: Table<Library> = Table::new();

impl Library {
    /// Keeps code as a library.
    pub(crate) fn load(
        out: Out<Handle>,
        load: impl FnOnce() -> Result<Arc<Code>, LoadError>,
        options: &Options,
    ) -> Result<(), Status> {
        out.check()?;
        let code = told(load(), options)?;
        out.set(LIBRARIES.insert(Arc::new(Self { code })))
    }

    /// `cuLibraryUnload`.
    pub(crate) fn unload(handle: Handle) -> Result<(), Status> {
        let library = LIBRARIES.remove(handle)?;
        super::module::MODULES.retain(|module| !Arc::ptr_eq(&module.code, &library.code));
        library.code.unload().ok()
    }

    /// Address and size of a variable.
    pub(crate) fn global(address: Out<Address>, bytes: Out<usize>, library: Handle, name: &Text) -> Result<(), Status> {
        let (at, size) = LIBRARIES.get(library)?.code.global(name.get()?)?;
        address.set_if_wanted(at);
        bytes.set_if_wanted(size as usize);
        Ok(())
    }

    /// How many kernels there are.
    pub(crate) fn count(count: Out<c_uint>, library: Handle) -> Result<(), Status> {
        let module = LIBRARIES.get(library)?.code.module().map_err(|error| error.status)?;
        count.set(module.functions().len() as c_uint)
    }
}

export! {
    /// Loads a library from memory.
    driver fn cuLibraryLoadData(out: Out<Handle>, image: *const c_void, names: *const c_uint, values: *mut *mut c_void,
        count: c_uint, _library_names: *const c_uint, _library_values: *mut *mut c_void, _library_count: c_uint) {
        context::require_initialised()?;
        Library::load(out, || from_memory(image), &Options::read(count, names, values)?)
    }

    /// Loads a library from a file.
    driver fn cuLibraryLoadFromFile(out: Out<Handle>, path: Text, names: *const c_uint, values: *mut *mut c_void,
        count: c_uint, _library_names: *const c_uint, _library_values: *mut *mut c_void, _library_count: c_uint) {
        context::require_initialised()?;
        let path = path.get()?;
        Library::load(out, || from_file(path), &Options::read(count, names, values)?)
    }

    /// Unloads a library.
    driver fn cuLibraryUnload(library: Handle) {
        context::require_initialised()?;
        Library::unload(library)
    }

    /// A kernel of a library.
    driver fn cuLibraryGetKernel(out: Out<Handle>, library: Handle, name: Text) {
        context::require_initialised()?;
        out.check()?;
        out.set(LIBRARIES.get(library)?.code.kernel(name.get()?)?)
    }

    /// How many kernels a library has.
    driver fn cuLibraryGetKernelCount(count: Out<c_uint>, library: Handle) {
        context::require_initialised()?;
        Library::count(count, library)
    }

    /// The kernels of a library.
    driver fn cuLibraryEnumerateKernels(out: Out<Handle>, room: c_uint, library: Handle) {
        context::require_initialised()?;
        enumerate(&out, room, &LIBRARIES.get(library)?.code)
    }

    /// The library as a module of the current context.
    context fn cuLibraryGetModule(out: Out<Handle>, library: Handle) {
        out.set(handle_of(&LIBRARIES.get(library)?.code))
    }

    /// Address and size of a variable.
    context fn cuLibraryGetGlobal(address: Out<Address>, bytes: Out<usize>, library: Handle, name: Text) {
        Library::global(address, bytes, library, &name)
    }

    /// Address and size of a managed variable. Every variable is within the host's reach here.
    driver fn cuLibraryGetManaged(address: Out<Address>, bytes: Out<usize>, library: Handle, name: Text) {
        context::require_initialised()?;
        Library::global(address, bytes, library, &name)
    }

    /// The kernel as a function of the current context: the same handle.
    context fn cuKernelGetFunction(out: Out<Handle>, kernel: Handle) {
        launch::function(kernel)?;
        out.set(kernel)
    }

    /// The library of a kernel.
    driver fn cuKernelGetLibrary(out: Out<Handle>, kernel: Handle) {
        context::require_initialised()?;
        let kernel = KERNELS.get(kernel)?;
        let library = LIBRARIES.handle(|library| Arc::ptr_eq(&library.code, &kernel.code));
        out.set(library.ok_or(Status::INVALID_RESOURCE_HANDLE)?)
    }

    /// The name of a kernel.
    driver fn cuKernelGetName(out: Out<*const c_char>, kernel: Handle) {
        context::require_initialised()?;
        out.set(super::function::name(kernel)?)
    }

    /// Offset and size of a parameter.
    driver fn cuKernelGetParamInfo(kernel: Handle, index: usize, offset: Out<usize>, size: Out<usize>) {
        context::require_initialised()?;
        super::function::parameter(kernel, index, offset, size)
    }

    /// An attribute of a kernel.
    driver fn cuKernelGetAttribute(value: Out<c_int>, number: u32, kernel: Handle, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        value.set(super::function::attribute(&*launch::function(kernel)?, number)?)
    }

    /// Sets an attribute of a kernel.
    driver fn cuKernelSetAttribute(number: u32, value: c_int, kernel: Handle, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        super::function::set_attribute(&*launch::function(kernel)?, number, value)
    }

    /// The cache preference: a hint.
    driver fn cuKernelSetCacheConfig(kernel: Handle, _config: u32, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        KERNELS.get(kernel).map(|_| ())
    }
}
