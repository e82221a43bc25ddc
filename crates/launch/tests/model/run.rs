//! A device of a few lines: runs programs written as trees, under any policy, with any interleaving of the calls of the
//! grids that run, and answers the order in which the grids started.

use hotfire_launch::{DeviceEvent, DeviceLaunchStream, DeviceStream, Item, Model, Situation, Stream, Work};
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub struct Grid {
    pub name: u32,
    pub calls: Vec<Call>,
}

/// Named streams and events are numbers from 0, those of the grid that calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    Null,
    FireAndForget,
    Tail,
    Named(usize),
}

#[derive(Clone, Debug)]
pub enum Call {
    Launch { block: u64, to: To, grid: Grid },
    Record { block: u64, to: To, event: usize },
    Wait { block: u64, to: To, event: usize },
}

pub fn grid(name: u32, calls: impl Into<Vec<Call>>) -> Grid {
    Grid { name, calls: calls.into() }
}

pub fn launch(to: To, grid: Grid) -> Call {
    launch_from(0, to, grid)
}

pub fn launch_from(block: u64, to: To, grid: Grid) -> Call {
    Call::Launch { block, to, grid }
}

struct Running {
    item: Item,
    grid: Grid,
    next_call: usize,
    streams: Vec<DeviceStream>,
    events: Vec<DeviceEvent>,
}

impl Running {
    fn stream(&mut self, model: &mut Model, to: To) -> DeviceLaunchStream {
        match to {
            To::Null => DeviceLaunchStream::Null,
            To::FireAndForget => DeviceLaunchStream::FireAndForget,
            To::Tail => DeviceLaunchStream::Tail,
            To::Named(number) => {
                while self.streams.len() <= number {
                    self.streams.push(model.device_stream_create(self.item));
                }
                DeviceLaunchStream::Named(self.streams[number])
            }
        }
    }

    fn event(&mut self, model: &mut Model, number: usize) -> DeviceEvent {
        while self.events.len() <= number {
            self.events.push(model.device_event_create(self.item).expect("few events"));
        }
        self.events[number]
    }
}

pub struct Device {
    pub model: Model,
    pub waiting: HashMap<Item, Grid>,
    /// Names in the order of starts.
    pub started: Vec<u32>,
    /// Names in the order of ends.
    pub ended: Vec<u32>,
    running: Vec<Running>,
    state: u64,
}

impl Device {
    /// With seed 0, a grid makes all its calls and ends before anything else is asked for.
    pub fn new(model: Model, seed: u64) -> Device {
        Device { model, waiting: HashMap::new(), started: vec![], ended: vec![], running: vec![], state: seed }
    }

    pub fn submit(&mut self, stream: Stream, grid: Grid) -> Item {
        let item = self.model.submit(stream, Work::Grid);
        self.waiting.insert(item, grid);
        item
    }

    /// Xorshift: 0 stays 0, which is the serial interleaving.
    fn draw(&mut self, below: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state % below as u64) as usize
    }

    /// One step of a running grid: a call, or its end.
    fn step(&mut self, which: usize) {
        let running = &mut self.running[which];
        let Some(call) = running.grid.calls.get(running.next_call).cloned() else {
            let ended = self.running.remove(which);
            self.ended.push(ended.grid.name);
            return self.model.finished(ended.item);
        };
        running.next_call += 1;
        let model = &mut self.model;
        match call {
            Call::Launch { block, to, grid } => {
                let stream = running.stream(model, to);
                model.reserve_slot(running.item).expect("pool is large enough");
                let child = model.launch(running.item, block, stream, Work::Grid).expect("streams are its own");
                self.waiting.insert(child, grid);
            }
            Call::Record { block, to, event } => {
                let (stream, event) = (running.stream(model, to), running.event(model, event));
                model.device_record(running.item, block, stream, event).expect("streams are its own");
            }
            Call::Wait { block, to, event } => {
                let (stream, event) = (running.stream(model, to), running.event(model, event));
                model.device_wait(running.item, block, stream, event).expect("streams are its own");
            }
        }
    }

    /// Runs until nothing is left.
    pub fn run(&mut self) -> &[u32] {
        while !self.model.all_idle() {
            let serial = self.state == 0 && !self.running.is_empty();
            let situation = if self.running.is_empty() { Situation::Idle } else { Situation::Busy };
            let next = if serial || self.draw(2) != 0 { None } else { self.model.next(situation) };
            if let Some(item) = next {
                let grid = self.waiting.remove(&item).expect("started once");
                self.started.push(grid.name);
                self.running.push(Running { item, grid, next_call: 0, streams: vec![], events: vec![] });
            } else if !self.running.is_empty() {
                let which = self.draw(self.running.len());
                self.step(which);
            }
            self.model.drain_completed();
        }
        &self.started
    }
}
