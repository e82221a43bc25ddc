//! Calls that a capture does not allow: those that would carry an order across its border, and those that wait or allocate.

use super::{Capture, CaptureMode, MODE};
use crate::device::{Device, Event, Stream};
use crate::status::Status;

impl Device {
    /// Work in the legacy default stream would depend on streams that are captured.
    pub(super) fn refuse_implicit(&self, stream: Stream) -> Result<(), Status> {
        if stream != Stream::LEGACY {
            return Ok(());
        }
        let mut graphs = self.graphs.lock();
        let refused = graphs.captures.invalidate_all(|capture| capture.blocking);
        if refused { Err(Status::STREAM_CAPTURE_IMPLICIT) } else { Ok(()) }
    }

    /// A call that waits for a stream, or asks how far it is, is refused while that is captured.
    pub(crate) fn refuse_captured(&'static self, stream: Stream) -> Result<(), Status> {
        if !self.is_capturing_any() {
            return Ok(());
        }
        self.refuse_implicit(stream)?;
        let mut graphs = self.graphs.lock();
        match graphs.captures.of_stream(stream) {
            None => Ok(()),
            Some(capture) => {
                capture.valid = false;
                Err(Status::STREAM_CAPTURE_UNSUPPORTED)
            }
        }
    }

    /// A call that waits for an event is refused if that was last recorded in a captured stream.
    pub(crate) fn refuse_captured_event(&self, event: Event) -> Result<(), Status> {
        let mut graphs = self.graphs.lock();
        match graphs.captures.events.get(&event.0) {
            None => Ok(()),
            Some(&(id, _)) if graphs.captures.active.contains_key(&id) => {
                graphs.captures.invalidate(id);
                Err(Status::CAPTURED_EVENT)
            }
            // That capture is over: the event stands for nothing [h200].
            Some(_) => Err(Status::INVALID_VALUE),
        }
    }

    /// A call that waits for all streams is refused while any is captured, whatever the mode [h200].
    pub(crate) fn refuse_whole(&self) -> Result<(), Status> {
        if !self.is_capturing_any() {
            return Ok(());
        }
        let refused = self.graphs.lock().captures.invalidate_all(|_| true);
        if refused { Err(Status::STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
    }

    /// A potentially unsafe call is refused while what it does might belong to a capture.
    pub(crate) fn refuse_unsafe(&self) -> Result<(), Status> {
        if !self.is_capturing_any() {
            return Ok(());
        }
        let (own, this) = (MODE.get(), std::thread::current().id());
        let forbids = |capture: &Capture| match own {
            CaptureMode::Relaxed => false,
            CaptureMode::ThreadLocal => capture.thread == this && capture.mode != CaptureMode::Relaxed,
            CaptureMode::Global => {
                capture.mode == CaptureMode::Global || (capture.thread == this && capture.mode != CaptureMode::Relaxed)
            }
        };
        let refused = self.graphs.lock().captures.invalidate_all(forbids);
        if refused { Err(Status::STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
    }
}
