//! Error handling.

use std::ffi::c_char;

use hotfire_device::Status;

use crate::error;
use crate::export::export;
use crate::pointer::Out;

export! {
    /// The name of an error code.
    driver fn cuGetErrorName(code: u32, text: Out<*const c_char>) {
        answer(error::driver_name(code), text)
    }

    /// What an error code means.
    driver fn cuGetErrorString(code: u32, text: Out<*const c_char>) {
        answer(error::driver_name(code).and_then(|_| error::meaning(code)), text)
    }
}

fn answer(known: Option<&'static std::ffi::CStr>, text: Out<*const c_char>) -> Result<(), Status> {
    text.set(known.map_or(std::ptr::null(), std::ffi::CStr::as_ptr))?;
    if known.is_some() { Ok(()) } else { Err(Status::INVALID_VALUE) }
}
