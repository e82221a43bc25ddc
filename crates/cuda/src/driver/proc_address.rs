//! Driver entry point access: which of a function's forms a program means (CUDA Driver API, `cuGetProcAddress`).

use std::ffi::{c_int, c_void};

use hotfire_device::Status;

use super::device::VERSION;
use crate::export::export;
use crate::names;
use crate::pointer::{Out, Text};
use crate::types::number::PROC_ADDRESS_PER_THREAD;

const KNOWN_FLAGS: u64 = 3;
const FOUND: u32 = 0;
const NOT_FOUND: u32 = 1;
const TOO_OLD: u32 = 2;

/// The address (null if there is none) and the status of the search.
pub(crate) fn search(symbol: &str, version: u32, flags: u64) -> Result<(*const c_void, u32), Status> {
    if flags & !KNOWN_FLAGS != 0 || flags == KNOWN_FLAGS || version > VERSION as u32 {
        return Err(Status::INVALID_VALUE);
    }
    Ok(match names::driver(symbol, version, flags & PROC_ADDRESS_PER_THREAD != 0) {
        (Some(row), _) => (row.export.address().cast(), FOUND),
        (None, true) => (std::ptr::null(), TOO_OLD),
        (None, false) => (std::ptr::null(), NOT_FOUND),
    })
}

export! {
    /// The form of 11.3: without the status of the search.
    driver fn cuGetProcAddress(symbol: Text, function: Out<*const c_void>, version: c_int, flags: u64) {
        function.check()?;
        let version = u32::try_from(version).map_err(|_| Status::INVALID_VALUE)?;
        let (address, _) = search(symbol.get()?, version, flags)?;
        function.set(address)?;
        if address.is_null() { Err(Status::SYMBOL_NOT_FOUND) } else { Ok(()) }
    }

    /// The form of 12.0: an unknown name is no error, but an address of null.
    driver fn cuGetProcAddress_v2(symbol: Text, function: Out<*const c_void>, version: c_int, flags: u64,
        status: Out<u32>) {
        function.check()?;
        let version = u32::try_from(version).map_err(|_| Status::INVALID_VALUE)?;
        let (address, found) = search(symbol.get()?, version, flags)?;
        function.set(address)?;
        status.set_if_wanted(found);
        Ok(())
    }
}
