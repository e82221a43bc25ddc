//! Launches.

use std::ffi::c_void;

use hotfire_device::{LaunchAttributes, Status};

use crate::export::export;
use crate::launch::{Parameters, Shape, attributes, cooperative, launch};
use crate::notice;
use crate::pointer::In;
use crate::types::{DriverLaunch, Handle};

/// The one of the two ways to give parameters that is used.
fn parameters(each: *const *const c_void, extra: *const *const c_void) -> Result<Parameters, Status> {
    match (each.is_null(), extra.is_null()) {
        (_, true) => Ok(Parameters::Each(each)),
        (true, false) => Ok(Parameters::Packed(extra)),
        (false, false) => Err(Status::INVALID_VALUE),
    }
}

export! {
    /// Launches a kernel.
    context fn cuLaunchKernel | cuLaunchKernel_ptsz as default (kernel: Handle, grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32, shared: u32, stream: Handle, each: *const *const c_void,
        extra: *const *const c_void) {
        let shape = Shape {
            grid: [grid_x, grid_y, grid_z],
            block: [block_x, block_y, block_z],
            shared: shared.into(),
            stream: default.resolve(stream),
        };
        launch(kernel, &shape, parameters(each, extra)?, LaunchAttributes::default())
    }

    /// Launches a kernel with attributes.
    context fn cuLaunchKernelEx | cuLaunchKernelEx_ptsz as default (config: In<DriverLaunch>, kernel: Handle,
        each: *const *const c_void, extra: *const *const c_void) {
        let config = config.get()?;
        let shape = Shape {
            grid: config.grid.array(),
            block: config.block.array(),
            shared: config.shared.into(),
            stream: default.resolve(config.stream),
        };
        launch(kernel, &shape, parameters(each, extra)?, attributes(config.attributes, config.count)?)
    }

    /// Launches a kernel whose blocks are all resident.
    context fn cuLaunchCooperativeKernel | cuLaunchCooperativeKernel_ptsz as default (kernel: Handle, grid_x: u32,
        grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared: u32, stream: Handle,
        each: *const *const c_void) {
        let shape = Shape {
            grid: [grid_x, grid_y, grid_z],
            block: [block_x, block_y, block_z],
            shared: shared.into(),
            stream: default.resolve(stream),
        };
        launch(kernel, &shape, Parameters::Each(each), cooperative())
    }

    /// Cooperative launches over several devices were removed from CUDA.
    context fn cuLaunchCooperativeKernelMultiDevice(_launches: *const c_void, _devices: u32, _flags: u32) {
        notice::once("cuLaunchCooperativeKernelMultiDevice is not implemented by this device (there is one device)");
        Err(Status::NOT_SUPPORTED)
    }
}
