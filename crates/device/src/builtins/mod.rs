//! Functions that device code calls and the device provides: the device runtime (`__cudaCDP2…`), printf, malloc, assert.
//! launch-model.md section 3.7; signatures from CUDA's public device runtime header.

mod arguments;
mod assert;
mod copies;
mod format;
mod graph;
mod heap;
mod launch;
mod printf;
mod query;
mod streams;

pub(crate) use heap::Heap;
pub(crate) use printf::Printf;

use hotfire_jit::abi::DeviceFunction;

/// Native code of a function that a module declares and does not define.
///
/// The device runtime has two sets of names: `__cudaCDP2Name` from nvcc, and `cudaName` from older compilers. Both mean the same
/// here; what only CDP1 had is refused when the module is loaded.
pub(crate) fn find(symbol: &str) -> Option<DeviceFunction> {
    let runtime = symbol.strip_prefix("__cudaCDP2").or_else(|| symbol.strip_prefix("cuda"));
    let function: DeviceFunction = match runtime {
        None => match symbol {
            "vprintf" => printf::vprintf,
            "malloc" => heap::malloc,
            "free" => heap::free,
            "__assertfail" => assert::assertfail,
            _ => return None,
        },
        Some(name) => match name {
            "GetParameterBuffer" => launch::get_parameter_buffer,
            "GetParameterBufferV2" => launch::get_parameter_buffer_v2,
            "LaunchDevice" | "LaunchDevice_ptsz" => launch::launch_device,
            "LaunchDeviceV2" | "LaunchDeviceV2_ptsz" => launch::launch_device_v2,
            "GraphLaunch" => graph::graph_launch,
            "GraphSetConditional" => graph::set_conditional,
            "StreamCreateWithFlags" => streams::stream_create,
            "StreamDestroy" => streams::stream_destroy,
            "StreamWaitEvent" | "StreamWaitEvent_ptsz" => streams::stream_wait_event,
            "EventCreateWithFlags" => streams::event_create,
            "EventRecord" | "EventRecord_ptsz" => streams::event_record,
            "EventRecordWithFlags" | "EventRecordWithFlags_ptsz" => streams::event_record_with_flags,
            "EventDestroy" => streams::event_destroy,
            "MemcpyAsync" | "MemcpyAsync_ptsz" => copies::memcpy,
            "Memcpy2DAsync" | "Memcpy2DAsync_ptsz" => copies::memcpy_2d,
            "Memcpy3DAsync" | "Memcpy3DAsync_ptsz" => copies::memcpy_3d,
            "MemsetAsync" | "MemsetAsync_ptsz" => copies::memset,
            "Memset2DAsync" | "Memset2DAsync_ptsz" => copies::memset_2d,
            "Memset3DAsync" | "Memset3DAsync_ptsz" => copies::memset_3d,
            "Malloc" => heap::cuda_malloc,
            "Free" => heap::cuda_free,
            "GetLastError" => query::get_last_error,
            "PeekAtLastError" => query::peek_at_last_error,
            "GetErrorString" => query::get_error_string,
            "GetErrorName" => query::get_error_name,
            "GetDevice" => query::get_device,
            "GetDeviceCount" => query::get_device_count,
            "DeviceGetAttribute" => query::device_get_attribute,
            "DeviceGetLimit" => query::device_get_limit,
            "DeviceGetCacheConfig" => query::device_get_cache_config,
            "DeviceGetSharedMemConfig" => query::device_get_shared_mem_config,
            "FuncGetAttributes" => query::func_get_attributes,
            "RuntimeGetVersion" => query::runtime_get_version,
            "OccupancyMaxActiveBlocksPerMultiprocessor" => query::occupancy,
            "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags" => query::occupancy_with_flags,
            _ => return None,
        },
    };
    Some(function)
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn both_sets_of_names_are_known() {
        for name in ["__cudaCDP2GetParameterBufferV2", "cudaGetParameterBufferV2", "cudaStreamDestroy", "vprintf"] {
            assert!(find(name).is_some(), "{name}");
        }
        for name in ["cudaDeviceSynchronize", "__cudaCDP2", "cuda", "printf", "__cudaCDP2MemcpyAsync_", ""] {
            assert!(find(name).is_none(), "{name}");
        }
    }
}
