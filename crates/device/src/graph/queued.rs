//! What nodes are judged by when they are added, and what the launches and frees of graphs do to memory.

use super::params::{Arguments, KernelNode, NodeParams};
use crate::checking::{Origin, Stack};
use crate::device::{Device, LaunchConfig};
use crate::module::Function;
use crate::status::Status;
use std::sync::Arc;

impl Device {
    /// Whether a node can be what these parameters say.
    pub(super) fn check_node(&'static self, params: &NodeParams) -> Result<(), Status> {
        self.healthy()?;
        match params {
            NodeParams::Kernel(node) => {
                let KernelNode { function, grid, block, dynamic_shared, attributes, .. } = node;
                self.check_launch(function, *grid, *block, *dynamic_shared, attributes).map(drop)
            }
            NodeParams::Memcpy(copy, _) if copy.width == 0 || copy.height == 0 || copy.depth == 0 => Ok(()),
            NodeParams::Memcpy(copy, direction) => self.check_copy(copy, *direction),
            NodeParams::Memset(fill) => self.check_device_fill(fill),
            NodeParams::WaitEvent(event) | NodeParams::EventRecord(event) => {
                let known = self.engine.look(|state| state.events.get(*event).is_some());
                if known { Ok(()) } else { Err(Status::INVALID_RESOURCE_HANDLE) }
            }
            NodeParams::MemAlloc(node) if node.bytes == 0 => Err(Status::INVALID_VALUE),
            NodeParams::MemFree(address) if !self.graph_memory.owns(*address) => Err(Status::INVALID_VALUE),
            _ => Ok(()),
        }
    }

    /// A launch as a node.
    pub(crate) fn kernel_node(function: &Arc<Function>, config: &LaunchConfig, parameters: &[u8]) -> KernelNode {
        KernelNode {
            handle: config.handle,
            function: function.clone(),
            grid: config.grid,
            block: config.block,
            dynamic_shared: config.dynamic_shared,
            attributes: config.attributes,
            set: Vec::new(),
            arguments: Arguments::new(function, &parameters[..function.parameter_bytes() as usize]),
        }
    }

    /// A node allocates memory.
    pub(crate) fn allocate_in_graph(&self, address: u64, by: Origin) {
        let bytes = self.graph_memory.allocate(address);
        if let Some(checking) = &self.checking {
            checking.made(crate::checking::Class::Device, address, bytes, by);
        }
    }

    /// Memory of a graph is freed.
    pub(crate) fn free_of_graph(&self, address: u64, by: Origin) {
        if self.graph_memory.free(self, address)
            && let Some(checking) = &self.checking
        {
            checking.freed(address, by);
        }
    }

    /// `cudaFree` of memory of a graph: nothing if the address is none.
    pub(crate) fn free_if_of_graph(&self, address: u64) -> Option<Status> {
        if !self.graph_memory.owns(address) {
            return None;
        }
        if !self.graph_memory.is_promised(address) {
            return Some(Status::INVALID_VALUE);
        }
        if let Err(status) = self.drain().ok() {
            return Some(status);
        }
        self.graph_memory.promise(address, false);
        self.free_of_graph(address, Origin::Host(Stack::here()));
        Some(Status::SUCCESS)
    }
}
