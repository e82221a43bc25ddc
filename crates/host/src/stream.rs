//! Streams, events, and the proof that work is complete.
//!
//! The rule: what a grid wrote is visible to host code only after host code has synchronised with its completion. Here that synchronisation has
//! a value, [`Done`], which nothing else can make.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::{CudaStream, sys};

use crate::driver::{check, from_cudarc};
use crate::{Device, Result};

/// Proof that work submitted before some moment is complete: of one stream, or of the whole device.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    stream: Option<u64>,
    upto: u64,
}

impl Done {
    /// Proves nothing; enough for memory that no work has used yet.
    pub const NOTHING: Self = Self { stream: None, upto: 0 };

    pub(crate) fn everything(upto: u64) -> Self {
        Self { stream: None, upto }
    }

    pub(crate) fn of(stream: u64, upto: u64) -> Self {
        Self { stream: Some(stream), upto }
    }

    pub(crate) fn covers(&self, stream: u64, number: u64) -> bool {
        number <= self.upto && self.stream.is_none_or(|of| of == stream)
    }
}

/// A stream of a device. Clones are the same stream.
#[derive(Clone, Debug)]
pub struct Stream {
    device: Device,
    stream: Arc<CudaStream>,
    id: u64,
}

impl Stream {
    /// A stream that waits for no other (`cudaStreamNonBlocking`).
    pub fn new(device: &Device) -> Result<Self> {
        let stream = device.context().new_stream().map_err(from_cudarc("cuStreamCreate"))?;
        Ok(Self::of(device, stream))
    }

    /// The same with a priority; lower numbers come first.
    pub fn with_priority(device: &Device, priority: i32) -> Result<Self> {
        let stream = device.context().new_stream_with_priority(priority);
        Ok(Self::of(device, stream.map_err(from_cudarc("cuStreamCreateWithPriority"))?))
    }

    /// The legacy default stream.
    pub fn default_of(device: &Device) -> Self {
        Self::of(device, device.context().default_stream())
    }

    /// A stream of cudarc's. Work that others submit to it is not known to [`Done`].
    pub fn of(device: &Device, stream: Arc<CudaStream>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // Wrapping a stream twice makes proofs of one useless for the other, never wrong.
        Self { device: device.clone(), stream, id: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// CUDA's handle.
    pub fn handle(&self) -> sys::CUstream {
        self.stream.cu_stream()
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Waits until everything submitted to the stream is complete.
    pub fn synchronize(&self) -> Result<Done> {
        let upto = self.device.submitted();
        self.device.bind()?;
        // SAFETY: the stream lives.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.handle()) })?;
        Ok(Done::of(self.id, upto))
    }

    /// Proof, if everything submitted is complete already.
    pub fn query(&self) -> Result<Option<Done>> {
        let upto = self.device.submitted();
        self.device.bind()?;
        // SAFETY: the stream lives.
        let answer = unsafe { sys::cuStreamQuery(self.handle()) };
        if answer == sys::CUresult::CUDA_ERROR_NOT_READY {
            return Ok(None);
        }
        check("cuStreamQuery", answer).map(|()| Some(Done::of(self.id, upto)))
    }

    /// An event behind what was submitted so far; timed if its time is to be asked.
    pub fn record(&self, timed: bool) -> Result<Event> {
        let mut event = Event::new(&self.device, timed)?;
        event.upto = self.device.submitted();
        event.stream = Some(self.id);
        // SAFETY: event and stream live, in one context.
        check("cuEventRecord", unsafe { sys::cuEventRecord(event.raw, self.handle()) })?;
        Ok(event)
    }

    /// What is submitted from now on starts when the event's work is complete.
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.device.bind()?;
        // SAFETY: event and stream live.
        check("cuStreamWaitEvent", unsafe { sys::cuStreamWaitEvent(self.handle(), event.raw, 0) })
    }
}

/// A point in a stream.
#[derive(Debug)]
pub struct Event {
    device: Device,
    raw: sys::CUevent,
    stream: Option<u64>,
    upto: u64,
}

// SAFETY: CUDA's events may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above; no method changes the event.
unsafe impl Sync for Event {}

impl Event {
    /// An event that a launch attribute records. Its completion proves nothing to host code.
    pub fn new(device: &Device, timed: bool) -> Result<Self> {
        device.bind()?;
        let mut raw = ptr::null_mut();
        let flags = if timed { 0 } else { sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32 };
        // SAFETY: a place for the result.
        check("cuEventCreate", unsafe { sys::cuEventCreate(&mut raw, flags) })?;
        Ok(Self { device: device.clone(), raw, stream: None, upto: 0 })
    }

    pub(crate) fn handle(&self) -> sys::CUevent {
        self.raw
    }

    /// Waits for it. The proof covers what its stream had when it was recorded there.
    pub fn synchronize(&self) -> Result<Done> {
        self.device.bind()?;
        // SAFETY: the event lives.
        check("cuEventSynchronize", unsafe { sys::cuEventSynchronize(self.raw) })?;
        Ok(self.stream.map_or(Done::NOTHING, |stream| Done::of(stream, self.upto)))
    }

    /// Milliseconds between two timed events that are complete.
    pub fn milliseconds_to(&self, end: &Self) -> Result<f64> {
        let mut time = 0.0;
        // SAFETY: both events live; a place for the result.
        check("cuEventElapsedTime", unsafe { sys::cuEventElapsedTime_v2(&mut time, self.raw, end.raw) })?;
        Ok(f64::from(time))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. CUDA keeps what pending work needs of it. An error has nobody to go to.
        let _ = unsafe { sys::cuEventDestroy_v2(self.raw) };
    }
}
