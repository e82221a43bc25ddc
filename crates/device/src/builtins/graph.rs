//! Graphs that kernels of graphs launch, and values that they set for conditional nodes (CUDA guide, "Device graph launch",
//! "Conditional graph nodes"). launch-model.md section 5.

use super::arguments::{Arguments, Caller};
use crate::checking::{LaunchCall, Who};
use crate::engine::{Grid, Operation};
use crate::exec;
use crate::graph::{Expansion, Run};
use crate::status::Status;
use hotfire_jit::abi::ThreadContext;
use hotfire_launch::Work;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The streams that a launch may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queue {
    /// Behind the launching graph and all that it launched so far.
    Tail,
    /// A part of the launching graph.
    FireAndForget,
    /// A part of what the launching graph is a part of.
    Sibling,
}

/// Fire-and-forget launches by one run of a graph, at most; and sibling launches [h200].
const MOST_FIRED: u32 = 120;
/// Tail launches that are pending behind one run of a graph, at most.
const MOST_TAILS: u32 = 255;
/// What a launch beyond these answers.
const TOO_MANY: Status = Status::INVALID_VALUE;

impl Queue {
    fn of(handle: u64) -> Option<Self> {
        Some(match handle >> 56 {
            _ if handle << 8 != 0 => return None,
            1 => Self::Tail,
            2 => Self::FireAndForget,
            3 => Self::Sibling,
            _ => return None,
        })
    }
}

/// Takes one of so many.
fn take(count: &std::sync::atomic::AtomicU32, most: u32) -> Result<(), Status> {
    let more = |taken| (taken < most).then_some(taken + 1);
    count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).map(drop).map_err(|_| TOO_MANY)
}

/// Launches an executable graph. True if the thread should let it come first.
///
/// # Safety
/// The context is the calling thread's.
unsafe fn launch(grid: &Grid, handle: u64, stream: u64, context: *mut ThreadContext) -> Result<bool, Status> {
    let device = grid.device;
    let queue = Queue::of(stream).ok_or(Status::INVALID_VALUE)?;
    let exec = device.graphs.lock().exec(handle)?;
    if !exec.is_for_device() || !exec.uploaded.load(Ordering::Relaxed) {
        return Err(Status::INVALID_VALUE);
    }
    let body = exec.body.lock().clone();
    device.with(|state| {
        state.sticky.ok()?;
        // Only kernels of graphs launch graphs.
        let own = grid.graph().and_then(|item| state.run(item)).cloned().ok_or(Status::INVALID_VALUE)?;
        let within = grid.graph().ok_or(Status::INVALID_VALUE)?;
        // One that only the host can launch has nothing around it.
        let environment = own.environment.lock().unwrap_or(within);
        let again = Arc::ptr_eq(&own.exec, &exec);
        // A graph runs once at a time; it may ask to run again behind itself.
        let pending = if again { &exec.again } else { &exec.busy };
        if (again && queue != Queue::Tail) || pending.swap(true, Ordering::AcqRel) {
            return Err(Status::INVALID_VALUE);
        }
        let counted = match queue {
            Queue::Tail => take(&own.tails, MOST_TAILS),
            Queue::FireAndForget => take(&own.fired, MOST_FIRED),
            Queue::Sibling => take(&own.siblings, MOST_FIRED),
        };
        if let Err(status) = counted {
            pending.store(false, Ordering::Release);
            return Err(status);
        }
        let (item, around) = match queue {
            Queue::Tail => (state.model.add_behind(within), environment),
            Queue::FireAndForget => (state.model.add_within(within, Work::Operation), within),
            Queue::Sibling => (state.model.add_within(environment, Work::Operation), environment),
        };
        let mut run = Run::new(exec.clone(), body);
        *run.environment.get_mut() = Some(around);
        if let Some(checking) = &device.checking {
            let (inner, outer) =
                (state.id(within), state.id(if queue == Queue::Sibling { environment } else { within }));
            // SAFETY: the caller's promise.
            unsafe { checking.device_graph(state, item, context, (inner, outer), queue == Queue::Tail, &mut run) };
        }
        state.attach_operation(item, Operation::Graph(Expansion::root(Arc::new(run), false)));
        if queue != Queue::Tail {
            state.model.release(item);
        }
        Ok(queue != Queue::Tail && state.gives_way(false))
    })
}

/// `cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)`
pub(super) unsafe extern "C-unwind" fn graph_launch(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (handle, stream): (u64, u64) = (arguments.next(), arguments.next());
        let mut gives_way = false;
        Caller(context).status(result, |grid, _| {
            gives_way = launch(grid, handle, stream, context).inspect_err(|&status| {
                if let Some(checking) = grid.device.checking.as_ref().filter(|_| grid.device.sticky().is_success()) {
                    checking.launch_failed(Who::of(context), LaunchCall::Launch, None, None, status);
                }
            })?;
            Ok(())
        });
        if gives_way {
            exec::give_way(context);
        }
    }
}

/// `void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value)`
pub(super) unsafe extern "C-unwind" fn set_conditional(
    context: *mut ThreadContext,
    arguments: *const u8,
    _result: *mut u8,
) {
    // SAFETY: called by generated code with this signature, on the thread's own stack until the worker's is taken.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (handle, value): (u64, u32) = (arguments.next(), arguments.next());
        let grid = Grid::from_owner(exec::owner(context));
        exec::on_worker_stack(context, || {
            let run = grid.device.with(|state| grid.graph().and_then(|item| state.run(item)).cloned());
            // A handle of another graph decides nothing here.
            if let Some(known) = run.as_ref().and_then(|run| run.exec.values.get(&handle)) {
                known.now.store(value, Ordering::Relaxed);
            }
        });
    }
}
