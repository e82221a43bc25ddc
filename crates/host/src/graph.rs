//! Executable graphs, made by capturing a stream.

use std::ptr;

use cudarc::driver::sys::{self, CUgraph, CUgraphExec, CUstreamCaptureMode};

use crate::driver::check;
use crate::{Device, Result, Stream};

/// A graph under construction, destroyed when dropped.
pub(crate) struct Template {
    device: Device,
    graph: CUgraph,
}

impl Drop for Template {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once; its bodies go with it. An error has nobody to go to.
        let _ = unsafe { sys::cuGraphDestroy(self.graph) };
    }
}

impl Template {
    pub(crate) fn new(device: &Device) -> Result<Self> {
        device.bind()?;
        let mut graph = ptr::null_mut();
        // SAFETY: a place for the result; there are no flags.
        check("cuGraphCreate", unsafe { sys::cuGraphCreate(&mut graph, 0) })?;
        Ok(Self { device: device.clone(), graph })
    }

    pub(crate) fn handle(&self) -> CUgraph {
        self.graph
    }

    /// What `submit` puts into a stream of its own, as a graph.
    pub(crate) fn capture(device: &Device, submit: impl FnOnce(&Stream) -> Result<()>) -> Result<Self> {
        let stream = Stream::new(device)?;
        device.bind()?;
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream lives, and nothing else uses it.
        check("cuStreamBeginCapture", unsafe { sys::cuStreamBeginCapture_v2(stream.handle(), mode) })?;
        let submitted = submit(&stream);
        let mut graph = ptr::null_mut();
        // SAFETY: as above; a place for the result. The capture ends also when something in it was refused.
        let ended = check("cuStreamEndCapture", unsafe { sys::cuStreamEndCapture(stream.handle(), &mut graph) });
        let captured = (!graph.is_null()).then(|| Self { device: device.clone(), graph });
        submitted?;
        ended?;
        captured.ok_or(crate::Error::Invalid("a capture that made no graph"))
    }

    /// What `submit` puts into a stream, as nodes of `body`, which a node of another graph owns.
    pub(crate) fn capture_into(
        device: &Device,
        body: CUgraph,
        submit: impl FnOnce(&Stream) -> Result<()>,
    ) -> Result<()> {
        let stream = Stream::new(device)?;
        device.bind()?;
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: stream and graph live; there are no nodes to depend on.
        let begun =
            unsafe { sys::cuStreamBeginCaptureToGraph(stream.handle(), body, ptr::null(), ptr::null(), 0, mode) };
        check("cuStreamBeginCaptureToGraph", begun)?;
        let submitted = submit(&stream);
        let mut graph = ptr::null_mut();
        // SAFETY: as above. The graph that comes back is `body`.
        let ended = check("cuStreamEndCapture", unsafe { sys::cuStreamEndCapture(stream.handle(), &mut graph) });
        submitted?;
        ended
    }

    pub(crate) fn instantiate(&self) -> Result<Graph> {
        self.device.bind()?;
        let mut exec = ptr::null_mut();
        // SAFETY: the graph lives; a place for the result.
        check("cuGraphInstantiate", unsafe { sys::cuGraphInstantiateWithFlags(&mut exec, self.graph, 0) })?;
        Ok(Graph { device: self.device.clone(), exec })
    }
}

/// A graph that can be launched. It is one item of the stream that it is launched into.
#[derive(Debug)]
pub struct Graph {
    device: Device,
    exec: CUgraphExec,
}

// SAFETY: CUDA asks only that no two threads use one at the same time; launching takes `&mut self`.
unsafe impl Send for Graph {}

impl Graph {
    /// Launches it.
    ///
    /// # Safety
    ///
    /// As for every kernel in it: its arguments and the memory that they name are as they must be, until it is complete.
    pub(crate) unsafe fn launch(&mut self, stream: &Stream) -> Result<u64> {
        self.device.bind()?;
        self.device.note_kernel();
        // SAFETY: graph and stream live.
        check("cuGraphLaunch", unsafe { sys::cuGraphLaunch(self.exec, stream.handle()) })?;
        Ok(self.device.submit())
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once; CUDA keeps what a running launch needs. An error has nobody to go to.
        let _ = unsafe { sys::cuGraphExecDestroy(self.exec) };
    }
}
