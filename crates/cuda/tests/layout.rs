//! Our declarations against the wheel's headers: a C program prints sizes, offsets and numbers, compiled by a C compiler
//! with those headers.

use std::mem::offset_of;
use std::path::PathBuf;
use std::process::Command;

use hotfire_cuda::types::*;

/// The headers that `cargo xtask fetch` brings.
fn headers() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/cuda/site/nvidia/cu13/include");
    assert!(path.join("cuda.h").exists(), "{} has no cuda.h: run `cargo xtask fetch`", path.display());
    path
}

/// What a C compiler answers for each expression.
fn ask(name: &str, expressions: &[&str]) -> Vec<u64> {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (directory.join(format!("{name}.c")), directory.join(name));
    let mut text = String::from(
        "#include <stddef.h>\n#include <stdio.h>\n#include <cuda.h>\n#include <cuda_runtime_api.h>\nint main(void) {\n",
    );
    for expression in expressions {
        text += &format!("  printf(\"%llu\\n\", (unsigned long long)({expression}));\n");
    }
    text += "  return 0;\n}\n";
    std::fs::write(&source, text).expect("writing the C program");
    let compiled = Command::new("cc").arg("-w").arg("-I").arg(headers()).arg(&source).arg("-o").arg(&program).output();
    let compiled = compiled.expect("running cc");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().expect("running the C program");
    let text = String::from_utf8(output.stdout).expect("numbers");
    text.lines().map(|line| line.parse().expect("a number")).collect()
}

/// Pairs of C expressions and what they must be.
fn check(name: &str, pairs: &[(&str, usize)]) {
    let expressions: Vec<&str> = pairs.iter().map(|pair| pair.0).collect();
    let answers = ask(name, &expressions);
    assert_eq!(answers.len(), pairs.len());
    let wrong: Vec<String> = pairs
        .iter()
        .zip(&answers)
        .filter(|((_, ours), theirs)| *ours as u64 != **theirs)
        .map(|((expression, ours), theirs)| format!("{expression} is {theirs}, not {ours}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn structures_have_cs_layout() {
    check(
        "structures",
        &[
            ("sizeof(cudaGraphEdgeData)", size_of::<GraphEdge>()),
            ("sizeof(struct cudaKernelNodeParams)", size_of::<KernelNodeParams>()),
            ("offsetof(struct cudaKernelNodeParams, kernelParams)", offset_of!(KernelNodeParams, params)),
            ("sizeof(CUDA_KERNEL_NODE_PARAMS)", size_of::<DriverKernelNodeParams>()),
            ("offsetof(CUDA_KERNEL_NODE_PARAMS, extra)", offset_of!(KernelNodeParams, extra)),
            ("offsetof(CUDA_KERNEL_NODE_PARAMS, kern)", offset_of!(DriverKernelNodeParams, kern)),
            ("sizeof(struct cudaMemsetParams)", size_of::<MemsetNodeParams>()),
            ("offsetof(struct cudaMemsetParams, width)", offset_of!(MemsetNodeParams, width)),
            ("sizeof(CUDA_MEMSET_NODE_PARAMS)", size_of::<MemsetNodeParams>()),
            ("sizeof(struct cudaHostNodeParams)", size_of::<HostNodeParams>()),
            ("sizeof(struct cudaMemAllocNodeParams)", size_of::<MemAllocNodeParams>()),
            ("offsetof(struct cudaMemAllocNodeParams, dptr)", offset_of!(MemAllocNodeParams, dptr)),
            ("sizeof(struct cudaConditionalNodeParams)", size_of::<ConditionalNodeParams>()),
            ("sizeof(struct cudaGraphNodeParams)", size_of::<GraphNodeParams>()),
            ("sizeof(CUgraphNodeParams)", size_of::<GraphNodeParams>()),
            ("offsetof(struct cudaGraphNodeParams, kernel)", offset_of!(GraphNodeParams, value)),
            ("offsetof(struct cudaGraphNodeParams, memcpy.copyParams)", offset_of!(GraphNodeParams, value) + 16),
            ("offsetof(CUgraphNodeParams, memcpy.copyParams)", offset_of!(GraphNodeParams, value) + 16),
            ("sizeof(cudaGraphInstantiateParams)", size_of::<GraphInstantiateParams>()),
            ("sizeof(cudaGraphExecUpdateResultInfo)", size_of::<GraphUpdateResult>()),
            ("sizeof(CUmemAllocationProp)", size_of::<MemAllocationProp>()),
            ("offsetof(CUmemAllocationProp, allocFlags)", offset_of!(MemAllocationProp, compression)),
            ("sizeof(CUmemAccessDesc)", size_of::<MemAccessDesc>()),
            ("sizeof(struct cudaResourceDesc)", size_of::<ResourceDesc>()),
            ("offsetof(struct cudaResourceDesc, res)", offset_of!(ResourceDesc, value)),
            ("offsetof(struct cudaResourceDesc, flags)", offset_of!(ResourceDesc, flags)),
            ("offsetof(struct cudaResourceDesc, res.linear.desc)", offset_of!(ResourceDesc, value) + 8),
            ("offsetof(struct cudaResourceDesc, res.linear.sizeInBytes)", offset_of!(ResourceDesc, value) + 32),
            ("offsetof(struct cudaResourceDesc, res.pitch2D.pitchInBytes)", offset_of!(ResourceDesc, value) + 48),
            ("sizeof(CUDA_RESOURCE_DESC)", size_of::<ResourceDesc>()),
            ("offsetof(CUDA_RESOURCE_DESC, res.linear.format)", offset_of!(ResourceDesc, value) + 8),
            ("offsetof(CUDA_RESOURCE_DESC, res.linear.sizeInBytes)", offset_of!(ResourceDesc, value) + 16),
            ("offsetof(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes)", offset_of!(ResourceDesc, value) + 32),
            ("sizeof(struct cudaTextureDesc)", size_of::<TextureDesc>()),
            ("offsetof(struct cudaTextureDesc, normalizedCoords)", offset_of!(TextureDesc, normalized_coords)),
            ("offsetof(struct cudaTextureDesc, seamlessCubemap)", offset_of!(TextureDesc, seamless_cubemap)),
            ("sizeof(CUDA_TEXTURE_DESC)", size_of::<DriverTextureDesc>()),
            ("offsetof(CUDA_TEXTURE_DESC, borderColor)", offset_of!(DriverTextureDesc, border_color)),
            ("sizeof(struct cudaResourceViewDesc)", size_of::<ResourceViewDesc>()),
            ("offsetof(struct cudaResourceViewDesc, lastLayer)", offset_of!(ResourceViewDesc, last_layer)),
            ("sizeof(CUDA_ARRAY_DESCRIPTOR)", size_of::<ArrayDescriptor>()),
            ("sizeof(CUDA_ARRAY3D_DESCRIPTOR)", size_of::<Array3DDescriptor>()),
            ("offsetof(CUDA_ARRAY3D_DESCRIPTOR, Flags)", offset_of!(Array3DDescriptor, flags)),
            ("sizeof(struct cudaDeviceProp)", size_of::<DeviceProp>()),
            ("offsetof(struct cudaDeviceProp, uuid)", offset_of!(DeviceProp, uuid)),
            ("offsetof(struct cudaDeviceProp, totalGlobalMem)", offset_of!(DeviceProp, total_global_mem)),
            ("offsetof(struct cudaDeviceProp, maxGridSize)", offset_of!(DeviceProp, max_grid_size)),
            ("offsetof(struct cudaDeviceProp, major)", offset_of!(DeviceProp, major)),
            ("offsetof(struct cudaDeviceProp, multiProcessorCount)", offset_of!(DeviceProp, multi_processor_count)),
            ("offsetof(struct cudaDeviceProp, maxTexture3DAlt)", offset_of!(DeviceProp, max_texture_3d_alt)),
            ("offsetof(struct cudaDeviceProp, surfaceAlignment)", offset_of!(DeviceProp, surface_alignment)),
            ("offsetof(struct cudaDeviceProp, pciDomainID)", offset_of!(DeviceProp, pci_domain_id)),
            ("offsetof(struct cudaDeviceProp, unifiedAddressing)", offset_of!(DeviceProp, unified_addressing)),
            ("offsetof(struct cudaDeviceProp, l2CacheSize)", offset_of!(DeviceProp, l2_cache_size)),
            (
                "offsetof(struct cudaDeviceProp, sharedMemPerMultiprocessor)",
                offset_of!(DeviceProp, shared_mem_per_multiprocessor),
            ),
            ("offsetof(struct cudaDeviceProp, managedMemory)", offset_of!(DeviceProp, managed_memory)),
            ("offsetof(struct cudaDeviceProp, cooperativeLaunch)", offset_of!(DeviceProp, cooperative_launch)),
            (
                "offsetof(struct cudaDeviceProp, sharedMemPerBlockOptin)",
                offset_of!(DeviceProp, shared_mem_per_block_optin),
            ),
            (
                "offsetof(struct cudaDeviceProp, reservedSharedMemPerBlock)",
                offset_of!(DeviceProp, reserved_shared_mem_per_block),
            ),
            ("offsetof(struct cudaDeviceProp, memoryPoolsSupported)", offset_of!(DeviceProp, memory_pools_supported)),
            ("offsetof(struct cudaDeviceProp, clusterLaunch)", offset_of!(DeviceProp, cluster_launch)),
            ("offsetof(struct cudaDeviceProp, hostNumaId)", offset_of!(DeviceProp, host_numa_id)),
            ("offsetof(struct cudaDeviceProp, reserved)", offset_of!(DeviceProp, reserved)),
            ("sizeof(struct cudaFuncAttributes)", size_of::<FuncAttributes>()),
            (
                "offsetof(struct cudaFuncAttributes, maxDynamicSharedSizeBytes)",
                offset_of!(FuncAttributes, max_dynamic_shared_size),
            ),
            (
                "offsetof(struct cudaFuncAttributes, nonPortableClusterSizeAllowed)",
                offset_of!(FuncAttributes, non_portable_cluster_size_allowed),
            ),
            ("sizeof(struct cudaPointerAttributes)", size_of::<PointerAttributes>()),
            ("offsetof(struct cudaPointerAttributes, hostPointer)", offset_of!(PointerAttributes, host_pointer)),
            ("sizeof(struct cudaMemcpy3DParms)", size_of::<Memcpy3DParms>()),
            ("offsetof(struct cudaMemcpy3DParms, dstPtr)", offset_of!(Memcpy3DParms, dst_ptr)),
            ("offsetof(struct cudaMemcpy3DParms, kind)", offset_of!(Memcpy3DParms, kind)),
            ("sizeof(struct cudaMemcpy3DPeerParms)", size_of::<Memcpy3DPeerParms>()),
            ("offsetof(struct cudaMemcpy3DPeerParms, dstDevice)", offset_of!(Memcpy3DPeerParms, dst_device)),
            ("offsetof(struct cudaMemcpy3DPeerParms, extent)", offset_of!(Memcpy3DPeerParms, extent)),
            ("sizeof(struct cudaPitchedPtr)", size_of::<PitchedPtr>()),
            ("sizeof(struct cudaExtent)", size_of::<Extent>()),
            ("sizeof(struct cudaChannelFormatDesc)", size_of::<ChannelFormat>()),
            ("sizeof(struct cudaMemLocation)", size_of::<Location>()),
            ("sizeof(struct cudaMemPoolProps)", size_of::<PoolProps>()),
            ("offsetof(struct cudaMemPoolProps, maxSize)", offset_of!(PoolProps, max_size)),
            ("sizeof(CUmemPoolProps)", size_of::<PoolProps>()),
            ("sizeof(cudaLaunchConfig_t)", size_of::<RuntimeLaunch>()),
            ("offsetof(cudaLaunchConfig_t, dynamicSmemBytes)", offset_of!(RuntimeLaunch, shared)),
            ("offsetof(cudaLaunchConfig_t, attrs)", offset_of!(RuntimeLaunch, attributes)),
            ("offsetof(cudaLaunchConfig_t, numAttrs)", offset_of!(RuntimeLaunch, count)),
            ("sizeof(cudaLaunchAttribute)", size_of::<Attribute>()),
            ("offsetof(cudaLaunchAttribute, val)", offset_of!(Attribute, value)),
            ("sizeof(CUlaunchConfig)", size_of::<DriverLaunch>()),
            ("offsetof(CUlaunchConfig, sharedMemBytes)", offset_of!(DriverLaunch, shared)),
            ("offsetof(CUlaunchConfig, hStream)", offset_of!(DriverLaunch, stream)),
            ("offsetof(CUlaunchConfig, numAttrs)", offset_of!(DriverLaunch, count)),
            ("sizeof(CUlaunchAttribute)", size_of::<Attribute>()),
            ("offsetof(CUlaunchAttribute, value)", offset_of!(Attribute, value)),
            ("sizeof(CUDA_MEMCPY2D)", size_of::<Memcpy2D>()),
            ("offsetof(CUDA_MEMCPY2D, srcPitch)", offset_of!(Memcpy2D, src) + offset_of!(Side2D, pitch)),
            ("offsetof(CUDA_MEMCPY2D, dstMemoryType)", offset_of!(Memcpy2D, dst) + offset_of!(Side2D, memory_type)),
            ("offsetof(CUDA_MEMCPY2D, dstArray)", offset_of!(Memcpy2D, dst) + offset_of!(Side2D, array)),
            ("offsetof(CUDA_MEMCPY2D, WidthInBytes)", offset_of!(Memcpy2D, width_in_bytes)),
            ("sizeof(CUDA_MEMCPY3D)", size_of::<Memcpy3D>()),
            ("offsetof(CUDA_MEMCPY3D, srcHeight)", offset_of!(Memcpy3D, src) + offset_of!(Side3D, height)),
            ("offsetof(CUDA_MEMCPY3D, dstDevice)", offset_of!(Memcpy3D, dst) + offset_of!(Side3D, device)),
            ("offsetof(CUDA_MEMCPY3D, Depth)", offset_of!(Memcpy3D, depth)),
            ("sizeof(CUDA_MEMCPY3D_PEER)", size_of::<Memcpy3D>()),
            ("offsetof(CUDA_MEMCPY3D_PEER, dstContext)", offset_of!(Memcpy3D, dst) + offset_of!(Side3D, context)),
            ("sizeof(CUdevprop)", size_of::<DriverProperties>()),
            ("offsetof(CUdevprop, textureAlign)", offset_of!(DriverProperties, texture_align)),
            ("sizeof(CUuuid)", size_of::<Uuid>()),
            ("sizeof(dim3)", size_of::<Dim3>()),
        ],
    );
}

#[test]
fn numbers_are_cudas() {
    use hotfire_cuda::types::number;
    check(
        "numbers",
        &[
            ("CUDA_VERSION", 13000),
            ("CUDART_VERSION", 13000),
            ("CU_LAUNCH_PARAM_BUFFER_POINTER", number::LAUNCH_PARAM_BUFFER_POINTER),
            ("CU_LAUNCH_PARAM_BUFFER_SIZE", number::LAUNCH_PARAM_BUFFER_SIZE),
            ("CU_LAUNCH_ATTRIBUTE_COOPERATIVE", number::ATTRIBUTE_COOPERATIVE as usize),
            ("CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION", number::ATTRIBUTE_CLUSTER as usize),
            (
                "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION",
                number::ATTRIBUTE_PROGRAMMATIC_SERIALIZATION as usize,
            ),
            ("CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT", number::ATTRIBUTE_PROGRAMMATIC_EVENT as usize),
            ("CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT", number::ATTRIBUTE_LAUNCH_COMPLETION_EVENT as usize),
            ("CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE", number::ATTRIBUTE_DEVICE_UPDATABLE as usize),
            ("CU_JIT_WALL_TIME", number::JIT_WALL_TIME as usize),
            ("CU_JIT_INFO_LOG_BUFFER", number::JIT_INFO_LOG as usize),
            ("CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES", number::JIT_INFO_LOG_SIZE as usize),
            ("CU_JIT_ERROR_LOG_BUFFER", number::JIT_ERROR_LOG as usize),
            ("CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES", number::JIT_ERROR_LOG_SIZE as usize),
            ("CU_JIT_INPUT_PTX", number::INPUT_PTX as usize),
            ("CU_JIT_INPUT_LIBRARY", number::INPUT_LIBRARY as usize),
            ("CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", number::FUNCTION_MAX_DYNAMIC_SHARED as usize),
            ("CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT", number::FUNCTION_CARVEOUT as usize),
            ("CU_MEMORYTYPE_HOST", number::MEMORY_HOST as usize),
            ("CU_MEMORYTYPE_UNIFIED", number::MEMORY_UNIFIED as usize),
            ("CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM", number::PROC_ADDRESS_PER_THREAD as usize),
            ("cudaErrorMissingConfiguration", 52),
            ("CUDA_ERROR_CONTEXT_IS_DESTROYED", 709),
            ("CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", 705),
            ("CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", 217),
            ("CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", 224),
            ("(unsigned)cudaInvalidDeviceId", (-2_i32) as u32 as usize),
            ("CU_MEM_LOCATION_TYPE_DEVICE", 1),
            ("CU_MEM_ALLOCATION_TYPE_PINNED", 1),
            ("CU_MEMPOOL_ATTR_RELEASE_THRESHOLD", 4),
            ("CU_MEM_ACCESS_FLAGS_PROT_READWRITE", 3),
        ],
    );
}
