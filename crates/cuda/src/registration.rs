//! How programs that nvcc built register their code: constructors hand over fat binaries, then the host-side address
//! of every kernel and variable with its device-side name (the calls that `crt/host_runtime.h` declares).
//!
//! Nothing is parsed here; a fat binary is read when a kernel or variable of it is first used.

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hotfire_device::Status;
use parking_lot::{Mutex, RwLock};

use crate::binary;
use crate::code::Code;
use crate::export::export;
use crate::pointer::{Out, Text};
use crate::table::Table;
use crate::thread;
use crate::types::{Dim3, FatBinaryWrapper, Handle};

/// One registered fat binary.
struct Binary {
    code: Arc<Code>,
    /// False once the object that it lies in may be gone.
    alive: Arc<AtomicBool>,
    functions: Mutex<Vec<u64>>,
    variables: Mutex<Vec<u64>>,
    /// Host variables that hold the address of a managed variable, and its name.
    managed: Mutex<Vec<(u64, String)>>,
}

/// A registered device variable.
#[derive(Clone)]
pub(crate) struct Variable {
    code: Arc<Code>,
    name: String,
    binary: u64,
}

static BINARIES: Table<Binary> = Table::new();
/// Kernel handles by the host address that `<<<…>>>` names.
static FUNCTIONS: RwLock<Option<HashMap<u64, usize>>> = RwLock::new(None);
/// Variables by the address of their host shadow.
static VARIABLES: RwLock<Option<HashMap<u64, Variable>>> = RwLock::new(None);

/// The kernel handle of a host function.
pub(crate) fn kernel(host: u64) -> Option<Handle> {
    FUNCTIONS.read().as_ref()?.get(&host).map(|handle| *handle as Handle)
}

/// Address and size of the device variable behind a host symbol.
pub(crate) fn variable(host: u64) -> Result<(u64, u64), Status> {
    let found = VARIABLES.read().as_ref().and_then(|variables| variables.get(&host).cloned());
    let variable = found.ok_or(Status::INVALID_SYMBOL)?;
    initialise_managed(variable.binary as Handle)?;
    let module = variable.code.module().map_err(|error| error.status)?;
    module.global(&variable.name).ok_or(Status::INVALID_SYMBOL)
}

/// Gives the host variables of a binary the addresses of its managed variables.
fn initialise_managed(handle: Handle) -> Result<(), Status> {
    let Some(binary) = BINARIES.find(handle) else { return Ok(()) };
    for (pointer, name) in &*binary.managed.lock() {
        let (address, _) = binary.code.global(name)?;
        // SAFETY: registered by the program as one of its pointer variables, and the binary is still registered.
        unsafe { (*pointer as *mut u64).write_unaligned(address) };
    }
    Ok(())
}

/// A wrapper's address, which may travel between threads: the program keeps what is there until it unregisters it.
struct Registered(*const FatBinaryWrapper);
// SAFETY: only ever read.
unsafe impl Send for Registered {}
// SAFETY: only ever read.
unsafe impl Sync for Registered {}

impl Registered {
    fn texts(&self) -> Result<Vec<String>, hotfire_device::LoadError> {
        // SAFETY: registered by nvcc's host code and not unregistered yet (see `alive`).
        unsafe { binary::registered(&self.0.read_unaligned()) }
    }
}

/// The file that an address was loaded from, for messages.
fn origin(address: *const c_void) -> String {
    // SAFETY: an all-zero Dl_info is valid.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: dladdr accepts any address and fills info if it knows the object.
    let known = unsafe { libc::dladdr(address, &mut info) } != 0 && !info.dli_fname.is_null();
    if !known {
        return String::from("the program's code");
    }
    // SAFETY: dladdr gave a terminated string that lives as long as the object.
    let path = unsafe { std::ffi::CStr::from_ptr(info.dli_fname) }.to_string_lossy();
    format!("the code in {path}")
}

fn add_variable(handle: Handle, host: u64, name: &Text) {
    let (Some(binary), Ok(name)) = (BINARIES.find(handle), name.get()) else { return };
    let variable = Variable { code: Arc::clone(&binary.code), name: name.to_string(), binary: handle as u64 };
    VARIABLES.write().get_or_insert_default().insert(host, variable);
    binary.variables.lock().push(host);
}

export! {
    /// Registers a fat binary; the handle goes to the calls that follow.
    plain fn __cudaRegisterFatBinary(wrapper: *const FatBinaryWrapper) -> Handle {
        let alive = Arc::new(AtomicBool::new(true));
        let still = Arc::clone(&alive);
        let registered = Registered(wrapper);
        let code = Code::new(origin(wrapper.cast()), Box::new(move || {
            if !still.load(Ordering::Acquire) {
                return Err(binary::failure(Status::INVALID_IMAGE, "the object that registered it was unloaded"));
            }
            binary::parse(&registered.texts()?)
        }));
        BINARIES.insert(Arc::new(Binary {
            code,
            alive,
            functions: Mutex::default(),
            variables: Mutex::default(),
            managed: Mutex::default(),
        }))
    }

    /// Ends the registration of a fat binary: nothing to do, loading is lazy.
    plain fn __cudaRegisterFatBinaryEnd(_handle: Handle) {}

    /// At exit, and when the object is unloaded. What is loaded stays: its grids may still run.
    plain fn __cudaUnregisterFatBinary(handle: Handle) {
        let Ok(binary) = BINARIES.remove(handle) else { return };
        binary.alive.store(false, Ordering::Release);
        if let Some(functions) = FUNCTIONS.write().as_mut() {
            for host in &*binary.functions.lock() {
                functions.remove(host);
            }
        }
        if let Some(variables) = VARIABLES.write().as_mut() {
            for host in &*binary.variables.lock() {
                variables.remove(host);
            }
        }
    }

    /// Registers a kernel: the host address that launches name, and its name in the code.
    plain fn __cudaRegisterFunction(handle: Handle, host: u64, _device: *const c_char, name: Text, _thread_limit: c_int,
        _tid: Handle, _bid: Handle, _block: Handle, _grid: Handle, _warp: *const c_int) {
        let (Some(binary), Ok(name)) = (BINARIES.find(handle), name.get()) else { return };
        let kernel = binary.code.kernel_unchecked(name);
        FUNCTIONS.write().get_or_insert_default().insert(host, kernel as usize);
        binary.functions.lock().push(host);
    }

    /// Registers a `__device__` or `__constant__` variable.
    plain fn __cudaRegisterVar(handle: Handle, host: u64, _device: *const c_char, name: Text, _external: c_int, _size: usize,
        _constant: c_int, _global: c_int) {
        add_variable(handle, host, &name);
    }

    /// Registers a `__managed__` variable: the host holds its address in a pointer.
    plain fn __cudaRegisterManagedVar(handle: Handle, pointer: u64, _device: *const c_char, name: Text, _external: c_int,
        _size: usize, _constant: c_int, _global: c_int) {
        let (Some(binary), Ok(text)) = (BINARIES.find(handle), name.get()) else { return };
        binary.managed.lock().push((pointer, text.to_string()));
        add_variable(handle, pointer, &name);
    }

    /// Before the host first touches a managed variable of the binary.
    plain fn __cudaInitModule(handle: Handle) -> i8 {
        let ready = thread::require_device().and_then(|()| initialise_managed(handle));
        i8::from(ready.map_err(thread::failed).is_ok())
    }

    /// Between `<<<` and the launch.
    plain fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: Handle) -> u32 {
        let configuration = thread::Configuration { grid, block, shared, stream };
        thread::push_configuration(configuration).map_or_else(|status| thread::failed(status).0, |()| 0)
    }

    /// Takes back what [`__cudaPushCallConfiguration`] kept.
    runtime_plain fn __cudaPopCallConfiguration(grid: Out<Dim3>,
        block: Out<Dim3>, shared: Out<usize>,
        stream: Out<Handle>) {
        let configuration = thread::pop_configuration()?;
        grid.set(configuration.grid)?;
        block.set(configuration.block)?;
        shared.set(configuration.shared)?;
        stream.set(configuration.stream)
    }
}
