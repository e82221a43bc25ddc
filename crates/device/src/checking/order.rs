//! What happens-before is told of launches, operations and synchronisation.

use super::{Checking, Origin, Queue, Stack, Who};
use crate::device::Stream;
use crate::engine::State;
use crate::exec;
use hotfire_check::{BlockOrder, DeviceQueue, ItemLabel};
use hotfire_jit::abi::ThreadContext;
use hotfire_launch::order::{Facts, ItemId};
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
    pub fn submitted_operation(&self, state: &mut State, item: Item, call: &'static str, stream: Stream) {
        let queue = Queue::Host(self.grids.lock().host_stream(stream));
        let call = super::Call::name().unwrap_or(call);
        let label = self.operation(OperationRecord { call, queue, by: Origin::Host(Stack::here()) });
        self.submitted(state, item, label);
    }

    /// Keeps what an operation is.
    pub fn operation(&self, record: OperationRecord) -> ItemLabel {
        let mut operations = self.operations.lock();
        operations.push(record);
        ItemLabel::Operation(operations.len() as u64 - 1)
    }

    fn submitted(&self, state: &mut State, item: Item, label: ItemLabel) -> ItemId {
        let place = state.model.order.last().clone();
        let id = self.checker(|checker| checker.submit_at(label, &place));
        state.identify(item, id);
        id
    }

    /// The calling thread launched something. The item, and the thread's new time; nothing if its grid is not checked.
    ///
    /// # Safety
    /// `context` is what generated code passed, as below.
    pub unsafe fn launched(
        &self,
        context: *mut ThreadContext,
        stream: DeviceLaunchStream,
        label: ItemLabel,
    ) -> Option<(ItemId, u32)> {
        // SAFETY: the caller's promise.
        let (order, caller, is_told) =
            unsafe { (exec::order(context)?, exec::caller(context), exec::is_told(context)) };
        let queue = queue(order, stream);
        Some(self.checker(|checker| {
            let (item, time) = checker.device_launch(order, caller, queue, label);
            if let Some(outcome) = checker.outcome.as_mut().filter(|_| is_told) {
                outcome.mark_item(item);
            }
            (item, time)
        }))
    }

    /// The calling thread launched an operation: as [`Checking::launched`], with its new time set.
    ///
    /// # Safety
    /// As [`Checking::launched`].
    pub unsafe fn launched_operation(
        &self,
        state: &mut State,
        item: Item,
        context: *mut ThreadContext,
        stream: DeviceLaunchStream,
        call: &'static str,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let who = Who::of(context);
            let queue = self.grids.lock().device_queue(stream);
            let label = self.operation(OperationRecord { call, queue, by: Origin::Device(who) });
            if let Some((id, time)) = self.launched(context, stream, label) {
                state.identify(item, id);
                (*context).segment = time;
            }
        }
    }

    /// The calling thread recorded an event.
    ///
    /// # Safety
    /// As [`Checking::launched`].
    pub unsafe fn recorded(&self, context: *mut ThreadContext, stream: DeviceLaunchStream, event: DeviceEvent) {
        // SAFETY: the caller's promise.
        let (Some(order), caller) = (unsafe { (exec::order(context), exec::caller(context)) }) else { return };
        let queue = queue(order, stream);
        self.checker(|checker| checker.device_record(order, caller, queue, event.to_bits()));
    }

    /// The calling thread lets a stream wait for an event.
    ///
    /// # Safety
    /// As [`Checking::launched`].
    pub unsafe fn waits(&self, context: *mut ThreadContext, stream: DeviceLaunchStream, event: DeviceEvent) {
        // SAFETY: the caller's promise.
        let (Some(order), caller) = (unsafe { (exec::order(context), exec::caller(context)) }) else { return };
        let queue = queue(order, stream);
        self.checker(|checker| checker.device_wait(order, caller, queue, event.to_bits()));
    }

    /// The host has synchronised with what these facts name.
    pub fn synchronised(&self, state: &mut State, facts: &Facts) {
        state.model.order.synchronised(facts);
        self.catch_up(state);
        self.checker(|checker| {
            self.judge_over(checker);
            let all = checker.host_joins(facts);
            self.outcome_point(checker);
            if all {
                checker.host_settles();
            }
            if all && checker.is_old() {
                checker.renew(&self.allocations.lock().ranges());
            }
        });
        self.waited(state);
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
}

fn queue(order: &BlockOrder, stream: DeviceLaunchStream) -> DeviceQueue {
    match stream {
        DeviceLaunchStream::Null => DeviceQueue::Null(order.block),
        DeviceLaunchStream::FireAndForget => DeviceQueue::FireAndForget,
        DeviceLaunchStream::Tail => DeviceQueue::Tail,
        DeviceLaunchStream::Named(stream) => DeviceQueue::Named(stream.to_bits()),
    }
}
