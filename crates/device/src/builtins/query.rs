//! Questions that device code may ask: errors, attributes, limits, occupancy. launch-model.md sections 3.6 and 3.7.

use super::arguments::{Arguments, Caller};
use crate::checking::Who;
use crate::limit::Limit;
use crate::module;
use crate::profile;
use crate::status::Status;
use hotfire_jit::abi::ThreadContext;

/// `cudaFuncAttributes`
#[derive(Clone, Copy)]
#[repr(C)]
struct FuncAttributes {
    shared: u64,
    constant: u64,
    local: u64,
    max_threads: i32,
    registers: i32,
    ptx_version: i32,
    binary_version: i32,
    cache_mode: i32,
    max_dynamic_shared: i32,
    carveout: i32,
    cluster: [i32; 6],
    reserved: [i32; 16],
}

/// `cudaError_t GetLastError()`: answers and clears the thread's last error.
pub(super) unsafe extern "C-unwind" fn get_last_error(
    context: *mut ThreadContext,
    _arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        note_read(context, false);
        result.cast::<u32>().write(std::mem::take(&mut (*context).last_error));
    }
}

/// `cudaError_t PeekAtLastError()`
pub(super) unsafe extern "C-unwind" fn peek_at_last_error(
    context: *mut ThreadContext,
    _arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        note_read(context, true);
        result.cast::<u32>().write((*context).last_error);
    }
}

/// Tells the checker that the thread reads an error of its own. One that it only peeks at it must use.
///
/// # Safety
/// The context is the calling thread's.
unsafe fn note_read(context: *mut ThreadContext, peeks: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        if (*context).last_error != 0
            && let Some(checking) = &Caller(context).device().checking
        {
            crate::exec::on_worker_stack(context, || checking.error_read(Who::of(context), peeks));
        }
    }
}

/// `const char* GetErrorString(cudaError_t error)`
pub(super) unsafe extern "C-unwind" fn get_error_string(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let code: u32 = Arguments::new(arguments).next();
        let text = crate::error::meaning(code).unwrap_or(c"unrecognized error code");
        Caller(context).answer(result, |grid, _| grid.device.text(text));
    }
}

/// `const char* GetErrorName(cudaError_t error)`
pub(super) unsafe extern "C-unwind" fn get_error_name(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let code: u32 = Arguments::new(arguments).next();
        let text = crate::error::runtime_name(code).unwrap_or(c"unrecognized error code");
        Caller(context).answer(result, |grid, _| grid.device.text(text));
    }
}

/// Answers a value through a pointer that is the first argument.
unsafe fn store<T: Copy>(context: *mut ThreadContext, target: u64, result: *mut u8, value: Result<T, Status>) {
    // SAFETY: called by functions of this module, which generated code calls.
    unsafe {
        let status = match value {
            Ok(_) if target == 0 => Status::INVALID_VALUE,
            Ok(value) => {
                Caller(context).store(target, value);
                Status::SUCCESS
            }
            Err(status) => status,
        };
        Caller(context).remember(status);
        result.cast::<u32>().write(status.0);
    }
}

/// `cudaError_t GetDevice(int* device)`
pub(super) unsafe extern "C-unwind" fn get_device(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe { store(context, Arguments::new(arguments).next(), result, Ok(0i32)) };
}

/// `cudaError_t GetDeviceCount(int* count)`
pub(super) unsafe extern "C-unwind" fn get_device_count(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe { store(context, Arguments::new(arguments).next(), result, Ok(1i32)) };
}

/// `cudaError_t DeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device)`
pub(super) unsafe extern "C-unwind" fn device_get_attribute(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (target, number, device): (u64, u32, i32) = (arguments.next(), arguments.next(), arguments.next());
        let value = match device {
            0 => profile::attribute(number).ok_or(Status::INVALID_VALUE),
            _ => Err(Status::INVALID_DEVICE),
        };
        store(context, target, result, value);
    }
}

/// `cudaError_t DeviceGetLimit(size_t* value, cudaLimit limit)`
pub(super) unsafe extern "C-unwind" fn device_get_limit(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (target, number): (u64, u32) = (arguments.next(), arguments.next());
        let device = Caller(context).device();
        let value = Limit::from_number(number).ok_or(Status::UNSUPPORTED_LIMIT).and_then(|limit| device.limit(limit));
        store(context, target, result, value);
    }
}

/// `cudaError_t DeviceGetCacheConfig(cudaFuncCache* configuration)`: no preference.
pub(super) unsafe extern "C-unwind" fn device_get_cache_config(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe { store(context, Arguments::new(arguments).next(), result, Ok(0u32)) };
}

/// `cudaError_t DeviceGetSharedMemConfig(cudaSharedMemConfig* configuration)`: banks of four bytes.
pub(super) unsafe extern "C-unwind" fn device_get_shared_mem_config(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe { store(context, Arguments::new(arguments).next(), result, Ok(1u32)) };
}

/// `cudaError_t RuntimeGetVersion(int* version)`
pub(super) unsafe extern "C-unwind" fn runtime_get_version(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe { store(context, Arguments::new(arguments).next(), result, Ok(profile::CUDA_VERSION)) };
}

/// `cudaError_t FuncGetAttributes(cudaFuncAttributes* attributes, const void* function)`
pub(super) unsafe extern "C-unwind" fn func_get_attributes(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (target, kernel): (u64, u64) = (arguments.next(), arguments.next());
        let value = crate::exec::on_worker_stack(context, || {
            let function = module::resolve(kernel).ok_or(Status::INVALID_DEVICE_FUNCTION)?;
            let attributes = function.attributes()?;
            Ok(FuncAttributes {
                shared: u64::from(attributes.static_shared),
                constant: u64::from(attributes.constant),
                local: u64::from(attributes.local),
                max_threads: attributes.max_threads as i32,
                registers: attributes.registers as i32,
                ptx_version: attributes.ptx_version as i32,
                binary_version: attributes.binary_version as i32,
                cache_mode: 0,
                max_dynamic_shared: attributes.max_dynamic_shared as i32,
                carveout: attributes.carveout,
                cluster: [0; 6],
                reserved: [0; 16],
            })
        });
        store(context, target, result, value);
    }
}

/// `cudaError_t OccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads, size_t shared)`
pub(super) unsafe extern "C-unwind" fn occupancy(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature; the flags of the longer one come last and change nothing.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (target, kernel): (u64, u64) = (arguments.next(), arguments.next());
        let (threads, shared): (i32, u64) = (arguments.next(), arguments.next());
        let device = Caller(context).device();
        let value = crate::exec::on_worker_stack(context, || {
            let function = module::resolve(kernel).ok_or(Status::INVALID_DEVICE_FUNCTION)?;
            let threads = u32::try_from(threads).map_err(|_| Status::INVALID_VALUE)?;
            let shared = u32::try_from(shared).map_err(|_| Status::INVALID_VALUE)?;
            device.occupancy(&function, threads, shared).map(|blocks| blocks as i32)
        });
        store(context, target, result, value);
    }
}

/// The same with flags.
pub(super) unsafe extern "C-unwind" fn occupancy_with_flags(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe { occupancy(context, arguments, result) };
}

const _: () = assert!(size_of::<FuncAttributes>() == 144);
