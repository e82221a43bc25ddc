//! Giving recorded commands to another model.

use super::{Command, Destination, Manner};
use crate::handle::{DeviceEvent, DeviceStream, Item, Stream};
use crate::model::Model;
use crate::node::{Stage, Work};
use crate::{DeviceLaunchStream, recording::stream_number};
use std::collections::HashMap;
use std::fmt;

/// A command names what no command before it made, or asks for what the model refuses here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown(String);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unknown {}

/// What the numbers in commands are in the other model.
#[derive(Debug)]
pub struct Replay {
    streams: HashMap<u64, Stream>,
    items: HashMap<u64, Item>,
    numbers: HashMap<Item, u64>,
    device_streams: HashMap<u64, DeviceStream>,
    device_events: HashMap<u64, DeviceEvent>,
}

impl Default for Replay {
    fn default() -> Self {
        Self {
            streams: HashMap::from([(stream_number(Stream::LEGACY), Stream::LEGACY)]),
            items: HashMap::new(),
            numbers: HashMap::new(),
            device_streams: HashMap::new(),
            device_events: HashMap::new(),
        }
    }
}

impl Replay {
    /// Gives a command to `model`. The grid of a device command must be running there, and its launch pool have room.
    ///
    /// # Errors
    /// When the command fits nothing: nothing happened.
    pub fn apply(&mut self, model: &mut Model, command: &Command) -> Result<(), Unknown> {
        match *command {
            Command::CreateStream { stream, kind } => {
                let made = model.create_stream(kind);
                self.streams.insert(stream, made);
            }
            Command::DestroyStream { stream } => {
                let own = self.host_stream(model, stream)?;
                if own != Stream::LEGACY {
                    model.destroy_stream(own);
                }
            }
            Command::Submit { stream, work, manner, item } => {
                let stream = self.host_stream(model, stream)?;
                let made = match manner {
                    Manner::Plain => model.submit(stream, work),
                    Manner::Programmatic => model.submit_programmatic(stream),
                    Manner::Aside => model.submit_aside(stream),
                };
                self.made(item, made);
            }
            Command::Record { stream, timed, item } => {
                let stream = self.host_stream(model, stream)?;
                let made = if timed { model.record_timed(stream) } else { model.record(stream) };
                self.made(item, made);
            }
            Command::Wait { stream, item } => {
                let (stream, item) = (self.host_stream(model, stream)?, self.item(item)?);
                model.wait(stream, item);
            }
            Command::RecordEarly { item, early, marker } => {
                let made = model.record_early(self.item(item)?, early);
                self.made(marker, made);
            }
            Command::WaitEarly { stream, item } => {
                let (stream, item) = (self.host_stream(model, stream)?, self.item(item)?);
                model.wait_early(stream, item);
            }
            Command::AddWithin { outer, work, item } => {
                let made = model.add_within(self.open(model, outer)?, work);
                self.made(item, made);
            }
            Command::AddMarkerWithin { outer, item } => {
                let made = model.add_marker_within(self.open(model, outer)?);
                self.made(item, made);
            }
            Command::AddMarker { item } => {
                let made = model.add_marker();
                self.made(item, made);
            }
            Command::AddBehind { outer, item } => {
                let made = model.add_behind(self.open(model, outer)?);
                self.made(item, made);
            }
            Command::Connect { from, to, edge } => {
                let (from, to) = (self.item(from)?, self.item(to)?);
                model.connect_nodes(from, to, edge);
            }
            Command::Release { item } => model.release(self.item(item)?),
            Command::OrderBehind { item, other } => model.order_behind(self.item(item)?, self.item(other)?),
            Command::DeviceStream { grid, stream } => {
                let made = model.device_stream_create(self.running(model, grid)?);
                self.device_streams.insert(stream, made);
            }
            Command::DeviceEvent { grid, event } => {
                let made = model.device_event_create(self.running(model, grid)?).map_err(refused)?;
                self.device_events.insert(event, made);
            }
            Command::Launch { launcher, block, stream, work, item } => {
                let launcher = self.running(model, launcher)?;
                let stream = self.destination(stream)?;
                if work == Work::Grid {
                    model.reserve_slot(launcher).map_err(refused)?;
                }
                let made = model.launch(launcher, block, stream, work).map_err(refused)?;
                self.made(item, made);
            }
            Command::DeviceRecord { launcher, block, stream, event } => {
                let (launcher, stream) = (self.running(model, launcher)?, self.destination(stream)?);
                model.device_record(launcher, block, stream, self.event(event)?).map_err(refused)?;
            }
            Command::DeviceWait { launcher, block, stream, event } => {
                let (launcher, stream) = (self.running(model, launcher)?, self.destination(stream)?);
                model.device_wait(launcher, block, stream, self.event(event)?).map_err(refused)?;
            }
        }
        Ok(())
    }

    /// The item that a number stands for.
    ///
    /// # Errors
    /// If no command made it yet.
    pub fn item(&self, number: u64) -> Result<Item, Unknown> {
        self.items.get(&number).copied().ok_or_else(|| Unknown(format!("no command made item {number}")))
    }

    /// The number of an item that a command made.
    pub fn number(&self, item: Item) -> Option<u64> {
        self.numbers.get(&item).copied()
    }

    /// The stream that a number stands for, if it exists.
    pub fn stream(&self, model: &Model, number: u64) -> Option<Stream> {
        self.streams.get(&number).copied().filter(|&stream| model.stream_exists(stream))
    }

    fn host_stream(&self, model: &Model, number: u64) -> Result<Stream, Unknown> {
        self.stream(model, number).ok_or_else(|| Unknown(format!("stream {number} does not exist")))
    }

    fn running(&self, model: &Model, number: u64) -> Result<Item, Unknown> {
        let item = self.item(number)?;
        match model.stage(item) {
            Stage::Running => Ok(item),
            stage => Err(Unknown(format!("grid {number} launches, but is {stage:?}"))),
        }
    }

    /// An item within which others may be.
    fn open(&self, model: &Model, number: u64) -> Result<Item, Unknown> {
        let item = self.item(number)?;
        match model.stage(item) {
            Stage::Running | Stage::Exited => Ok(item),
            stage => Err(Unknown(format!("item {number} gets items within, but is {stage:?}"))),
        }
    }

    fn destination(&self, stream: Destination) -> Result<DeviceLaunchStream, Unknown> {
        Ok(match stream {
            Destination::Null => DeviceLaunchStream::Null,
            Destination::FireAndForget => DeviceLaunchStream::FireAndForget,
            Destination::Tail => DeviceLaunchStream::Tail,
            Destination::Named(bits) => {
                let stream = self.device_streams.get(&bits).copied();
                DeviceLaunchStream::Named(stream.ok_or_else(|| Unknown(format!("no command made stream {bits}")))?)
            }
        })
    }

    fn event(&self, bits: u64) -> Result<DeviceEvent, Unknown> {
        self.device_events.get(&bits).copied().ok_or_else(|| Unknown(format!("no command made event {bits}")))
    }

    fn made(&mut self, number: u64, item: Item) {
        self.items.insert(number, item);
        self.numbers.insert(item, number);
    }
}

fn refused(error: impl fmt::Display) -> Unknown {
    Unknown(error.to_string())
}
