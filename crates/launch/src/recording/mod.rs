//! The commands that a model was given, to give them again to another model: what a simulation with other times needs, since
//! the model itself forgets what is complete.
//!
//! Items, streams and events are named by numbers that are never used again: an item by its place among all items of the model,
//! the others by the bits of their handles.

mod replay;

pub use replay::{Replay, Unknown};

use crate::early::Early;
use crate::handle::{DeviceEvent, DeviceStream, Item, Stream};
use crate::host::StreamKind;
use crate::model::Model;
use crate::node::Work;
use crate::{DeviceLaunchStream, GraphEdge};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How a kernel or an operation of the host stands in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Manner {
    /// In order.
    Plain,
    /// [`Model::submit_programmatic`]
    Programmatic,
    /// [`Model::submit_aside`]
    Aside,
}

/// The stream of a device launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Destination {
    /// The NULL stream of the block.
    Null,
    /// Fire and forget.
    FireAndForget,
    /// The tail stream of the grid.
    Tail,
    /// A stream that the grid created.
    Named(u64),
}

/// One call of a model that queues something, or makes what others refer to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the arguments of the methods of the same names")]
pub enum Command {
    /// [`Model::create_stream`]
    CreateStream { stream: u64, kind: StreamKind },
    /// [`Model::destroy_stream`]
    DestroyStream { stream: u64 },
    /// [`Model::submit`] and its like
    Submit { stream: u64, work: Work, manner: Manner, item: u64 },
    /// [`Model::record`], [`Model::record_timed`]
    Record { stream: u64, timed: bool, item: u64 },
    /// [`Model::wait`]
    Wait { stream: u64, item: u64 },
    /// [`Model::record_early`]
    RecordEarly { item: u64, early: Early, marker: u64 },
    /// [`Model::wait_early`]
    WaitEarly { stream: u64, item: u64 },
    /// [`Model::add_within`]
    AddWithin { outer: u64, work: Work, item: u64 },
    /// [`Model::add_marker_within`]
    AddMarkerWithin { outer: u64, item: u64 },
    /// [`Model::add_marker`]
    AddMarker { item: u64 },
    /// [`Model::add_behind`]
    AddBehind { outer: u64, item: u64 },
    /// [`Model::connect_nodes`]
    Connect { from: u64, to: u64, edge: GraphEdge },
    /// [`Model::release`]
    Release { item: u64 },
    /// [`Model::order_behind`]
    OrderBehind { item: u64, other: u64 },
    /// [`Model::device_stream_create`]
    DeviceStream { grid: u64, stream: u64 },
    /// [`Model::device_event_create`]
    DeviceEvent { grid: u64, event: u64 },
    /// [`Model::launch`]
    Launch { launcher: u64, block: u64, stream: Destination, work: Work, item: u64 },
    /// [`Model::device_record`]
    DeviceRecord { launcher: u64, block: u64, stream: Destination, event: u64 },
    /// [`Model::device_wait`]
    DeviceWait { launcher: u64, block: u64, stream: Destination, event: u64 },
}

/// What a model remembers if it is asked to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording {
    commands: Vec<Command>,
    numbers: HashMap<Item, u64>,
}

impl Model {
    /// From now on, commands are kept for [`Model::drain_commands`], and items for [`Model::number`].
    pub fn enable_recording(&mut self) {
        self.recording = Some(Box::default());
    }

    /// From now on, no command is kept.
    pub fn disable_recording(&mut self) {
        self.recording = None;
    }

    /// The commands since the last call, if they are kept.
    pub fn drain_commands(&mut self) -> Vec<Command> {
        self.recording.as_mut().map(|recording| std::mem::take(&mut recording.commands)).unwrap_or_default()
    }

    /// The number of an item, if a command made it.
    pub fn number(&self, item: Item) -> Option<u64> {
        self.recording.as_ref()?.numbers.get(&item).copied()
    }

    /// The number of an item that was just made; 0 if nobody asks.
    pub(crate) fn make_known(&mut self, item: Item) -> u64 {
        let Some(recording) = &mut self.recording else { return 0 };
        let number = recording.numbers.len() as u64;
        recording.numbers.insert(item, number);
        number
    }

    /// Keeps a command.
    pub(crate) fn tell(&mut self, command: impl FnOnce(&dyn Fn(Item) -> u64) -> Command) {
        if let Some(recording) = &mut self.recording {
            let Recording { commands, numbers } = &mut **recording;
            commands.push(command(&|item| numbers.get(&item).copied().unwrap_or(u64::MAX)));
        }
    }
}

/// The number of a stream of the host in commands.
pub fn stream_number(stream: Stream) -> u64 {
    u64::from(stream.generation.get()) << 32 | u64::from(stream.index)
}

pub(crate) fn destination(stream: DeviceLaunchStream) -> Destination {
    match stream {
        DeviceLaunchStream::Null => Destination::Null,
        DeviceLaunchStream::FireAndForget => Destination::FireAndForget,
        DeviceLaunchStream::Tail => Destination::Tail,
        DeviceLaunchStream::Named(stream) => Destination::Named(named(stream)),
    }
}

pub(crate) fn named(stream: DeviceStream) -> u64 {
    stream.to_bits()
}

pub(crate) fn event(event: DeviceEvent) -> u64 {
    event.to_bits()
}
