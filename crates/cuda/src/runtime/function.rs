//! Attributes of kernels, and their handles.

use std::ffi::{c_char, c_int};

use hotfire_device::Status;

use super::launch::kernel;
use crate::driver::{function_attribute, function_name, function_parameter, set_function_attribute};
use crate::export::export;
use crate::launch::function;
use crate::pointer::Out;
use crate::types::{FuncAttributes, Handle};

export! {
    /// The attributes of a kernel.
    runtime fn cudaFuncGetAttributes(out: Out<FuncAttributes>, host: u64) {
        out.check()?;
        let function = function(kernel(host)?)?;
        let value = |number| function_attribute(&function, number);
        out.set(FuncAttributes {
            shared_size: value(1)? as usize,
            const_size: value(2)? as usize,
            local_size: value(3)? as usize,
            max_threads_per_block: value(0)?,
            num_regs: value(4)?,
            ptx_version: value(5)?,
            binary_version: value(6)?,
            cache_mode_ca: value(7)?,
            max_dynamic_shared_size: value(8)?,
            preferred_shmem_carveout: value(9)?,
            cluster_dim_must_be_set: value(10)?,
            required_cluster: [value(11)?, value(12)?, value(13)?],
            cluster_scheduling_policy: value(15)?,
            non_portable_cluster_size_allowed: value(14)?,
            reserved: [0; 16],
        })
    }

    /// Sets an attribute of a kernel.
    runtime fn cudaFuncSetAttribute(host: u64, number: u32, value: c_int) {
        set_function_attribute(&*function(kernel(host)?)?, number, value)
    }

    /// Sets an attribute of a kernel.
    runtime fn cudaKernelSetAttributeForDevice(handle: Handle, number: u32, value: c_int, device: c_int) {
        crate::driver::check_device(device)?;
        set_function_attribute(&*function(handle)?, number, value)
    }

    /// The cache preference: a hint.
    runtime fn cudaFuncSetCacheConfig(host: u64, _config: u32) {
        kernel(host).map(|_| ())
    }

    /// Bank width: has no effect on sm_90.
    runtime fn cudaFuncSetSharedMemConfig(host: u64, _config: u32) {
        kernel(host).map(|_| ())
    }

    /// The name of a kernel.
    runtime fn cudaFuncGetName(out: Out<*const c_char>, host: u64) {
        out.set(function_name(kernel(host)?)?)
    }

    /// Offset and size of a parameter.
    runtime fn cudaFuncGetParamInfo(host: u64, index: usize, offset: Out<usize>, size: Out<usize>) {
        function_parameter(kernel(host)?, index, offset, size)
    }

    /// The driver's function of a host function.
    runtime fn cudaGetFuncBySymbol(out: Out<Handle>, host: u64) {
        let handle = kernel(host)?;
        function(handle)?;
        out.set(handle)
    }

    /// The kernel of a host function.
    runtime fn cudaGetKernel(out: Out<Handle>, host: u64) {
        out.set(kernel(host)?)
    }

    /// The kernel of a host function, for nvcc's launch code. Whether it can be loaded shows at the launch.
    runtime_plain fn __cudaGetKernel(out: Out<Handle>, host: u64) {
        out.set(crate::registration::kernel(host).ok_or(Status::INVALID_DEVICE_FUNCTION)?)
    }
}
