//! Event management.

use hotfire_device::{Device, Event, EventFlags, Status};

use crate::export::export;
use crate::notice;
use crate::pointer::Out;
use crate::types::Handle;

const BLOCKING_SYNC: u32 = 1;
const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;

/// Creates an event.
pub(crate) fn create(out: Out<Handle>, flags: u32) -> Result<(), Status> {
    out.check()?;
    if flags & INTERPROCESS != 0 {
        notice::once("events shared between processes are not implemented by this device");
        return Err(Status::NOT_SUPPORTED);
    }
    if flags & !(BLOCKING_SYNC | DISABLE_TIMING) != 0 {
        return Err(Status::INVALID_VALUE);
    }
    let flags = EventFlags { blocking_sync: flags & BLOCKING_SYNC != 0, disable_timing: flags & DISABLE_TIMING != 0 };
    out.set(Device::get().event_create(flags)?.0 as Handle)
}

/// Milliseconds between two events.
pub(crate) fn elapsed(out: Out<f32>, start: Handle, end: Handle) -> Result<(), Status> {
    out.check()?;
    out.set(Device::get().event_elapsed(Event(start as u64), Event(end as u64))?)
}

export! {
    /// A new event.
    context fn cuEventCreate(out: Out<Handle>, flags: u32) {
        create(out, flags)
    }

    /// Marks this place of the stream.
    context fn cuEventRecord | cuEventRecord_ptsz as default (event: Handle, stream: Handle) {
        Device::get().event_record(Event(event as u64), default.resolve(stream)).ok()
    }

    /// Marks this place of the stream; the flag is for captures.
    context fn cuEventRecordWithFlags | cuEventRecordWithFlags_ptsz as default (event: Handle, stream: Handle, flags: u32) {
        const EXTERNAL: u32 = 1;
        if flags & !EXTERNAL != 0 {
            return Err(Status::INVALID_VALUE);
        }
        Device::get().event_record_as(Event(event as u64), default.resolve(stream), flags & EXTERNAL != 0).ok()
    }

    /// Whether the marked place was reached.
    context fn cuEventQuery(event: Handle) {
        Device::get().event_query(Event(event as u64)).ok()
    }

    /// Waits until the marked place is reached.
    context fn cuEventSynchronize(event: Handle) {
        Device::get().event_synchronize(Event(event as u64)).ok()
    }

    /// Destroys an event.
    context fn cuEventDestroy_v2(event: Handle) {
        Device::get().event_destroy(Event(event as u64)).ok()
    }

    /// Milliseconds between two events.
    context fn cuEventElapsedTime(out: Out<f32>, start: Handle, end: Handle) {
        elapsed(out, start, end)
    }

    /// Milliseconds between two events.
    context fn cuEventElapsedTime_v2(out: Out<f32>, start: Handle, end: Handle) {
        elapsed(out, start, end)
    }
}
