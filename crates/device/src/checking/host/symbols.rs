//! Return addresses as a reader wants them: function, file and line.
//!
//! Names and lines come from the debug information and symbol tables of the loaded objects; inlined calls are frames of their own. What
//! a program's start, the C library and the kernel launch's wrapper functions add is left out. Load addresses never appear.

use super::stack::segments;
use hotfire_check::Frame;
use std::ffi::{CStr, c_void};

/// Objects whose frames say nothing about the program.
const SYSTEM: [&str; 6] = ["libc.so", "libc-", "ld-linux", "libpthread", "libcudart", "libcuda.so"];

/// The calls behind return addresses, innermost first.
pub(crate) fn symbolise(frames: &[usize]) -> Vec<Frame> {
    let objects = objects();
    let mut all = Vec::new();
    let mut chosen = Vec::new();
    for &address in frames {
        let object =
            objects.iter().find(|object| object.segments.iter().any(|part| part.contains(&address.wrapping_sub(1))));
        let system = object.is_none_or(|object| SYSTEM.iter().any(|name| object.name.starts_with(name)));
        for frame in resolve(address, object) {
            if !system {
                chosen.push(frame.clone());
            }
            all.push(frame);
        }
    }
    let mut frames = if chosen.is_empty() { all } else { chosen };
    trim(&mut frames);
    frames
}

/// Whether a source file belongs to a library: headers of the system's and of CUDA's, Rust's packages.
pub(crate) fn is_foreign(file: &str) -> bool {
    const PLACES: [&str; 5] = ["/usr/include/", "/usr/lib/", "/rustc/", "/.cargo/registry/", "/nvidia/"];
    PLACES.iter().any(|place| file.contains(place)) || file.ends_with("/cuda_runtime.h")
}

/// Whether a frame is the host's function of a kernel, by its mangled name.
pub(crate) fn is_stub(frame: &Frame, kernel: &str) -> bool {
    frame
        .function
        .strip_prefix(&demangle(kernel.as_bytes()))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
}

/// Drops what is not the user's at both ends.
fn trim(frames: &mut Vec<Frame>) {
    let named = |frame: &Frame, name: &str| frame.function == name || frame.function.starts_with(&format!("{name} ("));
    if let Some(main) = frames.iter().position(|frame| named(frame, "main")) {
        frames.truncate(main + 1);
    }
    if let Some(start) = frames.iter().position(|frame| frame.function.contains("__rust_begin_short_backtrace")) {
        frames.truncate(start);
    }
    // Where this library is part of the program.
    let ours = |frame: &Frame| {
        let file = frame.file.as_deref().unwrap_or_default();
        file.contains("/backtrace-") || file.ends_with("checking/host/stack.rs")
    };
    let first = frames.iter().take_while(|frame| ours(frame)).count();
    frames.drain(..first);
    // What nvcc puts around a launch.
    let wrapper =
        |frame: &Frame| frame.function.contains("cudaLaunchKernel") || frame.function.starts_with("__device_stub__");
    if let Some(last) = frames.iter().rposition(wrapper)
        && last + 1 < frames.len()
    {
        frames.drain(..=last);
    }
}

struct Object {
    /// File name without directories.
    name: String,
    bias: usize,
    segments: Vec<std::ops::Range<usize>>,
}

fn resolve(address: usize, object: Option<&Object>) -> Vec<Frame> {
    let offset = match object {
        Some(object) => format!("{}+{:#x}", object.name, (address.wrapping_sub(1)).wrapping_sub(object.bias)),
        None => String::from("unknown code"),
    };
    let mut frames = Vec::new();
    backtrace::resolve(address as *mut c_void, |symbol| {
        let Some(name) = symbol.name() else { return };
        let file = symbol.filename().map(|path| path.display().to_string());
        let line = symbol.lineno().filter(|&line| line > 0);
        let name = demangle(name.as_bytes());
        let function = if file.is_some() { name } else { format!("{name} ({offset})") };
        frames.push(Frame { function, line: line.filter(|_| file.is_some()), file });
    });
    if frames.is_empty() {
        frames.push(Frame { function: offset, file: None, line: None });
    }
    frames
}

/// A function's name as its author wrote it.
fn demangle(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let rust = text.starts_with("_R") || text.strip_suffix('E').is_some_and(ends_with_hash);
    if rust {
        let full = backtrace::SymbolName::new(name).to_string();
        // The hash differs from build to build.
        return match full.rsplit_once("::h") {
            Some((path, hash)) if hash.len() == 16 => path.to_owned(),
            _ => full,
        };
    }
    let options = cpp_demangle::DemangleOptions::default();
    let demangled = cpp_demangle::Symbol::new(name).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
    demangled.unwrap_or_else(|| text.into_owned())
}

/// Whether a mangled name ends with the hash that Rust's do.
fn ends_with_hash(text: &str) -> bool {
    text.len() > 20
        && text.is_char_boundary(text.len() - 19)
        && text[text.len() - 19..].starts_with("17h")
        && text[text.len() - 16..].bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The loaded objects.
fn objects() -> Vec<Object> {
    let mut objects: Vec<Object> = Vec::new();
    // SAFETY: the callback gets back the vector that is handed in, and returns before it goes.
    unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut objects).cast()) };
    objects
}

unsafe extern "C" fn collect(info: *mut libc::dl_phdr_info, _: usize, objects: *mut c_void) -> i32 {
    // SAFETY: the loader's record, and the vector of `objects`.
    let (info, objects) = unsafe { (&*info, &mut *objects.cast::<Vec<Object>>()) };
    let path = if info.dlpi_name.is_null() {
        String::new()
    } else {
        // SAFETY: a terminated string of the loader's.
        unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy().into_owned()
    };
    let path = match path.as_str() {
        // The first object is the program; it has no name here.
        "" if objects.is_empty() => {
            std::fs::read_link("/proc/self/exe").map_or(String::new(), |path| path.display().to_string())
        }
        _ => path,
    };
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    objects.push(Object { name, bias: info.dlpi_addr as usize, segments: segments(info).collect() });
    0
}
