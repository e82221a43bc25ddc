//! Typed PTX to machine code through Cranelift.

pub mod abi;
mod analysis;
mod cfg;
mod cost;
mod deciding;
mod emit;
mod kernel;
mod layout;
mod live;
pub mod matrix;
mod pairs;
mod phases;
mod registry;
mod soft;
pub mod texel;
mod unit;

pub use kernel::Kernel;
pub use registry::{CodeSite, find};

/// The range of addresses that device-visible memory lives in: `base` is a multiple of `size`, `size` a power of two.
/// Unmapped pages inside it fault by themselves; its first and last 64 KiB are never mapped (generated code relies on it
/// when one check serves several offsets from the same register).
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

/// What to compile for.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where device-visible memory lives.
    pub arena: Arena,
    /// The functions that generated code calls.
    pub runtime: abi::Runtime,
    /// The functions that checked code calls at each access (it also says where it is, in [`abi::ThreadContext::site`],
    /// before each call of a built-in function); `None` for code without checks.
    pub checks: Option<abi::Checks>,
    /// Whether code counts what it does ([`abi::BlockCosts`]).
    pub costs: bool,
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
    unit::compile(module, kernel, environment, options, None)
}
