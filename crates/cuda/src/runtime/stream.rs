//! Stream management, host functions.

use std::ffi::{c_int, c_void};

use hotfire_device::{Device, Event, Status, Stream};

use crate::driver::{stream_callback, stream_create, stream_flags, stream_host_function};
use crate::export::export;
use crate::pointer::{In, Out};
use crate::types::{Handle, HostFunction, StreamCallback};

export! {
    /// A new stream.
    runtime fn cudaStreamCreate(out: Out<Handle>) {
        stream_create(out, 0, 0)
    }

    /// A new stream.
    runtime fn cudaStreamCreateWithFlags(out: Out<Handle>, flags: u32) {
        stream_create(out, flags, 0)
    }

    /// A new stream with a priority, which is a hint.
    runtime fn cudaStreamCreateWithPriority(out: Out<Handle>, flags: u32, priority: c_int) {
        stream_create(out, flags, priority)
    }

    /// Destroys a stream; what is queued still runs.
    runtime fn cudaStreamDestroy(stream: Handle) {
        Device::get().stream_destroy(Stream(stream as u64)).ok()
    }

    /// Waits for a stream.
    runtime fn cudaStreamSynchronize | cudaStreamSynchronize_ptsz as default (stream: Handle) {
        Device::get().stream_synchronize(default.resolve(stream)).ok()
    }

    /// Whether a stream has work left.
    runtime fn cudaStreamQuery | cudaStreamQuery_ptsz as default (stream: Handle) {
        Device::get().stream_query(default.resolve(stream)).ok()
    }

    /// Lets later work of the stream wait for an event.
    runtime fn cudaStreamWaitEvent | cudaStreamWaitEvent_ptsz as default (stream: Handle, event: Handle, flags: u32) {
        const EXTERNAL: u32 = 1;
        if flags & !EXTERNAL != 0 {
            return Err(Status::INVALID_VALUE);
        }
        let external = flags & EXTERNAL != 0;
        Device::get().stream_wait_event_as(default.resolve(stream), Event(event as u64), external).ok()
    }

    /// A stream's priority.
    runtime fn cudaStreamGetPriority | cudaStreamGetPriority_ptsz as default (stream: Handle, priority: Out<c_int>) {
        priority.set(Device::get().stream_properties(default.resolve(stream))?.1)
    }

    /// A stream's flags.
    runtime fn cudaStreamGetFlags | cudaStreamGetFlags_ptsz as default (stream: Handle, flags: Out<u32>) {
        flags.set(stream_flags(default.resolve(stream))?)
    }

    /// A number that no other stream has.
    runtime fn cudaStreamGetId | cudaStreamGetId_ptsz as default (stream: Handle, id: Out<u64>) {
        let stream = default.resolve(stream);
        stream_flags(stream)?;
        id.set(stream.0)
    }

    /// A stream's device.
    runtime fn cudaStreamGetDevice | cudaStreamGetDevice_ptsz as default (stream: Handle, device: Out<c_int>) {
        stream_flags(default.resolve(stream))?;
        device.set(0)
    }

    /// Calls a function of the host in stream order.
    runtime fn cudaLaunchHostFunc | cudaLaunchHostFunc_ptsz as default (stream: Handle, function: HostFunction,
        data: *mut c_void) {
        stream_host_function(default.resolve(stream), function, data)
    }

    /// Calls a function of the host in stream order (older form).
    runtime fn cudaStreamAddCallback | cudaStreamAddCallback_ptsz as default (stream: Handle, function: StreamCallback,
        data: *mut c_void, flags: u32) {
        stream_callback(default.resolve(stream), stream, function, data, flags)
    }

    /// Attaches managed memory to a stream: the host may access it at any time anyway.
    runtime fn cudaStreamAttachMemAsync | cudaStreamAttachMemAsync_ptsz as default (stream: Handle, address: u64,
        _length: usize, _flags: u32) {
        stream_flags(default.resolve(stream))?;
        Device::get().find(address).map(|_| ()).ok_or(Status::INVALID_VALUE)
    }

    /// Takes the attributes of one stream for another: all of them are hints.
    runtime fn cudaStreamCopyAttributes | cudaStreamCopyAttributes_ptsz as default (to: Handle, from: Handle) {
        stream_flags(default.resolve(to))?;
        stream_flags(default.resolve(from)).map(|_| ())
    }

    /// Sets an attribute: all that a stream has are hints.
    runtime fn cudaStreamSetAttribute | cudaStreamSetAttribute_ptsz as default (stream: Handle, _attribute: u32,
        value: In<u8>) {
        value.get()?;
        stream_flags(default.resolve(stream)).map(|_| ())
    }
}
