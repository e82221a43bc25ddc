//! Launches.

use std::ffi::c_void;

use hotfire_device::{LaunchAttributes, Status};

use crate::code::KERNELS;
use crate::export::export;
use crate::launch::{Parameters, Shape, attributes, cooperative, launch};
use crate::pointer::In;
use crate::registration;
use crate::types::{Dim3, Handle, RuntimeLaunch};

/// The kernel handle behind what a program launches: a host function, or a kernel handle already.
pub(crate) fn kernel(function: u64) -> Result<Handle, Status> {
    if let Some(handle) = registration::kernel(function) {
        return Ok(handle);
    }
    let handle = function as Handle;
    KERNELS.find(handle).map(|_| handle).ok_or(Status::INVALID_DEVICE_FUNCTION)
}

export! {
    /// Launches a kernel.
    runtime fn cudaLaunchKernel | cudaLaunchKernel_ptsz as default (function: u64, grid: Dim3, block: Dim3,
        each: *const *const c_void, shared: usize, stream: Handle) {
        let shape =
            Shape { grid: grid.array(), block: block.array(), shared: shared as u64, stream: default.resolve(stream) };
        launch(kernel(function)?, &shape, Parameters::Each(each), LaunchAttributes::default())
    }

    /// Launches a kernel: what `<<<…>>>` calls.
    runtime fn __cudaLaunchKernel | __cudaLaunchKernel_ptsz as default (function: u64, grid: Dim3, block: Dim3,
        each: *const *const c_void, shared: usize, stream: Handle) {
        let shape =
            Shape { grid: grid.array(), block: block.array(), shared: shared as u64, stream: default.resolve(stream) };
        launch(kernel(function)?, &shape, Parameters::Each(each), LaunchAttributes::default())
    }

    /// Launches a kernel with attributes.
    runtime fn cudaLaunchKernelExC | cudaLaunchKernelExC_ptsz as default (config: In<RuntimeLaunch>, function: u64,
        each: *const *const c_void) {
        let config = config.get()?;
        let shape = Shape {
            grid: config.grid.array(),
            block: config.block.array(),
            shared: config.shared as u64,
            stream: default.resolve(config.stream),
        };
        let attributes = attributes(config.attributes, config.count)?;
        launch(kernel(function)?, &shape, Parameters::Each(each), attributes)
    }

    /// Launches a kernel whose blocks are all resident.
    runtime fn cudaLaunchCooperativeKernel | cudaLaunchCooperativeKernel_ptsz as default (function: u64, grid: Dim3,
        block: Dim3, each: *const *const c_void, shared: usize, stream: Handle) {
        let shape =
            Shape { grid: grid.array(), block: block.array(), shared: shared as u64, stream: default.resolve(stream) };
        launch(kernel(function)?, &shape, Parameters::Each(each), cooperative())
    }
}
