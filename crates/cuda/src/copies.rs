//! Copies and sets: from the many C forms to the few that the device has.

use hotfire_device::{Copy3d, Device, Direction, Fill3d, Mode, Status, Stream};

use crate::texture::{self, Corner, Place};
use crate::types::{Memcpy2D, Memcpy3D, Side3D, number};

/// `cudaMemcpyKind`.
pub(crate) fn direction(kind: u32) -> Result<Direction, Status> {
    Ok(match kind {
        0 => Direction::HostToHost,
        1 => Direction::HostToDevice,
        2 => Direction::DeviceToHost,
        3 => Direction::DeviceToDevice,
        4 => Direction::Default,
        _ => return Err(Status::INVALID_MEMCPY_DIRECTION),
    })
}

/// Copies bytes.
pub(crate) fn linear(
    destination: u64,
    source: u64,
    bytes: usize,
    direction: Direction,
    stream: Stream,
    mode: Mode,
) -> Result<(), Status> {
    // SAFETY: the API's contract: host memory that the caller names is valid until the copy is complete.
    unsafe { Device::get().copy(destination, source, bytes as u64, direction, stream, mode) }.ok()
}

/// Copies rows and slices.
pub(crate) fn pitched(copy: &Copy3d, direction: Direction, stream: Stream, mode: Mode) -> Result<(), Status> {
    // SAFETY: as for `linear`.
    unsafe { Device::get().copy_3d(copy, direction, stream, mode) }.ok()
}

/// Sets `count` elements.
pub(crate) fn set(at: u64, value: u32, element: u32, count: usize, stream: Stream, mode: Mode) -> Result<(), Status> {
    Device::get().set(at, value, element, count as u64, stream, mode).ok()
}

/// Sets rows of elements.
pub(crate) fn set_rows(
    at: u64,
    pitch: usize,
    (value, element): (u32, u32),
    (width, height): (usize, usize),
    stream: Stream,
    mode: Mode,
) -> Result<(), Status> {
    let fill = Fill3d {
        destination: at,
        pitch: pitch as u64,
        rows: height as u64,
        value,
        element,
        width: width as u64,
        height: height as u64,
        depth: 1,
    };
    Device::get().set_3d(&fill, stream, mode).ok()
}

/// Where one side of a driver descriptor is (CUDA Driver API, `cuMemcpy3D`), and whether it is host memory; `None` for unified addresses,
/// which tell by themselves.
fn side(side: &Side3D, copy: &Memcpy3D) -> Result<(Place, Option<bool>), Status> {
    let extent = [copy.width_in_bytes, copy.height, copy.depth];
    let (base, host) = match side.memory_type {
        number::MEMORY_HOST => (side.host, Some(true)),
        number::MEMORY_DEVICE => (side.device, Some(false)),
        number::MEMORY_UNIFIED => (side.device, None),
        number::MEMORY_ARRAY => {
            let corner = Corner { x: side.x_in_bytes, y: side.y, z: side.z };
            return Ok((texture::place(side.array, corner, extent)?, Some(false)));
        }
        _ => return Err(Status::INVALID_VALUE),
    };
    // A pitch of 0 means rows that touch.
    let pitch = if side.pitch == 0 { copy.width_in_bytes } else { side.pitch };
    let rows = if side.height == 0 { copy.height } else { side.height };
    let row = (side.z as u64).wrapping_mul(side.height as u64).wrapping_add(side.y as u64);
    let start = base.wrapping_add(row.wrapping_mul(side.pitch as u64)).wrapping_add(side.x_in_bytes as u64);
    Ok((Place { start, pitch: pitch as u64, rows: rows as u64 }, host))
}

/// What a descriptor says.
pub(crate) fn shape(copy: &Memcpy3D) -> Result<(Copy3d, Direction), Status> {
    let (source, from_host) = side(&copy.src, copy)?;
    let (destination, to_host) = side(&copy.dst, copy)?;
    let direction = match (from_host, to_host) {
        (Some(true), Some(true)) => Direction::HostToHost,
        (Some(true), Some(false)) => Direction::HostToDevice,
        (Some(false), Some(true)) => Direction::DeviceToHost,
        (Some(false), Some(false)) => Direction::DeviceToDevice,
        _ => Direction::Default,
    };
    Ok((between(destination, source, [copy.width_in_bytes, copy.height, copy.depth]), direction))
}

/// A copy of bytes, rows and slices from place to place.
pub(crate) fn between(destination: Place, source: Place, [width, height, depth]: [usize; 3]) -> Copy3d {
    Copy3d {
        destination: destination.start,
        destination_pitch: destination.pitch,
        destination_rows: destination.rows,
        source: source.start,
        source_pitch: source.pitch,
        source_rows: source.rows,
        width: width as u64,
        height: height as u64,
        depth: depth as u64,
    }
}

/// `cuMemcpy3D` and its relatives.
pub(crate) fn descriptor(copy: &Memcpy3D, stream: Stream, mode: Mode) -> Result<(), Status> {
    let (shape, direction) = shape(copy)?;
    pitched(&shape, direction, stream, mode)
}

/// `cuMemcpy2D` as the three-dimensional form.
pub(crate) fn two_dimensional(copy: &Memcpy2D) -> Memcpy3D {
    let side = |side: &crate::types::Side2D| Side3D {
        x_in_bytes: side.x_in_bytes,
        y: side.y,
        z: 0,
        lod: 0,
        memory_type: side.memory_type,
        host: side.host,
        device: side.device,
        array: side.array,
        context: std::ptr::null_mut(),
        pitch: side.pitch,
        height: 0,
    };
    Memcpy3D {
        src: side(&copy.src),
        dst: side(&copy.dst),
        width_in_bytes: copy.width_in_bytes,
        height: copy.height,
        depth: 1,
    }
}
