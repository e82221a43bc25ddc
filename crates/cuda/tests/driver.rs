//! The driver API in this process: PTX in, results out, and the errors that CUDA answers.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

// The functions come from this crate's library.
use hotfire_cuda as _;

type Handle = *mut c_void;

unsafe extern "C" {
    fn cuInit(flags: u32) -> u32;
    fn cuDriverGetVersion(version: *mut c_int) -> u32;
    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> u32;
    fn cuDeviceGetName(name: *mut c_char, room: c_int, device: c_int) -> u32;
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: u32, device: c_int) -> u32;
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) -> u32;
    fn cuCtxSetCurrent(context: Handle) -> u32;
    fn cuCtxGetCurrent(context: *mut Handle) -> u32;
    fn cuCtxCreate_v2(context: *mut Handle, flags: u32, device: c_int) -> u32;
    fn cuCtxDestroy_v2(context: Handle) -> u32;
    fn cuCtxPopCurrent_v2(context: *mut Handle) -> u32;
    fn cuCtxSynchronize() -> u32;
    fn cuCtxGetLimit(value: *mut usize, limit: u32) -> u32;
    fn cuModuleLoadData(module: *mut Handle, image: *const c_void) -> u32;
    fn cuModuleLoadDataEx(
        module: *mut Handle,
        image: *const c_void,
        count: u32,
        options: *const u32,
        values: *mut *mut c_void,
    ) -> u32;
    fn cuModuleUnload(module: Handle) -> u32;
    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) -> u32;
    fn cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: Handle, name: *const c_char) -> u32;
    fn cuLibraryLoadData(
        library: *mut Handle,
        image: *const c_void,
        names: *const u32,
        values: *mut *mut c_void,
        count: u32,
        library_names: *const u32,
        library_values: *mut *mut c_void,
        library_count: u32,
    ) -> u32;
    fn cuLibraryGetKernel(kernel: *mut Handle, library: Handle, name: *const c_char) -> u32;
    fn cuLibraryUnload(library: Handle) -> u32;
    fn cuKernelGetFunction(function: *mut Handle, kernel: Handle) -> u32;
    fn cuFuncGetName(name: *mut *const c_char, function: Handle) -> u32;
    fn cuFuncGetParamInfo(function: Handle, index: usize, offset: *mut usize, size: *mut usize) -> u32;
    fn cuFuncGetAttribute(value: *mut c_int, attribute: u32, function: Handle) -> u32;
    fn cuLinkCreate_v2(count: u32, options: *const u32, values: *mut *mut c_void, link: *mut Handle) -> u32;
    fn cuLinkAddData_v2(
        link: Handle,
        kind: u32,
        data: *const c_void,
        size: usize,
        name: *const c_char,
        count: u32,
        options: *const u32,
        values: *mut *mut c_void,
    ) -> u32;
    fn cuLinkComplete(link: Handle, image: *mut *const c_void, size: *mut usize) -> u32;
    fn cuLinkDestroy(link: Handle) -> u32;
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> u32;
    fn cuMemFree_v2(address: u64) -> u32;
    fn cuMemHostAlloc(address: *mut u64, bytes: usize, flags: u32) -> u32;
    fn cuMemFreeHost(address: u64) -> u32;
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> u32;
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> u32;
    fn cuMemsetD32_v2(at: u64, value: u32, count: usize) -> u32;
    fn cuPointerGetAttribute(data: *mut c_void, attribute: u32, address: u64) -> u32;
    fn cuStreamCreate(stream: *mut Handle, flags: u32) -> u32;
    fn cuStreamSynchronize(stream: Handle) -> u32;
    fn cuStreamQuery(stream: Handle) -> u32;
    fn cuStreamDestroy_v2(stream: Handle) -> u32;
    fn cuEventCreate(event: *mut Handle, flags: u32) -> u32;
    fn cuEventRecord(event: Handle, stream: Handle) -> u32;
    fn cuEventSynchronize(event: Handle) -> u32;
    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) -> u32;
    fn cuEventDestroy_v2(event: Handle) -> u32;
    fn cuLaunchKernel(
        function: Handle,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: Handle,
        parameters: *const *const c_void,
        extra: *const *const c_void,
    ) -> u32;
    fn cuLaunchHostFunc(stream: Handle, function: extern "C" fn(*mut c_void), data: *mut c_void) -> u32;
    fn cuOccupancyMaxPotentialBlockSize(
        grid: *mut c_int,
        block: *mut c_int,
        function: Handle,
        shared_of: Option<extern "C" fn(c_int) -> usize>,
        shared: usize,
        limit: c_int,
    ) -> u32;
    fn cuGetErrorName(code: u32, text: *mut *const c_char) -> u32;
}

/// `y[i] = a * x[i] + y[i]` for `i < n`, with a variable that counts launches.
const SAXPY: &CStr = c"
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 launches;
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
  .reg .pred %p<3>; .reg .f32 %f<5>; .reg .b32 %r<7>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ne.u32 %p2, %r5, 0;
  @%p2 bra AFTER;
  mov.u64 %rd7, launches;
  red.global.add.u32 [%rd7], 1;
AFTER:
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd3, %rd3, %rd5; add.s64 %rd4, %rd4, %rd5;
  ld.global.f32 %f2, [%rd3]; ld.global.f32 %f3, [%rd4];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd4], %f4;
DONE:
  ret;
}
";

/// A context for the calling test's thread: the primary one, which all tests share.
fn start() {
    // SAFETY: valid pointers, as in all calls below.
    unsafe {
        let mut context = null_mut();
        assert_eq!(cuInit(0), 0);
        assert_eq!(cuDevicePrimaryCtxRetain(&mut context, 0), 0);
        assert_eq!(cuCtxSetCurrent(context), 0);
    }
}

fn load(ptx: &CStr) -> Handle {
    let mut module = null_mut();
    // SAFETY: a terminated text.
    assert_eq!(unsafe { cuModuleLoadData(&mut module, ptx.as_ptr().cast()) }, 0);
    module
}

fn function(module: Handle, name: &str) -> Handle {
    let name = CString::new(name).expect("a name");
    let mut function = null_mut();
    // SAFETY: valid pointers.
    assert_eq!(unsafe { cuModuleGetFunction(&mut function, module, name.as_ptr()) }, 0);
    function
}

/// Runs saxpy through a kernel handle and checks every element.
fn run_saxpy(kernel: Handle, stream: Handle, packed: bool) {
    const N: usize = 1000;
    let x: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let y: Vec<f32> = (0..N).map(|i| 0.5 * i as f32).collect();
    let (mut dx, mut dy) = (0u64, 0u64);
    // SAFETY: valid pointers of the sizes that are named.
    unsafe {
        assert_eq!(cuMemAlloc_v2(&mut dx, 4 * N), 0);
        assert_eq!(cuMemAlloc_v2(&mut dy, 4 * N), 0);
        assert_eq!(cuMemcpyHtoD_v2(dx, x.as_ptr().cast(), 4 * N), 0);
        assert_eq!(cuMemcpyHtoD_v2(dy, y.as_ptr().cast(), 4 * N), 0);
        let (a, n) = (3.0f32, N as u32);
        if packed {
            const BUFFER: *const c_void = std::ptr::without_provenance(1);
            const SIZE: *const c_void = std::ptr::without_provenance(2);
            #[repr(C)]
            struct Block(u64, u64, f32, u32);
            let block = Block(dx, dy, a, n);
            let size = size_of::<Block>();
            let extra = [BUFFER, (&raw const block).cast(), SIZE, (&raw const size).cast(), null()];
            assert_eq!(cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, stream, null(), extra.as_ptr()), 0);
        } else {
            let each: [*const c_void; 4] =
                [(&raw const dx).cast(), (&raw const dy).cast(), (&raw const a).cast(), (&raw const n).cast()];
            assert_eq!(cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, stream, each.as_ptr(), null()), 0);
        }
        assert_eq!(cuStreamSynchronize(stream), 0);
        let mut result = vec![0f32; N];
        assert_eq!(cuMemcpyDtoH_v2(result.as_mut_ptr().cast(), dy, 4 * N), 0);
        for (i, result) in result.iter().enumerate() {
            assert_eq!(*result, 3.5 * i as f32, "element {i}");
        }
        assert_eq!(cuMemFree_v2(dx), 0);
        assert_eq!(cuMemFree_v2(dy), 0);
    }
}

#[test]
fn the_device_describes_itself() {
    start();
    // SAFETY: valid pointers.
    unsafe {
        let mut value = 0;
        assert_eq!((cuDriverGetVersion(&mut value), value), (0, 13000));
        assert_eq!(cuDeviceGet(&mut value, 1), 101);
        let mut name = [0 as c_char; 64];
        assert_eq!(cuDeviceGetName(name.as_mut_ptr(), 64, 0), 0);
        assert_eq!(CStr::from_ptr(name.as_ptr()), c"NVIDIA H200");
        assert_eq!(cuDeviceGetName(name.as_mut_ptr(), 4, 0), 0);
        assert_eq!(CStr::from_ptr(name.as_ptr()), c"NVI");
        for (attribute, expected) in [(16, 132), (75, 9), (76, 0), (10, 32), (39, 2048), (8, 49152), (97, 232448)] {
            assert_eq!((cuDeviceGetAttribute(&mut value, attribute, 0), value), (0, expected), "attribute {attribute}");
        }
        assert_eq!(cuDeviceGetAttribute(&mut value, 100_000, 0), 1);
        assert_eq!(cuDeviceGetAttribute(&mut value, 16, 7), 101);
        assert_eq!(cuDeviceGetAttribute(null_mut(), 16, 0), 1);
        let mut limit = 0;
        assert_eq!((cuCtxGetLimit(&mut limit, 4), limit), (0, 2048));
        assert_eq!(cuCtxGetLimit(&mut limit, 3), 215);
        assert_eq!(cuCtxGetLimit(&mut limit, 99), 1);
        let mut text = null();
        assert_eq!(cuGetErrorName(500, &mut text), 0);
        assert_eq!(CStr::from_ptr(text), c"CUDA_ERROR_NOT_FOUND");
        assert_eq!((cuGetErrorName(12345, &mut text), text), (1, null()));
    }
}

#[test]
fn contexts_are_a_stack_of_each_thread() {
    start();
    // SAFETY: valid pointers.
    unsafe {
        let (mut primary, mut own, mut now) = (null_mut(), null_mut(), null_mut());
        assert_eq!(cuCtxGetCurrent(&mut primary), 0);
        assert_eq!(cuCtxCreate_v2(&mut own, 0, 0), 0);
        assert_eq!((cuCtxGetCurrent(&mut now), now), (0, own));
        std::thread::spawn(|| {
            let mut now = null_mut();
            assert_eq!((cuCtxGetCurrent(&mut now), now), (0, null_mut()));
            assert_eq!(cuCtxSynchronize(), 201);
        })
        .join()
        .expect("the other thread");
        assert_eq!((cuCtxPopCurrent_v2(&mut now), now), (0, own));
        assert_eq!((cuCtxGetCurrent(&mut now), now), (0, primary));
        assert_eq!(cuCtxDestroy_v2(own), 0);
        assert_eq!(cuCtxDestroy_v2(own), 201);
        assert_eq!(cuCtxSetCurrent(own), 201);
        assert_eq!(cuCtxDestroy_v2(primary), 201);
    }
}

#[test]
fn a_kernel_runs_from_a_module_and_from_a_library() {
    start();
    let module = load(SAXPY);
    run_saxpy(function(module, "saxpy"), null_mut(), false);
    run_saxpy(function(module, "saxpy"), null_mut(), true);
    // SAFETY: valid pointers.
    unsafe {
        let (mut library, mut kernel, mut stream) = (null_mut(), null_mut(), null_mut());
        let image = SAXPY.as_ptr().cast();
        let none = (null(), null_mut(), 0);
        assert_eq!(cuLibraryLoadData(&mut library, image, none.0, none.1, none.2, none.0, none.1, none.2), 0);
        assert_eq!(cuLibraryGetKernel(&mut kernel, library, c"saxpy".as_ptr()), 0);
        assert_eq!(cuStreamCreate(&mut stream, 1), 0);
        // cuLaunchKernel takes a CUkernel as it is.
        run_saxpy(kernel, stream, false);
        let mut function = null_mut();
        assert_eq!(cuKernelGetFunction(&mut function, kernel), 0);
        run_saxpy(function, stream, false);
        assert_eq!(cuStreamDestroy_v2(stream), 0);
        assert_eq!(cuLibraryUnload(library), 0);
        assert_eq!(cuLibraryGetKernel(&mut kernel, library, c"saxpy".as_ptr()), 400);
        assert_eq!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), null(), null()), 400);
        let (mut address, mut bytes, mut count) = (0, 0, 0u32);
        assert_eq!(cuModuleGetGlobal_v2(&mut address, &mut bytes, module, c"launches".as_ptr()), 0);
        assert_eq!(bytes, 4);
        assert_eq!(cuMemcpyDtoH_v2((&raw mut count).cast(), address, 4), 0);
        assert_eq!(count, 2, "the library has a variable of its own");
        assert_eq!(cuModuleUnload(module), 0);
        assert_eq!(cuModuleUnload(module), 400);
    }
}

#[test]
fn kernels_describe_themselves() {
    start();
    let module = load(SAXPY);
    let kernel = function(module, "saxpy");
    assert_eq!(kernel, function(module, "saxpy"), "one kernel, one handle");
    // SAFETY: valid pointers.
    unsafe {
        let mut name = null();
        assert_eq!(cuFuncGetName(&mut name, kernel), 0);
        assert_eq!(CStr::from_ptr(name), c"saxpy");
        let (mut offset, mut size) = (0, 0);
        let expected = [(0, 8), (8, 8), (16, 4), (20, 4)];
        for (index, expected) in expected.into_iter().enumerate() {
            assert_eq!(cuFuncGetParamInfo(kernel, index, &mut offset, &mut size), 0);
            assert_eq!((offset, size), expected);
        }
        assert_eq!(cuFuncGetParamInfo(kernel, 4, &mut offset, &mut size), 1);
        let mut value = 0;
        assert_eq!((cuFuncGetAttribute(&mut value, 0, kernel), value), (0, 1024));
        assert_eq!((cuFuncGetAttribute(&mut value, 5, kernel), value), (0, 80));
        assert_eq!((cuFuncGetAttribute(&mut value, 6, kernel), value), (0, 90));
        let (mut grid, mut block) = (0, 0);
        assert_eq!(cuOccupancyMaxPotentialBlockSize(&mut grid, &mut block, kernel, None, 0, 0), 0);
        assert_eq!((grid, block), (264, 1024));
        let mut missing = null_mut();
        assert_eq!(cuModuleGetFunction(&mut missing, module, c"nobody".as_ptr()), 500);
        assert_eq!(cuModuleUnload(module), 0);
    }
}

#[test]
fn the_linker_joins_units() {
    let caller = c"
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) twice(.param .b32 v);
.visible .entry store(.param .u64 out, .param .u32 value)
{
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [value];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r2, [b]; }
  cvta.to.global.u64 %rd2, %rd1;
  st.global.u32 [%rd2], %r2;
  ret;
}
";
    let callee = c"
.version 8.0
.target sm_90
.address_size 64
.visible .func (.param .b32 r) twice(.param .b32 v)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [v]; add.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;
}
";
    start();
    // SAFETY: valid pointers.
    unsafe {
        let (mut link, mut image, mut size, mut module) = (null_mut(), null(), 0, null_mut());
        let add = |link, text: &CStr| {
            let bytes = text.to_bytes_with_nul();
            cuLinkAddData_v2(link, 1, bytes.as_ptr().cast(), bytes.len(), c"unit".as_ptr(), 0, null(), null_mut())
        };
        assert_eq!(cuLinkCreate_v2(0, null(), null_mut(), &mut link), 0);
        assert_eq!(add(link, caller), 0);
        assert_eq!(add(link, callee), 0);
        assert_eq!(cuLinkComplete(link, &mut image, &mut size), 0);
        assert!(size > 0);
        assert_eq!(cuModuleLoadData(&mut module, image), 0);
        assert_eq!(cuLinkDestroy(link), 0);
        assert_eq!(cuLinkDestroy(link), 400);
        let (mut out, value, mut result) = (0u64, 21u32, 0u32);
        assert_eq!(cuMemAlloc_v2(&mut out, 4), 0);
        let each: [*const c_void; 2] = [(&raw const out).cast(), (&raw const value).cast()];
        let kernel = function(module, "store");
        assert_eq!(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, null_mut(), each.as_ptr(), null()), 0);
        assert_eq!(cuMemcpyDtoH_v2((&raw mut result).cast(), out, 4), 0);
        assert_eq!(result, 42);

        assert_eq!(cuLinkCreate_v2(0, null(), null_mut(), &mut link), 0);
        assert_eq!(add(link, caller), 0);
        assert_ne!(cuLinkComplete(link, &mut image, &mut size), 0, "twice is defined nowhere");
        assert_eq!(add(link, c"this is not PTX"), 218);
        assert_eq!(cuLinkDestroy(link), 0);
    }
}

#[test]
fn a_bad_text_is_explained_in_the_log() {
    start();
    let mut log = [0 as c_char; 256];
    let options = [5u32, 6];
    let mut values = [log.as_mut_ptr().cast::<c_void>(), 256 as *mut c_void];
    let mut module = null_mut();
    let text = c".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k( {";
    // SAFETY: valid pointers and a log of that size.
    unsafe {
        let status = cuModuleLoadDataEx(&mut module, text.as_ptr().cast(), 2, options.as_ptr(), values.as_mut_ptr());
        assert_eq!(status, 218);
        let log = CStr::from_ptr(log.as_ptr()).to_str().expect("text");
        assert!(log.contains("line 4"), "{log:?}");
        assert_eq!(values[1] as usize, log.len());
        assert_eq!(cuModuleLoadData(&mut module, c"\x7fELF".as_ptr().cast()), 209);
        assert_eq!(cuModuleLoadData(&mut module, null()), 1);
        assert_eq!(cuModuleLoadData(null_mut(), SAXPY.as_ptr().cast()), 1);
    }
}

#[test]
fn streams_events_and_host_functions() {
    static CALLED: AtomicU32 = AtomicU32::new(0);
    extern "C" fn add(data: *mut c_void) {
        CALLED.fetch_add(data as u32, Ordering::Relaxed);
    }
    start();
    // SAFETY: valid pointers.
    unsafe {
        let (mut stream, mut before, mut after) = (null_mut(), null_mut(), null_mut());
        assert_eq!(cuStreamCreate(&mut stream, 1), 0);
        assert_eq!(cuStreamCreate(&mut before, 2), 1, "an unknown flag");
        assert_eq!(cuEventCreate(&mut before, 0), 0);
        assert_eq!(cuEventCreate(&mut after, 0), 0);
        assert_eq!(cuEventRecord(before, stream), 0);
        for amount in [1, 20, 300] {
            assert_eq!(cuLaunchHostFunc(stream, add, amount as *mut c_void), 0);
        }
        assert_eq!(cuEventRecord(after, stream), 0);
        assert_eq!(cuEventSynchronize(after), 0);
        assert_eq!(CALLED.load(Ordering::Relaxed), 321);
        let mut milliseconds = -1.0;
        assert_eq!(cuEventElapsedTime(&mut milliseconds, before, after), 0);
        assert!((0.0..60_000.0).contains(&milliseconds), "{milliseconds} ms");
        assert_eq!(cuStreamQuery(stream), 0);
        assert_eq!(cuEventDestroy_v2(before), 0);
        assert_eq!(cuEventDestroy_v2(after), 0);
        assert_eq!(cuEventDestroy_v2(after), 400);
        assert_eq!(cuStreamDestroy_v2(stream), 0);
        assert_eq!(cuStreamSynchronize(stream), 400);
    }
}

#[test]
fn memory_is_what_its_pointers_say() {
    start();
    // SAFETY: valid pointers.
    unsafe {
        let (mut device, mut host, mut kind) = (0, 0, 0u32);
        assert_eq!(cuMemAlloc_v2(&mut device, 0), 1);
        assert_eq!(cuMemAlloc_v2(null_mut(), 8), 1);
        assert_eq!(cuMemAlloc_v2(&mut device, usize::MAX / 2), 2);
        assert_eq!(cuMemAlloc_v2(&mut device, 4096), 0);
        assert_eq!(cuMemHostAlloc(&mut host, 4096, 0), 0);
        assert_eq!((cuPointerGetAttribute((&raw mut kind).cast(), 2, device + 100), kind), (0, 2));
        assert_eq!((cuPointerGetAttribute((&raw mut kind).cast(), 2, host + 100), kind), (0, 1));
        let mut base = 0u64;
        assert_eq!((cuPointerGetAttribute((&raw mut base).cast(), 11, device + 100), base), (0, device));
        assert_eq!(cuPointerGetAttribute((&raw mut kind).cast(), 2, (&raw const kind) as u64), 1);
        assert_eq!(cuMemsetD32_v2(device, 0xdead_beef, 1024), 0);
        assert_eq!(cuMemcpyDtoH_v2(host as *mut c_void, device, 4096), 0);
        let words = std::slice::from_raw_parts(host as *const u32, 1024);
        assert!(words.iter().all(|word| *word == 0xdead_beef));
        assert_eq!(cuMemFreeHost(host), 0);
        assert_eq!(cuMemFree_v2(device), 0);
        assert_eq!(cuMemFree_v2(device), 1);
    }
}
