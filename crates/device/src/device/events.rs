//! Events (CUDA Runtime API, event management).

use super::{Device, Event, EventFlags, LaunchAttributes, Stream};
use crate::engine::{Grid, State};
use crate::status::Status;
use hotfire_launch::order::Facts;
use hotfire_launch::{self as launch, Early, Item};
use std::sync::atomic::Ordering;

impl Device {
    /// `cudaEventCreateWithFlags`.
    ///
    /// # Errors
    /// The sticky error.
    pub fn event_create(&self, flags: EventFlags) -> Result<Event, Status> {
        self.healthy()?;
        Ok(self.with(|state| state.events.create(flags)))
    }

    /// `cudaEventRecord`.
    pub fn event_record(&'static self, event: Event, stream: Stream) -> Status {
        self.event_record_as(event, stream, false)
    }

    /// The same with `cudaEventRecordExternal`: in a captured stream, a node records the event.
    pub fn event_record_as(&'static self, event: Event, stream: Stream, external: bool) -> Status {
        self.note_use(event.0);
        let stream = self.resolve(stream);
        if let Some(captured) = self.capture_record(event, stream, external) {
            return captured.into();
        }
        let recorded = self.healthy().and_then(|()| {
            self.with(|state| {
                let stream = state.stream(stream)?;
                let timed = !state.events.get(event).ok_or(Status::INVALID_RESOURCE_HANDLE)?.flags.disable_timing;
                let item = if timed { state.model.record_timed(stream) } else { state.model.record(stream) };
                let facts = state.model.order.end(stream);
                if let Some((slot, recording)) = state.events.record(event, item, facts) {
                    state.attach_event(item, slot, recording);
                }
                Ok(())
            })
        });
        recorded.into()
    }

    /// Events that a launch records when its blocks have begun, or triggered. What is in front of the kernel is complete by then.
    pub(super) fn launch_events(
        state: &mut State,
        stream: launch::Stream,
        item: Item,
        grid: &Grid,
        attributes: &LaunchAttributes,
    ) {
        let kernel = state.model.order.kernel(stream);
        let behind = kernel.as_ref().map_or_else(Facts::default, |kernel| kernel.behind.clone());
        let events =
            [(attributes.programmatic_event, Early::Triggered), (attributes.launch_completion_event, Early::Begun)];
        for (event, early) in events {
            let Some(event) = event else { continue };
            let marker = state.model.record_early(item, early);
            if let Some((slot, recording)) = state.events.record(event, marker, behind.clone()) {
                state.attach_event(marker, slot, recording);
            }
            state.events.of_kernel(event, item, early, kernel.clone());
            if early == Early::Begun {
                grid.announces.store(true, Ordering::Relaxed);
            }
        }
    }

    /// `cudaEventQuery`. An event that was never recorded counts as complete.
    pub fn event_query(&self, event: Event) -> Status {
        self.note_use(event.0);
        let refused = || self.refuse_captured_event(event).and_then(|()| self.refuse_unsafe());
        if let Err(status) = self.healthy().and_then(|()| refused()) {
            return status;
        }
        if let Some(checking) = &self.checking {
            checking.host_learns();
        }
        let complete = self.engine.look(|state| {
            let entry = state.events.get(event).ok_or(Status::INVALID_RESOURCE_HANDLE)?;
            Ok((entry.item.is_none_or(|item| state.model.is_complete(item)), entry.facts))
        });
        match complete {
            Ok((true, facts)) => {
                self.event_synchronised(&facts);
                self.printf.flush();
                self.sticky()
            }
            Ok((false, _)) => {
                self.engine.pump();
                Status::NOT_READY
            }
            Err(status) => status,
        }
    }

    /// `cudaEventSynchronize`.
    pub fn event_synchronize(&self, event: Event) -> Status {
        self.note_use(event.0);
        let refused = || self.refuse_captured_event(event).and_then(|()| self.refuse_unsafe());
        if let Err(status) = self.healthy().and_then(|()| refused()) {
            return status;
        }
        let Some(entry) = self.engine.look(|state| state.events.get(event)) else {
            return Status::INVALID_RESOURCE_HANDLE;
        };
        let status = entry.item.map_or(Status::SUCCESS, |item| self.wait_item(item));
        if status.is_success() {
            self.event_synchronised(&entry.facts);
        }
        status
    }

    /// In a checked run: the host has synchronised with an event.
    fn event_synchronised(&self, facts: &Facts) {
        if let Some(checking) = &self.checking {
            self.with(|state| checking.synchronised(state, facts));
        }
    }

    /// `cudaEventElapsedTime` in milliseconds.
    ///
    /// # Errors
    /// 400 for events without timing or never recorded, 600 while one has not completed.
    pub fn event_elapsed(&self, start: Event, end: Event) -> Result<f32, Status> {
        self.healthy()?;
        let times: Result<_, Status> = self.engine.look(|state| {
            let time = |event| {
                let entry = state.events.get(event).ok_or(Status::INVALID_RESOURCE_HANDLE)?;
                if entry.flags.disable_timing || entry.item.is_none() {
                    return Err(Status::INVALID_RESOURCE_HANDLE);
                }
                entry.time.ok_or(Status::NOT_READY)
            };
            Ok((time(start)?, time(end)?))
        });
        let (start, end) = times?;
        if let Some(checking) = &self.checking {
            checking.host_learns();
        }
        Ok((end.wrapping_sub(start) as i64 as f64 / 1e6) as f32)
    }

    /// `cudaEventDestroy`.
    pub fn event_destroy(&self, event: Event) -> Status {
        self.note_use(event.0);
        self.forget_captured_event(event);
        let destroyed = self.with(|state| state.events.destroy(event));
        if destroyed { self.sticky() } else { Status::INVALID_RESOURCE_HANDLE }
    }
}
