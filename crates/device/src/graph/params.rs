//! What nodes of graphs are (CUDA guide, "CUDA Graphs", node types), and what lies on their edges.

use crate::checking::Stack;
use crate::copy::{Copy3d, Direction, Fill3d};
use crate::device::{Event, LaunchAttributes};
use crate::module::Function;
use crate::status::Status;
use hotfire_launch::GraphEdge;
use std::ffi::c_void;
use std::sync::Arc;

/// What lies on an edge (`cudaGraphEdgeData`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeData {
    /// What of the node in front activates the edge: 0 its completion, 1 its trigger, 2 the begin of all its blocks.
    pub from_port: u8,
    /// Always 0: the whole node behind waits.
    pub to_port: u8,
    /// 0, or 1 for a programmatic dependency: between kernels, whose wait then covers the node in front.
    pub kind: u8,
}

impl EdgeData {
    /// What stream serialisation becomes in a capture.
    pub const PROGRAMMATIC: Self = Self { from_port: 1, to_port: 0, kind: 1 };
    /// What a launch-completion event becomes in a capture.
    pub const LAUNCH_COMPLETION: Self = Self { from_port: 2, to_port: 0, kind: 0 };

    /// Whether such an edge may lie between nodes of these types.
    pub(super) fn check(self, from: NodeType, to: NodeType) -> Result<(), Status> {
        let kernels = from == NodeType::Kernel && to == NodeType::Kernel;
        let legal = match (self.from_port, self.kind) {
            (0, 0) => true,
            (1 | 2, 1) => kernels,
            (2, 0) => from == NodeType::Kernel,
            _ => false,
        };
        if legal && self.to_port == 0 { Ok(()) } else { Err(Status::INVALID_VALUE) }
    }

    pub(super) fn edge(self) -> GraphEdge {
        match (self.from_port, self.kind) {
            (1, _) => GraphEdge::Programmatic,
            (2, 1) => GraphEdge::ProgrammaticAtBegin,
            (2, _) => GraphEdge::LaunchCompletion,
            _ => GraphEdge::Full,
        }
    }
}

/// `cudaGraphNodeType`; the numbers of both APIs agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as CUDA names them")]
#[repr(u32)]
pub enum NodeType {
    Kernel = 0,
    Memcpy = 1,
    Memset = 2,
    Host = 3,
    Graph = 4,
    Empty = 5,
    WaitEvent = 6,
    EventRecord = 7,
    MemAlloc = 10,
    MemFree = 11,
    Conditional = 13,
}

impl NodeType {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Kernel => "KERNEL",
            Self::Memcpy => "MEMCPY",
            Self::Memset => "MEMSET",
            Self::Host => "HOST",
            Self::Graph => "CHILD GRAPH",
            Self::Empty => "EMPTY",
            Self::WaitEvent => "EVENT WAIT",
            Self::EventRecord => "EVENT RECORD",
            Self::MemAlloc => "MEM ALLOC",
            Self::MemFree => "MEM FREE",
            Self::Conditional => "CONDITIONAL",
        }
    }
}

/// The values of a kernel's parameters, and a pointer to each, as `cudaKernelNodeParams` hands them out.
#[derive(Debug)]
pub struct Arguments {
    bytes: Box<[u8]>,
    pointers: Box<[usize]>,
}

impl Arguments {
    /// From a parameter block in PTX layout.
    pub fn new(function: &Function, block: &[u8]) -> Arc<Self> {
        let bytes: Box<[u8]> = block.into();
        let start = bytes.as_ptr() as usize;
        let pointers = function.parameters().iter().map(|parameter| start + parameter.offset as usize).collect();
        Arc::new(Self { bytes, pointers })
    }

    /// The parameter block.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// An array of pointers to the values; it lives as long as this. Null for a kernel without parameters.
    pub fn pointers(&self) -> *const *const c_void {
        if self.pointers.is_empty() { std::ptr::null() } else { self.pointers.as_ptr().cast() }
    }
}

/// A launch of a kernel.
#[derive(Clone)]
pub struct KernelNode {
    /// What the program calls the kernel.
    pub handle: u64,
    /// The kernel.
    pub function: Arc<Function>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory a block.
    pub dynamic_shared: u32,
    /// What changes the launch.
    pub attributes: LaunchAttributes,
    /// Attributes as they were set, hints included: number and value.
    pub set: Vec<(u32, [u8; 64])>,
    /// Its arguments.
    pub arguments: Arc<Arguments>,
}

/// A call of a host function.
#[derive(Clone, Copy, Debug)]
pub struct HostNode {
    /// What is called.
    pub function: extern "C" fn(*mut c_void),
    /// With what.
    pub data: u64,
}

/// Memory that a graph allocates when it runs, at an address that is known before.
#[derive(Clone, Copy, Debug)]
pub struct AllocNode {
    /// Bytes.
    pub bytes: u64,
    /// The address; 0 before the node is added.
    pub address: u64,
}

/// `cudaGraphConditionalNodeType`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as CUDA names them")]
pub enum ConditionalKind {
    If,
    While,
    Switch,
}

/// A node whose body runs depending on a value that kernels set.
#[derive(Clone, Debug)]
pub struct ConditionalNode {
    /// Where the value is.
    pub handle: u64,
    /// How it decides.
    pub kind: ConditionalKind,
    /// How many bodies there are.
    pub size: u32,
    /// The bodies: graphs that belong to the node; empty before it is added.
    pub bodies: Vec<u64>,
}

/// What a node does.
#[derive(Clone)]
#[expect(missing_docs, reason = "named as CUDA names them")]
pub enum NodeParams {
    Kernel(KernelNode),
    Memcpy(Copy3d, Direction),
    Memset(Fill3d),
    Host(HostNode),
    /// A child graph; the node has a copy of it.
    Graph(u64),
    Empty,
    WaitEvent(Event),
    EventRecord(Event),
    MemAlloc(AllocNode),
    MemFree(u64),
    Conditional(ConditionalNode),
}

impl NodeParams {
    /// Its type.
    pub fn node_type(&self) -> NodeType {
        match self {
            Self::Kernel(_) => NodeType::Kernel,
            Self::Memcpy(..) => NodeType::Memcpy,
            Self::Memset(_) => NodeType::Memset,
            Self::Host(_) => NodeType::Host,
            Self::Graph(_) => NodeType::Graph,
            Self::Empty => NodeType::Empty,
            Self::WaitEvent(_) => NodeType::WaitEvent,
            Self::EventRecord(_) => NodeType::EventRecord,
            Self::MemAlloc(_) => NodeType::MemAlloc,
            Self::MemFree(_) => NodeType::MemFree,
            Self::Conditional(_) => NodeType::Conditional,
        }
    }
}

/// A node of a graph's description.
#[derive(Clone)]
pub(crate) struct Node {
    pub handle: u64,
    /// Of which node of another graph it is a copy, if it is one.
    pub original: u64,
    pub params: NodeParams,
    /// What it waits for.
    pub dependencies: Vec<(u64, EdgeData)>,
    /// Where it was added or captured, if the run is checked.
    pub stack: Option<Stack>,
}
