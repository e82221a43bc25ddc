//! The linker of the driver (`cuLink…`): PTX in, an image out that the loaders of this device take.

use std::ffi::{c_uint, c_void};
use std::sync::Arc;

use hotfire_device::{LoadError, Status};
use hotfire_ptx::ast;
use parking_lot::Mutex;

use crate::binary;
use crate::export::export;
use crate::jit_options::Options;
use crate::notice;
use crate::pointer::{Out, Text};
use crate::table::Table;
use crate::types::Handle;
use crate::types::number::{INPUT_CUBIN, INPUT_LIBRARY, INPUT_OBJECT};

/// What was added so far, and the image, which lives as long as the link.
struct Link {
    inputs: Mutex<Inputs>,
    /// Logs of the whole link, as `cuLinkCreate` got them.
    options: Options,
}

#[derive(Default)]
struct Inputs {
    texts: Vec<String>,
    image: Vec<u8>,
}

// SAFETY: the raw pointers in the options are buffers of the program, which it may use from any thread, one call at a
// time for one link.
unsafe impl Send for Link {}
// SAFETY: as above.
unsafe impl Sync for Link {}

static LINKS: Table<Link> = Table::new();

fn create(out: Out<Handle>, count: c_uint, names: *const c_uint, values: *mut *mut c_void) -> Result<(), Status> {
    out.check()?;
    let options = Options::read(count, names, values)?;
    out.set(LINKS.insert(Arc::new(Link { inputs: Mutex::default(), options })))
}

impl Link {
    /// Adds an input. NVIDIA's device runtime is recognised by what it defines, and left out: the device brings its own.
    fn add(&self, kind: u32, bytes: &[u8], name: &str) -> Result<(), Status> {
        if !(INPUT_CUBIN..=INPUT_LIBRARY).contains(&kind) {
            notice::once(
                "cuLink with inputs other than PTX, fat binaries, objects and libraries is not implemented by this device",
            );
            return Err(Status::NOT_SUPPORTED);
        }
        let texts = binary::of_bytes(bytes).or_else(|error| match (kind, error.status) {
            (INPUT_OBJECT | INPUT_LIBRARY, Status::NO_KERNEL_IMAGE) if name.contains("cudadevrt") => Ok(Vec::new()),
            _ => Err(error),
        });
        let texts = texts.map_err(|error| self.failed(name, &error))?;
        // An error in a text is the error of adding it, as it is CUDA's.
        binary::parse(&texts).map_err(|error| self.failed(name, &error))?;
        self.inputs.lock().texts.extend(texts);
        Ok(())
    }

    fn failed(&self, name: &str, error: &LoadError) -> Status {
        let log = format!("{name}: {}", error.log);
        self.options.finish(&log);
        notice::once(&format!("cannot link {log}"));
        error.status
    }

    /// Links, to find out whether it can be done; the image holds the texts.
    fn complete(&self) -> Result<(*const u8, usize), Status> {
        let mut inputs = self.inputs.lock();
        let units = binary::parse(&inputs.texts).map_err(|error| self.failed("input", &error))?;
        let fail = |log: String| self.failed("link", &binary::failure(Status::INVALID_PTX, log));
        let module = hotfire_ptx::link(units).map_err(|diagnostic| fail(diagnostic.to_string()))?;
        if let Some((name, kernel)) = unresolved(&module) {
            return Err(fail(format!("{kernel} calls {name}, which no input defines")));
        }
        inputs.image = binary::linked_image(&inputs.texts);
        self.options.finish("");
        Ok((inputs.image.as_ptr(), inputs.image.len()))
    }
}

/// A function that some kernel can call and that neither the module nor the device has, and that kernel.
fn unresolved(module: &ast::Module) -> Option<(&str, &str)> {
    let kernels = module.functions.iter().filter(|function| function.kind == ast::FunctionKind::Kernel);
    for kernel in kernels {
        let reached = hotfire_ptx::reach(module, &kernel.name)?.functions;
        let missing = reached
            .iter()
            .map(|&index| &module.functions[index])
            .find(|function| function.body.is_none() && !hotfire_device::is_builtin(&function.name));
        if let Some(missing) = missing {
            return Some((&missing.name, &kernel.name));
        }
    }
    None
}

/// The input's name for messages.
fn called(name: &Text, otherwise: &str) -> String {
    name.get().map_or_else(|_| otherwise.to_string(), ToString::to_string)
}

export! {
    /// Begins a link.
    context fn cuLinkCreate_v2(count: c_uint, names: *const c_uint, values: *mut *mut c_void, out: Out<Handle>) {
        create(out, count, names, values)
    }

    /// Begins a link (6.5's predecessor).
    context fn cuLinkCreate(count: c_uint, names: *const c_uint, values: *mut *mut c_void, out: Out<Handle>) {
        create(out, count, names, values)
    }

    /// Adds an input from memory.
    context fn cuLinkAddData_v2(link: Handle, kind: u32, data: *const u8, size: usize, name: Text, _count: c_uint,
        _names: *const c_uint, _values: *mut *mut c_void) {
        let link = LINKS.get(link)?;
        if data.is_null() || size == 0 || size > isize::MAX as usize {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the API's contract: that many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(data, size) };
        link.add(kind, bytes, &called(&name, "the input"))
    }

    /// Adds an input from a file.
    context fn cuLinkAddFile_v2(link: Handle, kind: u32, path: Text, _count: c_uint, _names: *const c_uint,
        _values: *mut *mut c_void) {
        let link = LINKS.get(link)?;
        let path = path.get()?;
        let bytes = std::fs::read(path).map_err(|error| {
            notice::once(&format!("cannot link {path}: {error}"));
            Status::FILE_NOT_FOUND
        })?;
        link.add(kind, &bytes, path)
    }

    /// Ends a link with an image, which belongs to the link.
    context fn cuLinkComplete(link: Handle, image: Out<*const c_void>, size: Out<usize>) {
        image.check()?;
        let (start, bytes) = LINKS.get(link)?.complete()?;
        image.set(start.cast())?;
        size.set_if_wanted(bytes);
        Ok(())
    }

    /// Frees a link and its image.
    driver fn cuLinkDestroy(link: Handle) {
        LINKS.remove(link).map(|_| ())
    }
}
