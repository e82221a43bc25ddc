//! Answers of the driver as results.

use std::ffi::CStr;
use std::ptr;

use cudarc::driver::{DriverError, sys};

use crate::{Error, Result};

/// The error of a call, if it answered one.
pub(crate) fn check(call: &'static str, answer: sys::CUresult) -> Result<()> {
    if answer == sys::CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    Err(Error::Driver { call, code: answer as u32, name: name(answer) })
}

/// The same for what cudarc returns.
pub(crate) fn from_cudarc(call: &'static str) -> impl Fn(DriverError) -> Error {
    move |DriverError(answer)| Error::Driver { call, code: answer as u32, name: name(answer) }
}

fn name(answer: sys::CUresult) -> String {
    let mut text = ptr::null();
    // SAFETY: a place for the result; names are static strings of the driver.
    let answered = unsafe { sys::cuGetErrorName(answer, &mut text) };
    if answered != sys::CUresult::CUDA_SUCCESS || text.is_null() {
        return "unknown error".to_owned();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
