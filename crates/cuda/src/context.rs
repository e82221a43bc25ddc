//! Contexts (CUDA Driver API, context management). There is one device; all contexts share it, so that a context is
//! a handle with flags, and the last one that ends takes the device's state with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use hotfire_device::{Device, Status};
use parking_lot::Mutex;

use crate::table::Table;
use crate::types::Handle;

/// One context.
pub(crate) struct Context {
    /// `CU_CTX_SCHED_…` and its relatives.
    pub flags: AtomicU32,
    /// `cuCtxGetId`.
    pub id: u64,
}

static LIVE: Table<Context> = Table::new();
static INITIALISED: AtomicBool = AtomicBool::new(false);
static FORKED: AtomicBool = AtomicBool::new(false);
static GENERATION: AtomicU64 = AtomicU64::new(0);
/// Counts the ends of contexts, from 1.
static ENDED: AtomicU64 = AtomicU64::new(1);
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// The primary context: its handle stays the same over the life of the process.
struct Primary {
    handle: Option<usize>,
    retained: u32,
    flags: u32,
}

static PRIMARY: Mutex<Primary> = Mutex::new(Primary { handle: None, retained: 0, flags: 0 });

/// The child of a fork has none of the parent's worker threads: CUDA cannot be used there, and says so.
extern "C" fn in_forked_child() {
    FORKED.store(true, Ordering::Relaxed);
}

/// `cuInit`.
pub(crate) fn initialise() -> Result<(), Status> {
    if FORKED.load(Ordering::Relaxed) {
        return Err(Status::NOT_INITIALIZED);
    }
    // Most calls come later: they only read.
    if !INITIALISED.load(Ordering::Acquire) && !INITIALISED.swap(true, Ordering::AcqRel) {
        // SAFETY: the handler only stores to a static and is never unloaded: the object is marked as not unloadable by
        // the threads that it starts.
        unsafe { libc::pthread_atfork(None, None, Some(in_forked_child)) };
    }
    Ok(())
}

/// Fails before `cuInit`, and in the child of a fork.
pub(crate) fn require_initialised() -> Result<(), Status> {
    let usable = INITIALISED.load(Ordering::Acquire) && !FORKED.load(Ordering::Relaxed);
    if usable { Ok(()) } else { Err(Status::NOT_INITIALIZED) }
}

/// Counts how often the device's state was thrown away: what was loaded before is gone.
pub(crate) fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// The live context of a handle.
pub(crate) fn get(handle: Handle) -> Result<Arc<Context>, Status> {
    LIVE.find(handle).ok_or(Status::INVALID_CONTEXT)
}

/// Whether the context still exists.
pub(crate) fn exists(handle: Handle) -> bool {
    LIVE.find(handle).is_some()
}

/// A number that changes whenever a context ends: as long as it stays, what existed exists.
pub(crate) fn epoch() -> u64 {
    ENDED.load(Ordering::Acquire)
}

/// Ends a context.
fn end(handle: Handle) -> Result<(), Status> {
    LIVE.remove(handle).map_err(|_| Status::INVALID_CONTEXT)?;
    ENDED.fetch_add(1, Ordering::AcqRel);
    Ok(())
}

/// `cuCtxCreate`.
pub(crate) fn create(flags: u32) -> Handle {
    LIVE.insert(Arc::new(Context { flags: AtomicU32::new(flags), id: NEXT_ID.fetch_add(1, Ordering::Relaxed) }))
}

/// `cuCtxDestroy`: fails for the primary context, which is released instead.
pub(crate) fn destroy(handle: Handle) -> Result<(), Status> {
    get(handle)?;
    if PRIMARY.lock().handle == Some(handle as usize) {
        return Err(Status::INVALID_CONTEXT);
    }
    // A context ends only when its work is complete; errors of that work end with it.
    let _ = Device::get().synchronize();
    end(handle)?;
    reset_if_unused()
}

/// `cuDevicePrimaryCtxRetain`.
pub(crate) fn retain_primary() -> Handle {
    let mut primary = PRIMARY.lock();
    primary.retained += 1;
    match primary.handle {
        Some(handle) => handle as Handle,
        None => {
            let handle = create(primary.flags);
            primary.handle = Some(handle as usize);
            handle
        }
    }
}

/// The primary context for the runtime API, which retains it once.
pub(crate) fn primary_for_runtime() -> Handle {
    if let Some(handle) = PRIMARY.lock().handle {
        return handle as Handle;
    }
    retain_primary()
}

/// `cuDevicePrimaryCtxRelease`.
pub(crate) fn release_primary() -> Result<(), Status> {
    let mut primary = PRIMARY.lock();
    if primary.retained == 0 {
        return Err(Status::INVALID_CONTEXT);
    }
    primary.retained -= 1;
    if primary.retained > 0 {
        return Ok(());
    }
    if let Some(handle) = primary.handle.take() {
        drop(primary);
        let _ = Device::get().synchronize();
        end(handle as Handle)?;
    }
    reset_if_unused()
}

/// `cuDevicePrimaryCtxReset`, `cudaDeviceReset`.
pub(crate) fn reset_primary() -> Result<(), Status> {
    let handle = {
        let mut primary = PRIMARY.lock();
        primary.retained = 0;
        primary.handle.take()
    };
    if let Some(handle) = handle {
        end(handle as Handle)?;
    }
    reset_if_unused()
}

fn reset_if_unused() -> Result<(), Status> {
    if LIVE.len() > 0 {
        return Ok(());
    }
    GENERATION.fetch_add(1, Ordering::AcqRel);
    crate::driver::forget_modules();
    crate::texture::forget_all();
    Device::get().reset().ok()
}

/// Flags of the primary context, and whether it is active.
pub(crate) fn primary_state() -> (u32, bool) {
    let primary = PRIMARY.lock();
    let flags = primary.handle.and_then(|handle| LIVE.find(handle as Handle));
    (flags.map_or(primary.flags, |context| context.flags.load(Ordering::Relaxed)), primary.handle.is_some())
}

/// `cuDevicePrimaryCtxSetFlags`.
pub(crate) fn set_primary_flags(flags: u32) {
    let mut primary = PRIMARY.lock();
    primary.flags = flags;
    if let Some(context) = primary.handle.and_then(|handle| LIVE.find(handle as Handle)) {
        context.flags.store(flags, Ordering::Relaxed);
    }
}
