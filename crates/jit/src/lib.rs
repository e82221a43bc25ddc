//! Typed PTX to machine code through Cranelift.

pub mod abi;

use hotfire_ptx::ast::Location;

/// The range of addresses that device-visible memory lives in: `base` is a multiple of `size`, `size` a power of two.
/// Unmapped pages inside it fault by themselves.
#[derive(Clone, Copy, Debug)]
pub struct Arena {
    /// First address.
    pub base: u64,
    /// Bytes.
    pub size: u64,
}

/// What a module's code may refer to, answered by the device.
pub trait Environment {
    /// Address of a module variable (its real address; for `.shared` variables the compiler lays them out itself and does not ask),
    /// of a device function or of a kernel (an opaque handle that [`abi::Runtime::call_target`] and device launches understand).
    fn address(&self, symbol: &str) -> Option<u64>;
    /// Native code for a function that the module declares but does not define (`vprintf`, `malloc`, `__cudaCDP2…`).
    fn builtin(&self, symbol: &str) -> Option<abi::DeviceFunction>;
}

/// A compiled kernel (or device function called by address). Owns its machine code.
pub struct Kernel {
    /// How to run it.
    pub entry: abi::EntryKind,
    /// Bytes of statically declared shared memory, its variables laid out from offset 0; dynamic shared memory follows,
    /// at the next multiple of its alignment, which is part of this number.
    pub static_shared: u32,
    /// Stack bytes that one thread needs at most, if the call graph has no cycle and no indirect call; generous rounding is the caller's.
    pub stack: u32,
    /// True if `stack` is not a bound (recursion, indirect calls).
    pub unbounded_stack: bool,
    /// Source places; `site` arguments of the runtime functions index it.
    pub sites: Vec<Location>,
}

/// What to compile for.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where device-visible memory lives.
    pub arena: Arena,
    /// The functions that generated code calls.
    pub runtime: abi::Runtime,
}

/// Compiles one kernel (or, for calls through a pointer, one device function) with every function it reaches.
///
/// # Errors
/// The first thing that cannot be compiled, with its place in the PTX text.
pub fn compile(
    module: &hotfire_ptx::ast::Module,
    kernel: &str,
    environment: &dyn Environment,
    options: &Options,
) -> Result<Kernel, hotfire_ptx::Diagnostic> {
    let _ = (module, environment, options);
    Err(hotfire_ptx::Diagnostic::new(Location::default(), format!("cannot compile {kernel} yet")))
}
