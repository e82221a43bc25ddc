//! Copies.

use hotfire_device::{Direction, Mode};

use crate::copies::{descriptor, linear, two_dimensional};
use crate::export::export;
use crate::pointer::In;
use crate::types::{Address, Handle, Memcpy2D, Memcpy3D};

export! {
    /// Copies bytes; the addresses tell the direction.
    context fn cuMemcpy | cuMemcpy_ptds as default (to: Address, from: Address, bytes: usize) {
        linear(to, from, bytes, Direction::Default, default.stream(), Mode::Sync)
    }

    /// Copies bytes between contexts.
    context fn cuMemcpyPeer | cuMemcpyPeer_ptds as default (to: Address, _to_context: Handle, from: Address, _from_context: Handle,
        bytes: usize) {
        linear(to, from, bytes, Direction::DeviceToDevice, default.stream(), Mode::Sync)
    }

    /// Host to device.
    context fn cuMemcpyHtoD_v2 | cuMemcpyHtoD_v2_ptds as default (to: Address, from: Address, bytes: usize) {
        linear(to, from, bytes, Direction::HostToDevice, default.stream(), Mode::Sync)
    }

    /// Device to host.
    context fn cuMemcpyDtoH_v2 | cuMemcpyDtoH_v2_ptds as default (to: Address, from: Address, bytes: usize) {
        linear(to, from, bytes, Direction::DeviceToHost, default.stream(), Mode::Sync)
    }

    /// Device to device.
    context fn cuMemcpyDtoD_v2 | cuMemcpyDtoD_v2_ptds as default (to: Address, from: Address, bytes: usize) {
        linear(to, from, bytes, Direction::DeviceToDevice, default.stream(), Mode::Sync)
    }

    /// Rows.
    context fn cuMemcpy2D_v2 | cuMemcpy2D_v2_ptds as default (copy: In<Memcpy2D>) {
        descriptor(&two_dimensional(&copy.get()?), default.stream(), Mode::Sync)
    }

    /// Rows, of any alignment.
    context fn cuMemcpy2DUnaligned_v2 | cuMemcpy2DUnaligned_v2_ptds as default (copy: In<Memcpy2D>) {
        descriptor(&two_dimensional(&copy.get()?), default.stream(), Mode::Sync)
    }

    /// Slices.
    context fn cuMemcpy3D_v2 | cuMemcpy3D_v2_ptds as default (copy: In<Memcpy3D>) {
        descriptor(&copy.get()?, default.stream(), Mode::Sync)
    }

    /// Slices between contexts.
    context fn cuMemcpy3DPeer | cuMemcpy3DPeer_ptds as default (copy: In<Memcpy3D>) {
        descriptor(&copy.get()?, default.stream(), Mode::Sync)
    }

    /// Copies bytes in stream order.
    context fn cuMemcpyAsync | cuMemcpyAsync_ptsz as default (to: Address, from: Address, bytes: usize, stream: Handle) {
        linear(to, from, bytes, Direction::Default, default.resolve(stream), Mode::Async)
    }

    /// Copies bytes between contexts in stream order.
    context fn cuMemcpyPeerAsync | cuMemcpyPeerAsync_ptsz as default (to: Address, _to_context: Handle, from: Address, _from_context: Handle,
        bytes: usize, stream: Handle) {
        linear(to, from, bytes, Direction::DeviceToDevice, default.resolve(stream), Mode::Async)
    }

    /// Host to device in stream order.
    context fn cuMemcpyHtoDAsync_v2 | cuMemcpyHtoDAsync_v2_ptsz as default (to: Address, from: Address, bytes: usize,
        stream: Handle) {
        linear(to, from, bytes, Direction::HostToDevice, default.resolve(stream), Mode::Async)
    }

    /// Device to host in stream order.
    context fn cuMemcpyDtoHAsync_v2 | cuMemcpyDtoHAsync_v2_ptsz as default (to: Address, from: Address, bytes: usize,
        stream: Handle) {
        linear(to, from, bytes, Direction::DeviceToHost, default.resolve(stream), Mode::Async)
    }

    /// Device to device in stream order.
    context fn cuMemcpyDtoDAsync_v2 | cuMemcpyDtoDAsync_v2_ptsz as default (to: Address, from: Address, bytes: usize,
        stream: Handle) {
        linear(to, from, bytes, Direction::DeviceToDevice, default.resolve(stream), Mode::Async)
    }

    /// Rows in stream order.
    context fn cuMemcpy2DAsync_v2 | cuMemcpy2DAsync_v2_ptsz as default (copy: In<Memcpy2D>, stream: Handle) {
        descriptor(&two_dimensional(&copy.get()?), default.resolve(stream), Mode::Async)
    }

    /// Slices in stream order.
    context fn cuMemcpy3DAsync_v2 | cuMemcpy3DAsync_v2_ptsz as default (copy: In<Memcpy3D>, stream: Handle) {
        descriptor(&copy.get()?, default.resolve(stream), Mode::Async)
    }

    /// Slices between contexts in stream order.
    context fn cuMemcpy3DPeerAsync | cuMemcpy3DPeerAsync_ptsz as default (copy: In<Memcpy3D>, stream: Handle) {
        descriptor(&copy.get()?, default.resolve(stream), Mode::Async)
    }
}
