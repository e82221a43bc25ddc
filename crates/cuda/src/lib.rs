//! CUDA's driver and runtime API for the software device, as one shared object that stands in for `libcuda.so.1` and
//! `libcudart.so`.
//!
//! Thin adapters only: what a call means is the device's business ([`hotfire_device::Device`]). This crate knows the
//! C ABI, handles, contexts, host threads, which function names exist (`names`) and how programs register their code.
//! Every exported name that nothing implements answers "not supported" and names itself once on stderr (`stubs`).
//!
//! Only documented interfaces are offered: NVIDIA's private tables (`cuGetExportTable`) are neither used nor imitated.
//! A program with the static runtime inside is served by redirecting its own `cuda*` functions at load (`startup`).

mod binary;
mod code;
mod context;
mod copies;
mod driver;
mod error;
mod export;
mod graph;
mod jit_options;
mod launch;
mod libc_calls;
mod names;
mod notice;
mod pointer;
mod pool;
mod redirect;
mod registration;
mod runtime;
mod startup;
mod stream;
mod stubs;
mod table;
mod texture;
mod thread;
pub mod types;

pub use names::coverage;
