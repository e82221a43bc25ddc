//! Event management.

use hotfire_device::{Device, Event, Status};

use crate::driver::{event_create, event_elapsed};
use crate::export::export;
use crate::pointer::Out;
use crate::types::Handle;

export! {
    /// A new event.
    runtime fn cudaEventCreate(out: Out<Handle>) {
        event_create(out, 0)
    }

    /// A new event.
    runtime fn cudaEventCreateWithFlags(out: Out<Handle>, flags: u32) {
        event_create(out, flags)
    }

    /// Marks this place of the stream.
    runtime fn cudaEventRecord | cudaEventRecord_ptsz as default (event: Handle, stream: Handle) {
        Device::get().event_record(Event(event as u64), default.resolve(stream)).ok()
    }

    /// Marks this place of the stream; the flag is for captures.
    runtime fn cudaEventRecordWithFlags | cudaEventRecordWithFlags_ptsz as default (event: Handle, stream: Handle,
        flags: u32) {
        const EXTERNAL: u32 = 1;
        if flags & !EXTERNAL != 0 {
            return Err(Status::INVALID_VALUE);
        }
        Device::get().event_record_as(Event(event as u64), default.resolve(stream), flags & EXTERNAL != 0).ok()
    }

    /// Whether the marked place was reached.
    runtime fn cudaEventQuery(event: Handle) {
        Device::get().event_query(Event(event as u64)).ok()
    }

    /// Waits until the marked place is reached.
    runtime fn cudaEventSynchronize(event: Handle) {
        Device::get().event_synchronize(Event(event as u64)).ok()
    }

    /// Destroys an event.
    runtime fn cudaEventDestroy(event: Handle) {
        Device::get().event_destroy(Event(event as u64)).ok()
    }

    /// Milliseconds between two events.
    runtime fn cudaEventElapsedTime(out: Out<f32>, start: Handle, end: Handle) {
        event_elapsed(out, start, end)
    }
}
