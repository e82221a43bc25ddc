//! What the engine's lock guards: the launch model, what each of its items is, and what may run now.

mod work;

use crate::engine::event::EventTable;
use crate::engine::grid::Grid;
use crate::engine::operation::{HostFunction, Operation};
use crate::engine::slice::Slices;
use crate::engine::stream::StreamTable;
use crate::exec::ParkedBlock;
use crate::graph::Run;
use crate::memory::Memory;
use crate::status::Status;
use crate::tracing;
use hotfire_launch::order::{ItemId, NO_ITEM};
use hotfire_launch::{Item, Limits, Model, Policy, Situation};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Rounds over blocks that look, with nothing else happening, after which they count as waiting although each look is different: they
/// may count them.
const COUNTING: u64 = 1 << 12;

/// What an item of the model is to the engine.
enum Payload {
    None,
    Grid(Arc<Grid>),
    Operation(Operation),
    /// The recording of an event: its slot and which of its recordings.
    Event(usize, u64),
    /// The launch of a graph, whose nodes were added or are about to be.
    Graph(Arc<Run>),
}

/// A launch whose parameter buffer was given out, by the buffer's address (launch-model 3.5, 3.7).
pub(crate) struct Prepared {
    /// Who prepared it.
    pub launcher: Item,
    /// What version 2 of the call said; version 1 says it at the launch.
    pub checked: Option<crate::engine::grid::Checked>,
    /// Bytes that were asked for.
    pub size: u64,
}

/// Something for a worker to do.
pub(crate) enum Task {
    /// Blocks of a grid, to be claimed one after the other.
    Blocks(Arc<Grid>),
    /// A parked block.
    Resume(ParkedBlock),
    /// An operation that was started.
    Operation(Item, Operation),
}

pub(crate) struct State {
    pub model: Model,
    /// With which policy a model begins.
    policy: Policy,
    payloads: Vec<Payload>,
    pub streams: StreamTable,
    pub events: EventTable,
    pub prepared: HashMap<u64, Prepared>,
    /// Started grids with blocks that were not handed out.
    pub(super) ready: VecDeque<Arc<Grid>>,
    /// Started operations.
    pub(super) operations: VecDeque<(Item, Operation)>,
    /// Blocks that spin, to be resumed in turn.
    pub(super) parked: VecDeque<ParkedBlock>,
    /// Blocks that will never go on by themselves.
    pub(super) stuck: Vec<ParkedBlock>,
    /// Blocks whose threads wait for other grids to be complete.
    pub(super) depending: Vec<ParkedBlock>,
    /// How many threads they have.
    pub(super) depending_threads: u64,
    /// Cost of all parked and stuck blocks, and of those in workers' hands; [`CAPACITY`] is all of the device.
    pub(super) resident: u64,
    /// The latter, by worker.
    in_hands: Vec<u64>,
    /// Grids that have such blocks.
    resident_grids: u32,
    /// Items that were started and have not finished.
    active: usize,
    /// Resumptions of parked blocks in a row after which nothing had changed.
    pub fruitless: u64,
    /// As `fruitless`, whatever slices they were in.
    pub idle: u64,
    /// Counts what changed other than a thread in a loop: starts, ends, blocks that wait for the first time.
    pub structure: u64,
    /// Resumptions of parked blocks since.
    pub barren: u64,
    /// The worker that looks at spinning blocks now and then, while all else rests.
    pub watcher: Option<usize>,
    /// When the present round over spinning blocks began.
    pub round: Option<Instant>,
    pub sticky: Status,
    /// Stops the blocks of all grids when a sticky error is there.
    pub cancel: Arc<AtomicBool>,
    /// Started host functions.
    pub host_functions: VecDeque<(Item, HostFunction)>,
    /// Something happened that a waiting host thread may care about.
    pub completed: bool,
    /// Whether a host thread waits for an item, by the item's index.
    awaited: Vec<bool>,
    /// Indices of sleeping workers.
    pub sleeping: Vec<usize>,
    /// Host functions in streams that have not begun.
    pub host_functions_queued: usize,
    /// Host threads that wait for completions.
    pub waiting: usize,
    /// When the device's time began.
    began: Instant,
    /// How far the device may advance, if not at its own pace.
    pub(super) slices: Option<Slices>,
    /// In a checked run, what each item is to happens-before, by its index in the model.
    ids: Vec<ItemId>,
    /// Items that became complete and of which happens-before was not told yet.
    pub complete: Vec<ItemId>,
}

impl State {
    pub fn new(pending_launches: u32, policy: Policy) -> Self {
        let mut model = Model::new(Limits { pending_launches, ..Limits::default() }, policy.clone());
        if tracing::active().is_some() {
            model.enable_recording();
        }
        Self {
            model,
            policy,
            payloads: Vec::new(),
            streams: StreamTable::new(),
            events: EventTable::new(),
            prepared: HashMap::new(),
            ready: VecDeque::new(),
            operations: VecDeque::new(),
            parked: VecDeque::new(),
            stuck: Vec::new(),
            depending: Vec::new(),
            depending_threads: 0,
            resident: 0,
            in_hands: Vec::new(),
            resident_grids: 0,
            active: 0,
            fruitless: 0,
            idle: 0,
            structure: 0,
            barren: 0,
            watcher: None,
            round: None,
            sticky: Status::SUCCESS,
            cancel: Arc::new(AtomicBool::new(false)),
            host_functions: VecDeque::new(),
            completed: false,
            awaited: Vec::new(),
            sleeping: Vec::new(),
            host_functions_queued: 0,
            waiting: 0,
            began: Instant::now(),
            slices: None,
            ids: Vec::new(),
            complete: Vec::new(),
        }
    }

    /// The policy that a model begins with.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    fn set_payload(&mut self, item: Item, payload: Payload) {
        let index = item.index();
        if index >= self.payloads.len() {
            self.payloads.resize_with(index + 1, || Payload::None);
        }
        self.payloads[index] = payload;
    }

    fn take_payload(&mut self, item: Item) -> Payload {
        self.payloads.get_mut(item.index()).map_or(Payload::None, |slot| std::mem::replace(slot, Payload::None))
    }

    /// Tells what an item that was just submitted is.
    pub fn attach_grid(&mut self, item: Item, grid: Arc<Grid>) {
        grid.set_item(item);
        if let Some(tracing) = tracing::active()
            && let Some(number) = self.model.number(item)
        {
            tracing.grid(number, &grid);
        }
        self.set_payload(item, Payload::Grid(grid));
    }

    /// Tells what an item that was just submitted is.
    pub fn attach_operation(&mut self, item: Item, operation: Operation) {
        if let Some(tracing) = tracing::active()
            && let Some(number) = self.model.number(item)
        {
            tracing.operation(number, &operation);
        }
        self.host_functions_queued += usize::from(matches!(operation, Operation::Host(_)));
        self.set_payload(item, Payload::Operation(operation));
    }

    /// Tells which event an item that was just recorded stands for.
    pub fn attach_event(&mut self, item: Item, slot: usize, recording: u64) {
        self.set_payload(item, Payload::Event(slot, recording));
    }

    /// Tells what an item that was just submitted is to happens-before.
    pub fn identify(&mut self, item: Item, id: ItemId) {
        if item.index() >= self.ids.len() {
            self.ids.resize(item.index() + 1, NO_ITEM);
        }
        self.ids[item.index()] = id;
    }

    /// What an item is to happens-before; [`NO_ITEM`] if the run is not checked.
    pub fn id(&self, item: Item) -> ItemId {
        self.ids.get(item.index()).copied().unwrap_or(NO_ITEM)
    }

    /// Follows what the model did: stamps events that became complete, starts what may start.
    pub fn settle(&mut self) {
        loop {
            self.drain();
            if self.slices.as_ref().is_some_and(Slices::at_rest) {
                return;
            }
            let situation = self.situation();
            let Some(item) = self.model.next(situation) else { return };
            self.start(item);
        }
    }

    /// What the policy is told of that which runs. All that runs only waits once every parked block has been resumed in vain.
    fn situation(&mut self) -> Situation {
        let waits = self.ready_grid().is_none()
            && self.operations.is_empty()
            && self.host_functions.is_empty()
            && self.parked.len() + self.stuck.len() + self.depending.len() > 0
            && (self.fruitless >= self.parked.len() as u64 || self.barren >= COUNTING * self.parked.len() as u64);
        match self.active {
            0 => Situation::Idle,
            _ if waits => Situation::Stuck,
            _ => Situation::Busy,
        }
    }

    fn drain(&mut self) {
        self.untie();
        let Self { model, payloads, events, awaited, ids, complete, began, slices, .. } = self;
        for item in model.drain_completed() {
            if let Some(id) = ids.get_mut(item.index())
                && *id != NO_ITEM
            {
                complete.push(std::mem::replace(id, NO_ITEM));
            }
            if let Some(awaited) = awaited.get_mut(item.index()) {
                self.completed |= std::mem::take(awaited);
            }
            match payloads.get_mut(item.index()) {
                Some(slot @ &mut Payload::Event(event, recording)) => {
                    *slot = Payload::None;
                    events.stamp(event, recording, now(slices.as_ref(), began));
                }
                Some(slot @ Payload::Graph(_)) => {
                    if let Payload::Graph(run) = std::mem::replace(slot, Payload::None) {
                        run.exec.busy.store(false, Ordering::Release);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn start(&mut self, item: Item) {
        self.active += 1;
        self.restructured();
        if !self.sticky.is_success() {
            // The context is lost: what was queued passes without effect. A host thread that waits looks at the error.
            match self.take_payload(item) {
                Payload::Operation(Operation::Host(_)) => self.host_functions_queued -= 1,
                Payload::Operation(Operation::Graph(expansion)) => expansion.abandon(self),
                Payload::Grid(grid) => self.set_payload(item, Payload::Grid(grid)),
                _ => {}
            }
            self.finish(item);
            return;
        }
        match self.payloads.get(item.index()) {
            // The grid stays attached until its last block has exited.
            Some(Payload::Grid(grid)) => {
                let grid = grid.clone();
                self.make_ready(grid);
            }
            Some(Payload::Operation(_)) => match self.take_payload(item) {
                Payload::Operation(Operation::Host(function)) => {
                    self.host_functions_queued -= 1;
                    self.host_functions.push_back((item, function));
                }
                Payload::Operation(Operation::Caller) => self.completed = true,
                Payload::Operation(Operation::Graph(expansion)) => {
                    if expansion.is_launch() {
                        self.set_payload(item, Payload::Graph(expansion.run.clone()));
                    }
                    self.operations.push_back((item, Operation::Graph(expansion)));
                }
                Payload::Operation(operation) => self.operations.push_back((item, operation)),
                _ => unreachable!("looked at above"),
            },
            _ => unreachable!("markers start and finish by themselves"),
        }
    }

    /// The grid that an item is, if its threads have not all exited.
    pub(super) fn grid(&self, item: Item) -> Option<&Arc<Grid>> {
        match self.payloads.get(item.index())? {
            Payload::Grid(grid) if grid.item() == item => Some(grid),
            _ => None,
        }
    }

    /// The launch of a graph that an item is, if it runs.
    pub fn run(&self, item: Item) -> Option<&Arc<Run>> {
        match self.payloads.get(item.index())? {
            Payload::Graph(run) if *run.item.lock() == Some(item) => Some(run),
            _ => None,
        }
    }

    /// The `gridid` of an item that is a grid whose threads have not all exited.
    pub(super) fn gridid(&self, item: Item) -> Option<u64> {
        self.grid(item).map(|grid| grid.code.gridid)
    }

    /// Is an item complete? If not, waiting host threads are woken when it is.
    pub fn is_complete_or_awaited(&mut self, item: Item) -> bool {
        if self.model.is_complete(item) {
            return true;
        }
        if item.index() >= self.awaited.len() {
            self.awaited.resize(item.index() + 1, false);
        }
        self.awaited[item.index()] = true;
        false
    }

    /// A started item is over.
    pub fn finish(&mut self, item: Item) {
        self.active -= 1;
        // A reset may wait for the end of everything.
        self.completed |= self.active == 0 && !self.sticky.is_success();
        self.restructured();
        if self.grid(item).is_some()
            && let Payload::Grid(grid) = self.take_payload(item)
        {
            if grid.together.load(Ordering::Relaxed) {
                self.resident -= grid.cost * grid.code.blocks();
            }
            if let (Some(tracing), Some(costs)) = (tracing::active(), &grid.code.costs)
                && let Some(number) = self.model.number(item)
            {
                tracing.costs(number, &costs.take());
            }
            if grid.prepared.load(Ordering::Relaxed) > 0 {
                self.forget_prepared(item, grid.device.memory());
            }
            // Threads that were stopped might have looked at their errors.
            if let Some(checking) = grid.device.checking.as_ref().filter(|_| self.sticky.is_success()) {
                checking.grid_ended(grid.code.gridid);
                checking.early_ended(grid.id());
            }
        }
        self.model.finished(item);
    }

    /// Launches that were prepared by threads that have exited will not come.
    fn forget_prepared(&mut self, launcher: Item, memory: &Memory) {
        let Self { prepared, model, .. } = self;
        prepared.retain(|&buffer, launch| {
            let keep = launch.launcher != launcher;
            if !keep {
                model.release_slot();
                let _ = memory.free(buffer);
            }
            keep
        });
    }

    /// A grid faulted: everything that was queued passes without effect (launch-model 2.1).
    pub fn fail(&mut self, status: Status) {
        if !self.sticky.is_success() {
            return;
        }
        self.sticky = status;
        self.restructured();
        self.cancel.store(true, Ordering::Relaxed);
        self.completed = true;
        self.depending_threads = 0;
        let waiting = self.stuck.drain(..).chain(self.depending.drain(..));
        let blocks: Vec<ParkedBlock> = self.parked.drain(..).chain(waiting).collect();
        let mut ended = Vec::new();
        for grid in std::mem::take(&mut self.ready) {
            if grid.exited(grid.stop()) {
                ended.push(grid.item());
            }
        }
        for block in blocks {
            // SAFETY: the block has not exited.
            let grid = unsafe { Grid::from_owner(block.grid().owner) };
            self.unpark(grid);
            let item = grid.item();
            drop(block);
            if grid.exited(1) {
                ended.push(item);
            }
        }
        for (item, operation) in std::mem::take(&mut self.operations) {
            if let Operation::Graph(expansion) = operation {
                expansion.abandon(self);
            }
            ended.push(item);
        }
        ended.extend(self.host_functions.drain(..).map(|(item, _)| item));
        ended.into_iter().for_each(|item| self.finish(item));
    }

    /// Begins anew after a reset. Nothing runs.
    pub fn renew(&mut self, pending_launches: u32) {
        debug_assert!(self.quiet());
        let sleeping = std::mem::take(&mut self.sleeping);
        let slices = self.slices.take();
        let policy = self.policy.clone();
        // Host threads that still wait find their items complete: nothing of the new model has their generation yet.
        *self =
            Self { sleeping, slices, waiting: self.waiting, completed: true, ..Self::new(pending_launches, policy) };
        if self.slices.is_some() {
            self.model.order.enable();
        }
        if let Some(tracing) = tracing::active() {
            // Items would be numbered anew.
            self.model.disable_recording();
            tracing.note("what follows the first reset of the device is not in the timeline");
        }
    }

    /// True when nothing was started that has not finished.
    pub fn quiet(&self) -> bool {
        self.active == 0
    }
}

/// Nanoseconds of the device's time: its own where it advances in slices.
fn now(slices: Option<&Slices>, began: &Instant) -> u64 {
    slices.map_or_else(|| began.elapsed().as_nanos() as u64, |slices| slices.time.now())
}
