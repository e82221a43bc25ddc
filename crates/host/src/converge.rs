//! Iterating until the device says that it is enough, with one launch for the host.
//!
//! Code that used to synchronise with its children inside a loop has to move the loop out of the kernel. Two ways: a conditional WHILE node of a
//! graph, whose body may not launch from the device, or a kernel that launches the next turn into its own tail stream. Tails of a grid run
//! in launch order when the grid is done, so that one pool slot for each launch of a turn, and one for the next turn, is enough however
//! long it iterates.

use std::mem;
use std::ptr;

use cudarc::driver::sys::{self, CUgraphConditionalHandle};

use crate::driver::check;
use crate::graph::Template;
use crate::module::none;
use crate::{Arguments, Chain, Device, Error, Graph, Launch, LaunchPool, Plain, Result, Stream};

/// What a kernel sets by `cudaGraphSetConditional` to go on (1) or to stop (0).
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Condition(CUgraphConditionalHandle);

// SAFETY: a handle of 64 bits, as `cudaGraphConditionalHandle` of the device.
unsafe impl Plain for Condition {}

/// A graph that repeats its body while a condition holds. The condition is true at the start of every launch.
#[derive(Debug)]
pub struct WhileLoop {
    body: Chain,
    graph: Graph,
}

impl WhileLoop {
    /// Builds the body for a condition, which a kernel of the body gets as an argument.
    pub fn build(device: &Device, body: impl FnOnce(Condition) -> Result<Chain>) -> Result<Self> {
        let template = Template::new(device)?;
        let context = device.context().cu_ctx();
        let mut handle: CUgraphConditionalHandle = 0;
        let default = sys::CU_GRAPH_COND_ASSIGN_DEFAULT;
        // SAFETY: graph and context live; a place for the result.
        let answer =
            unsafe { sys::cuGraphConditionalHandleCreate(&mut handle, template.handle(), context, 1, default) };
        check("cuGraphConditionalHandleCreate", answer)?;

        // SAFETY: all zero is a value of this structure of numbers and pointers.
        let mut parameters: sys::CUgraphNodeParams = unsafe { mem::zeroed() };
        parameters.type_ = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
        parameters.__bindgen_anon_1.conditional = sys::CUDA_CONDITIONAL_NODE_PARAMS {
            handle,
            type_: sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_WHILE,
            size: 1,
            phGraph_out: none(),
            ctx: context,
        };
        let mut node = ptr::null_mut();
        // SAFETY: the graph lives and has no other node; the parameters are those of a conditional node.
        let answer = unsafe {
            sys::cuGraphAddNode_v2(&mut node, template.handle(), ptr::null(), ptr::null(), 0, &mut parameters)
        };
        check("cuGraphAddNode", answer)?;
        // SAFETY: the call has filled in the list of bodies; there is one.
        let inside = unsafe { *parameters.__bindgen_anon_1.conditional.phGraph_out };

        let body = body(Condition(handle))?;
        Template::capture_into(device, inside, |stream| body.submit(stream, false))?;
        let graph = template.instantiate()?;
        Ok(Self { body, graph })
    }

    /// Runs it until the condition is false.
    ///
    /// # Safety
    ///
    /// What was promised when the kernels of the body were added still holds.
    pub unsafe fn run(&mut self, stream: &Stream) -> Result<()> {
        self.body.allow()?;
        // SAFETY: the caller's promise.
        let number = unsafe { self.graph.launch(stream) }?;
        self.body.mark(stream, number);
        Ok(())
    }
}

/// A kernel that launches the kernels of a turn, and then itself, into its tail stream.
#[derive(Clone, Debug)]
pub struct TailLoop {
    launch: Launch,
}

impl TailLoop {
    /// Takes the kernel's launch, and how many tails it launches in a turn, itself among them.
    ///
    /// # Errors
    ///
    /// [`Error::PoolTooSmall`] if they do not fit beside the turn that launches them; [`Error::TriggerBeforeTail`] if the kernel triggers
    /// dependents, for an H200 was seen never to end such a kernel (`litmus/README.md`).
    pub fn new(launch: Launch, pool: &LaunchPool, launches_a_turn: usize) -> Result<Self> {
        let needed = launches_a_turn + 1;
        if pool.granted() < needed {
            return Err(Error::PoolTooSmall { needed, granted: pool.granted() });
        }
        if launch.kernel().triggers() {
            return Err(Error::TriggerBeforeTail { kernel: launch.kernel().name().to_owned() });
        }
        Ok(Self { launch })
    }

    /// Runs it until the kernel no longer launches itself.
    ///
    /// # Safety
    ///
    /// As for [`Launch::on`], for the whole tree of launches.
    pub unsafe fn run(&self, stream: &Stream, arguments: &impl Arguments) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.launch.on(stream, arguments) }
    }
}
