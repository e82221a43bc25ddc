//! Copies.

use std::ffi::c_int;

use hotfire_device::{Copy3d, Direction, Mode, Status, Stream};

use crate::copies::{direction, linear, pitched, refuse_array};
use crate::driver::check_device;
use crate::export::export;
use crate::pointer::In;
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

/// The first byte of one side; positions are in bytes where no array is involved.
fn start(side: &PitchedPtr, position: &Pos) -> u64 {
    let row = (position.z as u64).wrapping_mul(side.ysize as u64).wrapping_add(position.y as u64);
    side.ptr.wrapping_add(row.wrapping_mul(side.pitch as u64)).wrapping_add(position.x as u64)
}

/// What a descriptor says, its kind apart.
pub(crate) fn shape(copy: &Memcpy3DParms) -> Result<Copy3d, Status> {
    if !copy.src_array.is_null() || !copy.dst_array.is_null() {
        return Err(refuse_array());
    }
    if copy.extent.width > copy.src_ptr.pitch || copy.extent.width > copy.dst_ptr.pitch {
        return Err(Status::INVALID_PITCH);
    }
    Ok(Copy3d {
        destination: start(&copy.dst_ptr, &copy.dst_pos),
        destination_pitch: copy.dst_ptr.pitch as u64,
        destination_rows: copy.dst_ptr.ysize as u64,
        source: start(&copy.src_ptr, &copy.src_pos),
        source_pitch: copy.src_ptr.pitch as u64,
        source_rows: copy.src_ptr.ysize as u64,
        width: copy.extent.width as u64,
        height: copy.extent.height as u64,
        depth: copy.extent.depth as u64,
    })
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
