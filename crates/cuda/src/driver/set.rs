//! Sets of memory.

use hotfire_device::Mode;

use crate::copies::{set, set_rows};
use crate::export::export;
use crate::types::{Address, Handle};

export! {
    /// Sets bytes.
    context fn cuMemsetD8_v2 | cuMemsetD8_v2_ptds as default (at: Address, value: u8, count: usize) {
        set(at, value.into(), 1, count, default.stream(), Mode::Sync)
    }

    /// Sets 16-bit words.
    context fn cuMemsetD16_v2 | cuMemsetD16_v2_ptds as default (at: Address, value: u16, count: usize) {
        set(at, value.into(), 2, count, default.stream(), Mode::Sync)
    }

    /// Sets 32-bit words.
    context fn cuMemsetD32_v2 | cuMemsetD32_v2_ptds as default (at: Address, value: u32, count: usize) {
        set(at, value, 4, count, default.stream(), Mode::Sync)
    }

    /// Sets rows of bytes.
    context fn cuMemsetD2D8_v2 | cuMemsetD2D8_v2_ptds as default (at: Address, pitch: usize, value: u8, width: usize,
        height: usize) {
        set_rows(at, pitch, (value.into(), 1), (width, height), default.stream(), Mode::Sync)
    }

    /// Sets rows of 16-bit words.
    context fn cuMemsetD2D16_v2 | cuMemsetD2D16_v2_ptds as default (at: Address, pitch: usize, value: u16, width: usize,
        height: usize) {
        set_rows(at, pitch, (value.into(), 2), (width, height), default.stream(), Mode::Sync)
    }

    /// Sets rows of 32-bit words.
    context fn cuMemsetD2D32_v2 | cuMemsetD2D32_v2_ptds as default (at: Address, pitch: usize, value: u32, width: usize,
        height: usize) {
        set_rows(at, pitch, (value, 4), (width, height), default.stream(), Mode::Sync)
    }

    /// Sets bytes in stream order.
    context fn cuMemsetD8Async | cuMemsetD8Async_ptsz as default (at: Address, value: u8, count: usize, stream: Handle) {
        set(at, value.into(), 1, count, default.resolve(stream), Mode::Async)
    }

    /// Sets 16-bit words in stream order.
    context fn cuMemsetD16Async | cuMemsetD16Async_ptsz as default (at: Address, value: u16, count: usize, stream: Handle) {
        set(at, value.into(), 2, count, default.resolve(stream), Mode::Async)
    }

    /// Sets 32-bit words in stream order.
    context fn cuMemsetD32Async | cuMemsetD32Async_ptsz as default (at: Address, value: u32, count: usize, stream: Handle) {
        set(at, value, 4, count, default.resolve(stream), Mode::Async)
    }

    /// Sets rows of bytes in stream order.
    context fn cuMemsetD2D8Async | cuMemsetD2D8Async_ptsz as default (at: Address, pitch: usize, value: u8, width: usize,
        height: usize, stream: Handle) {
        set_rows(at, pitch, (value.into(), 1), (width, height), default.resolve(stream), Mode::Async)
    }

    /// Sets rows of 16-bit words in stream order.
    context fn cuMemsetD2D16Async | cuMemsetD2D16Async_ptsz as default (at: Address, pitch: usize, value: u16, width: usize,
        height: usize, stream: Handle) {
        set_rows(at, pitch, (value.into(), 2), (width, height), default.resolve(stream), Mode::Async)
    }

    /// Sets rows of 32-bit words in stream order.
    context fn cuMemsetD2D32Async | cuMemsetD2D32Async_ptsz as default (at: Address, pitch: usize, value: u32, width: usize,
        height: usize, stream: Handle) {
        set_rows(at, pitch, (value, 4), (width, height), default.resolve(stream), Mode::Async)
    }
}
