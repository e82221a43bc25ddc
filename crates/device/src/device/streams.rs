//! Streams (CUDA Runtime API, stream management). launch-model.md section 2.2.

use super::{Device, Event, Stream};
use crate::checking::Checking;
use crate::engine::{Operation, State};
use crate::graph::{HostNode, NodeParams};
use crate::status::Status;
use crate::tracing;
use hotfire_launch::recording::stream_number;
use hotfire_launch::{Early, Item, StreamKind, Work};
use hotfire_trace::log::Await;

/// The priorities that this device tells apart in name: all run alike.
pub(crate) const PRIORITIES: std::ops::RangeInclusive<i32> = -5..=0;

impl Device {
    /// Changes the engine's state.
    pub(crate) fn with<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        // The checker's lock goes around the engine's.
        let _held = self.checking.as_ref().map(Checking::hold);
        self.engine.with(change)
    }

    /// `cudaDeviceGetStreamPriorityRange`: least and greatest.
    pub fn priority_range(&self) -> (i32, i32) {
        (*PRIORITIES.end(), *PRIORITIES.start())
    }

    /// `cudaStreamCreateWithPriority`; priorities are clamped to the range.
    ///
    /// # Errors
    /// The sticky error.
    pub fn stream_create(&self, non_blocking: bool, priority: i32) -> Result<Stream, Status> {
        self.healthy()?;
        let kind = if non_blocking { StreamKind::NonBlocking } else { StreamKind::Blocking };
        let priority = priority.clamp(*PRIORITIES.start(), *PRIORITIES.end());
        let stream = self.with(|state| state.streams.create(&mut state.model, kind, priority));
        if let Some(checking) = &self.checking {
            checking.grids.lock().stream_created(stream, non_blocking);
        }
        Ok(stream)
    }

    /// `cudaStreamDestroy`: what is queued still runs.
    pub fn stream_destroy(&self, stream: Stream) -> Status {
        self.note_use(stream.0);
        self.forget_captured_stream(stream);
        let destroyed = self.with(|state| state.streams.destroy(&mut state.model, stream));
        if destroyed { self.sticky() } else { Status::INVALID_RESOURCE_HANDLE }
    }

    /// What to wait for so that all that is in a stream now is complete.
    fn stream_end(&'static self, stream: Stream) -> Result<Option<Item>, Status> {
        let stream = self.resolve(stream);
        self.healthy()?;
        self.refuse_captured(stream)?;
        self.with(|state| {
            if stream == Stream::LEGACY {
                // Synchronising with the legacy stream means all blocking streams.
                let end = hotfire_launch::Stream::LEGACY;
                return Ok((!state.model.stream_idle(end)).then(|| state.model.record(end)));
            }
            let stream = state.stream(stream)?;
            Ok(state.model.tail(stream))
        })
    }

    /// In a checked run: the host has synchronised with all that is in a stream, or with all there is.
    pub(super) fn synchronised(&'static self, stream: Option<Stream>) {
        let Some(checking) = &self.checking else { return };
        self.with(|state| match stream {
            None => checking.synchronised_all(state),
            Some(stream) if stream == Stream::LEGACY => {
                // Joins what is in blocking streams.
                let end = hotfire_launch::Stream::LEGACY;
                state.model.record(end);
                let facts = state.model.order.end(end);
                checking.synchronised(state, &facts);
            }
            Some(stream) => {
                let Ok(stream) = state.stream(stream) else { return };
                let facts = state.model.order.end(stream);
                checking.synchronised(state, &facts);
            }
        });
    }

    /// Waits until an item is complete, or the context is lost.
    pub(crate) fn wait_item(&self, item: Item) -> Status {
        if let Some(tracing) = tracing::active()
            && let Some(number) = self.engine.look(|state| state.model.number(item))
        {
            tracing.awaits(Await::Item(number));
        }
        let status = self.engine.wait(|state| {
            if !state.sticky.is_success() {
                return Some(state.sticky);
            }
            state.is_complete_or_awaited(item).then_some(Status::SUCCESS)
        });
        self.printf.flush();
        status
    }

    /// `cudaStreamSynchronize`.
    pub fn stream_synchronize(&'static self, stream: Stream) -> Status {
        if let Some(tracing) = tracing::active() {
            let own = self.engine.look(|state| state.stream(self.resolve(stream)).ok());
            tracing.awaits(own.map_or(Await::All, |own| Await::Stream(stream_number(own))));
        }
        let status = match self.stream_end(stream) {
            Ok(Some(item)) => self.wait_item(item),
            Ok(None) => {
                self.printf.flush();
                Status::SUCCESS
            }
            Err(status) => status,
        };
        if status.is_success() {
            self.synchronised(Some(self.resolve(stream)));
        }
        status
    }

    /// `cudaStreamQuery`: 0, 600, or an error.
    pub fn stream_query(&'static self, stream: Stream) -> Status {
        let stream = self.resolve(stream);
        if let Err(status) = self.healthy().and_then(|()| self.refuse_captured(stream)) {
            return status;
        }
        if let Some(checking) = &self.checking {
            checking.host_learns();
        }
        let idle = self.engine.look(|state| Ok(state.model.stream_idle(state.stream(stream)?)));
        match idle {
            Ok(true) => {
                self.synchronised(Some(stream));
                self.printf.flush();
                self.sticky()
            }
            Ok(false) => {
                self.engine.pump();
                Status::NOT_READY
            }
            Err(status) => status,
        }
    }

    /// `cudaStreamWaitEvent`. An event that was never recorded orders nothing.
    pub fn stream_wait_event(&'static self, stream: Stream, event: Event) -> Status {
        self.stream_wait_event_as(stream, event, false)
    }

    /// The same with `cudaEventWaitExternal`: in a captured stream, a node waits for what the event stands for at the launch.
    pub fn stream_wait_event_as(&'static self, stream: Stream, event: Event, external: bool) -> Status {
        self.note_use(event.0);
        let stream = self.resolve(stream);
        if let Some(captured) = self.capture_wait(stream, event, external) {
            return captured.into();
        }
        let waits = self.healthy().and_then(|()| {
            self.with(|state| {
                let stream = state.stream(stream)?;
                let event = state.events.get(event).ok_or(Status::INVALID_RESOURCE_HANDLE)?;
                match (event.item, event.kernel) {
                    (None, _) => {}
                    (Some(item), Some((_, Early::Begun, prerequisite))) => {
                        state.model.wait(stream, item);
                        if let Some(prerequisite) = prerequisite {
                            state.model.order.wait_begun(stream, &prerequisite);
                        }
                    }
                    (Some(_), Some((kernel, Early::Triggered, prerequisite))) => {
                        state.model.wait_early(stream, kernel);
                        if let Some(prerequisite) = prerequisite {
                            state.model.order.wait_early(stream, &prerequisite);
                        }
                    }
                    (Some(item), None) => {
                        state.model.wait(stream, item);
                        state.model.order.wait(stream, &event.facts);
                    }
                }
                Ok(())
            })
        });
        waits.into()
    }

    /// Whether the stream is non-blocking, and its priority.
    ///
    /// # Errors
    /// 400 for a handle that is none.
    pub fn stream_properties(&'static self, stream: Stream) -> Result<(bool, i32), Status> {
        let stream = self.resolve(stream);
        if stream == Stream::LEGACY {
            return Ok((false, 0));
        }
        let entry = self.engine.look(|state| state.streams.get(stream));
        entry.map(|entry| (entry.non_blocking, entry.priority)).ok_or(Status::INVALID_RESOURCE_HANDLE)
    }

    /// `cudaLaunchHostFunc`, which may be captured.
    pub fn host_call(&'static self, stream: Stream, call: HostNode) -> Status {
        let handle = self.resolve(stream);
        if let Some(captured) = self.capture_work(handle, false, || Ok(NodeParams::Host(call))) {
            return captured.map(drop).into();
        }
        self.host_function(stream, Box::new(move || (call.function)(call.data as *mut std::ffi::c_void)))
    }

    /// A call of a host function, once: runs on a thread of its own, in stream order. Not run once the context is lost.
    pub fn host_function(&'static self, stream: Stream, function: Box<dyn FnOnce() + Send>) -> Status {
        let handle = self.resolve(stream);
        if let Err(status) = self.refuse_captured(handle) {
            return status;
        }
        self.start_host_thread();
        let submitted = self.healthy().and_then(|()| {
            self.with(|state| {
                let stream = state.stream(handle)?;
                let item = state.model.submit(stream, Work::Operation);
                if let Some(checking) = &self.checking {
                    checking.submitted_operation(state, item, "cudaLaunchHostFunc", handle);
                    checking.queued(state, None);
                }
                state.attach_operation(item, Operation::Host(function));
                Ok(())
            })
        });
        submitted.into()
    }
}
