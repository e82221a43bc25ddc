//! Error handling.

use std::ffi::{CStr, c_char};

use crate::error;
use crate::export::export;
use crate::thread;

export! {
    /// The thread's last error, which this forgets.
    plain fn cudaGetLastError() -> u32 {
        thread::take_last_error().0
    }

    /// The thread's last error.
    plain fn cudaPeekAtLastError() -> u32 {
        thread::last_error().0
    }

    /// The name of an error code.
    plain fn cudaGetErrorName(code: u32) -> *const c_char {
        error::runtime_name(code).unwrap_or(c"unrecognized error code").as_ptr()
    }

    /// What an error code means.
    plain fn cudaGetErrorString(code: u32) -> *const c_char {
        let known: Option<&CStr> = error::runtime_name(code).and_then(|_| error::meaning(code));
        known.unwrap_or(c"unrecognized error code").as_ptr()
    }
}
