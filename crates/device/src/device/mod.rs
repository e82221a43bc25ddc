//! The device as the C API sees it: one object whose methods are CUDA's verbs. launch-model.md section 2.
//!
//! Handles of streams and events are plain numbers, checked at every use, so that the C API may hand them to programs
//! as they are. Host and device addresses are equal.

mod copies;
mod environment;
mod events;
mod launches;
mod limits;
mod mapped;
mod memory;
mod streams;
mod textures;
mod types;
mod workspace;

pub(crate) use launches::PARAMETER_ALIGNMENT;
pub use types::{Allocation, Config, Event, EventFlags, LaunchAttributes, LaunchConfig, MemoryKind, Stream};

pub(crate) use workspace::Workspace;

use crate::builtins::{Heap, Printf};
use crate::checking::Checking;
use crate::engine::Engine;
use crate::graph::{GraphMemories, Graphs};
use crate::memory::{Kind, Memory};
use crate::module::Module;
use crate::profile;
use crate::status::Status;
use crate::texture::Objects;
use crate::tracing;
use crossbeam_utils::sync::Parker;
use environment::{
    block_order_of_environment, in_order_of_environment, memory_of_environment, policy_of_environment,
    pool_of_environment,
};
use hotfire_check::Report;
use hotfire_trace::log::Await;
use limits::LimitValues;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Once, OnceLock};

/// A CUDA device made of software.
pub struct Device {
    pub(crate) engine: Engine,
    memory: Arc<Memory>,
    workers: usize,
    /// The sticky error, to look at without the engine's lock.
    sticky: AtomicU32,
    /// Counts resets.
    epoch: AtomicU64,
    grids: AtomicU64,
    limits: Mutex<LimitValues>,
    /// `cudaLimitStackSize`, to look at without a lock.
    stack: AtomicU32,
    /// Flags of host and managed allocations and of registered ranges, by address.
    flags: Mutex<HashMap<u64, u32>>,
    modules: Mutex<Vec<Arc<Module>>>,
    /// Where texts that device code asked for lie.
    texts: Mutex<HashMap<&'static CStr, u64>>,
    /// Idle workspaces of cooperative launches: after which reset they were made, and where they are.
    workspaces: Mutex<Vec<(u64, u64)>>,
    pub(crate) heap: Heap,
    pub(crate) printf: Printf,
    pub(crate) host_thread: Once,
    pub(crate) graphs: Mutex<Graphs>,
    pub(crate) graph_memory: GraphMemories,
    /// Texture and surface objects.
    objects: Mutex<Objects>,
    /// Captures that are under way.
    pub(crate) capturing: AtomicUsize,
    /// What `hotfire check` adds.
    pub(crate) checking: Option<Checking>,
    /// Seed of the order in which blocks, and warps within them, start; increasing without.
    pub(crate) block_order: Option<u64>,
    /// Slots of the launch pool that the user set, so that the program cannot.
    pool: Option<u32>,
}

impl Device {
    /// The process's device, set up at the first call.
    pub fn get() -> &'static Self {
        static DEVICE: OnceLock<&'static Device> = OnceLock::new();

        extern "C" fn at_exit() {
            if let Some(device) = DEVICE.get() {
                device.write_findings();
                if let Some(tracing) = tracing::active() {
                    tracing.write();
                }
            }
        }
        DEVICE.get_or_init(|| {
            let device = Self::new(Config::default());
            if device.checking.is_some() || tracing::active().is_some() {
                // SAFETY: a function of the process's own, which takes no arguments.
                unsafe { libc::atexit(at_exit) };
            }
            device
        })
    }

    /// A further device; it lives as long as the process.
    ///
    /// # Panics
    /// If the operating system refuses the address space or the threads.
    pub fn new(config: Config) -> &'static Self {
        let environment = || std::env::var("HOTFIRE_WORKERS").ok()?.parse().ok();
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let policy = config.policy.unwrap_or_else(policy_of_environment);
        let memory = Memory::new(
            config
                .memory
                .or_else(memory_of_environment)
                .unwrap_or_else(|| Memory::default_limit(profile::profile().memory)),
        )
        .unwrap_or_else(|error| panic!("hotfire: no address space for device memory: {error}"));
        let checking =
            Checking::of_environment(memory.clone()).or_else(|| config.check.then(|| Checking::new(memory.clone())));
        let workers = config.workers.or_else(environment).unwrap_or_else(cores).clamp(1, 1024);
        // One worker and one seed give one run.
        let workers = if checking.is_some() || tracing::active().is_some() { 1 } else { workers };
        let checks = checking.is_some();
        let pool = config.pool.or_else(pool_of_environment).filter(|_| checks);
        let block_order = config.block_order.or_else(block_order_of_environment);
        let limits = LimitValues::new(pool);
        let device: &'static Self = Box::leak(Box::new(Self {
            engine: Engine::new(limits.pending_launches, policy),
            memory,
            workers,
            sticky: AtomicU32::new(0),
            epoch: AtomicU64::new(0),
            grids: AtomicU64::new(1),
            stack: AtomicU32::new(limits.stack_bytes()),
            limits: Mutex::new(limits),
            flags: Mutex::new(HashMap::new()),
            modules: Mutex::new(Vec::new()),
            texts: Mutex::new(HashMap::new()),
            workspaces: Mutex::new(Vec::new()),
            heap: Heap::new(),
            printf: Printf::new(config.output),
            host_thread: Once::new(),
            graphs: Mutex::default(),
            graph_memory: GraphMemories::default(),
            objects: Mutex::default(),
            capturing: AtomicUsize::new(0),
            checking,
            block_order,
            pool,
        }));
        if let Some(checking) = &device.checking {
            device.engine.set_checking(checking);
            checking.set_in_order(config.in_order.unwrap_or_else(in_order_of_environment));
            checking.listen(device);
            let helper = std::thread::Builder::new().name("hotfire-helper".into());
            helper
                .spawn(|| device.engine.help())
                .unwrap_or_else(|error| panic!("hotfire: no thread for the helper: {error}"));
        }
        let parkers: Vec<Parker> = (0..workers).map(|_| Parker::new()).collect();
        device.engine.set_workers(parkers.iter().map(|parker| parker.unparker().clone()).collect());
        for (index, parker) in parkers.into_iter().enumerate() {
            std::thread::Builder::new()
                .name(format!("hotfire-{index}"))
                .spawn(move || device.work(index, &parker))
                .unwrap_or_else(|error| panic!("hotfire: no thread for worker {index}: {error}"));
        }
        device
    }

    /// The sticky error, if a grid has faulted since the last [`Device::reset`]. Every call that CUDA makes answer it does so by itself.
    pub fn sticky(&self) -> Status {
        Status(self.sticky.load(Ordering::Relaxed))
    }

    pub(crate) fn set_sticky(&self, status: Status) {
        let _ = self.sticky.compare_exchange(0, status.0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// `Err` when there is a sticky error.
    pub(crate) fn healthy(&self) -> Result<(), Status> {
        self.sticky().ok()
    }

    /// Waits until all work is complete (`cudaDeviceSynchronize`); printf output is flushed.
    pub fn synchronize(&'static self) -> Status {
        if let Err(status) = self.refuse_whole() {
            return status;
        }
        let status = self.drain();
        if status.is_success() {
            self.synchronised(None);
        }
        status
    }

    /// Waits until all work is complete, which orders nothing by itself (launch-model 2.5).
    pub(crate) fn drain(&self) -> Status {
        if let Some(tracing) = tracing::active() {
            tracing.awaits(Await::All);
        }
        let mut tails: Vec<_> = self.engine.look(|state| state.model.tails().collect());
        let result = self.engine.wait(|state| {
            if !state.sticky.is_success() {
                return Some(state.sticky);
            }
            while let Some(&tail) = tails.last() {
                if !state.is_complete_or_awaited(tail) {
                    return None;
                }
                tails.pop();
            }
            Some(Status::SUCCESS)
        });
        self.printf.flush();
        if let Some(checking) = &self.checking {
            checking.grids.lock().synchronised();
        }
        result
    }

    /// `cudaDeviceReset`: ends all work, frees all memory, unloads all modules, forgets the sticky error.
    pub fn reset(&'static self) -> Status {
        if self.sticky().is_success() {
            let _ = self.drain();
        }
        // Whatever still runs ends at its next suspension, like after a fault.
        self.set_sticky(Status::DEINITIALIZED);
        self.engine.with(|state| state.fail(Status::DEINITIALIZED));
        self.engine.wait(|state| state.quiet().then_some(()));
        self.printf.flush();
        self.epoch.fetch_add(1, Ordering::Relaxed);
        let limits = LimitValues::new(self.pool);
        self.stack.store(limits.stack_bytes(), Ordering::Relaxed);
        self.modules.lock().drain(..).for_each(|module| module.release(self));
        self.heap.reset(&self.memory);
        *self.graphs.lock() = Graphs::default();
        self.graph_memory.reset();
        self.forget_objects();
        self.capturing.store(0, Ordering::Relaxed);
        self.texts.lock().clear();
        self.free_all();
        if let Some(checking) = &self.checking {
            let peak = self.engine.look(|state| state.model.peak_pending());
            checking.high_water.fetch_max(peak, Ordering::Relaxed);
            checking.reset();
        }
        self.engine.with(|state| state.renew(limits.pending_launches));
        if let Some(checking) = &self.checking {
            checking.forget_queued();
        }
        *self.limits.lock() = limits;
        self.sticky.store(0, Ordering::Relaxed);
        Status::SUCCESS
    }

    /// `cudaDeviceGetAttribute`, by CUDA's number (the driver's and the runtime's agree).
    pub fn attribute(&self, number: u32) -> Option<i32> {
        profile::attribute(number)
    }

    /// The address of a copy of a text that device code may read; 0 when there is no memory.
    pub(crate) fn text(&self, text: &'static CStr) -> u64 {
        *self.texts.lock().entry(text).or_insert_with(|| {
            let bytes = text.to_bytes_with_nul();
            let Some(address) = self.memory.alloc(Kind::Module, bytes.len() as u64, 8) else { return 0 };
            // SAFETY: a fresh allocation of that many bytes.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
            address
        })
    }

    /// Writes what the checker found, if there is one. Called when the process ends.
    pub fn write_findings(&self) {
        if let Some(checking) = &self.checking {
            checking.write(&self.findings());
        }
    }

    /// What the checker found so far; nothing if there is none.
    pub fn findings(&self) -> Report {
        let Some(checking) = &self.checking else { return Report::default() };
        checking.flush();
        let (size, peak) = self.engine.look(|state| (state.model.pending_launches(), state.model.peak_pending()));
        checking.conclude(size, peak.max(checking.high_water.load(Ordering::Relaxed)))
    }

    /// Tells the checker that a call of the host failed.
    pub fn note_failed_call(&self, call: &str, status: Status) {
        if let Some(checking) = &self.checking {
            checking.call_failed(call, status);
        }
    }

    /// Tells the checker that the calling host thread asked for its last error.
    pub fn note_error_read(&self) {
        if let Some(checking) = &self.checking {
            checking.errors_read();
        }
    }

    /// Tells the checker that the calling host thread asked what an error code means.
    pub fn note_error_asked(&self, status: Status) {
        if let Some(checking) = &self.checking {
            checking.error_asked(status);
        }
    }

    /// Whether the device checks the program: then modules keep their texts ([`hotfire_ptx::ast::Module::texts`]).
    pub fn is_checking(&self) -> bool {
        self.checking.is_some()
    }

    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    pub(crate) fn modules(&self) -> &Mutex<Vec<Arc<Module>>> {
        &self.modules
    }

    pub(crate) fn worker_count(&self) -> usize {
        self.workers
    }

    /// Counts resets: what was made in an earlier epoch is gone.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Relaxed)
    }

    pub(crate) fn next_grid_id(&self) -> u64 {
        self.grids.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn stack_limit(&self) -> u32 {
        self.stack.load(Ordering::Relaxed)
    }
}
