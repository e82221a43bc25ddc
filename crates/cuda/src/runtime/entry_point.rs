//! Driver entry points for programs that use the runtime.

use std::ffi::c_void;

use hotfire_device::Status;

use crate::driver::{VERSION, proc_address};
use crate::export::export;
use crate::pointer::{Out, Text};
use crate::stream::Default;
use crate::types::number::PROC_ADDRESS_PER_THREAD;

/// The search's flags: what stream 0 means is the program's default unless the flags say otherwise.
fn entry_point(
    symbol: &Text,
    function: Out<*const c_void>,
    version: u32,
    flags: u64,
    status: Out<u32>,
    default: Default,
) -> Result<(), Status> {
    function.check()?;
    let flags = if flags == 0 && default == Default::PerThread { PROC_ADDRESS_PER_THREAD } else { flags };
    let (address, found) = proc_address::search(symbol.get()?, version, flags)?;
    function.set(address)?;
    // Without a place for the status the failure would be silent.
    if status.is_null() && address.is_null() {
        return Err(Status::SYMBOL_NOT_FOUND);
    }
    status.set_if_wanted(found);
    Ok(())
}

export! {
    /// The driver function that programs of this runtime's version mean.
    runtime_plain fn cudaGetDriverEntryPoint | cudaGetDriverEntryPoint_ptsz as default (symbol: Text,
        function: Out<*const c_void>, flags: u64, status: Out<u32>) {
        entry_point(&symbol, function, VERSION as u32, flags, status, default)
    }

    /// The driver function that programs of a version mean.
    runtime_plain fn cudaGetDriverEntryPointByVersion | cudaGetDriverEntryPointByVersion_ptsz as default (symbol: Text,
        function: Out<*const c_void>, version: u32, flags: u64, status: Out<u32>) {
        entry_point(&symbol, function, version, flags, status, default)
    }
}
