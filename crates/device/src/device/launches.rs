//! Kernel launches by the host. launch-model.md section 2.1.

use super::{Device, LaunchAttributes, LaunchConfig, Stream, Workspace};
use crate::checking::Stack;
use crate::engine::{Checked, Grid, Shape};
use crate::graph::{EdgeData, NodeParams};
use crate::memory::Kind;
use crate::module::Function;
use crate::profile;
use crate::status::Status;
use hotfire_launch::Work;
use std::sync::Arc;

/// Alignment of parameter blocks.
pub(crate) const PARAMETER_ALIGNMENT: u64 = 64;

impl Device {
    /// Launches a kernel; `parameters` is its parameter block in PTX layout ([`Function::parameters`]), which is copied.
    pub fn launch(&'static self, function: &Arc<Function>, config: &LaunchConfig, parameters: &[u8]) -> Status {
        self.start_launch(function, config, parameters).into()
    }

    fn start_launch(
        &'static self,
        function: &Arc<Function>,
        config: &LaunchConfig,
        parameters: &[u8],
    ) -> Result<(), Status> {
        self.healthy()?;
        let handle = self.resolve(config.stream);
        if let Some(captured) = self.capture_launch(handle, function, config, parameters) {
            return captured;
        }
        let checked =
            self.check_launch(function, config.grid, config.block, config.dynamic_shared, &config.attributes)?;
        if parameters.len() < function.parameter_bytes() as usize {
            return Err(Status::INVALID_VALUE);
        }
        let workspace = if config.attributes.cooperative { Some(Workspace::new(self)?) } else { None };
        let stack = self.checking.as_ref().map(|_| Stack::here());
        let block = self.parameter_block(&parameters[..function.parameter_bytes() as usize])?;
        let LaunchAttributes { programmatic_event, launch_completion_event, .. } = config.attributes;
        let launched = self.with(|state| {
            // The launch may have raced with a fault.
            state.sticky.ok()?;
            let stream = state.stream(handle)?;
            for event in [programmatic_event, launch_completion_event].into_iter().flatten() {
                let entry = state.events.get(event).ok_or(Status::INVALID_RESOURCE_HANDLE)?;
                if !entry.flags.disable_timing {
                    return Err(Status::NOT_SUPPORTED);
                }
            }
            let grid = Grid::new(self, checked, block, state.cancel.clone(), None, workspace);
            if let (Some(checking), Some(stack)) = (&self.checking, stack) {
                checking.host_launch(&grid, handle, stack);
            }
            // All blocks of a cooperative launch become resident at once: an H200 starts none early.
            let early = config.attributes.programmatic_serialization && !config.attributes.cooperative;
            let item =
                if early { state.model.submit_programmatic(stream) } else { state.model.submit(stream, Work::Grid) };
            if let Some(checking) = &self.checking {
                let id = checking.submitted_grid(state, item, grid.code.gridid);
                grid.set_id(id);
                let front = state.model.order.last().front;
                checking.may_overlap(
                    &grid.function,
                    grid.code.gridid,
                    front,
                    id,
                    config.attributes.programmatic_serialization,
                );
            }
            state.attach_dependent(&grid, item);
            Self::launch_events(state, stream, item, &grid, &config.attributes);
            state.attach_grid(item, grid);
            if let Some(checking) = &self.checking {
                checking.queued(state, None);
            }
            Ok(())
        });
        if launched.is_err() && block != 0 {
            let _ = self.memory().free(block);
        }
        launched
    }

    /// Whether a kernel can be launched so. What does not fit is an invalid value to the host, whatever it is (litmus/codes.h200.txt); device
    /// code is told more.
    pub(crate) fn check_launch(
        &self,
        function: &Arc<Function>,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: u32,
        attributes: &LaunchAttributes,
    ) -> Result<Checked, Status> {
        let shape = Shape { grid, block, dynamic_shared, cluster: attributes.cluster };
        let checked = Checked::new(function, shape, Status::INVALID_VALUE).map_err(|status| match status {
            Status::INVALID_CONFIGURATION | Status::LAUNCH_OUT_OF_RESOURCES => Status::INVALID_VALUE,
            status => status,
        })?;
        if attributes.cooperative && checked.blocks() > checked.capacity {
            return Err(Status::COOPERATIVE_LAUNCH_TOO_LARGE);
        }
        Ok(checked)
    }

    /// If the stream is captured: the launch becomes a node, its events stand for how far that has come.
    fn capture_launch(
        &'static self,
        stream: Stream,
        function: &Arc<Function>,
        config: &LaunchConfig,
        parameters: &[u8],
    ) -> Option<Result<(), Status>> {
        let LaunchAttributes { programmatic_serialization, cooperative, .. } = config.attributes;
        let node = self.capture_work(stream, programmatic_serialization && !cooperative, || {
            self.check_launch(function, config.grid, config.block, config.dynamic_shared, &config.attributes)?;
            if parameters.len() < function.parameter_bytes() as usize {
                return Err(Status::INVALID_VALUE);
            }
            Ok(NodeParams::Kernel(Self::kernel_node(function, config, parameters)))
        })?;
        Some(node.map(|node| {
            let LaunchAttributes { programmatic_event, launch_completion_event, .. } = config.attributes;
            let events =
                [(programmatic_event, EdgeData::PROGRAMMATIC), (launch_completion_event, EdgeData::LAUNCH_COMPLETION)];
            for (event, data) in events {
                if let Some(event) = event {
                    self.capture_launch_event(event, node, data, stream);
                }
            }
        }))
    }

    /// A parameter block with these bytes; address 0 for none.
    pub(crate) fn parameter_block(&self, parameters: &[u8]) -> Result<u64, Status> {
        if parameters.is_empty() {
            return Ok(0);
        }
        let size = parameters.len();
        let address =
            self.memory().alloc(Kind::Parameters, size as u64, PARAMETER_ALIGNMENT).ok_or(Status::MEMORY_ALLOCATION)?;
        // SAFETY: a fresh allocation of that many bytes.
        unsafe { std::ptr::copy_nonoverlapping(parameters.as_ptr(), address as *mut u8, size) };
        Ok(address)
    }

    /// `cudaOccupancyMaxActiveBlocksPerMultiprocessor`.
    ///
    /// # Errors
    /// What compiling the kernel answers; 1 for an impossible block.
    pub fn occupancy(&self, function: &Function, block_threads: u32, dynamic_shared: u32) -> Result<u32, Status> {
        if block_threads == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let kernel = function.kernel()?;
        if block_threads > function.max_threads() {
            return Ok(0);
        }
        Ok(profile::blocks_per_multiprocessor(block_threads, kernel.static_shared.saturating_add(dynamic_shared)))
    }
}
