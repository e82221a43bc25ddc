//! Copies and sets (CUDA Runtime API, memory management; "API synchronization behavior"). launch-model.md section 2.5.
//!
//! What involves pageable host memory is complete, as far as that memory goes, when the call returns. A copy that the host
//! waits for is carried out by the waiting thread itself, once its stream gets there.

use super::{Device, Stream};
use crate::copy::{Copy3d, Direction, Fill3d, Mode};
use crate::engine::{Operation, State};
use crate::graph::NodeParams;
use crate::memory::Kind;
use crate::status::Status;
use crate::tracing;
use hotfire_launch::{Item, Stage, Work};
use hotfire_trace::log::Await;

/// Bytes of pageable host memory up to which a copy to the device reads them into a buffer of its own rather than waiting.
const STAGED: u64 = 64 << 10;

/// What an address range is, to a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Device,
    Managed,
    Pinned,
    Pageable,
}

impl Place {
    fn is_host(self) -> bool {
        matches!(self, Self::Pinned | Self::Pageable)
    }
}

/// First byte and bytes of all that rows touch.
fn extent(start: u64, pitch: u64, rows: u64, width: u64, height: u64, depth: u64) -> Result<u64, Status> {
    if (height > 1 || depth > 1) && width > pitch {
        return Err(Status::INVALID_PITCH);
    }
    if depth > 1 && height > rows {
        return Err(Status::INVALID_VALUE);
    }
    let slices = rows.checked_mul(depth - 1).and_then(|n| n.checked_add(height - 1));
    let bytes = slices.and_then(|n| n.checked_mul(pitch)).and_then(|n| n.checked_add(width));
    bytes.filter(|&bytes| start.checked_add(bytes).is_some()).ok_or(Status::INVALID_VALUE)
}

impl Device {
    /// Where a range lies; 1 if it is partly in something that ends inside it.
    fn place(&self, address: u64, bytes: u64) -> Result<Place, Status> {
        let memory = self.memory();
        if let Some(found) = memory.find(address) {
            if bytes > memory.room(address).unwrap_or(0) {
                return Err(Status::INVALID_VALUE);
            }
            return match found.kind {
                Kind::Device | Kind::Module | Kind::Constant | Kind::Array | Kind::Mapped => Ok(Place::Device),
                Kind::Managed => Ok(Place::Managed),
                Kind::PinnedHost => Ok(Place::Pinned),
                Kind::Parameters => Err(Status::INVALID_VALUE),
            };
        }
        if memory.contains(address) || crate::exec::is_private(address) {
            return Err(Status::INVALID_VALUE);
        }
        Ok(if memory.is_registered(address, bytes) { Place::Pinned } else { Place::Pageable })
    }

    /// Where the two sides of a copy lie, if its direction is right.
    fn places(&self, copy: &Copy3d, direction: Direction) -> Result<(Place, Place), Status> {
        let Copy3d { width, height, depth, .. } = *copy;
        let to = extent(copy.destination, copy.destination_pitch, copy.destination_rows, width, height, depth)?;
        let from = extent(copy.source, copy.source_pitch, copy.source_rows, width, height, depth)?;
        if copy.destination == 0 || copy.source == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let destination = self.place(copy.destination, to)?;
        let source = self.place(copy.source, from)?;
        // Mapped host memory may stand for device memory; pageable memory may not, nor device memory for host memory.
        let device_side = |place: Place| place != Place::Pageable;
        let host_side = |place: Place| place != Place::Device;
        let legal = match direction {
            Direction::HostToHost => host_side(destination) && host_side(source),
            Direction::HostToDevice => device_side(destination) && host_side(source),
            Direction::DeviceToHost => host_side(destination) && device_side(source),
            Direction::DeviceToDevice => device_side(destination) && device_side(source),
            Direction::Default => true,
        };
        if legal { Ok((destination, source)) } else { Err(Status::INVALID_VALUE) }
    }

    /// If the (resolved) stream is captured, a copy or set becomes a node; one that waits is refused while it might belong to a capture.
    fn capture_call(
        &'static self,
        stream: Stream,
        mode: Mode,
        params: impl FnOnce() -> NodeParams,
    ) -> Option<Result<(), Status>> {
        if mode == Mode::Async {
            return Some(self.capture_work(stream, false, || Ok(params()))?.map(drop));
        }
        let refused = self.refuse_captured(stream).and_then(|()| self.refuse_unsafe());
        refused.err().map(Err)
    }

    /// Whether an operation goes between the host's memory and the device's.
    fn crosses(&self, operation: &Operation) -> bool {
        let is_host = |address| self.place(address, 1).is_ok_and(Place::is_host);
        match operation {
            Operation::Copy(copy) => is_host(copy.source) || is_host(copy.destination),
            Operation::CopyFrom(..) => true,
            _ => false,
        }
    }

    fn submit(&'static self, stream: Stream, operation: Operation, call: &'static str) -> Result<Item, Status> {
        let handle = self.resolve(stream);
        self.healthy()?;
        self.with(|state| {
            let stream = state.stream(handle)?;
            let item = state.model.submit(stream, Work::Operation);
            if let Some(checking) = &self.checking {
                checking.submitted_operation(state, item, call, handle);
                match &operation {
                    Operation::Copy(copy) => checking.queued_copy(state, copy),
                    Operation::CopyFrom(copy, bytes) => {
                        let source = bytes.as_ptr() as u64;
                        checking.queued_copy(state, &Copy3d { source, ..*copy });
                    }
                    Operation::Fill(fill) => checking.queued_fill(state, fill),
                    // The caller waits.
                    Operation::Caller => {}
                    _ => checking.queued(state, None),
                }
            }
            let crosses = tracing::active().filter(|_| self.crosses(&operation));
            state.attach_operation(item, operation);
            if let (Some(tracing), Some(number)) = (crosses, state.model.number(item)) {
                tracing.crosses(number);
            }
            Ok(item)
        })
    }

    /// Carries an operation out on the calling thread when its stream gets there. Some such calls synchronise the host with it.
    fn perform(
        &'static self,
        stream: Stream,
        operation: Operation,
        call: &'static str,
        synchronises: bool,
    ) -> Result<(), Status> {
        let item = self.submit(stream, Operation::Caller, call)?;
        if let Some(tracing) = tracing::active()
            && let Some(number) = self.engine.look(|state| state.model.number(item))
        {
            tracing.operation(number, &operation);
            if self.crosses(&operation) {
                tracing.crosses(number);
            }
            tracing.awaits(Await::Item(number));
        }
        let turn = |state: &mut State| {
            if state.model.stage(item) == Stage::Running {
                return Some(Ok(()));
            }
            state.sticky.ok().err().map(Err)
        };
        self.engine.wait_then(turn, |turn: Result<(), Status>| {
            turn?;
            if let Some(checking) = &self.checking {
                checking.operate(self, item, &operation);
            }
            self.operate(operation);
            self.with(|state| state.finish(item));
            if synchronises {
                self.synchronised(Some(self.resolve(stream)));
            }
            Ok::<(), Status>(())
        })?;
        self.printf.flush();
        Ok(())
    }

    /// `cudaMemcpy[Async]`.
    ///
    /// # Safety
    /// Host memory named by the addresses must be valid for the copy, until it is complete.
    pub unsafe fn copy(
        &'static self,
        destination: u64,
        source: u64,
        bytes: u64,
        direction: Direction,
        stream: Stream,
        mode: Mode,
    ) -> Status {
        let copy = Copy3d::linear(destination, source, bytes);
        // SAFETY: the caller's promise.
        unsafe { self.copy_3d(&copy, direction, stream, mode) }
    }

    /// `cudaMemcpy2D[Async]` and `cudaMemcpy3D[Async]` between pitched memory.
    ///
    /// # Safety
    /// As [`Device::copy`].
    pub unsafe fn copy_3d(&'static self, copy: &Copy3d, direction: Direction, stream: Stream, mode: Mode) -> Status {
        self.start_copy(copy, direction, stream, mode).into()
    }

    fn start_copy(
        &'static self,
        copy: &Copy3d,
        direction: Direction,
        stream: Stream,
        mode: Mode,
    ) -> Result<(), Status> {
        let stream = self.resolve(stream);
        self.healthy()?;
        if let Some(captured) = self.capture_call(stream, mode, || NodeParams::Memcpy(*copy, direction)) {
            return captured;
        }
        if copy.width == 0 || copy.height == 0 || copy.depth == 0 {
            return self.engine.look(|state| state.stream(stream).map(drop));
        }
        let (destination, source) = self.places(copy, direction)?;
        let to_pageable = destination == Place::Pageable;
        let from_pageable = source == Place::Pageable;
        let dense = copy.height == 1 && copy.depth == 1;
        if mode == Mode::Async && from_pageable && !to_pageable && dense && copy.width <= STAGED {
            // SAFETY: the range is the caller's host memory.
            let bytes = unsafe { std::slice::from_raw_parts(copy.source as *const u8, copy.width as usize) };
            let item = self.submit(stream, Operation::CopyFrom(*copy, bytes.into()), "cudaMemcpyAsync")?;
            // Complete at return (section 2.5): under the checker, which takes the word for it, really so.
            return if self.checking.is_some() { self.completed(item, stream) } else { Ok(()) };
        }
        let waits = match mode {
            Mode::Async => to_pageable || from_pageable,
            Mode::Sync => destination.is_host() || source.is_host(),
        };
        let call = if mode == Mode::Async { "cudaMemcpyAsync" } else { "cudaMemcpy" };
        if waits {
            // Of what is copied from pageable memory to the device only the source is done with when the call returns.
            let synchronises = mode == Mode::Async || !from_pageable || destination != Place::Device;
            self.perform(stream, Operation::Copy(*copy), call, synchronises)
        } else {
            self.submit(stream, Operation::Copy(*copy), call).map(drop)
        }
    }

    /// Waits for an operation of a stream, and synchronises the host with it.
    fn completed(&'static self, item: Item, stream: Stream) -> Result<(), Status> {
        self.wait_item(item).ok()?;
        self.synchronised(Some(self.resolve(stream)));
        Ok(())
    }

    /// `cudaMemset[Async]`, `cuMemsetD8/D16/D32`: `count` elements of `width` (1, 2 or 4) bytes.
    pub fn set(
        &'static self,
        destination: u64,
        value: u32,
        width: u32,
        count: u64,
        stream: Stream,
        mode: Mode,
    ) -> Status {
        let Some(pitch) = count.checked_mul(u64::from(width)) else { return Status::INVALID_VALUE };
        let fill = Fill3d { destination, pitch, rows: 1, value, element: width, width: count, height: 1, depth: 1 };
        self.set_3d(&fill, stream, mode)
    }

    /// `cudaMemset2D[Async]` and `cudaMemset3D[Async]`.
    pub fn set_3d(&'static self, fill: &Fill3d, stream: Stream, mode: Mode) -> Status {
        self.start_fill(fill, stream, mode).into()
    }

    fn start_fill(&'static self, fill: &Fill3d, stream: Stream, mode: Mode) -> Result<(), Status> {
        self.healthy()?;
        let handle = self.resolve(stream);
        // A set waits for nothing that is captured, whatever its name [h200].
        if let Some(captured) = self.capture_call(handle, Mode::Async, || NodeParams::Memset(*fill)) {
            return captured;
        }
        let place = match check_fill(fill)? {
            0 => return Ok(()),
            bytes => self.place(fill.destination, bytes)?,
        };
        let call = if mode == Mode::Async { "cudaMemsetAsync" } else { "cudaMemset" };
        match (place, mode) {
            (Place::Pageable, _) => Err(Status::INVALID_VALUE),
            (Place::Device, _) | (_, Mode::Async) => self.submit(stream, Operation::Fill(*fill), call).map(drop),
            // Sets of pinned and managed memory synchronise the host (section 2.5).
            (Place::Managed | Place::Pinned, Mode::Sync) => self.perform(stream, Operation::Fill(*fill), call, true),
        }
    }

    /// Whether the host may ask for this copy.
    pub(crate) fn check_copy(&self, copy: &Copy3d, direction: Direction) -> Result<(), Status> {
        self.places(copy, direction).map(drop)
    }

    /// Whether device code may copy this: both sides in memory that all of the device sees (launch-model 3.4.3).
    pub(crate) fn check_device_copy(&self, copy: &Copy3d) -> Result<(), Status> {
        let (destination, source) = self.places(copy, Direction::Default)?;
        if destination == Place::Pageable || source == Place::Pageable {
            return Err(Status::INVALID_VALUE);
        }
        Ok(())
    }

    /// As [`Device::check_device_copy`], for a set.
    pub(crate) fn check_device_fill(&self, fill: &Fill3d) -> Result<(), Status> {
        let bytes = check_fill(fill)?;
        if bytes > 0 && self.place(fill.destination, bytes)? == Place::Pageable {
            return Err(Status::INVALID_VALUE);
        }
        Ok(())
    }
}

/// Bytes of all that a set touches.
fn check_fill(fill: &Fill3d) -> Result<u64, Status> {
    let element = u64::from(fill.element);
    if !matches!(element, 1 | 2 | 4) || !fill.destination.is_multiple_of(element) {
        return Err(Status::INVALID_VALUE);
    }
    if fill.width == 0 || fill.height == 0 || fill.depth == 0 {
        return Ok(0);
    }
    if (fill.height > 1 || fill.depth > 1) && !fill.pitch.is_multiple_of(element) {
        return Err(Status::INVALID_VALUE);
    }
    let width = fill.width.checked_mul(element).ok_or(Status::INVALID_VALUE)?;
    extent(fill.destination, fill.pitch, fill.rows, width, fill.height, fill.depth)
}
