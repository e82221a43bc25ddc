//! Launches by device code: what the launching thread knows, and the place in the stream.

use super::block::BlockOrder;
use super::checker::{Checker, ItemLabel};
use hotfire_launch::order::{Clock, DeviceLine, Facts, ItemId, Point};
use std::collections::HashMap;

/// A stream of device code, within the grid that launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceQueue {
    /// The NULL stream of a block.
    Null(u32),
    /// A named stream, by its handle.
    Named(u64),
    /// Fire-and-forget: no order.
    FireAndForget,
    /// The grid's tail stream.
    Tail,
}

/// Streams and events of one grid.
#[derive(Default)]
pub(super) struct Streams {
    lines: HashMap<DeviceQueue, DeviceLine>,
    events: HashMap<u64, (Point, Facts)>,
}

/// The calling thread.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// Linear index in its block.
    pub thread: u16,
    /// Its time.
    pub time: u32,
}

impl BlockOrder {
    fn point(&self, caller: Caller) -> Point {
        Point { item: self.item, block: self.block, thread: caller.thread, time: caller.time }
    }
}

impl Checker {
    /// What is in the queue before, as far as the caller knows of it.
    fn behind(&self, block: &BlockOrder, caller: Caller, queue: DeviceQueue) -> Facts {
        let line = self.streams(block.item).and_then(|streams| streams.lines.get(&queue));
        line.map_or_else(Facts::default, |line| line.behind(|point| block.knows_point(self, caller.thread, point)))
    }

    /// A thread launches. The new item, and the thread's new time: what it does from now on the child does not know of.
    pub fn device_launch(
        &mut self,
        block: &mut BlockOrder,
        caller: Caller,
        queue: DeviceQueue,
        label: ItemLabel,
    ) -> (ItemId, u32) {
        let parent = block.item;
        let mut behind = self.behind(block, caller, queue);
        if queue == DeviceQueue::Tail {
            let done = self.items.done(parent);
            behind.learn(done);
        }
        let mut complete = None;
        if queue != DeviceQueue::FireAndForget {
            let point = block.point(caller);
            let mut line = self.streams_mut(parent).lines.remove(&queue).unwrap_or_default();
            complete = Some(line.launch(point, &behind, &mut self.items));
            self.streams_mut(parent).lines.insert(queue, line);
        }
        let (mut clock, time): (Clock, u32) = block.hand_on(self, caller.thread, caller.time);
        clock.facts.join(&behind);
        (self.submit(label, parent, queue == DeviceQueue::Tail, complete, clock), time)
    }

    /// A thread of a kernel of the graph `graph` launches another graph, perhaps into the graph's tail stream. As [`Checker::device_launch`].
    pub fn device_graph(
        &mut self,
        block: &mut BlockOrder,
        caller: Caller,
        graph: ItemId,
        tail: bool,
        label: ItemLabel,
    ) -> (ItemId, u32) {
        let (mut behind, mut complete) = (Facts::default(), None);
        if tail {
            let point = block.point(caller);
            let mut line = self.streams_mut(graph).lines.remove(&DeviceQueue::Tail).unwrap_or_default();
            behind = line.behind(|launch| block.knows_point(self, caller.thread, launch));
            behind.learn(self.items.done(graph));
            complete = Some(line.launch(point, &behind, &mut self.items));
            self.streams_mut(graph).lines.insert(DeviceQueue::Tail, line);
        }
        let (mut clock, time): (Clock, u32) = block.hand_on(self, caller.thread, caller.time);
        clock.facts.join(&behind);
        (self.submit(label, block.item, tail, complete, clock), time)
    }

    /// A thread records an event: it stands for what the thread knows to be in the stream.
    pub fn device_record(&mut self, block: &BlockOrder, caller: Caller, queue: DeviceQueue, event: u64) {
        let facts = self.behind(block, caller, queue);
        let point = block.point(caller);
        self.streams_mut(block.item).events.insert(event, (point, facts));
    }

    /// A thread lets a stream wait for an event, if it knows of its recording.
    pub fn device_wait(&mut self, block: &BlockOrder, caller: Caller, queue: DeviceQueue, event: u64) {
        let recorded = self.streams(block.item).and_then(|streams| streams.events.get(&event)).cloned();
        let Some((record, facts)) = recorded else { return };
        if !block.knows_point(self, caller.thread, record) {
            return;
        }
        let point = block.point(caller);
        let mut line = self.streams_mut(block.item).lines.remove(&queue).unwrap_or_default();
        line.wait(point, &facts, &mut self.items);
        self.streams_mut(block.item).lines.insert(queue, line);
    }
}
