//! Library management.

use std::ffi::{c_uint, c_void};

use crate::driver::{LIBRARIES, Library, enumerate_kernels, load_file, load_memory};
use crate::export::export;
use crate::jit_options::Options;
use crate::pointer::{Out, Text};
use crate::types::{Address, Handle};

export! {
    /// Loads a library from memory.
    runtime fn cudaLibraryLoadData(out: Out<Handle>, image: *const c_void, names: *const c_uint, values: *mut *mut c_void,
        count: c_uint, _library_names: *const c_uint, _library_values: *mut *mut c_void, _library_count: c_uint) {
        Library::load(out, || load_memory(image), &Options::read(count, names, values)?)
    }

    /// Loads a library from a file.
    runtime fn cudaLibraryLoadFromFile(out: Out<Handle>, path: Text, names: *const c_uint, values: *mut *mut c_void,
        count: c_uint, _library_names: *const c_uint, _library_values: *mut *mut c_void, _library_count: c_uint) {
        let path = path.get()?;
        Library::load(out, || load_file(path), &Options::read(count, names, values)?)
    }

    /// Unloads a library.
    runtime fn cudaLibraryUnload(library: Handle) {
        Library::unload(library)
    }

    /// A kernel of a library.
    runtime fn cudaLibraryGetKernel(out: Out<Handle>, library: Handle, name: Text) {
        out.check()?;
        out.set(LIBRARIES.get(library)?.code.kernel(name.get()?)?)
    }

    /// How many kernels a library has.
    runtime fn cudaLibraryGetKernelCount(count: Out<c_uint>, library: Handle) {
        Library::count(count, library)
    }

    /// The kernels of a library.
    runtime fn cudaLibraryEnumerateKernels(out: Out<Handle>, room: c_uint, library: Handle) {
        enumerate_kernels(&out, room, &LIBRARIES.get(library)?.code)
    }

    /// Address and size of a variable.
    runtime fn cudaLibraryGetGlobal(address: Out<Address>, bytes: Out<usize>, library: Handle, name: Text) {
        Library::global(address, bytes, library, &name)
    }

    /// Address and size of a managed variable. Every variable is within the host's reach here.
    runtime fn cudaLibraryGetManaged(address: Out<Address>, bytes: Out<usize>, library: Handle, name: Text) {
        Library::global(address, bytes, library, &name)
    }
}
