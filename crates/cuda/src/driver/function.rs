//! Attributes of kernels.

use std::ffi::{CString, c_char, c_int};

use hotfire_device::{Function, Status, profile};

use crate::code::KERNELS;
use crate::export::export;
use crate::launch::function;
use crate::notice;
use crate::pointer::Out;
use crate::types::Handle;
use crate::types::number::{FUNCTION_CARVEOUT, FUNCTION_MAX_DYNAMIC_SHARED};

/// `CU_FUNC_ATTRIBUTE_…`.
pub(crate) fn attribute(function: &Function, number: u32) -> Result<c_int, Status> {
    let attributes = function.attributes()?;
    let value = match number {
        0 => attributes.max_threads,
        1 => attributes.static_shared,
        2 => attributes.constant,
        3 => attributes.local,
        4 => attributes.registers,
        5 => attributes.ptx_version,
        6 => attributes.binary_version,
        FUNCTION_MAX_DYNAMIC_SHARED => attributes.max_dynamic_shared,
        FUNCTION_CARVEOUT => return Ok(attributes.carveout),
        10 => u32::from(function.required_cluster().is_some()),
        11..=13 => function.required_cluster().map_or(0, |cluster| cluster[number as usize - 11]),
        14 => u32::from(function.largest_cluster() > profile::PORTABLE_CLUSTER),
        // Cache mode; how clusters are scheduled.
        7 | 15 => 0,
        _ => return Err(Status::INVALID_VALUE),
    };
    c_int::try_from(value).map_err(|_| Status::INVALID_VALUE)
}

/// `cuFuncSetAttribute`.
pub(crate) fn set_attribute(function: &Function, number: u32, value: c_int) -> Result<(), Status> {
    match number {
        FUNCTION_MAX_DYNAMIC_SHARED => {
            function.set_max_dynamic_shared(u32::try_from(value).map_err(|_| Status::INVALID_VALUE)?).ok()
        }
        FUNCTION_CARVEOUT => function.set_carveout(value).ok(),
        14 => {
            function.allow_large_clusters(value != 0);
            Ok(())
        }
        15 => {
            notice::once(
                "function attribute clusterSchedulingPolicyPreference (15) is a hint that this device does not follow",
            );
            Ok(())
        }
        10..=13 => {
            notice::once("cluster dimensions as function attributes are not implemented by this device");
            Err(Status::NOT_SUPPORTED)
        }
        _ => Err(Status::INVALID_VALUE),
    }
}

/// The name of a kernel as a string that lives as long as its handle's kernel.
pub(crate) fn name(handle: Handle) -> Result<*const c_char, Status> {
    let kernel = KERNELS.get(handle)?;
    let text = kernel.text.get_or_init(|| CString::new(kernel.name.as_str()).unwrap_or_default());
    Ok(text.as_ptr())
}

/// Offset and size of a parameter.
pub(crate) fn parameter(handle: Handle, index: usize, offset: Out<usize>, size: Out<usize>) -> Result<(), Status> {
    let function = function(handle)?;
    let parameter = function.parameters().get(index).ok_or(Status::INVALID_VALUE)?;
    offset.set(parameter.offset as usize)?;
    size.set_if_wanted(parameter.size as usize);
    Ok(())
}

export! {
    /// An attribute of a kernel.
    context fn cuFuncGetAttribute(value: Out<c_int>, number: u32, handle: Handle) {
        value.set(attribute(&*function(handle)?, number)?)
    }

    /// Sets an attribute of a kernel.
    context fn cuFuncSetAttribute(handle: Handle, number: u32, value: c_int) {
        set_attribute(&*function(handle)?, number, value)
    }

    /// The cache preference: a hint.
    context fn cuFuncSetCacheConfig(handle: Handle, _config: u32) {
        KERNELS.get(handle).map(|_| ())
    }

    /// Bank width: has no effect on sm_90.
    context fn cuFuncSetSharedMemConfig(handle: Handle, _config: u32) {
        KERNELS.get(handle).map(|_| ())
    }

    /// The name of a kernel.
    context fn cuFuncGetName(out: Out<*const c_char>, handle: Handle) {
        out.set(name(handle)?)
    }

    /// Offset and size of a parameter.
    context fn cuFuncGetParamInfo(handle: Handle, index: usize, offset: Out<usize>, size: Out<usize>) {
        parameter(handle, index, offset, size)
    }

    /// Whether a kernel's code is loaded.
    context fn cuFuncIsLoaded(state: Out<u32>, handle: Handle) {
        const LOADED: u32 = 1;
        function(handle)?;
        state.set(LOADED)
    }

    /// Loads a kernel's code.
    context fn cuFuncLoad(handle: Handle) {
        function(handle).map(|_| ())
    }
}
