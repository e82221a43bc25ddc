//! Loads the committed PTX.
//!
//! Kernels that launch kernels call CUDA's device runtime. On a GPU that is a library to be linked to them
//! (`libcudadevrt.a`, part of every CUDA toolkit); the software device has it built in and takes the PTX alone. Which of the
//! two is there is found by trying.

use std::ffi::{CStr, CString, c_void};
use std::path::PathBuf;
use std::sync::Arc;
use std::{env, fs, ptr, slice};

use cudarc::driver::{CudaContext, CudaModule, DriverError, sys};
use cudarc::nvrtc::Ptx;

const KERNELS: &str = include_str!("../kernels/spmv.ptx");

/// The kernels of `kernels/spmv.cu`, ready to be launched.
pub fn load(context: &Arc<CudaContext>) -> Result<Arc<CudaModule>, String> {
    let alone = match context.load_module(Ptx::from_src(KERNELS)) {
        Ok(module) => return Ok(module),
        Err(error) => error,
    };
    let Some(library) = device_runtime() else {
        return Err(format!(
            "the kernels do not load by themselves ({alone}), and the device runtime was not found; \
             set CUDA_HOME to a CUDA toolkit, which has it as lib64/libcudadevrt.a"
        ));
    };
    let shown = library.display().to_string();
    let image = fs::read(&library).map_err(|error| format!("{shown}: {error}"))?;
    let image = link(KERNELS, &image).map_err(|error| format!("linking the kernels with {shown}: {error}"))?;
    context.load_module(Ptx::from_binary(image)).map_err(|error| format!("loading the linked kernels: {error}"))
}

/// The library from the environment's toolkit, the usual places, or this workspace's own fetched compiler.
fn device_runtime() -> Option<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let usual = ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"].into_iter().map(PathBuf::from);
    // target/release/spmv -> target/cuda/site/nvidia/cu13
    let fetched = env::current_exe().ok().and_then(|exe| Some(exe.parent()?.parent()?.join("cuda/site/nvidia/cu13")));
    named
        .chain(usual)
        .chain(fetched)
        .flat_map(|home| ["lib64", "lib", "targets/x86_64-linux/lib"].map(|folder| home.join(folder)))
        .map(|folder| folder.join("libcudadevrt.a"))
        .find(|path| path.is_file())
}

/// The driver's linker, closed when dropped.
struct Linker(sys::CUlinkState);

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: the state was created by `cuLinkCreate` and is destroyed once. An error has nobody to go to.
        let _ = unsafe { sys::cuLinkDestroy(self.0) };
    }
}

impl Linker {
    fn new() -> Result<Self, DriverError> {
        let mut state = ptr::null_mut();
        // SAFETY: no options; `state` is a place for the result.
        unsafe { sys::cuLinkCreate_v2(0, ptr::null_mut(), ptr::null_mut(), &mut state) }.result()?;
        Ok(Self(state))
    }

    /// Adds PTX text (with its closing zero byte) or a library.
    fn add(&self, kind: sys::CUjitInputType, data: &[u8], name: &CStr) -> Result<(), DriverError> {
        let start: *mut c_void = data.as_ptr().cast_mut().cast();
        // SAFETY: the driver reads the data during the call and writes nothing there; no options.
        let added = unsafe {
            sys::cuLinkAddData_v2(self.0, kind, start, data.len(), name.as_ptr(), 0, ptr::null_mut(), ptr::null_mut())
        };
        added.result()
    }

    fn complete(&self) -> Result<Vec<u8>, DriverError> {
        let (mut image, mut size) = (ptr::null_mut::<c_void>(), 0);
        // SAFETY: both are places for results.
        unsafe { sys::cuLinkComplete(self.0, &mut image, &mut size) }.result()?;
        // SAFETY: a completed link has `size` bytes there until the state is destroyed, and they are copied before.
        Ok(unsafe { slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec())
    }
}

fn link(kernels: &str, library: &[u8]) -> Result<Vec<u8>, DriverError> {
    let text = CString::new(kernels).expect("PTX text holds no zero byte");
    let linker = Linker::new()?;
    linker.add(sys::CUjitInputType::CU_JIT_INPUT_PTX, text.as_bytes_with_nul(), c"spmv.ptx")?;
    linker.add(sys::CUjitInputType::CU_JIT_INPUT_LIBRARY, library, c"libcudadevrt.a")?;
    linker.complete()
}
