//! `cudaDeviceProp`, filled from the attributes of the device.

use std::ffi::{c_char, c_int};

use hotfire_device::{Device, Status, profile};

use crate::driver::{attribute, uuid};
use crate::export::export;
use crate::pointer::{In, Out};
use crate::types::DeviceProp;

/// Everything that the structure says about the device.
fn properties() -> Result<DeviceProp, Status> {
    let a = attribute;
    let size = |number| a(number).map(|value| value as usize);
    let flag = |number| a(number).map(|value| value as u32);
    let mut name = [0 as c_char; 256];
    for (to, from) in name.iter_mut().zip(profile::profile().name.bytes().take(255)) {
        *to = from as c_char;
    }
    Ok(DeviceProp {
        name,
        uuid: uuid(),
        luid: [0; 8],
        luid_device_node_mask: 0,
        total_global_mem: Device::get().mem_info().1 as usize,
        shared_mem_per_block: size(8)?,
        regs_per_block: a(12)?,
        warp_size: a(10)?,
        mem_pitch: size(11)?,
        max_threads_per_block: a(1)?,
        max_threads_dim: [a(2)?, a(3)?, a(4)?],
        max_grid_size: [a(5)?, a(6)?, a(7)?],
        total_const_mem: size(9)?,
        major: a(75)?,
        minor: a(76)?,
        texture_alignment: size(14)?,
        texture_pitch_alignment: size(51)?,
        multi_processor_count: a(16)?,
        integrated: a(18)?,
        can_map_host_memory: a(19)?,
        max_texture_1d: a(21)?,
        max_texture_1d_mipmap: a(77)?,
        max_texture_2d: [a(22)?, a(23)?],
        max_texture_2d_mipmap: [a(73)?, a(74)?],
        max_texture_2d_linear: [a(70)?, a(71)?, a(72)?],
        max_texture_2d_gather: [a(45)?, a(46)?],
        max_texture_3d: [a(24)?, a(25)?, a(26)?],
        max_texture_3d_alt: [a(47)?, a(48)?, a(49)?],
        max_texture_cubemap: a(52)?,
        max_texture_1d_layered: [a(42)?, a(43)?],
        max_texture_2d_layered: [a(27)?, a(28)?, a(29)?],
        max_texture_cubemap_layered: [a(53)?, a(54)?],
        max_surface_1d: a(55)?,
        max_surface_2d: [a(56)?, a(57)?],
        max_surface_3d: [a(58)?, a(59)?, a(60)?],
        max_surface_1d_layered: [a(61)?, a(62)?],
        max_surface_2d_layered: [a(63)?, a(64)?, a(65)?],
        max_surface_cubemap: a(66)?,
        max_surface_cubemap_layered: [a(67)?, a(68)?],
        surface_alignment: size(30)?,
        concurrent_kernels: a(31)?,
        ecc_enabled: a(32)?,
        pci_bus_id: a(33)?,
        pci_device_id: a(34)?,
        pci_domain_id: a(50)?,
        tcc_driver: a(35)?,
        async_engine_count: a(40)?,
        unified_addressing: a(41)?,
        memory_bus_width: a(37)?,
        l2_cache_size: a(38)?,
        persisting_l2_cache_max_size: a(108)?,
        max_threads_per_multi_processor: a(39)?,
        stream_priorities_supported: a(78)?,
        global_l1_cache_supported: a(79)?,
        local_l1_cache_supported: a(80)?,
        shared_mem_per_multiprocessor: size(81)?,
        regs_per_multiprocessor: a(82)?,
        managed_memory: a(83)?,
        is_multi_gpu_board: a(84)?,
        multi_gpu_board_group_id: a(85)?,
        host_native_atomic_supported: a(86)?,
        pageable_memory_access: a(88)?,
        concurrent_managed_access: a(89)?,
        compute_preemption_supported: a(90)?,
        can_use_host_pointer_for_registered_mem: a(91)?,
        cooperative_launch: a(95)?,
        shared_mem_per_block_optin: size(97)?,
        pageable_memory_access_uses_host_page_tables: a(100)?,
        direct_managed_mem_access_from_host: a(101)?,
        max_blocks_per_multi_processor: a(106)?,
        access_policy_max_window_size: a(109)?,
        reserved_shared_mem_per_block: size(111)?,
        host_register_supported: a(99)?,
        sparse_cuda_array_supported: a(112)?,
        host_register_read_only_supported: a(113)?,
        timeline_semaphore_interop_supported: a(114)?,
        memory_pools_supported: a(115)?,
        gpu_direct_rdma_supported: a(116)?,
        gpu_direct_rdma_flush_writes_options: flag(117)?,
        gpu_direct_rdma_writes_ordering: a(118)?,
        memory_pool_supported_handle_types: flag(119)?,
        deferred_mapping_cuda_array_supported: a(121)?,
        ipc_event_supported: a(125)?,
        cluster_launch: a(120)?,
        unified_function_pointers: a(129)?,
        device_numa_config: a(130)?,
        device_numa_id: a(131)?,
        mps_enabled: a(133)?,
        host_numa_id: a(134)?,
        gpu_pci_device_id: flag(139)?,
        gpu_pci_subsystem_id: flag(140)?,
        host_numa_multinode_ipc_supported: a(143)?,
        reserved: [0; 56],
    })
}

export! {
    /// Everything about the device.
    runtime_plain fn cudaGetDeviceProperties(out: Out<DeviceProp>, device: c_int) {
        out.check()?;
        crate::driver::check_device(device)?;
        out.set(properties()?)
    }

    /// The device that suits best: there is one.
    runtime_plain fn cudaChooseDevice(device: Out<c_int>, wanted: In<DeviceProp>) {
        if wanted.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        device.set(0)
    }
}
