//! The launch features of CUDA that a binding usually leaves out, as types that keep their rules.
//!
//! A thin layer on [`cudarc`]: it opens no second door to the driver, and the same binary runs on a GPU and on a software device.
//! Launching a kernel stays `unsafe`, for no host code can know what a kernel does with its arguments. What host code *can* get wrong by
//! itself is what the types here are for:
//!
//! | type | what it does | which rule it enforces |
//! |---|---|---|
//! | [`Module`] | loads PTX whose kernels launch kernels, linked to CUDA's device runtime where there is one | a module with device launches needs `libcudadevrt` |
//! | [`LaunchPool`] | room for pending device launches | sized from a bound, before the first kernel, and read back |
//! | [`FailureLedger`] | what device launches failed | a dropped launch tells only the thread that made it |
//! | [`Launch`] | a launch with attributes | number and sizes of arguments; a programmatic edge only to a kernel that waits |
//! | [`Chain`] | kernels in a row as stream, PDL, graph or graph with PDL | no attribute on the first kernel; a copy or set breaks an edge |
//! | [`Mapped`], [`Pinned`] | memory that host and device share | host code reads it only with a proof of completion ([`Done`]) |
//! | [`WhileLoop`], [`TailLoop`] | iteration that the device ends | one launch for the host; the pool bounds what a turn may launch |
//!
//! ```no_run
//! use hotfire_host::{Device, Module, Mapped, Stream};
//!
//! # fn main() -> Result<(), hotfire_host::Error> {
//! let device = Device::open(0)?;
//! let module = Module::from_ptx(&device, "scale.ptx", include_str!("../kernels/tests.ptx"))?;
//! let scale = module.kernel("scale")?;
//! let stream = Stream::new(&device)?;
//! let mut values = Mapped::from_slice(&device, &[1.0f32; 256])?;
//! // SAFETY: the kernel takes a pointer to as many floats as it has threads, and a factor.
//! unsafe { scale.over(1, 256).on(&stream, &(&mut values, 3.0f32)) }?;
//! let done = stream.synchronize()?; // without it there is no `done`, and without `done` no way to the values
//! assert_eq!(values.read(&done)?[0], 3.0);
//! # Ok(())
//! # }
//! ```

mod argument;
mod chain;
mod compile;
mod converge;
mod device;
mod driver;
mod error;
mod graph;
mod launch;
mod ledger;
mod link;
mod mapped;
mod memory;
mod module;
mod pinned;
mod plain;
mod pool;
mod ptx;
mod stream;
mod uses;

pub use argument::{Argument, Arguments};
pub use chain::{Chain, Edge, Form, Ready};
pub use compile::Source;
pub use converge::{Condition, TailLoop, WhileLoop};
pub use device::Device;
pub use error::Error;
pub use graph::Graph;
pub use launch::{Launch, Shape};
pub use ledger::{Covered, FailureLedger, Failures};
pub use link::device_runtime;
pub use mapped::{Mapped, Reading, Writing};
pub use memory::{Address, DeviceBuffer};
pub use module::{Kernel, Module};
pub use pinned::{InFlight, Pinned};
pub use plain::Plain;
pub use pool::LaunchPool;
pub use stream::{Done, Event, Stream};

/// What kernels include to write into a [`FailureLedger`]: the text of `hotfire.cuh`.
pub const HEADER: &str = include_str!("../kernels/hotfire.cuh");

/// The result of everything here.
pub type Result<T> = std::result::Result<T, Error>;
