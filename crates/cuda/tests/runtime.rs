//! The runtime API in this process: errors of each thread, memory, copies, properties, registration.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use hotfire_cuda::types::{
    DeviceProp, Dim3, Extent, FatBinaryWrapper, Handle, Memcpy3DParms, PitchedPtr, PointerAttributes, Pos,
};

unsafe extern "C" {
    fn cudaGetLastError() -> u32;
    fn cudaPeekAtLastError() -> u32;
    fn cudaGetErrorName(code: u32) -> *const c_char;
    fn cudaGetErrorString(code: u32) -> *const c_char;
    fn cudaGetDeviceProperties(properties: *mut DeviceProp, device: c_int) -> u32;
    fn cudaSetDevice(device: c_int) -> u32;
    fn cudaMalloc(address: *mut u64, bytes: usize) -> u32;
    fn cudaMalloc3D(pitched: *mut PitchedPtr, extent: Extent) -> u32;
    fn cudaMallocPitch(address: *mut u64, pitch: *mut usize, width: usize, height: usize) -> u32;
    fn cudaFree(address: u64) -> u32;
    fn cudaMemcpy(to: u64, from: u64, bytes: usize, kind: u32) -> u32;
    fn cudaMemcpy2D(
        to: u64,
        to_pitch: usize,
        from: u64,
        from_pitch: usize,
        width: usize,
        height: usize,
        kind: u32,
    ) -> u32;
    fn cudaMemcpy3D(copy: *const Memcpy3DParms) -> u32;
    fn cudaMemset(at: u64, value: c_int, bytes: usize) -> u32;
    fn cudaMemset2D(at: u64, pitch: usize, value: c_int, width: usize, height: usize) -> u32;
    fn cudaPointerGetAttributes(attributes: *mut PointerAttributes, address: u64) -> u32;
    fn cudaMallocAsync(address: *mut u64, bytes: usize, stream: Handle) -> u32;
    fn cudaFreeAsync(address: u64, stream: Handle) -> u32;
    fn cudaDeviceGetDefaultMemPool(pool: *mut Handle, device: c_int) -> u32;
    fn cudaMemPoolGetAttribute(pool: Handle, attribute: u32, value: *mut c_void) -> u32;
    fn cudaMemPoolSetAttribute(pool: Handle, attribute: u32, value: *const c_void) -> u32;
    fn cudaStreamSynchronize(stream: Handle) -> u32;
    fn cudaDeviceSynchronize() -> u32;
    fn cudaLaunchKernel(
        function: u64,
        grid: Dim3,
        block: Dim3,
        parameters: *const *const c_void,
        shared: usize,
        stream: Handle,
    ) -> u32;
    fn cudaMemcpyFromSymbol(to: u64, symbol: u64, bytes: usize, offset: usize, kind: u32) -> u32;
    fn cudaMemcpyToSymbol(symbol: u64, from: u64, bytes: usize, offset: usize, kind: u32) -> u32;
    fn cudaGetSymbolSize(size: *mut usize, symbol: u64) -> u32;
    fn cudaIpcGetEventHandle(handle: *mut Handle, event: Handle) -> u32;
    fn __cudaRegisterFatBinary(wrapper: *const FatBinaryWrapper) -> Handle;
    fn __cudaRegisterFatBinaryEnd(handle: Handle);
    fn __cudaUnregisterFatBinary(handle: Handle);
    fn __cudaRegisterFunction(
        handle: Handle,
        host: u64,
        device: *const c_char,
        name: *const c_char,
        limit: c_int,
        tid: *mut c_void,
        bid: *mut c_void,
        block: *mut c_void,
        grid: *mut c_void,
        warp: *mut c_int,
    );
    fn __cudaRegisterVar(
        handle: Handle,
        host: u64,
        device: *const c_char,
        name: *const c_char,
        external: c_int,
        size: usize,
        constant: c_int,
        global: c_int,
    );
    fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: Handle) -> u32;
    fn __cudaPopCallConfiguration(grid: *mut Dim3, block: *mut Dim3, shared: *mut usize, stream: *mut Handle) -> u32;
    fn __cudaGetKernel(kernel: *mut Handle, host: u64) -> u32;
    fn __cudaLaunchKernel(
        kernel: Handle,
        grid: Dim3,
        block: Dim3,
        parameters: *const *const c_void,
        shared: usize,
        stream: Handle,
    ) -> u32;
}

const HOST_TO_DEVICE: u32 = 1;
const DEVICE_TO_HOST: u32 = 2;
const DEFAULT: u32 = 4;

fn one(x: u32) -> Dim3 {
    Dim3 { x, y: 1, z: 1 }
}

#[test]
fn the_last_error_belongs_to_its_thread() {
    // SAFETY: valid pointers, as in all calls below.
    unsafe {
        assert_eq!(cudaGetLastError(), 0);
        assert_eq!(cudaSetDevice(3), 101);
        std::thread::spawn(|| assert_eq!(cudaGetLastError(), 0)).join().expect("the other thread");
        assert_eq!(cudaSetDevice(0), 0);
        assert_eq!(cudaPeekAtLastError(), 101, "a success does not clear it");
        assert_eq!(cudaGetLastError(), 101);
        assert_eq!(cudaGetLastError(), 0);
        let mut handle = null_mut();
        assert_eq!(cudaIpcGetEventHandle(&mut handle, null_mut()), 801);
        assert_eq!(cudaGetLastError(), 801, "what is not implemented fails like any other call");
        assert_eq!(CStr::from_ptr(cudaGetErrorName(700)), c"cudaErrorIllegalAddress");
        assert_eq!(CStr::from_ptr(cudaGetErrorName(31415)), c"unrecognized error code");
        assert_eq!(CStr::from_ptr(cudaGetErrorString(0)), c"no error");
    }
}

#[test]
fn the_properties_are_an_h200s() {
    // SAFETY: all bytes of the structure may be zero.
    let mut properties: DeviceProp = unsafe { std::mem::zeroed() };
    // SAFETY: valid pointers.
    unsafe {
        assert_eq!(cudaGetDeviceProperties(&mut properties, 0), 0);
        assert_eq!(CStr::from_ptr(properties.name.as_ptr()), c"NVIDIA H200");
        assert_eq!(cudaGetDeviceProperties(&mut properties, 1), 101);
        assert_eq!(cudaGetDeviceProperties(null_mut(), 0), 1);
    }
    assert_eq!((properties.major, properties.minor, properties.multi_processor_count), (9, 0, 132));
    assert_eq!((properties.warp_size, properties.max_threads_per_block), (32, 1024));
    assert_eq!(properties.max_grid_size, [i32::MAX, 65535, 65535]);
    assert_eq!((properties.shared_mem_per_block, properties.shared_mem_per_block_optin), (48 << 10, 227 << 10));
    assert_eq!((properties.shared_mem_per_multiprocessor, properties.max_blocks_per_multi_processor), (228 << 10, 32));
    assert!(properties.total_global_mem > 1 << 28);
    assert_eq!((properties.unified_addressing, properties.can_map_host_memory), (1, 1));
}

#[test]
fn copies_of_every_shape() {
    const W: usize = 37;
    const H: usize = 5;
    let source: Vec<u8> = (0..W * H).map(|i| i as u8).collect();
    let mut result = vec![0u8; W * H];
    let (from, to) = (source.as_ptr() as u64, result.as_mut_ptr() as u64);
    // SAFETY: valid pointers of the sizes that are named.
    unsafe {
        let (mut device, mut pitch) = (0, 0);
        assert_eq!(cudaMallocPitch(&mut device, &mut pitch, W, H), 0);
        assert!(pitch >= W && pitch % 32 == 0, "pitch {pitch}");
        assert_eq!(cudaMemset(device, 0xff, pitch * H), 0);
        assert_eq!(cudaMemcpy2D(device, pitch, from, W, W, H, HOST_TO_DEVICE), 0);
        assert_eq!(cudaMemset2D(device + 1, pitch, 0x1_aa, 3, 2), 0, "only the low byte of the value counts");
        assert_eq!(cudaMemcpy2D(to, W, device, pitch, W, H, DEFAULT), 0);
        assert_eq!(cudaMemcpy2D(to, W - 1, device, pitch, W, H, DEFAULT), 12, "rows that overlap");
        assert_eq!(cudaMemcpy2D(to, W, device, pitch, W, H, 9), 21);
        assert_eq!(cudaFree(device), 0);
        let mut expected = source.clone();
        for row in 0..2 {
            expected[row * W + 1..row * W + 4].fill(0xaa);
        }
        assert_eq!(result, expected);

        let mut volume: PitchedPtr = std::mem::zeroed();
        assert_eq!(cudaMalloc3D(&mut volume, Extent { width: 8, height: 3, depth: 4 }), 0);
        let copy = |dst_ptr, dst_pos, src_ptr, src_pos, extent| Memcpy3DParms {
            src_array: null_mut(),
            src_pos,
            src_ptr,
            dst_array: null_mut(),
            dst_pos,
            dst_ptr,
            extent,
            kind: DEFAULT,
        };
        let host = |ptr| PitchedPtr { ptr, pitch: 8, xsize: 8, ysize: 3 };
        let (whole, origin) = (Extent { width: 8, height: 3, depth: 4 }, Pos::default());
        let cube: Vec<u8> = (0..96).collect();
        let mut back = vec![0u8; 96];
        assert_eq!(cudaMemcpy3D(&copy(volume, origin, host(cube.as_ptr() as u64), origin, whole)), 0);
        // The corner (2, 1, 1) to (5, 2, 3) lands at the origin.
        let part = Extent { width: 3, height: 1, depth: 2 };
        let corner = Pos { x: 2, y: 1, z: 1 };
        assert_eq!(cudaMemcpy3D(&copy(host(back.as_mut_ptr() as u64), origin, volume, corner, part)), 0);
        for z in 0..2 {
            let at = (z + 1) * 24 + 8 + 2;
            assert_eq!(back[z * 24..z * 24 + 3], cube[at..at + 3], "slice {z}");
        }
        assert_eq!(back.iter().filter(|byte| **byte != 0).count(), 6);
        assert_eq!(cudaFree(volume.ptr), 0);
    }
}

#[test]
fn pointers_say_what_they_are() {
    // SAFETY: valid pointers.
    unsafe {
        let mut attributes: PointerAttributes = std::mem::zeroed();
        let mut device = 0;
        assert_eq!(cudaMalloc(&mut device, 100), 0);
        assert_eq!(cudaPointerGetAttributes(&mut attributes, device + 7), 0);
        assert_eq!((attributes.kind, attributes.device, attributes.device_pointer), (2, 0, device + 7));
        let local = 0u32;
        assert_eq!(cudaPointerGetAttributes(&mut attributes, (&raw const local) as u64), 0);
        assert_eq!((attributes.kind, attributes.device), (0, -2));
        assert_eq!(cudaFree(device), 0);
        assert_eq!(cudaFree(0), 0);
        assert_eq!(cudaFree(device), 1);
        assert_eq!(cudaGetLastError(), 1);
    }
}

#[test]
fn the_default_pool_counts() {
    // SAFETY: valid pointers.
    unsafe {
        let (mut pool, mut address, mut used, mut threshold) = (null_mut(), 0, 0u64, 1u64 << 20);
        assert_eq!(cudaDeviceGetDefaultMemPool(&mut pool, 0), 0);
        assert_eq!(cudaMallocAsync(&mut address, 5000, null_mut()), 0);
        assert_eq!((cudaMemPoolGetAttribute(pool, 7, (&raw mut used).cast()), used), (0, 5000));
        assert_eq!(cudaMemPoolSetAttribute(pool, 4, (&raw const threshold).cast()), 0);
        threshold = 0;
        assert_eq!((cudaMemPoolGetAttribute(pool, 4, (&raw mut threshold).cast()), threshold), (0, 1 << 20));
        assert_eq!(cudaFreeAsync(address, null_mut()), 0);
        assert_eq!(cudaStreamSynchronize(null_mut()), 0);
        assert_eq!((cudaMemPoolGetAttribute(pool, 7, (&raw mut used).cast()), used), (0, 0));
        assert_eq!(cudaMemPoolGetAttribute(null_mut(), 7, (&raw mut used).cast()), 1);
    }
}

/// A fat binary with one uncompressed PTX entry, as nvcc lays it out.
fn fat_binary(ptx: &str) -> Vec<u64> {
    let payload = ptx.len().next_multiple_of(8);
    let mut bytes = Vec::new();
    bytes.extend(0xba55_ed50_u32.to_le_bytes());
    bytes.extend(1u16.to_le_bytes());
    bytes.extend(16u16.to_le_bytes());
    bytes.extend((64 + payload as u64).to_le_bytes());
    let mut entry = [0u8; 64];
    entry[0..2].copy_from_slice(&1u16.to_le_bytes());
    entry[2..4].copy_from_slice(&0x101u16.to_le_bytes());
    entry[4..8].copy_from_slice(&64u32.to_le_bytes());
    entry[8..16].copy_from_slice(&(payload as u64).to_le_bytes());
    entry[24..26].copy_from_slice(&0u16.to_le_bytes());
    entry[26..28].copy_from_slice(&8u16.to_le_bytes());
    entry[28..32].copy_from_slice(&90u32.to_le_bytes());
    bytes.extend(entry);
    bytes.extend(ptx.as_bytes());
    bytes.resize(16 + 64 + payload, 0);
    bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect()
}

const PTX: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .b8 total[8];
.visible .entry add_up(.param .u32 value)
{
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u32 %r1, [value];
  mov.u64 %rd1, total;
  red.global.add.u32 [%rd1+4], %r1;
  ret;
}
";

#[test]
fn a_registered_kernel_is_launched_by_its_host_address() {
    static HOST_FUNCTION: u8 = 0;
    static UNKNOWN_FUNCTION: u8 = 0;
    static HOST_VARIABLE: u64 = 0;
    let (function, variable) = ((&raw const HOST_FUNCTION) as u64, (&raw const HOST_VARIABLE) as u64);
    let image = fat_binary(PTX);
    let wrapper = FatBinaryWrapper { magic: 0x4662_43b1, version: 1, data: image.as_ptr().cast(), prelinked: null() };
    // SAFETY: valid pointers; image and wrapper live until they are unregistered.
    unsafe {
        let handle = __cudaRegisterFatBinary(&wrapper);
        let name = c"add_up".as_ptr();
        __cudaRegisterFunction(
            handle,
            function,
            name,
            name,
            -1,
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
        );
        __cudaRegisterVar(handle, variable, c"total".as_ptr(), c"total".as_ptr(), 0, 8, 0, 0);
        __cudaRegisterFatBinaryEnd(handle);

        let mut size = 0;
        assert_eq!((cudaGetSymbolSize(&mut size, variable), size), (0, 8));
        let start = 1000u32;
        let from = (&raw const start) as u64;
        assert_eq!(cudaMemcpyToSymbol(variable, from, 4, 4, HOST_TO_DEVICE), 0);
        assert_eq!(cudaMemcpyToSymbol(variable, from, 4, 5, HOST_TO_DEVICE), 1, "beyond its end");
        assert_eq!(cudaMemcpyToSymbol(variable, from, 4, 0, DEVICE_TO_HOST), 21);

        // As nvcc's code for `add_up<<<2, 32>>>(3)` does it.
        assert_eq!(__cudaPushCallConfiguration(one(2), one(32), 0, null_mut()), 0);
        let (mut grid, mut block, mut shared, mut stream) = (one(0), one(0), 9, null_mut());
        let mut kernel = null_mut();
        assert_eq!(__cudaGetKernel(&mut kernel, function), 0);
        assert_eq!(__cudaPopCallConfiguration(&mut grid, &mut block, &mut shared, &mut stream), 0);
        assert_eq!(__cudaPopCallConfiguration(&mut grid, &mut block, &mut shared, &mut stream), 52);
        assert_eq!((grid, block, shared, stream), (one(2), one(32), 0, null_mut()));
        let value = 3u32;
        let parameters = [(&raw const value).cast::<c_void>()];
        assert_eq!(__cudaLaunchKernel(kernel, grid, block, parameters.as_ptr(), shared, stream), 0);
        assert_eq!(cudaLaunchKernel(function, one(1), one(1), parameters.as_ptr(), 0, null_mut()), 0);
        assert_eq!(
            cudaLaunchKernel(function, one(1), one(2048), parameters.as_ptr(), 0, null_mut()),
            1,
            "as an H200 answers"
        );
        let unknown = (&raw const UNKNOWN_FUNCTION) as u64;
        assert_eq!(cudaLaunchKernel(unknown + 1, one(1), one(1), parameters.as_ptr(), 0, null_mut()), 98);
        assert_eq!(cudaDeviceSynchronize(), 0);
        let mut total = 0u32;
        assert_eq!(cudaMemcpyFromSymbol((&raw mut total) as u64, variable, 4, 4, DEVICE_TO_HOST), 0);
        assert_eq!(total, 1000 + 65 * 3);

        __cudaUnregisterFatBinary(handle);
        assert_eq!(cudaLaunchKernel(function, one(1), one(1), parameters.as_ptr(), 0, null_mut()), 98);
        assert_eq!(cudaGetSymbolSize(&mut size, variable), 13);
    }
}

#[test]
fn machine_code_alone_is_refused_at_the_launch() {
    static HOST_FUNCTION: u8 = 0;
    let mut image = fat_binary("\u{7f}ELF");
    // The kind of the only entry: 2 is machine code.
    image[2] = image[2] & !0xffff | 2;
    let wrapper = FatBinaryWrapper { magic: 0x4662_43b1, version: 1, data: image.as_ptr().cast(), prelinked: null() };
    // SAFETY: as above.
    unsafe {
        let handle = __cudaRegisterFatBinary(&wrapper);
        let function = (&raw const HOST_FUNCTION) as u64;
        let (name, none) = (c"k".as_ptr(), null_mut());
        __cudaRegisterFunction(handle, function, name, name, -1, none, none, none, none, null_mut());
        assert_eq!(cudaLaunchKernel(function, one(1), one(1), null(), 0, null_mut()), 209);
        assert_eq!(cudaGetLastError(), 209);
        __cudaUnregisterFatBinary(handle);
    }
}

#[test]
fn bytes_move_both_ways() {
    let source: Vec<u32> = (0..1000).collect();
    let mut result = vec![0u32; 1000];
    // SAFETY: valid pointers of the sizes that are named.
    unsafe {
        let mut device = 0;
        assert_eq!(cudaMalloc(&mut device, 4000), 0);
        assert_eq!(cudaMemcpy(device, source.as_ptr() as u64, 4000, HOST_TO_DEVICE), 0);
        assert_eq!(cudaMemcpy(result.as_mut_ptr() as u64, device, 4000, DEVICE_TO_HOST), 0);
        assert_eq!(cudaMemcpy(result.as_mut_ptr() as u64, device, 4000, 17), 21);
        assert_eq!(cudaFree(device), 0);
    }
    assert_eq!(result, source);
}
