//! What happens when the shared object is loaded: static runtimes of the program and its libraries are redirected
//! ([`crate::redirect`]). The object is marked `initfirst`, so this runs before their constructors register anything.
//!
//! Nothing else starts here: the object may be preloaded into programs that never use CUDA.

use std::ffi::{CStr, c_int, c_void};

use crate::notice;
use crate::redirect::{self, Runtime};

/// Kept out of test programs, which link this crate and have no static runtime.
#[cfg(not(test))]
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = construct;

#[cfg_attr(test, expect(dead_code, reason = "only the shared object has a constructor"))]
extern "C" fn construct() {
    // A panic must not leave a constructor; the program then runs with its own runtime and says that it has no device.
    let _ = std::panic::catch_unwind(|| {
        let mut objects: Vec<(String, u64)> = Vec::new();
        // SAFETY: the callback gets back the vector that is handed in, and returns before it goes.
        unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut objects).cast()) };
        for (path, bias) in objects {
            serve(&path, bias);
        }
    });
}

unsafe extern "C" fn collect(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: `construct` hands in a vector of this type.
    let objects = unsafe { &mut *data.cast::<Vec<(String, u64)>>() };
    // SAFETY: the loader hands in a valid record.
    let info = unsafe { &*info };
    let name = if info.dlpi_name.is_null() {
        String::new()
    } else {
        // SAFETY: a terminated string of the loader's.
        unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy().into_owned()
    };
    match name.as_str() {
        // The first object is the program; it has no name here.
        "" if objects.is_empty() => objects.push((String::from("/proc/self/exe"), info.dlpi_addr)),
        path if path.starts_with('/') || path.starts_with('.') => objects.push((name, info.dlpi_addr)),
        _ => {}
    }
    0
}

fn serve(path: &str, bias: u64) {
    let shown = || match path {
        "/proc/self/exe" => std::fs::read_link(path).map_or_else(|_| path.into(), |path| path.display().to_string()),
        path => path.to_string(),
    };
    match redirect::inspect(path) {
        Runtime::Elsewhere => {}
        Runtime::Static(functions) => {
            if let Err(error) = redirect::redirect(bias, &functions) {
                refuse(&format!(
                    "cannot redirect the static CUDA runtime in {}: {error}; link it with -cudart shared",
                    shown()
                ));
            }
        }
        Runtime::Stripped => refuse(&format!(
            "{} contains the static CUDA runtime but no symbols to find it by; link it with -cudart shared, or do not \
             strip it",
            shown()
        )),
    }
}

/// Without its runtime the program could only fail in less clear ways.
fn refuse(message: &str) -> ! {
    notice::line(message);
    // SAFETY: ends the process without running destructors of objects that were never constructed.
    unsafe { libc::_exit(1) }
}
