//! What happens-before is told of launches, operations and synchronisation.

use super::{Checking, Origin, Queue, Stack};
use crate::engine::State;
use hotfire_check::{BlockOrder, Caller, DeviceQueue, ItemLabel};
use hotfire_launch::order::{Facts, ItemId, NO_ITEM};
use hotfire_launch::{DeviceEvent, DeviceLaunchStream, Item};

/// A copy, a set or another operation of a stream.
#[derive(Clone, Debug)]
pub(crate) struct OperationRecord {
    /// `cudaMemcpyAsync` and so on.
    pub call: &'static str,
    pub queue: Queue,
    pub by: Origin,
}

impl Checking {
    /// The host queued a grid at the end of a stream.
    pub fn submitted_grid(&self, state: &mut State, item: Item, gridid: u64) -> ItemId {
        self.submitted(state, item, ItemLabel::Grid(gridid))
    }

    /// The host queued an operation at the end of a stream.
    pub fn submitted_operation(&self, state: &mut State, item: Item, record: OperationRecord) -> ItemId {
        let label = self.operation(record);
        self.submitted(state, item, label)
    }

    /// Keeps what an operation is.
    pub fn operation(&self, record: OperationRecord) -> ItemLabel {
        let mut operations = self.operations.lock();
        operations.push(record);
        ItemLabel::Operation(operations.len() as u64 - 1)
    }

    fn submitted(&self, state: &mut State, item: Item, label: ItemLabel) -> ItemId {
        let place = state.model.order.last().clone();
        let id = self.checker(|checker| {
            let clock = checker.host_clock(&place.behind);
            checker.submit(label, NO_ITEM, false, place.complete, clock)
        });
        state.identify(item, id);
        id
    }

    /// A thread of a running block launched something. Its new time.
    pub fn launched(
        &self,
        order: &mut BlockOrder,
        caller: Caller,
        stream: DeviceLaunchStream,
        label: ItemLabel,
    ) -> (ItemId, u32) {
        let queue = queue(order, stream);
        self.checker(|checker| checker.device_launch(order, caller, queue, label))
    }

    /// A thread recorded an event.
    pub fn recorded(&self, order: &BlockOrder, caller: Caller, stream: DeviceLaunchStream, event: DeviceEvent) {
        let queue = queue(order, stream);
        self.checker(|checker| checker.device_record(order, caller, queue, event.to_bits()));
    }

    /// A thread lets a stream wait for an event.
    pub fn waits(&self, order: &BlockOrder, caller: Caller, stream: DeviceLaunchStream, event: DeviceEvent) {
        let queue = queue(order, stream);
        self.checker(|checker| checker.device_wait(order, caller, queue, event.to_bits()));
    }

    /// The host has synchronised with what these facts name.
    pub fn synchronised(&self, state: &mut State, facts: &Facts) {
        state.model.order.synchronised(facts);
        let idle = state.model.all_idle();
        self.catch_up(state);
        self.checker(|checker| checker.host_synchronised(facts, idle));
    }

    /// The host has synchronised with everything.
    pub fn synchronised_all(&self, state: &mut State) {
        state.model.order.synchronised_all();
        let facts = state.model.order.host().clone();
        self.synchronised(state, &facts);
    }

    /// Tells of items that became complete.
    pub fn catch_up(&self, state: &mut State) {
        if state.complete.is_empty() {
            return;
        }
        let complete = std::mem::take(&mut state.complete);
        self.checker(|checker| complete.into_iter().for_each(|item| checker.complete(item)));
    }

    /// The host's calls that led here.
    pub fn stack(&self) -> Stack {
        Stack::here()
    }
}

fn queue(order: &BlockOrder, stream: DeviceLaunchStream) -> DeviceQueue {
    match stream {
        DeviceLaunchStream::Null => DeviceQueue::Null(order.block),
        DeviceLaunchStream::FireAndForget => DeviceQueue::FireAndForget,
        DeviceLaunchStream::Tail => DeviceQueue::Tail,
        DeviceLaunchStream::Named(stream) => DeviceQueue::Named(stream.to_bits()),
    }
}
