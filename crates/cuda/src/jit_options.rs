//! Options of loading and linking (`CUjit_option`, `cudaJitOption`): the two logs and the wall time are served, what
//! only steers NVIDIA's compiler is accepted and has no effect.

use std::ffi::{c_char, c_uint, c_void};
use std::time::Instant;

use hotfire_device::Status;

use crate::types::number;

/// More than there are options: a bound for a count that a program hands in.
const MOST: u32 = 256;

/// A log buffer of the program.
#[derive(Debug, Default)]
struct Log {
    buffer: Option<*mut c_char>,
    room: usize,
    /// The element of `optionValues` that gets the number of bytes written.
    size: Option<*mut *mut c_void>,
}

impl Log {
    fn write(&self, text: &str) {
        let mut written = 0;
        if let Some(buffer) = self.buffer.filter(|buffer| !buffer.is_null() && self.room > 0) {
            written = text.len().min(self.room - 1);
            // SAFETY: the API's contract: the buffer has that many bytes, and the text with its terminator is no longer.
            unsafe {
                std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), written);
                buffer.add(written).write(0);
            }
        }
        if let Some(size) = self.size {
            // SAFETY: an element of the array that the program handed in; the size comes back in it.
            unsafe { size.write(written as *mut c_void) };
        }
    }
}

/// The options of one call.
#[derive(Debug)]
pub(crate) struct Options {
    info: Log,
    error: Log,
    wall_time: Option<*mut *mut c_void>,
    start: Instant,
}

impl Options {
    /// Reads the two arrays.
    pub(crate) fn read(count: c_uint, names: *const c_uint, values: *mut *mut c_void) -> Result<Self, Status> {
        let mut options = Self { info: Log::default(), error: Log::default(), wall_time: None, start: Instant::now() };
        if count > MOST || (count > 0 && (names.is_null() || values.is_null())) {
            return Err(Status::INVALID_VALUE);
        }
        for index in 0..count as usize {
            // SAFETY: the API's contract: both arrays have that many elements.
            let (name, slot) = unsafe { (*names.add(index), values.add(index)) };
            // SAFETY: as above.
            let value = unsafe { *slot };
            match name {
                number::JIT_WALL_TIME => options.wall_time = Some(slot),
                number::JIT_INFO_LOG => options.info.buffer = Some(value.cast()),
                number::JIT_INFO_LOG_SIZE => {
                    (options.info.room, options.info.size) = (value as u32 as usize, Some(slot))
                }
                number::JIT_ERROR_LOG => options.error.buffer = Some(value.cast()),
                number::JIT_ERROR_LOG_SIZE => {
                    (options.error.room, options.error.size) = (value as u32 as usize, Some(slot))
                }
                _ => {}
            }
        }
        Ok(options)
    }

    /// Fills in what the program asked to be told.
    pub(crate) fn finish(&self, error: &str) {
        self.info.write("");
        self.error.write(error);
        if let Some(slot) = self.wall_time {
            let milliseconds = self.start.elapsed().as_secs_f32() * 1000.0;
            // SAFETY: the option's value is a float in the slot itself.
            unsafe { slot.cast::<f32>().write(milliseconds) };
        }
    }
}
