//! The software device: memory, workers and device runtime. The only crate that runs generated code.

mod builtins;
mod checking;
mod copy;
mod device;
mod engine;
pub mod error;
pub mod exec;
pub mod graph;
mod limit;
pub mod memory;
pub mod module;
pub mod profile;
mod status;
pub mod texture;
mod tracing;

pub use checking::host::Call;
pub use checking::host::lending;
pub use copy::{Copy3d, Direction, Fill3d, Mode};
pub use device::{Allocation, Config, Device, Event, EventFlags, LaunchAttributes, LaunchConfig, MemoryKind, Stream};
pub use limit::Limit;
pub use module::{Function, FunctionAttributes, LoadError, Module};
pub use status::Status;

/// Whether the device provides a function of that name to device code that declares and does not define it (`vprintf`,
/// `__cudaCDP2…`): such a name is not unresolved.
pub fn is_builtin(symbol: &str) -> bool {
    builtins::find(symbol).is_some() || module::provides(symbol)
}
