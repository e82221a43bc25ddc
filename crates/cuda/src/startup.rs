//! What happens when the shared object is loaded: static runtimes of the program and its libraries are redirected
//! ([`crate::redirect`]). The object is marked `initfirst`, so this runs before their constructors register anything.
//!
//! Nothing else starts here: the object may be preloaded into programs that never use CUDA.

use std::ffi::{CStr, c_int, c_void};

use crate::notice;
use crate::redirect::{self, Runtime};

/// The program, as a path that always works.
const PROGRAM: &str = "/proc/self/exe";

/// Programs that link this crate (tests) run it too: they are the object itself, which is left out.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = construct;

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

/// Where this object, or the test program that links it, was loaded.
fn own_base() -> *mut c_void {
    // SAFETY: an all-zero Dl_info is valid.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: an address inside this object.
    unsafe { libc::dladdr(construct as *const c_void, &mut info) };
    info.dli_fbase
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
    if info.dlpi_addr == own_base() as u64 {
        return 0;
    }
    match name.as_str() {
        // The first object is the program; it has no name here.
        "" if objects.is_empty() => objects.push((String::from(PROGRAM), info.dlpi_addr)),
        path if path.starts_with('/') || path.starts_with('.') => objects.push((name, info.dlpi_addr)),
        _ => {}
    }
    0
}

fn serve(path: &str, bias: u64) {
    let shown = || match path {
        PROGRAM => std::fs::read_link(path).map_or_else(|_| path.into(), |path| path.display().to_string()),
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
        Runtime::Stripped => {
            let message = format!(
                "{} contains the static CUDA runtime but no symbols to find it by; link it with -cudart shared, or do \
                 not strip it",
                shown()
            );
            // A library may never be used; the program itself would fail in less clear ways.
            if path == PROGRAM { refuse(&message) } else { notice::line(&message) }
        }
    }
}

fn refuse(message: &str) -> ! {
    notice::line(message);
    // SAFETY: ends the process without running destructors of objects that were never constructed.
    unsafe { libc::_exit(1) }
}
