//! Copies from and to arrays: rows (`cudaMemcpy2DToArray` and its relatives) and bytes that run over rows (`cudaMemcpyToArray`,
//! `cuMemcpyHtoA`). Copies of slices go the common way, [`crate::copies`].

use hotfire_device::{Direction, Mode, Status, Stream};

use super::arrays::{self, Corner, place};
use crate::copies::{between, direction, pitched};
use crate::export::export;
use crate::types::{Address, Handle};

/// One side of a copy of rows.
#[derive(Clone, Copy)]
enum Side {
    /// Memory, with bytes from row to row.
    Memory(Address, usize),
    /// An array, from there on.
    Array(Handle, Corner),
}

impl Side {
    fn array(handle: Handle, x: usize, y: usize) -> Self {
        Self::Array(handle, Corner { x, y, z: 0 })
    }

    fn place(self, width: usize, height: usize) -> Result<arrays::Place, Status> {
        match self {
            Self::Memory(_, pitch) if width > pitch && height > 1 => Err(Status::INVALID_PITCH),
            Self::Memory(start, pitch) => {
                Ok(arrays::Place { start, pitch: pitch.max(width) as u64, rows: height as u64 })
            }
            Self::Array(handle, corner) => place(handle, corner, [width, height, 1]),
        }
    }

    /// So many bytes further on.
    fn skip(self, bytes: usize) -> Result<Self, Status> {
        Ok(match self {
            Self::Memory(start, pitch) => Self::Memory(start.wrapping_add(bytes as u64), pitch),
            Self::Array(handle, corner) => {
                let row = row(handle)?;
                let at = corner.x + bytes;
                Self::Array(handle, Corner { x: at % row, y: corner.y + at / row, z: corner.z })
            }
        })
    }

    /// Bytes that are left in the present row.
    fn left(self) -> Result<usize, Status> {
        match self {
            Self::Memory(..) => Ok(usize::MAX),
            Self::Array(handle, corner) => row(handle)?.checked_sub(corner.x).ok_or(Status::INVALID_VALUE),
        }
    }
}

/// Bytes of a row of an array.
fn row(handle: Handle) -> Result<usize, Status> {
    let array = arrays::find(handle)?;
    Ok(array.shape()?.width as usize * array.array.shape.format.bytes() as usize)
}

fn rows(
    (to, from): (Side, Side),
    width: usize,
    height: usize,
    direction: Direction,
    stream: Stream,
    mode: Mode,
) -> Result<(), Status> {
    let (target, source) = (to.place(width, height)?, from.place(width, height)?);
    pitched(&between(target, source, [width, height, 1]), direction, stream, mode)
}

/// Bytes that run over the rows of arrays: piece by piece, in the order of the stream.
fn bytes(
    (mut to, mut from): (Side, Side),
    mut count: usize,
    direction: Direction,
    stream: Stream,
    mode: Mode,
) -> Result<(), Status> {
    while count > 0 {
        let piece = count.min(to.left()?).min(from.left()?);
        if piece == 0 {
            return Err(Status::INVALID_VALUE);
        }
        rows((to, from), piece, 1, direction, stream, mode)?;
        (to, from, count) = (to.skip(piece)?, from.skip(piece)?, count - piece);
    }
    Ok(())
}

const WITHIN: Direction = Direction::DeviceToDevice;

export! {
    /// Copies rows into an array.
    runtime fn cudaMemcpy2DToArray | cudaMemcpy2DToArray_ptds as default (to: Handle, x: usize, y: usize, from: Address, pitch: usize,
        width: usize, height: usize, kind: u32) {
        let sides = (Side::array(to, x, y), Side::Memory(from, pitch));
        rows(sides, width, height, direction(kind)?, default.stream(), Mode::Sync)
    }

    /// Copies rows into an array in stream order.
    runtime fn cudaMemcpy2DToArrayAsync | cudaMemcpy2DToArrayAsync_ptsz as default (to: Handle, x: usize, y: usize, from: Address,
        pitch: usize, width: usize, height: usize, kind: u32, stream: Handle) {
        let sides = (Side::array(to, x, y), Side::Memory(from, pitch));
        rows(sides, width, height, direction(kind)?, default.resolve(stream), Mode::Async)
    }

    /// Copies rows out of an array.
    runtime fn cudaMemcpy2DFromArray | cudaMemcpy2DFromArray_ptds as default (to: Address, pitch: usize, from: Handle, x: usize, y: usize,
        width: usize, height: usize, kind: u32) {
        let sides = (Side::Memory(to, pitch), Side::array(from, x, y));
        rows(sides, width, height, direction(kind)?, default.stream(), Mode::Sync)
    }

    /// Copies rows out of an array in stream order.
    runtime fn cudaMemcpy2DFromArrayAsync | cudaMemcpy2DFromArrayAsync_ptsz as default (to: Address, pitch: usize, from: Handle, x: usize,
        y: usize, width: usize, height: usize, kind: u32, stream: Handle) {
        let sides = (Side::Memory(to, pitch), Side::array(from, x, y));
        rows(sides, width, height, direction(kind)?, default.resolve(stream), Mode::Async)
    }

    /// Copies rows from array to array.
    runtime fn cudaMemcpy2DArrayToArray | cudaMemcpy2DArrayToArray_ptds as default (to: Handle, to_x: usize, to_y: usize, from: Handle,
        x: usize, y: usize, width: usize, height: usize, kind: u32) {
        let sides = (Side::array(to, to_x, to_y), Side::array(from, x, y));
        rows(sides, width, height, direction(kind)?, default.stream(), Mode::Sync)
    }

    /// Copies bytes into an array.
    runtime fn cudaMemcpyToArray | cudaMemcpyToArray_ptds as default (to: Handle, x: usize, y: usize, from: Address, count: usize,
        kind: u32) {
        bytes((Side::array(to, x, y), Side::Memory(from, 0)), count, direction(kind)?, default.stream(), Mode::Sync)
    }

    /// Copies bytes into an array in stream order.
    runtime fn cudaMemcpyToArrayAsync | cudaMemcpyToArrayAsync_ptsz as default (to: Handle, x: usize, y: usize, from: Address,
        count: usize, kind: u32, stream: Handle) {
        let sides = (Side::array(to, x, y), Side::Memory(from, 0));
        bytes(sides, count, direction(kind)?, default.resolve(stream), Mode::Async)
    }

    /// Copies bytes out of an array.
    runtime fn cudaMemcpyFromArray | cudaMemcpyFromArray_ptds as default (to: Address, from: Handle, x: usize, y: usize, count: usize,
        kind: u32) {
        bytes((Side::Memory(to, 0), Side::array(from, x, y)), count, direction(kind)?, default.stream(), Mode::Sync)
    }

    /// Copies bytes out of an array in stream order.
    runtime fn cudaMemcpyFromArrayAsync | cudaMemcpyFromArrayAsync_ptsz as default (to: Address, from: Handle, x: usize, y: usize,
        count: usize, kind: u32, stream: Handle) {
        let sides = (Side::Memory(to, 0), Side::array(from, x, y));
        bytes(sides, count, direction(kind)?, default.resolve(stream), Mode::Async)
    }

    /// Copies bytes from array to array.
    runtime fn cudaMemcpyArrayToArray | cudaMemcpyArrayToArray_ptds as default (to: Handle, to_x: usize, to_y: usize, from: Handle,
        x: usize, y: usize, count: usize, kind: u32) {
        let sides = (Side::array(to, to_x, to_y), Side::array(from, x, y));
        bytes(sides, count, direction(kind)?, default.stream(), Mode::Sync)
    }

    /// Host to array.
    context fn cuMemcpyHtoA_v2 | cuMemcpyHtoA_v2_ptds as default (to: Handle, at: usize, from: Address, count: usize) {
        let sides = (Side::array(to, at, 0), Side::Memory(from, 0));
        bytes(sides, count, Direction::HostToDevice, default.stream(), Mode::Sync)
    }

    /// Array to host.
    context fn cuMemcpyAtoH_v2 | cuMemcpyAtoH_v2_ptds as default (to: Address, from: Handle, at: usize, count: usize) {
        let sides = (Side::Memory(to, 0), Side::array(from, at, 0));
        bytes(sides, count, Direction::DeviceToHost, default.stream(), Mode::Sync)
    }

    /// Device to array.
    context fn cuMemcpyDtoA_v2 | cuMemcpyDtoA_v2_ptds as default (to: Handle, at: usize, from: Address, count: usize) {
        bytes((Side::array(to, at, 0), Side::Memory(from, 0)), count, WITHIN, default.stream(), Mode::Sync)
    }

    /// Array to device.
    context fn cuMemcpyAtoD_v2 | cuMemcpyAtoD_v2_ptds as default (to: Address, from: Handle, at: usize, count: usize) {
        bytes((Side::Memory(to, 0), Side::array(from, at, 0)), count, WITHIN, default.stream(), Mode::Sync)
    }

    /// Array to array.
    context fn cuMemcpyAtoA_v2 | cuMemcpyAtoA_v2_ptds as default (to: Handle, to_at: usize, from: Handle, at: usize, count: usize) {
        bytes((Side::array(to, to_at, 0), Side::array(from, at, 0)), count, WITHIN, default.stream(), Mode::Sync)
    }

    /// Host to array in stream order.
    context fn cuMemcpyHtoAAsync_v2 | cuMemcpyHtoAAsync_v2_ptsz as default (to: Handle, at: usize, from: Address, count: usize,
        stream: Handle) {
        let sides = (Side::array(to, at, 0), Side::Memory(from, 0));
        bytes(sides, count, Direction::HostToDevice, default.resolve(stream), Mode::Async)
    }

    /// Array to host in stream order.
    context fn cuMemcpyAtoHAsync_v2 | cuMemcpyAtoHAsync_v2_ptsz as default (to: Address, from: Handle, at: usize, count: usize,
        stream: Handle) {
        let sides = (Side::Memory(to, 0), Side::array(from, at, 0));
        bytes(sides, count, Direction::DeviceToHost, default.resolve(stream), Mode::Async)
    }
}
