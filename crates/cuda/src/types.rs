//! C layouts of the structures that cross the boundary, laid out from the documentation of CUDA 13's headers and
//! compared with them, compiled by a C compiler, in `tests/layout.rs`. Enumerations are plain integers here: a C program may pass
//! any value.

#![expect(missing_docs, reason = "named as CUDA names them")]

use std::ffi::{c_char, c_int, c_uint, c_void};

mod texture;

pub use texture::*;

/// `CUdeviceptr`, and every pointer to device-visible memory.
pub type Address = u64;
/// Opaque handles (`CUstream`, `cudaEvent_t`, …); the tables of live handles say what they are.
pub type Handle = *mut c_void;

/// `dim3`, `uint3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dim3 {
    pub x: c_uint,
    pub y: c_uint,
    pub z: c_uint,
}

impl Dim3 {
    pub(crate) fn array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

/// `CUuuid`.
pub type Uuid = [u8; 16];

/// `cudaExtent`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// `cudaPos`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Pos {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}

/// `cudaPitchedPtr`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PitchedPtr {
    pub ptr: Address,
    pub pitch: usize,
    pub xsize: usize,
    pub ysize: usize,
}

/// `cudaMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Memcpy3DParms {
    pub src_array: Handle,
    pub src_pos: Pos,
    pub src_ptr: PitchedPtr,
    pub dst_array: Handle,
    pub dst_pos: Pos,
    pub dst_ptr: PitchedPtr,
    pub extent: Extent,
    pub kind: c_uint,
}

/// `cudaMemcpy3DPeerParms`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Memcpy3DPeerParms {
    pub src_array: Handle,
    pub src_pos: Pos,
    pub src_ptr: PitchedPtr,
    pub src_device: c_int,
    pub dst_array: Handle,
    pub dst_pos: Pos,
    pub dst_ptr: PitchedPtr,
    pub dst_device: c_int,
    pub extent: Extent,
}

/// One side of the driver's copy descriptors.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Side2D {
    pub x_in_bytes: usize,
    pub y: usize,
    pub memory_type: c_uint,
    pub host: Address,
    pub device: Address,
    pub array: Handle,
    pub pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Memcpy2D {
    pub src: Side2D,
    pub dst: Side2D,
    pub width_in_bytes: usize,
    pub height: usize,
}

/// One side of `CUDA_MEMCPY3D` and of `CUDA_MEMCPY3D_PEER` (`context` is reserved in the former).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Side3D {
    pub x_in_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub lod: usize,
    pub memory_type: c_uint,
    pub host: Address,
    pub device: Address,
    pub array: Handle,
    pub context: Handle,
    pub pitch: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D` and `CUDA_MEMCPY3D_PEER`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Memcpy3D {
    pub src: Side3D,
    pub dst: Side3D,
    pub width_in_bytes: usize,
    pub height: usize,
    pub depth: usize,
}

/// `CUlaunchAttributeValue`, `cudaLaunchAttributeValue`: 64 bytes, read by what the attribute is.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug)]
pub struct AttributeValue(pub [u8; 64]);

impl AttributeValue {
    /// Field number `index` of a value made of 32-bit fields.
    pub(crate) fn word(&self, index: usize) -> u32 {
        let at = index * 4;
        u32::from_ne_bytes([self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]])
    }
}

/// `CUlaunchAttribute`, `cudaLaunchAttribute`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    pub id: c_uint,
    pub pad: [u8; 4],
    pub value: AttributeValue,
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DriverLaunch {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: c_uint,
    pub stream: Handle,
    pub attributes: *const Attribute,
    pub count: c_uint,
}

/// `cudaLaunchConfig_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RuntimeLaunch {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: usize,
    pub stream: Handle,
    pub attributes: *const Attribute,
    pub count: c_uint,
}

/// `cudaPointerAttributes`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PointerAttributes {
    pub kind: c_uint,
    pub device: c_int,
    pub device_pointer: Address,
    pub host_pointer: Address,
    pub reserved: [i64; 8],
}

/// `cudaFuncAttributes`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FuncAttributes {
    pub shared_size: usize,
    pub const_size: usize,
    pub local_size: usize,
    pub max_threads_per_block: c_int,
    pub num_regs: c_int,
    pub ptx_version: c_int,
    pub binary_version: c_int,
    pub cache_mode_ca: c_int,
    pub max_dynamic_shared_size: c_int,
    pub preferred_shmem_carveout: c_int,
    pub cluster_dim_must_be_set: c_int,
    pub required_cluster: [c_int; 3],
    pub cluster_scheduling_policy: c_int,
    pub non_portable_cluster_size_allowed: c_int,
    pub reserved: [c_int; 16],
}

/// `cudaChannelFormatDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ChannelFormat {
    pub x: c_int,
    pub y: c_int,
    pub z: c_int,
    pub w: c_int,
    pub kind: c_uint,
}

/// `cudaGraphEdgeData`, `CUgraphEdgeData`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphEdge {
    pub from_port: u8,
    pub to_port: u8,
    pub kind: u8,
    pub reserved: [u8; 5],
}

/// `cudaKernelNodeParams`, and what `CUDA_KERNEL_NODE_PARAMS` begins with in all versions.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KernelNodeParams {
    pub func: Address,
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: c_uint,
    pub params: *const *const c_void,
    pub extra: *const *const c_void,
}

/// `CUDA_KERNEL_NODE_PARAMS` since version 2.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DriverKernelNodeParams {
    pub base: KernelNodeParams,
    pub kern: Handle,
    pub ctx: Handle,
}

/// `cudaMemsetParams`, and what `CUDA_MEMSET_NODE_PARAMS` begins with in all versions.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemsetNodeParams {
    pub dst: Address,
    pub pitch: usize,
    pub value: c_uint,
    pub element_size: c_uint,
    pub width: usize,
    pub height: usize,
}

/// `cudaHostNodeParams`, `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostNodeParams {
    pub function: HostFunction,
    pub data: *mut c_void,
}

/// `cudaMemAllocNodeParams`, `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemAllocNodeParams {
    pub pool: PoolProps,
    pub access: *const c_void,
    pub access_count: usize,
    pub bytes: usize,
    pub dptr: Address,
}

/// `cudaConditionalNodeParams`; the driver's has a context behind.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ConditionalNodeParams {
    pub handle: u64,
    pub kind: c_uint,
    pub size: c_uint,
    pub graphs: *const Handle,
}

/// `cudaGraphNodeParams`, `CUgraphNodeParams`: the member that the type names, as words.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraphNodeParams {
    pub kind: c_uint,
    pub reserved0: [c_int; 3],
    pub value: [u64; 29],
    pub reserved2: i64,
}

/// `cudaGraphInstantiateParams`, `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraphInstantiateParams {
    pub flags: u64,
    pub upload_stream: Handle,
    pub node: Handle,
    pub result: c_uint,
}

/// `cudaGraphExecUpdateResultInfo`, `CUgraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraphUpdateResult {
    pub result: c_uint,
    pub node: Handle,
    pub from: Handle,
}

/// `CUctxCreateParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ContextParameters {
    pub affinities: u64,
    pub affinity_count: c_int,
    pub graphics: u64,
}

impl ContextParameters {
    /// Is anything asked for?
    pub(crate) fn asks(&self) -> bool {
        self.affinity_count != 0 || self.graphics != 0
    }
}

/// `cudaMemLocation`, `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Location {
    pub kind: c_uint,
    pub id: c_int,
}

/// `CUmemAllocationProp`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MemAllocationProp {
    pub kind: c_uint,
    pub handle_types: c_uint,
    pub location: Location,
    pub metadata: Address,
    pub compression: u8,
    pub rdma: u8,
    pub usage: u16,
    pub reserved: [u8; 4],
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MemAccessDesc {
    pub location: Location,
    pub flags: c_uint,
}

/// `cudaMemPoolProps`, `CUmemPoolProps`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PoolProps {
    pub allocation: c_uint,
    pub handles: c_uint,
    pub location: Location,
    pub security: *const c_void,
    pub max_size: usize,
    pub usage: u16,
    pub reserved: [u8; 54],
}

/// `CUdevprop`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DriverProperties {
    pub max_threads_per_block: c_int,
    pub max_threads_dim: [c_int; 3],
    pub max_grid_size: [c_int; 3],
    pub shared_mem_per_block: c_int,
    pub total_constant_memory: c_int,
    pub simd_width: c_int,
    pub mem_pitch: c_int,
    pub regs_per_block: c_int,
    pub clock_rate: c_int,
    pub texture_align: c_int,
}

/// What the registration calls of nvcc's host code hand over: `__fatBinC_Wrapper_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FatBinaryWrapper {
    pub magic: c_uint,
    pub version: c_uint,
    pub data: *const u8,
    /// Version 1: a file name. Version 2: a null-terminated list of the units that were linked.
    pub prelinked: *const *const u8,
}

/// `cudaHostFn_t`, `CUhostFn`.
pub type HostFunction = Option<extern "C" fn(*mut c_void)>;
/// `cudaStreamCallback_t`, `CUstreamCallback`.
pub type StreamCallback = Option<extern "C" fn(Handle, u32, *mut c_void)>;
/// `CUoccupancyB2DSize`.
pub type BlockToShared = Option<extern "C" fn(c_int) -> usize>;

/// `cudaDeviceProp` of CUDA 13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceProp {
    pub name: [c_char; 256],
    pub uuid: Uuid,
    pub luid: [c_char; 8],
    pub luid_device_node_mask: c_uint,
    pub total_global_mem: usize,
    pub shared_mem_per_block: usize,
    pub regs_per_block: c_int,
    pub warp_size: c_int,
    pub mem_pitch: usize,
    pub max_threads_per_block: c_int,
    pub max_threads_dim: [c_int; 3],
    pub max_grid_size: [c_int; 3],
    pub total_const_mem: usize,
    pub major: c_int,
    pub minor: c_int,
    pub texture_alignment: usize,
    pub texture_pitch_alignment: usize,
    pub multi_processor_count: c_int,
    pub integrated: c_int,
    pub can_map_host_memory: c_int,
    pub max_texture_1d: c_int,
    pub max_texture_1d_mipmap: c_int,
    pub max_texture_2d: [c_int; 2],
    pub max_texture_2d_mipmap: [c_int; 2],
    pub max_texture_2d_linear: [c_int; 3],
    pub max_texture_2d_gather: [c_int; 2],
    pub max_texture_3d: [c_int; 3],
    pub max_texture_3d_alt: [c_int; 3],
    pub max_texture_cubemap: c_int,
    pub max_texture_1d_layered: [c_int; 2],
    pub max_texture_2d_layered: [c_int; 3],
    pub max_texture_cubemap_layered: [c_int; 2],
    pub max_surface_1d: c_int,
    pub max_surface_2d: [c_int; 2],
    pub max_surface_3d: [c_int; 3],
    pub max_surface_1d_layered: [c_int; 2],
    pub max_surface_2d_layered: [c_int; 3],
    pub max_surface_cubemap: c_int,
    pub max_surface_cubemap_layered: [c_int; 2],
    pub surface_alignment: usize,
    pub concurrent_kernels: c_int,
    pub ecc_enabled: c_int,
    pub pci_bus_id: c_int,
    pub pci_device_id: c_int,
    pub pci_domain_id: c_int,
    pub tcc_driver: c_int,
    pub async_engine_count: c_int,
    pub unified_addressing: c_int,
    pub memory_bus_width: c_int,
    pub l2_cache_size: c_int,
    pub persisting_l2_cache_max_size: c_int,
    pub max_threads_per_multi_processor: c_int,
    pub stream_priorities_supported: c_int,
    pub global_l1_cache_supported: c_int,
    pub local_l1_cache_supported: c_int,
    pub shared_mem_per_multiprocessor: usize,
    pub regs_per_multiprocessor: c_int,
    pub managed_memory: c_int,
    pub is_multi_gpu_board: c_int,
    pub multi_gpu_board_group_id: c_int,
    pub host_native_atomic_supported: c_int,
    pub pageable_memory_access: c_int,
    pub concurrent_managed_access: c_int,
    pub compute_preemption_supported: c_int,
    pub can_use_host_pointer_for_registered_mem: c_int,
    pub cooperative_launch: c_int,
    pub shared_mem_per_block_optin: usize,
    pub pageable_memory_access_uses_host_page_tables: c_int,
    pub direct_managed_mem_access_from_host: c_int,
    pub max_blocks_per_multi_processor: c_int,
    pub access_policy_max_window_size: c_int,
    pub reserved_shared_mem_per_block: usize,
    pub host_register_supported: c_int,
    pub sparse_cuda_array_supported: c_int,
    pub host_register_read_only_supported: c_int,
    pub timeline_semaphore_interop_supported: c_int,
    pub memory_pools_supported: c_int,
    pub gpu_direct_rdma_supported: c_int,
    pub gpu_direct_rdma_flush_writes_options: c_uint,
    pub gpu_direct_rdma_writes_ordering: c_int,
    pub memory_pool_supported_handle_types: c_uint,
    pub deferred_mapping_cuda_array_supported: c_int,
    pub ipc_event_supported: c_int,
    pub cluster_launch: c_int,
    pub unified_function_pointers: c_int,
    pub device_numa_config: c_int,
    pub device_numa_id: c_int,
    pub mps_enabled: c_int,
    pub host_numa_id: c_int,
    pub gpu_pci_device_id: c_uint,
    pub gpu_pci_subsystem_id: c_uint,
    pub host_numa_multinode_ipc_supported: c_int,
    pub reserved: [c_int; 56],
}

/// Numbers of enumerations that more than one place needs, or that a test compares with the headers.
pub mod number {
    pub const LAUNCH_PARAM_BUFFER_POINTER: usize = 1;
    pub const LAUNCH_PARAM_BUFFER_SIZE: usize = 2;
    pub const ATTRIBUTE_IGNORE: u32 = 0;
    pub const ATTRIBUTE_COOPERATIVE: u32 = 2;
    pub const ATTRIBUTE_CLUSTER: u32 = 4;
    pub const ATTRIBUTE_PROGRAMMATIC_SERIALIZATION: u32 = 6;
    pub const ATTRIBUTE_PROGRAMMATIC_EVENT: u32 = 7;
    pub const ATTRIBUTE_LAUNCH_COMPLETION_EVENT: u32 = 12;
    pub const ATTRIBUTE_DEVICE_UPDATABLE: u32 = 13;
    pub const JIT_WALL_TIME: u32 = 2;
    pub const JIT_INFO_LOG: u32 = 3;
    pub const JIT_INFO_LOG_SIZE: u32 = 4;
    pub const JIT_ERROR_LOG: u32 = 5;
    pub const JIT_ERROR_LOG_SIZE: u32 = 6;
    pub const INPUT_CUBIN: u32 = 0;
    pub const INPUT_PTX: u32 = 1;
    pub const INPUT_FATBINARY: u32 = 2;
    pub const INPUT_OBJECT: u32 = 3;
    pub const INPUT_LIBRARY: u32 = 4;
    pub const FUNCTION_MAX_DYNAMIC_SHARED: u32 = 8;
    pub const FUNCTION_CARVEOUT: u32 = 9;
    pub const MEMORY_HOST: u32 = 1;
    pub const MEMORY_DEVICE: u32 = 2;
    pub const MEMORY_ARRAY: u32 = 3;
    pub const MEMORY_UNIFIED: u32 = 4;
    pub const PROC_ADDRESS_PER_THREAD: u64 = 2;
}
