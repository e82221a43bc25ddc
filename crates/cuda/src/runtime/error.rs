//! Error handling.

use std::ffi::{CStr, c_char};

use hotfire_device::{Device, Status};

use crate::error;
use crate::export::{checked, export};
use crate::thread;

export! {
    /// The thread's last error, which this forgets.
    plain fn cudaGetLastError() -> u32 {
        read();
        thread::take_last_error().0
    }

    /// The thread's last error.
    plain fn cudaPeekAtLastError() -> u32 {
        read();
        thread::last_error().0
    }

    /// The name of an error code.
    plain fn cudaGetErrorName(code: u32) -> *const c_char {
        asked(code);
        error::runtime_name(code).unwrap_or(c"unrecognized error code").as_ptr()
    }

    /// What an error code means.
    plain fn cudaGetErrorString(code: u32) -> *const c_char {
        asked(code);
        let known: Option<&CStr> = error::runtime_name(code).and_then(|_| error::meaning(code));
        known.unwrap_or(c"unrecognized error code").as_ptr()
    }
}

/// The thread looks at its last error.
fn read() {
    if checked() {
        Device::get().note_error_read();
    }
}

/// The thread looks at an error that a call answered.
fn asked(code: u32) {
    if checked() {
        Device::get().note_error_asked(Status(code));
    }
}
