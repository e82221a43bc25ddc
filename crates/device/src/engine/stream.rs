//! Host streams: handles that programs hold, and the model's streams behind them. launch-model.md section 2.2.

use crate::device::{Device, Stream};
use crate::status::Status;
use hotfire_launch::{self as launch, Model, StreamKind};
use std::cell::RefCell;

/// A stream that the program created.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamEntry {
    generation: u32,
    alive: bool,
    pub stream: launch::Stream,
    pub non_blocking: bool,
    pub priority: i32,
}

/// The bit that tells the host's handles from those of device code, which have an index below 2^31 in the low word.
pub(crate) const HOST_HANDLE: u64 = 1 << 31;

/// The streams that programs hold handles of: generation in the high word, index and [`HOST_HANDLE`] in the low one.
#[derive(Debug)]
pub(crate) struct StreamTable {
    entries: Vec<StreamEntry>,
    free: Vec<usize>,
}

impl StreamTable {
    pub fn new() -> Self {
        Self { entries: Vec::new(), free: Vec::new() }
    }

    pub fn create(&mut self, model: &mut Model, kind: StreamKind, priority: i32) -> Stream {
        let stream = model.create_stream(kind);
        let non_blocking = kind == StreamKind::NonBlocking;
        let index = self.free.pop().unwrap_or_else(|| {
            self.entries.push(StreamEntry { generation: 0, alive: false, stream, non_blocking, priority });
            self.entries.len() - 1
        });
        let entry = &mut self.entries[index];
        let generation = entry.generation + 1;
        *entry = StreamEntry { generation, alive: true, stream, non_blocking, priority };
        Stream(u64::from(generation) << 32 | HOST_HANDLE | index as u64)
    }

    fn index(handle: Stream) -> usize {
        (handle.0 as u32 as u64).wrapping_sub(HOST_HANDLE) as usize
    }

    pub fn get(&self, handle: Stream) -> Option<StreamEntry> {
        let entry = self.entries.get(Self::index(handle))?;
        (entry.alive && u64::from(entry.generation) == handle.0 >> 32).then_some(*entry)
    }

    pub fn destroy(&mut self, model: &mut Model, handle: Stream) -> bool {
        let Some(entry) = self.get(handle) else { return false };
        model.destroy_stream(entry.stream);
        let index = Self::index(handle);
        self.entries[index].alive = false;
        self.free.push(index);
        true
    }
}

/// A host thread's default streams, one for each device that it used; they go with the thread.
struct PerThread(Vec<(&'static Device, u64, Stream)>);

impl Drop for PerThread {
    fn drop(&mut self) {
        for &(device, epoch, stream) in &self.0 {
            device.destroy_per_thread(epoch, stream);
        }
    }
}

thread_local! {
    static PER_THREAD: RefCell<PerThread> = const { RefCell::new(PerThread(Vec::new())) };
}

impl Device {
    /// The handle with the calling thread's default stream put in.
    pub(crate) fn resolve(&'static self, stream: Stream) -> Stream {
        match stream.0 {
            0 => Stream::LEGACY,
            2 => self.per_thread(),
            handle => {
                self.note_use(handle);
                stream
            }
        }
    }

    /// Tells the checker which handle the host uses: device code may have made it.
    pub(crate) fn note_use(&self, handle: u64) {
        if let Some(checking) = self.checking.as_ref().filter(|_| handle & HOST_HANDLE == 0) {
            checking.foreign_to_host(handle);
        }
    }

    fn per_thread(&'static self) -> Stream {
        let epoch = self.epoch();
        // A thread that is ending has no default stream of its own any more; the legacy one orders more, never less.
        let of_thread = PER_THREAD.try_with(|table| {
            let table = &mut table.borrow_mut().0;
            let known = |entry: &&(&'static Device, u64, Stream)| std::ptr::eq(entry.0, self) && entry.1 == epoch;
            if let Some(&(_, _, stream)) = table.iter().find(known) {
                return stream;
            }
            let stream = self.with(|state| state.streams.create(&mut state.model, StreamKind::PerThreadDefault, 0));
            table.push((self, epoch, stream));
            stream
        });
        of_thread.unwrap_or(Stream::LEGACY)
    }

    fn destroy_per_thread(&'static self, epoch: u64, stream: Stream) {
        if epoch == self.epoch() {
            self.with(|state| state.streams.destroy(&mut state.model, stream));
        }
    }
}

impl super::State {
    /// The model's stream of a resolved handle.
    pub fn stream(&self, handle: Stream) -> Result<launch::Stream, Status> {
        if handle == Stream::LEGACY {
            return Ok(launch::Stream::LEGACY);
        }
        self.streams.get(handle).map(|entry| entry.stream).ok_or(Status::INVALID_RESOURCE_HANDLE)
    }
}
