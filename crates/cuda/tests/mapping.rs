//! Virtual memory management through the driver API: one memory at two addresses, access, handles, and what is refused.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

// The functions come from this crate's library, too.
use hotfire_cuda::types::{Location, MemAccessDesc, MemAllocationProp};

type Handle = *mut c_void;

unsafe extern "C" {
    fn cuInit(flags: u32) -> u32;
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) -> u32;
    fn cuCtxSetCurrent(context: Handle) -> u32;
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> u32;
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> u32;
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> u32;
    fn cuMemFree_v2(address: u64) -> u32;
    fn cuMemGetAllocationGranularity(out: *mut usize, prop: *const MemAllocationProp, option: u32) -> u32;
    fn cuMemAddressReserve(out: *mut u64, size: usize, align: usize, hint: u64, flags: u64) -> u32;
    fn cuMemAddressFree(address: u64, size: usize) -> u32;
    fn cuMemCreate(out: *mut Handle, size: usize, prop: *const MemAllocationProp, flags: u64) -> u32;
    fn cuMemRelease(handle: Handle) -> u32;
    fn cuMemMap(address: u64, size: usize, offset: usize, handle: Handle, flags: u64) -> u32;
    fn cuMemUnmap(address: u64, size: usize) -> u32;
    fn cuMemSetAccess(address: u64, size: usize, desc: *const MemAccessDesc, count: usize) -> u32;
    fn cuMemGetAccess(flags: *mut u64, location: *const Location, address: u64) -> u32;
    fn cuMemRetainAllocationHandle(out: *mut Handle, address: u64) -> u32;
}

const HERE: Location = Location { kind: 1, id: 0 };
const OPEN: MemAccessDesc = MemAccessDesc { location: HERE, flags: 3 };

fn prop() -> MemAllocationProp {
    MemAllocationProp { kind: 1, location: HERE, ..MemAllocationProp::default() }
}

#[track_caller]
fn ok(code: u32) {
    assert_eq!(code, 0);
}

/// One test: all of it looks at how much memory is free.
#[test]
fn memory_is_mapped() {
    // SAFETY: calls of the driver API with valid pointers.
    unsafe {
        ok(cuInit(0));
        let mut context = null_mut();
        ok(cuDevicePrimaryCtxRetain(&mut context, 0));
        ok(cuCtxSetCurrent(context));
        let free = || {
            let (mut free, mut total) = (0, 0);
            ok(cuMemGetInfo_v2(&mut free, &mut total));
            free
        };
        let before = free();
        let mut one = 0;
        ok(cuMemGetAllocationGranularity(&mut one, &prop(), 0));
        let (mut handle, mut base, mut alias) = (null_mut(), 0, 0);
        assert_eq!(cuMemCreate(&mut handle, one + 1, &prop(), 0), 1);
        ok(cuMemCreate(&mut handle, 2 * one, &prop(), 0));
        assert_eq!(free(), before - 2 * one);
        ok(cuMemAddressReserve(&mut base, 2 * one, 0, 0, 0));
        ok(cuMemAddressReserve(&mut alias, one, 0, 0, 0));
        ok(cuMemMap(base, 2 * one, 0, handle, 0));
        ok(cuMemMap(alias, one, one, handle, 0));
        assert_eq!(cuMemMap(alias, one, 0, handle, 0), 1, "it is taken");
        let value = 0x1234_5678u32;
        let (from, mut to) = ((&raw const value).cast(), 0u32);
        assert_ne!(cuMemcpyHtoD_v2(base, from, 4), 0, "there is no access yet");
        let mut flags = 9;
        ok(cuMemGetAccess(&mut flags, &HERE, base));
        assert_eq!(flags, 0);
        ok(cuMemSetAccess(base, 2 * one, &OPEN, 1));
        ok(cuMemSetAccess(alias, one, &OPEN, 1));
        ok(cuMemGetAccess(&mut flags, &HERE, base));
        assert_eq!(flags, 3);
        ok(cuMemcpyHtoD_v2(base + one as u64 + 8, from, 4));
        ok(cuMemcpyDtoH_v2((&raw mut to).cast(), alias + 8, 4));
        assert_eq!(to, value, "the same memory at another address");
        assert_ne!(cuMemFree_v2(base), 0, "it was not allocated by cuMemAlloc");

        let mut again = null_mut();
        ok(cuMemRetainAllocationHandle(&mut again, alias));
        assert_eq!(again, handle);
        ok(cuMemRelease(handle));
        ok(cuMemRelease(handle));
        assert_eq!(cuMemRelease(handle), 1, "nobody holds it any more");
        assert_eq!(free(), before - 2 * one, "mappings do");
        assert_eq!(cuMemAddressFree(base, 2 * one), 1, "something is mapped");
        ok(cuMemUnmap(base, 2 * one));
        assert_ne!(cuMemcpyHtoD_v2(base, from, 4), 0);
        ok(cuMemcpyDtoH_v2((&raw mut to).cast(), alias + 8, 4));
        ok(cuMemUnmap(alias, one));
        assert_eq!(free(), before);
        ok(cuMemAddressFree(base, 2 * one));
        ok(cuMemAddressFree(alias, one));

        let shared = MemAllocationProp { handle_types: 1, ..prop() };
        assert_eq!(cuMemCreate(&mut handle, one, &shared, 0), 801);
        let elsewhere = MemAllocationProp { location: Location { kind: 1, id: 1 }, ..prop() };
        assert_eq!(cuMemCreate(&mut handle, one, &elsewhere, 0), 101);
    }
}
