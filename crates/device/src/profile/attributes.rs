//! Device attributes by CUDA's number (`cudaDeviceAttr`, `CUdevice_attribute`): what an H200 answers, except where this
//! device cannot do what the attribute promises; there it says so.

use super::*;

/// The value of an attribute; `None` for a number that names none. Reserved ones answer 0.
pub fn attribute(number: u32) -> Option<i32> {
    let index = TABLE.binary_search_by_key(&number, |entry| entry.0).ok()?;
    Some(of_profile(profile(), number).unwrap_or(TABLE[index].1))
}

/// What differs from device to device.
fn of_profile(profile: &Profile, number: u32) -> Option<i32> {
    let value = match number {
        13 => profile.clock_khz,
        16 => profile.multiprocessors,
        36 => profile.memory_clock_khz,
        37 => profile.memory_bus_bits,
        38 => profile.l2_bytes,
        39 => profile.threads_per_multiprocessor,
        75 => profile.capability / 10,
        76 => profile.capability % 10,
        81 => profile.shared_per_multiprocessor,
        // SingleToDoublePrecisionPerfRatio
        87 => match profile.capability {
            80 | 90 => 2,
            75 => 32,
            _ => 64,
        },
        97 => profile.shared_per_block_optin(),
        106 => profile.blocks_per_multiprocessor,
        // MaxPersistingL2CacheSize: none before compute capability 8.0.
        108 if profile.capability < 80 => 0,
        108 => profile.l2_bytes / 8 * 5,
        111 => profile.shared_reserved_per_block(),
        120 => u32::from(profile.capability >= 90),
        126 if profile.capability < 90 => 1,
        _ => return None,
    };
    i32::try_from(value).ok()
}

/// Stands where the profile answers.
const OF_PROFILE: i32 = 0;

#[rustfmt::skip]
static TABLE: &[(u32, i32)] = &[
    (1, THREADS_PER_BLOCK as i32),          // MaxThreadsPerBlock
    (2, BLOCK_DIMENSIONS[0] as i32),        // MaxBlockDimX
    (3, BLOCK_DIMENSIONS[1] as i32),        // MaxBlockDimY
    (4, BLOCK_DIMENSIONS[2] as i32),        // MaxBlockDimZ
    (5, GRID_DIMENSIONS[0] as i32),         // MaxGridDimX
    (6, GRID_DIMENSIONS[1] as i32),         // MaxGridDimY
    (7, GRID_DIMENSIONS[2] as i32),         // MaxGridDimZ
    (8, SHARED_PER_BLOCK as i32),           // MaxSharedMemoryPerBlock
    (9, CONSTANT_BYTES as i32),             // TotalConstantMemory
    (10, 32),                               // WarpSize
    (11, i32::MAX),                         // MaxPitch
    (12, REGISTERS as i32),                 // MaxRegistersPerBlock
    (13, OF_PROFILE),                        // ClockRate
    (14, 512),                              // TextureAlignment
    (15, 1),                                // GpuOverlap
    (16, OF_PROFILE),           // MultiProcessorCount
    (17, 0),                                // KernelExecTimeout
    (18, 0),                                // Integrated
    (19, 1),                                // CanMapHostMemory
    (20, 0),                                // ComputeMode
    (21, 131_072),                          // MaxTexture1DWidth
    (22, 131_072),                          // MaxTexture2DWidth
    (23, 65_536),                           // MaxTexture2DHeight
    (24, 16_384),                           // MaxTexture3DWidth
    (25, 16_384),                           // MaxTexture3DHeight
    (26, 16_384),                           // MaxTexture3DDepth
    (27, 32_768),                           // MaxTexture2DLayeredWidth
    (28, 32_768),                           // MaxTexture2DLayeredHeight
    (29, 2_048),                            // MaxTexture2DLayeredLayers
    (30, 512),                              // SurfaceAlignment
    (31, 1),                                // ConcurrentKernels
    (32, 1),                                // EccEnabled
    (33, 0),                                // PciBusId
    (34, 0),                                // PciDeviceId
    (35, 0),                                // TccDriver
    (36, OF_PROFILE),                 // MemoryClockRate
    (37, OF_PROFILE),                  // GlobalMemoryBusWidth
    (38, OF_PROFILE),                         // L2CacheSize
    (39, OF_PROFILE), // MaxThreadsPerMultiProcessor
    (40, 3),                                // AsyncEngineCount
    (41, 1),                                // UnifiedAddressing
    (42, 32_768),                           // MaxTexture1DLayeredWidth
    (43, 2_048),                            // MaxTexture1DLayeredLayers
    (44, 0),                                // CanTex2DGather (deprecated)
    (45, 32_768),                           // MaxTexture2DGatherWidth
    (46, 32_768),                           // MaxTexture2DGatherHeight
    (47, 8_192),                            // MaxTexture3DWidthAlt
    (48, 8_192),                            // MaxTexture3DHeightAlt
    (49, 32_768),                           // MaxTexture3DDepthAlt
    (50, 0),                                // PciDomainId
    (51, 32),                               // TexturePitchAlignment
    (52, 32_768),                           // MaxTextureCubemapWidth
    (53, 32_768),                           // MaxTextureCubemapLayeredWidth
    (54, 2_046),                            // MaxTextureCubemapLayeredLayers
    (55, 32_768),                           // MaxSurface1DWidth
    (56, 131_072),                          // MaxSurface2DWidth
    (57, 65_536),                           // MaxSurface2DHeight
    (58, 16_384),                           // MaxSurface3DWidth
    (59, 16_384),                           // MaxSurface3DHeight
    (60, 16_384),                           // MaxSurface3DDepth
    (61, 32_768),                           // MaxSurface1DLayeredWidth
    (62, 2_048),                            // MaxSurface1DLayeredLayers
    (63, 32_768),                           // MaxSurface2DLayeredWidth
    (64, 32_768),                           // MaxSurface2DLayeredHeight
    (65, 2_048),                            // MaxSurface2DLayeredLayers
    (66, 32_768),                           // MaxSurfaceCubemapWidth
    (67, 32_768),                           // MaxSurfaceCubemapLayeredWidth
    (68, 2_046),                            // MaxSurfaceCubemapLayeredLayers
    (69, 268_435_456),                      // MaxTexture1DLinearWidth
    (70, 131_072),                          // MaxTexture2DLinearWidth
    (71, 65_000),                           // MaxTexture2DLinearHeight
    (72, 2_097_120),                        // MaxTexture2DLinearPitch
    (73, 32_768),                           // MaxTexture2DMipmappedWidth
    (74, 32_768),                           // MaxTexture2DMipmappedHeight
    (75, OF_PROFILE),                                // ComputeCapabilityMajor
    (76, OF_PROFILE),                                // ComputeCapabilityMinor
    (77, 32_768),                           // MaxTexture1DMipmappedWidth
    (78, 1),                                // StreamPrioritiesSupported
    (79, 1),                                // GlobalL1CacheSupported
    (80, 1),                                // LocalL1CacheSupported
    (81, OF_PROFILE), // MaxSharedMemoryPerMultiprocessor
    (82, REGISTERS as i32),                 // MaxRegistersPerMultiprocessor
    (83, 1),                                // ManagedMemory
    (84, 0),                                // IsMultiGpuBoard
    (85, 0),                                // MultiGpuBoardGroupID
    (86, 1),                                // HostNativeAtomicSupported: one memory, one kind of atomic
    (87, OF_PROFILE),                                // SingleToDoublePrecisionPerfRatio
    (88, 0),                                // PageableMemoryAccess: a stray host pointer is an error here
    (89, 1),                                // ConcurrentManagedAccess
    (90, 1),                                // ComputePreemptionSupported
    (91, 1),                                // CanUseHostPointerForRegisteredMem
    (92, 0), (93, 0), (94, 0),              // reserved
    (95, 1),                                // CooperativeLaunch
    (96, 0),                                // reserved
    (97, OF_PROFILE),    // MaxSharedMemoryPerBlockOptin
    (98, 0),                                // CanFlushRemoteWrites
    (99, 1),                                // HostRegisterSupported
    (100, 0),                               // PageableMemoryAccessUsesHostPageTables
    (101, 1),                               // DirectManagedMemAccessFromHost
    (102, 1),                               // VirtualMemoryManagementSupported
    (103, 0), (104, 0), (105, 0),           // shareable handle types
    (106, OF_PROFILE), // MaxBlocksPerMultiprocessor
    (107, 0),                               // GenericCompressionSupported
    (108, OF_PROFILE),                // MaxPersistingL2CacheSize
    (109, 134_213_632),                     // MaxAccessPolicyWindowSize
    (110, 0),                               // GpuDirectRdmaWithCudaVmmSupported
    (111, OF_PROFILE), // ReservedSharedMemoryPerBlock
    (112, 0),                               // SparseCudaArraySupported
    (113, 1),                               // HostRegisterReadOnlySupported
    (114, 0),                               // TimelineSemaphoreInteropSupported
    (115, 1),                               // MemoryPoolsSupported
    (116, 0),                               // GPUDirectRDMASupported
    (117, 0), (118, 0),                     // GPUDirectRDMA flush options, write ordering
    (119, 0),                               // MemoryPoolSupportedHandleTypes
    (120, OF_PROFILE),                               // ClusterLaunch
    (121, 0),                               // DeferredMappingCudaArraySupported
    (122, 0), (123, 0), (124, 0),           // reserved
    (125, 0),                               // IpcEventSupport
    (126, 4),                               // MemSyncDomainCount
    (127, 0), (128, 0), (129, 0),           // reserved
    (130, 0),                               // NumaConfig
    (131, -1),                              // NumaId
    (132, 0),                               // reserved
    (133, 0),                               // MpsEnabled
    (134, 0),                               // HostNumaId
    (135, 0),                               // D3D12CigSupported
    (136, 0), (137, 0),                     // memory decompression
    (138, 0),                               // VulkanCigSupported
    (139, 0), (140, 0),                     // GpuPciDeviceId, GpuPciSubsystemId
    (141, 0), (142, 0), (143, 0), (144, 0), // reserved, host NUMA memory pools
    (145, 0), (146, 0), (147, 0),           // reserved, OnlyPartialHostNativeAtomicSupported
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_there_once_and_in_order() {
        assert!(TABLE.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1));
        assert_eq!((TABLE[0].0, TABLE[TABLE.len() - 1].0), (1, 147));
        assert_eq!(attribute(0), None);
        assert_eq!(attribute(148), None);
        assert_eq!(attribute(16), Some(132));
        assert_eq!(attribute(75), Some(9));
        let unanswered = |entry: &&(u32, i32)| entry.1 == OF_PROFILE && of_profile(profile(), entry.0).is_some();
        assert_eq!(TABLE.iter().filter(unanswered).count(), 15, "each has its place in the table");
        let t4 = Profile::named("t4").expect("it is known");
        assert_eq!([75, 76, 16, 120].map(|number| of_profile(&t4, number)), [7, 5, 40, 0].map(Some));
    }
}
