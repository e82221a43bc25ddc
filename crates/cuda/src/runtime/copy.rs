//! Copies.

use std::ffi::c_int;

use hotfire_device::{Copy3d, Direction, Mode, Status, Stream};

use crate::copies::{between, direction, linear, pitched};
use crate::driver::check_device;
use crate::export::export;
use crate::pointer::In;
use crate::texture::{self, Corner, Place};
use crate::types::{Address, Handle, Memcpy3DParms, Memcpy3DPeerParms, PitchedPtr, Pos};

/// Rows of one slice.
#[derive(Clone, Copy)]
struct Rows {
    to: Address,
    to_pitch: usize,
    from: Address,
    from_pitch: usize,
    width: usize,
    height: usize,
}

fn rows(rows: Rows, kind: u32, stream: Stream, mode: Mode) -> Result<(), Status> {
    let direction = direction(kind)?;
    if rows.width > rows.to_pitch || rows.width > rows.from_pitch {
        return Err(Status::INVALID_PITCH);
    }
    let copy = Copy3d {
        destination: rows.to,
        destination_pitch: rows.to_pitch as u64,
        destination_rows: rows.height as u64,
        source: rows.from,
        source_pitch: rows.from_pitch as u64,
        source_rows: rows.height as u64,
        width: rows.width as u64,
        height: rows.height as u64,
        depth: 1,
    };
    pitched(&copy, direction, stream, mode)
}

/// Where one side is. An array's place counts elements, a pointer's bytes.
fn side(array: Handle, pointer: &PitchedPtr, at: &Pos, extent: [usize; 3]) -> Result<Place, Status> {
    if array.is_null() {
        if extent[0] > pointer.pitch {
            return Err(Status::INVALID_PITCH);
        }
        let row = (at.z as u64).wrapping_mul(pointer.ysize as u64).wrapping_add(at.y as u64);
        let start = pointer.ptr.wrapping_add(row.wrapping_mul(pointer.pitch as u64)).wrapping_add(at.x as u64);
        return Ok(Place { start, pitch: pointer.pitch as u64, rows: pointer.ysize as u64 });
    }
    if pointer.ptr != 0 {
        return Err(Status::INVALID_VALUE);
    }
    let x = at.x.checked_mul(texture::element_bytes(array)?).ok_or(Status::INVALID_VALUE)?;
    texture::place(array, Corner { x, y: at.y, z: at.z }, extent)
}

/// What a descriptor says, its kind apart.
pub(crate) fn shape(copy: &Memcpy3DParms) -> Result<Copy3d, Status> {
    // Where an array takes part, widths are in its elements.
    let element = match (copy.src_array.is_null(), copy.dst_array.is_null()) {
        (true, true) => 1,
        (false, true) => texture::element_bytes(copy.src_array)?,
        (true, false) => texture::element_bytes(copy.dst_array)?,
        (false, false) => {
            let size = texture::element_bytes(copy.src_array)?;
            if size != texture::element_bytes(copy.dst_array)? {
                return Err(Status::INVALID_VALUE);
            }
            size
        }
    };
    let width = copy.extent.width.checked_mul(element).ok_or(Status::INVALID_VALUE)?;
    let extent = [width, copy.extent.height, copy.extent.depth];
    let destination = side(copy.dst_array, &copy.dst_ptr, &copy.dst_pos, extent)?;
    let source = side(copy.src_array, &copy.src_ptr, &copy.src_pos, extent)?;
    Ok(between(destination, source, extent))
}

fn slices(copy: &Memcpy3DParms, direction: Direction, stream: Stream, mode: Mode) -> Result<(), Status> {
    pitched(&shape(copy)?, direction, stream, mode)
}

fn peers(copy: &Memcpy3DPeerParms, stream: Stream, mode: Mode) -> Result<(), Status> {
    check_device(copy.src_device)?;
    check_device(copy.dst_device)?;
    let same = Memcpy3DParms {
        src_array: copy.src_array,
        src_pos: copy.src_pos,
        src_ptr: copy.src_ptr,
        dst_array: copy.dst_array,
        dst_pos: copy.dst_pos,
        dst_ptr: copy.dst_ptr,
        extent: copy.extent,
        kind: 3,
    };
    slices(&same, Direction::DeviceToDevice, stream, mode)
}

export! {
    /// Copies bytes.
    runtime fn cudaMemcpy | cudaMemcpy_ptds as default (to: Address, from: Address, bytes: usize, kind: u32) {
        linear(to, from, bytes, direction(kind)?, default.stream(), Mode::Sync)
    }

    /// Copies bytes in stream order.
    runtime fn cudaMemcpyAsync | cudaMemcpyAsync_ptsz as default (to: Address, from: Address, bytes: usize, kind: u32,
        stream: Handle) {
        linear(to, from, bytes, direction(kind)?, default.resolve(stream), Mode::Async)
    }

    /// Copies bytes between devices.
    runtime fn cudaMemcpyPeer(to: Address, to_device: c_int, from: Address, from_device: c_int, bytes: usize) {
        check_device(to_device)?;
        check_device(from_device)?;
        linear(to, from, bytes, Direction::DeviceToDevice, Stream::LEGACY, Mode::Sync)
    }

    /// Copies bytes between devices in stream order.
    runtime fn cudaMemcpyPeerAsync(to: Address, to_device: c_int, from: Address, from_device: c_int, bytes: usize,
        stream: Handle) {
        check_device(to_device)?;
        check_device(from_device)?;
        let stream = crate::stream::Default::Legacy.resolve(stream);
        linear(to, from, bytes, Direction::DeviceToDevice, stream, Mode::Async)
    }

    /// Copies rows.
    runtime fn cudaMemcpy2D | cudaMemcpy2D_ptds as default (to: Address, to_pitch: usize, from: Address, from_pitch: usize,
        width: usize, height: usize, kind: u32) {
        rows(Rows { to, to_pitch, from, from_pitch, width, height }, kind, default.stream(), Mode::Sync)
    }

    /// Copies rows in stream order.
    runtime fn cudaMemcpy2DAsync | cudaMemcpy2DAsync_ptsz as default (to: Address, to_pitch: usize, from: Address,
        from_pitch: usize, width: usize, height: usize, kind: u32, stream: Handle) {
        rows(Rows { to, to_pitch, from, from_pitch, width, height }, kind, default.resolve(stream), Mode::Async)
    }

    /// Copies slices.
    runtime fn cudaMemcpy3D | cudaMemcpy3D_ptds as default (copy: In<Memcpy3DParms>) {
        let copy = copy.get()?;
        slices(&copy, direction(copy.kind)?, default.stream(), Mode::Sync)
    }

    /// Copies slices in stream order.
    runtime fn cudaMemcpy3DAsync | cudaMemcpy3DAsync_ptsz as default (copy: In<Memcpy3DParms>, stream: Handle) {
        let copy = copy.get()?;
        slices(&copy, direction(copy.kind)?, default.resolve(stream), Mode::Async)
    }

    /// Copies slices between devices.
    runtime fn cudaMemcpy3DPeer | cudaMemcpy3DPeer_ptds as default (copy: In<Memcpy3DPeerParms>) {
        peers(&copy.get()?, default.stream(), Mode::Sync)
    }

    /// Copies slices between devices in stream order.
    runtime fn cudaMemcpy3DPeerAsync | cudaMemcpy3DPeerAsync_ptsz as default (copy: In<Memcpy3DPeerParms>, stream: Handle) {
        peers(&copy.get()?, default.resolve(stream), Mode::Async)
    }
}
