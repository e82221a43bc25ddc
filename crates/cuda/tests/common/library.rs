//! The shared object, opened by this process.

use std::ffi::{CString, c_void};

/// The shared object, opened.
pub struct Library(*mut c_void);

impl Library {
    /// Opens it.
    pub fn open() -> Self {
        let path = CString::new(super::common::path().into_os_string().into_encoded_bytes()).expect("a path");
        // SAFETY: a terminated path; the object's constructor only looks at loaded objects.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null(), "dlopen failed");
        Self(handle)
    }

    /// The address of a symbol.
    pub fn find(&self, name: &str) -> Option<usize> {
        let name = CString::new(name).expect("a name");
        // SAFETY: a live handle and a terminated name.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!address.is_null()).then_some(address as usize)
    }

    /// The address of a symbol that must exist.
    pub fn symbol(&self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| panic!("{name} is not exported"))
    }
}
