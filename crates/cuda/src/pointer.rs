//! Pointers that a C caller hands in. The caller owes them to be valid or null; null is answered with an error, and
//! what lies behind is read or written nowhere but here.

use std::ffi::{CStr, c_char};

use hotfire_device::Status;

/// Where a function writes a result.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Nothing is wanted.
    pub(crate) fn null() -> Self {
        Self(std::ptr::null_mut())
    }

    /// Writes the result; a null pointer is an invalid value.
    pub(crate) fn set(self, value: T) -> Result<(), Status> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, and the API's contract says that it points to room for a T, whose alignment C code may
        // have cast away.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes the result if the caller wants it.
    pub(crate) fn set_if_wanted(self, value: T) {
        let _ = self.set(value);
    }

    /// Fails for null: for functions that must not act before they know that they can answer.
    pub(crate) fn check(&self) -> Result<(), Status> {
        if self.0.is_null() { Err(Status::INVALID_VALUE) } else { Ok(()) }
    }

    /// True for null.
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Reads what is there, for parameters that are both.
    pub(crate) fn read(&self) -> Result<T, Status>
    where
        T: Copy,
    {
        self.check()?;
        // SAFETY: not null, and the API's contract says that it points to an initialised T.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// Writes element `index` of an array.
    pub(crate) fn set_at(&self, index: usize, value: T) -> Result<(), Status> {
        self.check()?;
        // SAFETY: not null, and the API's contract says that it points to an array with that element.
        unsafe { self.0.add(index).write_unaligned(value) };
        Ok(())
    }
}

/// A structure that a function reads.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// Nothing is given.
    pub(crate) fn null() -> Self {
        Self(std::ptr::null())
    }

    /// Reads it; a null pointer is an invalid value.
    pub(crate) fn get(&self) -> Result<T, Status> {
        self.get_at(0)
    }

    /// Reads element `index` of an array.
    pub(crate) fn get_at(&self, index: usize) -> Result<T, Status> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, and the API's contract says that it points to initialised elements.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }

    /// True for null.
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

/// A string that a function reads.
#[repr(transparent)]
pub struct Text(*const c_char);

impl Text {
    /// The text; null and bytes that are no UTF-8 are invalid values.
    pub(crate) fn get(&self) -> Result<&str, Status> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, and the API's contract says that it points to a terminated string that outlives the call.
        unsafe { CStr::from_ptr(self.0) }.to_str().map_err(|_| Status::INVALID_VALUE)
    }
}

/// Copies a text and its terminator into a buffer of `room` bytes, cut short if need be.
pub(crate) fn put_text(out: &Out<c_char>, room: i32, text: &str) -> Result<(), Status> {
    let room = usize::try_from(room).map_err(|_| Status::INVALID_VALUE)?;
    if room == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let kept = text.len().min(room - 1);
    for (index, byte) in text.as_bytes()[..kept].iter().chain([&0]).enumerate() {
        out.set_at(index, *byte as c_char)?;
    }
    Ok(())
}
