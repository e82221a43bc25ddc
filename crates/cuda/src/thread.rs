//! What CUDA keeps for each host thread: the stack of current contexts, the last error of the runtime API, and the
//! launch configurations between `<<<…>>>` and the launch.

use std::cell::{Cell, RefCell};

use hotfire_device::{Device, Status};

use crate::context;
use crate::types::{Dim3, Handle};

thread_local! {
    static LAST_ERROR: Cell<Status> = const { Cell::new(Status::SUCCESS) };
    /// The epoch of [`context::epoch`] in which the current context was seen to exist; 0 for none.
    static CHECKED: Cell<u64> = const { Cell::new(0) };
    static CONTEXTS: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
    static CONFIGURATIONS: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// What stands between `<<<` and `>>>`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: usize,
    pub stream: Handle,
}

/// Keeps a failure as the thread's last error.
pub(crate) fn failed(status: Status) -> Status {
    // "Not ready" (600) is an answer, not a failure: an H200 does not keep it.
    if status.0 != 600 {
        LAST_ERROR.set(status);
    }
    status
}

/// `cudaPeekAtLastError`.
pub(crate) fn last_error() -> Status {
    LAST_ERROR.get()
}

/// `cudaGetLastError`.
pub(crate) fn take_last_error() -> Status {
    LAST_ERROR.replace(Status::SUCCESS)
}

/// The stack of contexts. It is gone while a thread ends: CUDA is then as good as shut down for it.
fn contexts<R>(action: impl FnOnce(&mut Vec<Handle>) -> R) -> Result<R, Status> {
    CHECKED.set(0);
    CONTEXTS.try_with(|stack| action(&mut stack.borrow_mut())).map_err(|_| Status::DEINITIALIZED)
}

/// The current context; null when there is none.
pub(crate) fn current() -> Result<Handle, Status> {
    contexts(|stack| stack.last().copied().unwrap_or(std::ptr::null_mut()))
}

/// `cuCtxSetCurrent`: replaces the top of the stack; null pops it.
pub(crate) fn set_current(context: Handle) -> Result<(), Status> {
    contexts(|stack| {
        stack.pop();
        if !context.is_null() {
            stack.push(context);
        }
    })
}

/// `cuCtxPushCurrent`.
pub(crate) fn push(context: Handle) -> Result<(), Status> {
    contexts(|stack| stack.push(context))
}

/// `cuCtxPopCurrent`.
pub(crate) fn pop() -> Result<Handle, Status> {
    contexts(Vec::pop)?.ok_or(Status::INVALID_CONTEXT)
}

/// What must hold before a driver call that uses a context.
pub(crate) fn require_context() -> Result<(), Status> {
    context::require_initialised()?;
    let epoch = context::epoch();
    if CHECKED.get() != epoch {
        let current = current()?;
        if current.is_null() {
            return Err(Status::INVALID_CONTEXT);
        }
        if !context::exists(current) {
            return Err(Status(709)); // CUDA_ERROR_CONTEXT_IS_DESTROYED
        }
        CHECKED.set(epoch);
    }
    Device::get().sticky().ok()
}

/// What must hold before a runtime call that uses the device; the first one makes the primary context current.
pub(crate) fn require_device() -> Result<(), Status> {
    context::initialise()?;
    let epoch = context::epoch();
    if CHECKED.get() != epoch {
        let current = current()?;
        if current.is_null() || !context::exists(current) {
            set_current(context::primary_for_runtime())?;
        }
        CHECKED.set(epoch);
    }
    Device::get().sticky().ok()
}

/// Keeps a launch configuration.
pub(crate) fn push_configuration(configuration: Configuration) -> Result<(), Status> {
    CONFIGURATIONS.try_with(|stack| stack.borrow_mut().push(configuration)).map_err(|_| Status::DEINITIALIZED)
}

/// Takes the latest launch configuration.
pub(crate) fn pop_configuration() -> Result<Configuration, Status> {
    CONFIGURATIONS.try_with(|stack| stack.borrow_mut().pop()).map_err(|_| Status::DEINITIALIZED)?.ok_or(Status(52)) // cudaErrorMissingConfiguration
}
