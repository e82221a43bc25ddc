//! The shared object as programs load it.

#![expect(dead_code, reason = "each test program uses a part")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::PathBuf;

/// The shared object under test: cargo puts it beside the test programs.
pub fn path() -> PathBuf {
    let program = std::env::current_exe().expect("the test program has a path");
    let path = program.with_file_name("libhotfire_cuda.so");
    assert!(path.exists(), "{} does not exist", path.display());
    path
}

/// The shared object, opened.
pub struct Library(*mut c_void);

impl Library {
    /// Opens it.
    pub fn open() -> Self {
        let path = CString::new(path().into_os_string().into_encoded_bytes()).expect("a path");
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

    /// What `cuGetProcAddress_v2` gives.
    pub fn proc_address(&self, base: &str, version: u32, flags: u64) -> Option<usize> {
        type Function = unsafe extern "C" fn(*const c_char, *mut usize, c_int, u64, *mut u32) -> u32;
        // SAFETY: the function of that name has this type.
        let function: Function = unsafe { std::mem::transmute(self.symbol("cuGetProcAddress_v2")) };
        let name = CString::new(base).expect("a name");
        let (mut address, mut status) = (1usize, 9u32);
        // SAFETY: valid pointers.
        let result = unsafe { function(name.as_ptr(), &mut address, version as c_int, flags, &mut status) };
        assert_eq!(result, 0, "cuGetProcAddress_v2({base})");
        assert_eq!(status == 0, address != 0, "{base}: status {status} with address {address:#x}");
        (address != 0).then_some(address)
    }
}
