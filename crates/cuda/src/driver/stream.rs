//! Stream management, host functions.

use std::ffi::{c_int, c_void};

use hotfire_device::graph::HostNode;
use hotfire_device::{Device, Event, Status, Stream};

use super::attribute::PRIORITIES;
use crate::export::export;
use crate::pointer::{In, Out};
use crate::thread;
use crate::types::{Handle, HostFunction, StreamCallback};

const NON_BLOCKING: u32 = 1;

/// Creates a stream; priorities outside the range are clamped to it.
pub(crate) fn create(out: Out<Handle>, flags: u32, priority: i32) -> Result<(), Status> {
    out.check()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(Status::INVALID_VALUE);
    }
    let priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
    let stream = Device::get().stream_create(flags & NON_BLOCKING != 0, priority)?;
    out.set(stream.0 as Handle)
}

/// `cudaStreamGetFlags`.
pub(crate) fn flags(stream: Stream) -> Result<u32, Status> {
    Ok(u32::from(Device::get().stream_properties(stream)?.0))
}

/// A pointer of the program that is given back to it on another thread.
struct UserData(*mut c_void);
// SAFETY: never dereferenced here; the program chose to have it used on another thread.
unsafe impl Send for UserData {}

impl UserData {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

/// `cudaLaunchHostFunc`.
pub(crate) fn host_function(stream: Stream, function: HostFunction, data: *mut c_void) -> Result<(), Status> {
    let function = function.ok_or(Status::INVALID_VALUE)?;
    Device::get().host_call(stream, HostNode { function, data: data as u64 }).ok()
}

/// `cudaStreamAddCallback`: a host function that is told the stream and its status.
pub(crate) fn callback(
    stream: Stream,
    handle: Handle,
    callback: StreamCallback,
    data: *mut c_void,
    flags: u32,
) -> Result<(), Status> {
    let callback = callback.ok_or(Status::INVALID_VALUE)?;
    if flags != 0 {
        return Err(Status::INVALID_VALUE);
    }
    let (data, handle) = (UserData(data), UserData(handle));
    let run = move || callback(handle.get(), Device::get().sticky().0, data.get());
    Device::get().host_function(stream, Box::new(run)).ok()
}

export! {
    /// A new stream.
    context fn cuStreamCreate(out: Out<Handle>, flags: u32) {
        create(out, flags, 0)
    }

    /// A new stream with a priority, which is a hint.
    context fn cuStreamCreateWithPriority(out: Out<Handle>, flags: u32, priority: c_int) {
        create(out, flags, priority)
    }

    /// Destroys a stream; what is queued still runs.
    context fn cuStreamDestroy_v2(stream: Handle) {
        Device::get().stream_destroy(Stream(stream as u64)).ok()
    }

    /// Waits for a stream.
    context fn cuStreamSynchronize | cuStreamSynchronize_ptsz as default (stream: Handle) {
        Device::get().stream_synchronize(default.resolve(stream)).ok()
    }

    /// Whether a stream has work left.
    context fn cuStreamQuery | cuStreamQuery_ptsz as default (stream: Handle) {
        Device::get().stream_query(default.resolve(stream)).ok()
    }

    /// Lets later work of the stream wait for an event.
    context fn cuStreamWaitEvent | cuStreamWaitEvent_ptsz as default (stream: Handle, event: Handle, flags: u32) {
        const EXTERNAL: u32 = 1;
        if flags & !EXTERNAL != 0 {
            return Err(Status::INVALID_VALUE);
        }
        let external = flags & EXTERNAL != 0;
        Device::get().stream_wait_event_as(default.resolve(stream), Event(event as u64), external).ok()
    }

    /// A stream's priority.
    context fn cuStreamGetPriority | cuStreamGetPriority_ptsz as default (stream: Handle, priority: Out<c_int>) {
        priority.set(Device::get().stream_properties(default.resolve(stream))?.1)
    }

    /// A stream's flags.
    context fn cuStreamGetFlags | cuStreamGetFlags_ptsz as default (stream: Handle, out: Out<u32>) {
        out.set(flags(default.resolve(stream))?)
    }

    /// A number that no other stream has.
    context fn cuStreamGetId | cuStreamGetId_ptsz as default (stream: Handle, id: Out<u64>) {
        let stream = default.resolve(stream);
        flags(stream)?;
        id.set(stream.0)
    }

    /// A stream's device.
    context fn cuStreamGetDevice | cuStreamGetDevice_ptsz as default (stream: Handle, device: Out<c_int>) {
        flags(default.resolve(stream))?;
        device.set(0)
    }

    /// A stream's context: all streams are usable in all contexts; the current one is named.
    context fn cuStreamGetCtx | cuStreamGetCtx_ptsz as default (stream: Handle, context: Out<Handle>) {
        flags(default.resolve(stream))?;
        context.set(thread::current()?)
    }

    /// A stream's context; there are no green ones.
    context fn cuStreamGetCtx_v2 | cuStreamGetCtx_v2_ptsz as default (stream: Handle, context: Out<Handle>,
        green: Out<Handle>) {
        flags(default.resolve(stream))?;
        green.set_if_wanted(std::ptr::null_mut());
        context.set(thread::current()?)
    }

    /// Calls a function of the host in stream order.
    context fn cuLaunchHostFunc | cuLaunchHostFunc_ptsz as default (stream: Handle, function: HostFunction,
        data: *mut c_void) {
        host_function(default.resolve(stream), function, data)
    }

    /// Calls a function of the host in stream order (older form).
    context fn cuStreamAddCallback | cuStreamAddCallback_ptsz as default (stream: Handle, function: StreamCallback,
        data: *mut c_void, flags: u32) {
        callback(default.resolve(stream), stream, function, data, flags)
    }

    /// Attaches managed memory to a stream: the host may access it at any time anyway.
    context fn cuStreamAttachMemAsync | cuStreamAttachMemAsync_ptsz as default (stream: Handle, address: u64,
        _length: usize, _flags: u32) {
        flags(default.resolve(stream))?;
        Device::get().find(address).map(|_| ()).ok_or(Status::INVALID_VALUE)
    }

    /// Takes the attributes of one stream for another: all of them are hints.
    context fn cuStreamCopyAttributes | cuStreamCopyAttributes_ptsz as default (to: Handle, from: Handle) {
        flags(default.resolve(to))?;
        flags(default.resolve(from)).map(|_| ())
    }

    /// Sets an attribute: all that a stream has are hints.
    context fn cuStreamSetAttribute | cuStreamSetAttribute_ptsz as default (stream: Handle, _attribute: u32,
        value: In<u8>) {
        value.get()?;
        flags(default.resolve(stream)).map(|_| ())
    }
}
