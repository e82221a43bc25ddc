//! Sets of memory.

use std::ffi::c_int;

use hotfire_device::{Device, Fill3d, Mode, Status, Stream};

use crate::copies::{set, set_rows};
use crate::export::export;
use crate::types::{Address, Extent, Handle, PitchedPtr};

fn slices(to: &PitchedPtr, value: c_int, extent: &Extent, stream: Stream, mode: Mode) -> Result<(), Status> {
    let fill = Fill3d {
        destination: to.ptr,
        pitch: to.pitch as u64,
        rows: to.ysize as u64,
        value: byte(value),
        element: 1,
        width: extent.width as u64,
        height: extent.height as u64,
        depth: extent.depth as u64,
    };
    Device::get().set_3d(&fill, stream, mode).ok()
}

/// Only the low byte of the value counts.
fn byte(value: c_int) -> u32 {
    value as u32 & 0xff
}

export! {
    /// Sets bytes.
    runtime fn cudaMemset | cudaMemset_ptds as default (at: Address, value: c_int, count: usize) {
        set(at, byte(value), 1, count, default.stream(), Mode::Sync)
    }

    /// Sets bytes in stream order.
    runtime fn cudaMemsetAsync | cudaMemsetAsync_ptsz as default (at: Address, value: c_int, count: usize, stream: Handle) {
        set(at, byte(value), 1, count, default.resolve(stream), Mode::Async)
    }

    /// Sets rows of bytes.
    runtime fn cudaMemset2D | cudaMemset2D_ptds as default (at: Address, pitch: usize, value: c_int, width: usize,
        height: usize) {
        set_rows(at, pitch, (byte(value), 1), (width, height), default.stream(), Mode::Sync)
    }

    /// Sets rows of bytes in stream order.
    runtime fn cudaMemset2DAsync | cudaMemset2DAsync_ptsz as default (at: Address, pitch: usize, value: c_int, width: usize,
        height: usize, stream: Handle) {
        set_rows(at, pitch, (byte(value), 1), (width, height), default.resolve(stream), Mode::Async)
    }

    /// Sets slices of bytes.
    runtime fn cudaMemset3D | cudaMemset3D_ptds as default (at: PitchedPtr, value: c_int, extent: Extent) {
        slices(&at, value, &extent, default.stream(), Mode::Sync)
    }

    /// Sets slices of bytes in stream order.
    runtime fn cudaMemset3DAsync | cudaMemset3DAsync_ptsz as default (at: PitchedPtr, value: c_int, extent: Extent,
        stream: Handle) {
        slices(&at, value, &extent, default.resolve(stream), Mode::Async)
    }
}
