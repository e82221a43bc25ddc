//! Parameters of nodes, between C's structures and the device's.

use std::collections::HashMap;
use std::ffi::c_void;

use hotfire_device::graph::{AllocNode, Arguments, ConditionalKind, ConditionalNode, HostNode, KernelNode, NodeParams};
use hotfire_device::{Copy3d, Direction, Event, Fill3d, LaunchAttributes, Status};
use parking_lot::Mutex;

use crate::copies::direction;
use crate::launch::{Parameters, fill, function};
use crate::notice;
use crate::types::{
    ConditionalNodeParams, Dim3, DriverKernelNodeParams, Extent, GraphNodeParams, Handle, HostNodeParams,
    KernelNodeParams, MemAllocNodeParams, Memcpy3D, Memcpy3DParms, MemsetNodeParams, PitchedPtr, Pos, Side3D, number,
};

/// Which API's structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    Runtime,
    Driver,
}

/// `CUgraphNodeType`
pub(super) mod kind {
    pub const KERNEL: u32 = 0;
    pub const MEMCPY: u32 = 1;
    pub const MEMSET: u32 = 2;
    pub const HOST: u32 = 3;
    pub const GRAPH: u32 = 4;
    pub const EMPTY: u32 = 5;
    pub const WAIT: u32 = 6;
    pub const RECORD: u32 = 7;
    pub const ALLOC: u32 = 10;
    pub const FREE: u32 = 11;
    pub const CONDITIONAL: u32 = 13;
}

/// A kernel node; `kernel` is what the structure names it by.
pub(super) fn kernel(node: &KernelNodeParams, handle: u64, kernel: Handle) -> Result<NodeParams, Status> {
    let function = function(kernel)?;
    let mut block = vec![0; function.parameter_bytes() as usize];
    let parameters = match (node.params.is_null(), node.extra.is_null()) {
        (_, true) => Parameters::Each(node.params),
        (true, false) => Parameters::Packed(node.extra),
        (false, false) => return Err(Status::INVALID_VALUE),
    };
    fill(&function, parameters, &mut block)?;
    let arguments = Arguments::new(&function, &block);
    Ok(NodeParams::Kernel(KernelNode {
        handle,
        function,
        grid: node.grid.array(),
        block: node.block.array(),
        dynamic_shared: node.shared,
        attributes: LaunchAttributes::default(),
        set: Vec::new(),
        arguments,
    }))
}

/// As the runtime names kernels: by a host function, or a kernel handle.
pub(super) fn runtime_kernel(node: &KernelNodeParams) -> Result<NodeParams, Status> {
    kernel(node, node.func, crate::runtime::kernel(node.func)?)
}

/// As the driver does: by a function or, if there is none, a kernel.
pub(super) fn driver_kernel(node: &DriverKernelNodeParams) -> Result<NodeParams, Status> {
    let handle = if node.base.func == 0 { node.kern as u64 } else { node.base.func };
    kernel(&node.base, handle, handle as Handle)
}

/// What a kernel node is, as a structure; the arguments are the node's own.
pub(super) fn kernel_out(node: &KernelNode) -> KernelNodeParams {
    let dim = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
    KernelNodeParams {
        func: node.handle,
        grid: dim(node.grid),
        block: dim(node.block),
        shared: node.dynamic_shared,
        params: node.arguments.pointers(),
        extra: std::ptr::null(),
    }
}

pub(super) fn memset(node: &MemsetNodeParams) -> NodeParams {
    NodeParams::Memset(Fill3d {
        destination: node.dst,
        pitch: if node.height <= 1 {
            (node.width as u64).wrapping_mul(node.element_size.into())
        } else {
            node.pitch as u64
        },
        rows: node.height as u64,
        value: node.value,
        element: node.element_size,
        width: node.width as u64,
        height: node.height as u64,
        depth: 1,
    })
}

pub(super) fn memset_out(fill: &Fill3d) -> MemsetNodeParams {
    MemsetNodeParams {
        dst: fill.destination,
        pitch: if fill.height <= 1 { 0 } else { fill.pitch as usize },
        value: fill.value,
        element_size: fill.element,
        width: fill.width as usize,
        height: fill.height as usize,
    }
}

pub(super) fn host(node: &HostNodeParams) -> Result<NodeParams, Status> {
    let function = node.function.ok_or(Status::INVALID_VALUE)?;
    Ok(NodeParams::Host(HostNode { function, data: node.data as u64 }))
}

pub(super) fn memcpy(node: &Memcpy3DParms) -> Result<NodeParams, Status> {
    Ok(NodeParams::Memcpy(crate::runtime::slices_of(node)?, direction(node.kind)?))
}

/// A copy of bytes.
pub(super) fn memcpy_1d(to: u64, from: u64, bytes: usize, direction: Direction) -> NodeParams {
    NodeParams::Memcpy(Copy3d::linear(to, from, bytes as u64), direction)
}

pub(super) fn memcpy_out(copy: &Copy3d, direction: Direction) -> Memcpy3DParms {
    let side = |ptr, pitch, rows| PitchedPtr { ptr, pitch, xsize: copy.width as usize, ysize: rows };
    let zero = Pos { x: 0, y: 0, z: 0 };
    Memcpy3DParms {
        src_array: std::ptr::null_mut(),
        src_pos: zero,
        src_ptr: side(copy.source, copy.source_pitch as usize, copy.source_rows as usize),
        dst_array: std::ptr::null_mut(),
        dst_pos: zero,
        dst_ptr: side(copy.destination, copy.destination_pitch as usize, copy.destination_rows as usize),
        extent: Extent { width: copy.width as usize, height: copy.height as usize, depth: copy.depth as usize },
        kind: match direction {
            Direction::HostToHost => 0,
            Direction::HostToDevice => 1,
            Direction::DeviceToHost => 2,
            Direction::DeviceToDevice => 3,
            Direction::Default => 4,
        },
    }
}

pub(super) fn driver_memcpy(node: &Memcpy3D) -> Result<NodeParams, Status> {
    let (copy, direction) = crate::copies::shape(node)?;
    Ok(NodeParams::Memcpy(copy, direction))
}

pub(super) fn driver_memcpy_out(copy: &Copy3d, direction: Direction) -> Memcpy3D {
    let side = |address, pitch: u64, rows: u64, host: Option<bool>| Side3D {
        x_in_bytes: 0,
        y: 0,
        z: 0,
        lod: 0,
        memory_type: match host {
            Some(true) => number::MEMORY_HOST,
            Some(false) => number::MEMORY_DEVICE,
            None => number::MEMORY_UNIFIED,
        },
        host: if host == Some(true) { address } else { 0 },
        device: if host == Some(true) { 0 } else { address },
        array: std::ptr::null_mut(),
        context: std::ptr::null_mut(),
        pitch: pitch as usize,
        height: rows as usize,
    };
    let (from, to) = match direction {
        Direction::HostToHost => (Some(true), Some(true)),
        Direction::HostToDevice => (Some(true), Some(false)),
        Direction::DeviceToHost => (Some(false), Some(true)),
        Direction::DeviceToDevice => (Some(false), Some(false)),
        Direction::Default => (None, None),
    };
    Memcpy3D {
        src: side(copy.source, copy.source_pitch, copy.source_rows, from),
        dst: side(copy.destination, copy.destination_pitch, copy.destination_rows, to),
        width_in_bytes: copy.width as usize,
        height: copy.height as usize,
        depth: copy.depth as usize,
    }
}

pub(super) fn alloc(node: &MemAllocNodeParams) -> Result<NodeParams, Status> {
    const PINNED: u32 = 1;
    const DEVICE: u32 = 1;
    if node.pool.allocation != PINNED || node.pool.location.kind != DEVICE || node.pool.location.id != 0 {
        return Err(Status::INVALID_VALUE);
    }
    Ok(NodeParams::MemAlloc(AllocNode { bytes: node.bytes as u64, address: 0 }))
}

fn conditional(node: &ConditionalNodeParams) -> Result<NodeParams, Status> {
    let (kind, sizes) = match node.kind {
        0 => (ConditionalKind::If, 1..=2),
        1 => (ConditionalKind::While, 1..=1),
        2 => (ConditionalKind::Switch, 1..=u32::from(u16::MAX)),
        _ => return Err(Status::INVALID_VALUE),
    };
    if !sizes.contains(&node.size) {
        return Err(Status::INVALID_VALUE);
    }
    Ok(NodeParams::Conditional(ConditionalNode { handle: node.handle, kind, size: node.size, bodies: Vec::new() }))
}

/// The member of a node's parameters that its type names.
///
/// # Safety
/// `T` is plain data that fits.
unsafe fn member<T: Copy>(params: &GraphNodeParams, words_before: usize) -> T {
    const { assert!(size_of::<T>() <= 29 * 8) };
    // SAFETY: the caller's promise; the member begins at the union's first word, or behind words that say how.
    unsafe { params.value.as_ptr().add(words_before).cast::<T>().read() }
}

fn put<T: Copy>(params: &mut GraphNodeParams, words_before: usize, value: T) {
    const { assert!(size_of::<T>() <= 27 * 8) };
    // SAFETY: as for `member`.
    unsafe { params.value.as_mut_ptr().add(words_before).cast::<T>().write(value) };
}

/// `cudaGraphNodeParams`, `CUgraphNodeParams`.
pub(super) fn any(params: &GraphNodeParams, api: Api) -> Result<NodeParams, Status> {
    // SAFETY: each type reads the member that CUDA gives it, plain data all of them.
    unsafe {
        Ok(match (params.kind, api) {
            (kind::KERNEL, Api::Runtime) => runtime_kernel(&member(params, 0))?,
            (kind::KERNEL, Api::Driver) => driver_kernel(&member(params, 0))?,
            // Flags, reserved words and, in the driver's, a context come first: two words in both.
            (kind::MEMCPY, Api::Runtime) => memcpy(&member(params, 2))?,
            (kind::MEMCPY, Api::Driver) => driver_memcpy(&member(params, 2))?,
            (kind::MEMSET, _) => memset(&member(params, 0)),
            (kind::HOST, _) => host(&member(params, 0))?,
            (kind::GRAPH, _) => {
                const MOVE: u64 = 1;
                if params.value[1] as u32 as u64 == MOVE {
                    notice::once(
                        "ownership of child graphs that moves (cudaGraphChildGraphOwnershipMove) is not implemented",
                    );
                    return Err(Status::NOT_SUPPORTED);
                }
                NodeParams::Graph(params.value[0])
            }
            (kind::EMPTY, _) => NodeParams::Empty,
            (kind::WAIT, _) => NodeParams::WaitEvent(Event(params.value[0])),
            (kind::RECORD, _) => NodeParams::EventRecord(Event(params.value[0])),
            (kind::ALLOC, _) => alloc(&member(params, 0))?,
            (kind::FREE, _) => NodeParams::MemFree(params.value[0]),
            (kind::CONDITIONAL, _) => conditional(&member(params, 0))?,
            (other @ (8 | 9 | 12), _) => {
                notice::once(&format!("graph nodes of type {other} are not implemented by this device"));
                return Err(Status::NOT_SUPPORTED);
            }
            _ => return Err(Status::INVALID_VALUE),
        })
    }
}

/// Writes back what adding a node decided: the address of memory, the bodies of a conditional node.
pub(super) fn answer(params: &mut GraphNodeParams, node: u64, added: &NodeParams) {
    match added {
        NodeParams::MemAlloc(alloc) => {
            // SAFETY: the structure is that of an allocation.
            let mut member: MemAllocNodeParams = unsafe { member(params, 0) };
            member.dptr = alloc.address;
            put(params, 0, member);
        }
        NodeParams::Conditional(conditional) => {
            /// Arrays that programs may look at as long as the nodes exist.
            static BODIES: Mutex<Option<HashMap<u64, Box<[u64]>>>> = Mutex::new(None);
            let mut bodies = BODIES.lock();
            let array = bodies.get_or_insert_default().entry(node).or_insert_with(|| conditional.bodies.clone().into());
            // SAFETY: the structure is that of a conditional node.
            let mut member: ConditionalNodeParams = unsafe { member(params, 0) };
            member.graphs = array.as_ptr().cast::<Handle>();
            put(params, 0, member);
        }
        _ => {}
    }
}

const _: () = assert!(size_of::<GraphNodeParams>() == 256 && size_of::<*const c_void>() == 8);
