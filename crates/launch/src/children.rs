//! Launches by device code: the four kinds of stream, named streams and events (launch-model 3.2).

use crate::edge::EdgeKind;
use crate::handle::{DeviceEvent, DeviceStream, Item};
use crate::model::Model;
use crate::node::{Kind, NONE, Queue, Work};
use crate::owned::Wrong;
use crate::pool::EventPoolFull;
use crate::recording::{self, Command};
use std::fmt;

/// The stream that a device launch names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceLaunchStream {
    /// The NULL stream of the launching block.
    Null,
    /// `cudaStreamFireAndForget`: unordered.
    FireAndForget,
    /// `cudaStreamTailLaunch`: after everything else of the grid.
    Tail,
    /// A stream that this grid created.
    Named(DeviceStream),
}

/// Why a call of the device runtime did not do what it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// `cudaErrorInvalidValue`: the fire-and-forget and tail streams neither record nor wait for events.
    InvalidValue,
    /// The handle belongs to another grid: undefined, and to be reported.
    ForeignHandle {
        /// The grid that created the stream or event.
        owner: Item,
    },
    /// The handle was never given out, or its object was destroyed or went with its grid.
    StaleHandle,
    /// A grid was launched without a slot: [`Model::reserve_slot`] comes first.
    NoSlot,
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LaunchError::InvalidValue => "fire-and-forget and tail streams have no events",
            LaunchError::ForeignHandle { .. } => "the stream or event belongs to another grid",
            LaunchError::StaleHandle => "the stream or event does not exist",
            LaunchError::NoSlot => "no launch slot is reserved",
        })
    }
}

impl std::error::Error for LaunchError {}

impl From<Wrong> for LaunchError {
    fn from(wrong: Wrong) -> LaunchError {
        match wrong {
            Wrong::Stale => LaunchError::StaleHandle,
            Wrong::Foreign(owner) => LaunchError::ForeignHandle { owner },
        }
    }
}

/// On which side of an event a stream is used; those without events refuse both.
fn with_events(stream: DeviceLaunchStream) -> Result<(), LaunchError> {
    match stream {
        DeviceLaunchStream::FireAndForget | DeviceLaunchStream::Tail => Err(LaunchError::InvalidValue),
        DeviceLaunchStream::Null | DeviceLaunchStream::Named(_) => Ok(()),
    }
}

impl Model {
    /// A thread of `block` (its linear index) of the running grid `launcher` launches. A grid consumes one reserved
    /// slot, also when the launch fails; an operation takes none.
    ///
    /// # Panics
    /// If `launcher` is not a running grid.
    pub fn launch(
        &mut self,
        launcher: Item,
        block: u64,
        stream: DeviceLaunchStream,
        work: Work,
    ) -> Result<Item, LaunchError> {
        self.launching(launcher);
        let slot = work == Work::Grid;
        if slot && !self.pool.consume() {
            return Err(LaunchError::NoSlot);
        }
        let queue = match self.queue(launcher, block, stream) {
            Ok(queue) => queue,
            Err(error) => {
                if slot {
                    self.pool.done();
                }
                return Err(error);
            }
        };
        let node = self.child(launcher, queue, work.into(), None);
        self.nodes[node as usize].holds_slot = slot;
        let item = self.item(node);
        let number = self.make_known(item);
        let stream = recording::destination(stream);
        self.tell(|of| Command::Launch { launcher: of(launcher), block, stream, work, item: number });
        Ok(item)
    }

    fn queue(&self, launcher: Item, block: u64, stream: DeviceLaunchStream) -> Result<Queue, LaunchError> {
        Ok(match stream {
            DeviceLaunchStream::Null => Queue::Block(block),
            DeviceLaunchStream::FireAndForget => Queue::FireAndForget,
            DeviceLaunchStream::Tail => Queue::Tail,
            DeviceLaunchStream::Named(DeviceStream { index, generation }) => {
                Queue::Named(self.device_streams.check(index, generation, launcher)?)
            }
        })
    }

    fn child(&mut self, launcher: Item, queue: Queue, kind: Kind, event: Option<Item>) -> u32 {
        let parent = launcher.index;
        let index = self.add(kind, queue);
        let item = self.item(index);
        let node = &mut self.nodes[index as usize];
        node.parent = parent;
        node.launcher = Some(launcher);
        if queue == Queue::Tail {
            node.blockers = 1; // Its turn, see completion.rs.
            self.append_tail(parent, index);
            return index;
        }
        self.nodes[parent as usize].open_children += 1;
        let before = match queue {
            Queue::Block(block) => self.block_streams.insert((parent, block), item),
            Queue::Named(stream) => {
                let before = self.device_streams.last(stream);
                self.device_streams.set_last(stream, Some(item));
                before
            }
            _ => None,
        };
        if let Some(before) = before {
            self.connect(EdgeKind::Stream, before, index);
        }
        if let Some(event) = event {
            self.connect(EdgeKind::Event, event, index);
        }
        if self.nodes[index as usize].blockers == 0 {
            self.unblocked(index);
            self.advance();
        }
        index
    }

    pub(crate) fn append_tail(&mut self, parent: u32, index: u32) {
        let node = &mut self.nodes[parent as usize];
        match std::mem::replace(&mut node.last_tail, index) {
            NONE => node.first_tail = index,
            last => self.nodes[last as usize].next_tail = index,
        }
    }

    /// A thread of `grid` creates a named stream. It goes with the grid's threads at the latest.
    ///
    /// # Panics
    /// If `grid` is not a running grid.
    pub fn device_stream_create(&mut self, grid: Item) -> DeviceStream {
        let owner = self.launching(grid);
        let (index, generation) = self.device_streams.create(grid, &mut self.nodes[owner as usize].first_stream);
        let stream = DeviceStream { index, generation };
        self.tell(|of| Command::DeviceStream { grid: of(grid), stream: recording::named(stream) });
        stream
    }

    /// A thread of `grid` destroys a named stream. Work that is already queued still runs.
    ///
    /// # Panics
    /// If `grid` is not a running grid.
    pub fn device_stream_destroy(&mut self, grid: Item, stream: DeviceStream) -> Result<(), LaunchError> {
        let owner = self.launching(grid);
        let index = self.device_streams.check(stream.index, stream.generation, grid)?;
        self.device_streams.destroy(index, &mut self.nodes[owner as usize].first_stream);
        Ok(())
    }

    /// A thread of `grid` creates an event. It goes with the grid's threads at the latest.
    ///
    /// # Panics
    /// If `grid` is not a running grid.
    pub fn device_event_create(&mut self, grid: Item) -> Result<DeviceEvent, EventPoolFull> {
        let owner = self.launching(grid);
        self.pool.take_event()?;
        let (index, generation) = self.device_events.create(grid, &mut self.nodes[owner as usize].first_event);
        let event = DeviceEvent { index, generation };
        self.tell(|of| Command::DeviceEvent { grid: of(grid), event: recording::event(event) });
        Ok(event)
    }

    /// A thread of `grid` destroys an event. Streams that wait for it already still do.
    ///
    /// # Panics
    /// If `grid` is not a running grid.
    pub fn device_event_destroy(&mut self, grid: Item, event: DeviceEvent) -> Result<(), LaunchError> {
        let owner = self.launching(grid);
        let index = self.device_events.check(event.index, event.generation, grid)?;
        self.device_events.destroy(index, &mut self.nodes[owner as usize].first_event);
        self.pool.events -= 1;
        Ok(())
    }

    /// The event stands for all work that is in the stream now (`cudaEventRecord` on the device).
    ///
    /// # Panics
    /// If `launcher` is not a running grid.
    pub fn device_record(
        &mut self,
        launcher: Item,
        block: u64,
        stream: DeviceLaunchStream,
        event: DeviceEvent,
    ) -> Result<(), LaunchError> {
        let parent = self.launching(launcher);
        with_events(stream)?;
        let number = recording::event(event);
        let event = self.device_events.check(event.index, event.generation, launcher)?;
        // A stream is in order: its last item stands for all. No marker, since the device has no timing events.
        let last = match self.queue(launcher, block, stream)? {
            Queue::Named(stream) => self.device_streams.last(stream),
            _ => self.block_streams.get(&(parent, block)).copied(),
        };
        self.device_events.set_last(event, last);
        let stream = recording::destination(stream);
        self.tell(|of| Command::DeviceRecord { launcher: of(launcher), block, stream, event: number });
        Ok(())
    }

    /// Later work of the stream also waits for what the event stands for (`cudaStreamWaitEvent` on the device). An
    /// event that was never recorded stands for nothing.
    ///
    /// # Panics
    /// If `launcher` is not a running grid.
    pub fn device_wait(
        &mut self,
        launcher: Item,
        block: u64,
        stream: DeviceLaunchStream,
        event: DeviceEvent,
    ) -> Result<(), LaunchError> {
        self.launching(launcher);
        with_events(stream)?;
        let number = recording::event(event);
        let event = self.device_events.check(event.index, event.generation, launcher)?;
        let queue = self.queue(launcher, block, stream)?;
        let target = recording::destination(stream);
        self.tell(|of| Command::DeviceWait { launcher: of(launcher), block, stream: target, event: number });
        if let Some(item) = self.device_events.last(event)
            && !self.is_complete(item)
        {
            self.child(launcher, queue, Kind::Marker, Some(item));
        }
        Ok(())
    }
}
