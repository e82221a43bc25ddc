//! CUDA's device runtime, and the driver's linker.
//!
//! Kernels that launch kernels call a library, `libcudadevrt.a`, that is part of every CUDA toolkit. On a GPU it must be linked to them; the
//! software device has its own and takes the kernels alone.

use std::ffi::{CStr, CString, c_void};
use std::path::PathBuf;
use std::{env, ptr, slice};

use cudarc::driver::sys;

use crate::driver::check;
use crate::{Error, Result};

/// Looks for `libcudadevrt.a`, in this order:
///
/// 1. the file named by `CUDADEVRT`;
/// 2. the toolkits named by `CUDA_HOME` and `CUDA_PATH`;
/// 3. `/usr/local/cuda`, `/opt/cuda`, `/usr/lib/cuda` and `/usr`;
/// 4. the folder of this program, and `cuda/site/nvidia/cu13` beside it or above it (where this project's own build keeps CUDA).
///
/// In a toolkit: `lib64`, `lib`, `targets/x86_64-linux/lib` and `lib/x86_64-linux-gnu`. The error is every file looked for.
pub fn device_runtime() -> std::result::Result<PathBuf, Vec<PathBuf>> {
    const FOLDERS: [&str; 4] = ["lib64", "lib", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"];
    const NAME: &str = "libcudadevrt.a";
    let named = env::var_os("CUDADEVRT").map(PathBuf::from);
    let own = env::current_exe().ok().and_then(|path| Some(path.parent()?.to_owned()));
    let fetched =
        own.iter().flat_map(|folder| folder.ancestors().take(3)).map(|folder| folder.join("cuda/site/nvidia/cu13"));
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let usual = ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda", "/usr"].into_iter().map(PathBuf::from);
    let homes = toolkits.chain(usual).chain(fetched);
    let files = homes.flat_map(|home| FOLDERS.map(|folder| home.join(folder).join(NAME)));
    let looked: Vec<PathBuf> =
        named.into_iter().chain(files).chain(own.iter().map(|folder| folder.join(NAME))).collect();
    match looked.iter().find(|path| path.is_file()) {
        Some(found) => Ok(found.clone()),
        None => Err(looked),
    }
}

/// The driver's linker, closed when dropped, with the log of its errors.
struct Linker {
    state: sys::CUlinkState,
    /// The driver writes there until the linker is closed, so that it must not move.
    log: Box<[u8; 4096]>,
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. An error has nobody to go to.
        let _ = unsafe { sys::cuLinkDestroy(self.state) };
    }
}

impl Linker {
    fn new() -> Result<Self> {
        let mut log = Box::new([0; 4096]);
        let mut options =
            [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(log.len())];
        let mut state = ptr::null_mut();
        // SAFETY: two options with their values; a place for the result. The log outlives the state.
        let answer = unsafe { sys::cuLinkCreate_v2(2, options.as_mut_ptr(), values.as_mut_ptr(), &mut state) };
        check("cuLinkCreate", answer)?;
        Ok(Self { state, log })
    }

    fn explain(&self, what: &str, error: &Error) -> Error {
        let log = CStr::from_bytes_until_nul(&self.log[..]).map(CStr::to_string_lossy).unwrap_or_default();
        Error::Link { what: format!("{what}: {error} {}", log.trim()) }
    }

    /// Adds PTX text (with its closing zero byte) or a library.
    fn add(&self, kind: sys::CUjitInputType, data: &[u8], name: &str) -> Result<()> {
        let start: *mut c_void = data.as_ptr().cast_mut().cast();
        let shown = CString::new(name).map_err(|_| Error::Invalid("a name with a zero byte"))?;
        // SAFETY: the driver reads the data during the call and writes nothing there; no options.
        let answer = unsafe {
            sys::cuLinkAddData_v2(
                self.state,
                kind,
                start,
                data.len(),
                shown.as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        check("cuLinkAddData", answer).map_err(|error| self.explain(name, &error))
    }

    fn complete(&self) -> Result<Vec<u8>> {
        let (mut image, mut size) = (ptr::null_mut::<c_void>(), 0);
        // SAFETY: both are places for results.
        let answer = unsafe { sys::cuLinkComplete(self.state, &mut image, &mut size) };
        check("cuLinkComplete", answer).map_err(|error| self.explain("the whole", &error))?;
        // SAFETY: a completed link has `size` bytes there until the state is destroyed, and they are copied before.
        Ok(unsafe { slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec())
    }
}

/// Links PTX with the bytes of a device runtime.
pub(crate) fn link(name: &str, text: &CStr, library: &[u8]) -> Result<Vec<u8>> {
    let linker = Linker::new()?;
    linker.add(sys::CUjitInputType::CU_JIT_INPUT_PTX, text.to_bytes_with_nul(), name)?;
    linker.add(sys::CUjitInputType::CU_JIT_INPUT_LIBRARY, library, "libcudadevrt.a")?;
    linker.complete()
}
