//! A discrete-event simulation of a logged run on a [`Machine`].
//!
//! What may start when is not decided here: the log's commands are given to a launch model of its own ([`hotfire_launch`]), at the times at
//! which host threads and blocks come to them, and the model says what may start. This module adds how long things take: calls, blocks
//! ([`blocks`]), copies, and the ways between them ([`Machine`]).
//!
//! The host is as fast as its calls: what a program does between them takes no time. Steps keep the order in which they were logged. Blocks
//! that wait for each other by memory are not seen waiting.

mod blocks;
mod host;

use crate::log::{Log, Step};
use crate::machine::{Edges, Machine};
use crate::timeline::{GridSpan, Lane, Launcher, OperationSpan, Timeline};
use blocks::Multiprocessor;
use host::Host;
use hotfire_launch::recording::{Command, Destination, Manner, Replay};
use hotfire_launch::{Early, GraphEdge, Item, Limits, Model, Policy, Situation, Work};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet, VecDeque};

/// What to simulate other than what was logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// All kernels of the host are launched programmatically; those without a wait have one at their start.
    pub programmatic: bool,
    /// Kernels without a trigger have one at their start.
    pub trigger: bool,
    /// All that the host queues between two of its waits is one graph.
    pub graph: bool,
}

/// Simulates a log.
pub fn simulate(log: &Log, machine: &Machine, changes: Changes) -> Timeline {
    let mut simulation = Simulation::new(log, machine, changes);
    simulation.run();
    simulation.finish()
}

/// What happens at a time.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The host comes to its next step.
    Host,
    /// Blocks of a grid may take their slots.
    Begin(u64),
    /// The next milestone of a block on a multiprocessor, if nothing changed there since.
    Milestone(usize, u64),
    /// Threads of a grid that waited for those in front go on.
    Release(u64),
    /// An item is over.
    Over(u64),
    /// A block comes back from a call of the device runtime.
    Resume(usize, u64),
}

struct At(f64, u64, Event);

impl PartialEq for At {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    // The earliest is the greatest: the heap gives that first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}

/// A grid that was started.
struct Running {
    /// Blocks not placed, not triggered, not exited.
    next: u64,
    untriggered: u64,
    unfinished: u64,
    multiprocessors: HashSet<usize>,
}

struct Simulation<'a> {
    log: &'a Log,
    machine: &'a Machine,
    changes: Changes,
    model: Model,
    replay: Replay,
    now: f64,
    events: BinaryHeap<At>,
    sequence: u64,
    host: Host<'a>,
    running: HashMap<u64, Running>,
    /// Grids whose waiting threads are about to go on.
    releasing: HashSet<u64>,
    /// Grids with blocks that wait for slots, in order.
    queue: VecDeque<u64>,
    multiprocessors: Vec<Multiprocessor>,
    /// What all blocks use of the bandwidth of all.
    used: f64,
    /// What device threads do, by grid and block, as steps of the log.
    device: HashMap<(u64, u64), Vec<usize>>,
    /// What items stand for: the steps that add it.
    within: HashMap<u64, Vec<usize>>,
    /// Items within others: nodes of graphs.
    nodes: HashSet<u64>,
    /// Grids that launched.
    parents: HashSet<u64>,
    tails: HashSet<u64>,
    timeline: Timeline,
}

impl<'a> Simulation<'a> {
    fn new(log: &'a Log, machine: &'a Machine, changes: Changes) -> Self {
        let mut device: HashMap<_, Vec<usize>> = HashMap::new();
        let mut within: HashMap<_, Vec<usize>> = HashMap::new();
        let cycles = |&step: &usize| match log.steps[step] {
            Step::Device { cycles, .. } => cycles,
            _ => 0,
        };
        for (at, step) in log.steps.iter().enumerate() {
            match step {
                Step::Device { grid, block, .. } => device.entry((*grid, *block)).or_default().push(at),
                Step::Within { item, .. } => within.entry(*item).or_default().push(at),
                _ => {}
            }
        }
        device.values_mut().for_each(|steps| steps.sort_by_key(cycles));
        let limits = Limits { pending_launches: u32::MAX / 2, ..Limits::default() };
        let program = (log.program.clone(), log.process);
        Self {
            log,
            machine,
            changes,
            model: Model::new(limits, Policy::Eager),
            replay: Replay::default(),
            now: 0.0,
            events: BinaryHeap::new(),
            sequence: 0,
            host: Host::new(log),
            running: HashMap::new(),
            releasing: HashSet::new(),
            queue: VecDeque::new(),
            multiprocessors: (0..machine.multiprocessors).map(|_| Multiprocessor::default()).collect(),
            used: 0.0,
            device,
            within,
            nodes: HashSet::new(),
            parents: HashSet::new(),
            tails: HashSet::new(),
            timeline: Timeline { program, notes: log.notes.clone(), ..Timeline::default() },
        }
    }

    fn at(&mut self, time: f64, event: Event) {
        self.sequence += 1;
        self.events.push(At(time.max(self.now), self.sequence, event));
    }

    fn run(&mut self) {
        self.at(0.0, Event::Host);
        while let Some(At(time, _, event)) = self.events.pop() {
            self.now = time;
            match event {
                Event::Host => self.host_step(),
                Event::Begin(number) => self.queue.push_back(number),
                Event::Milestone(at, version) => self.milestone(at, version),
                Event::Release(number) => self.release(number),
                Event::Over(number) => self.over(number),
                Event::Resume(at, id) => self.resume(at, id),
            }
            self.follow();
            self.place();
        }
    }

    /// Follows what the model says.
    fn follow(&mut self) {
        loop {
            let untied: Vec<Item> = self.model.drain_untied().collect();
            for item in untied {
                let Some(number) = self.replay.number(item) else { continue };
                let after = self.edges(number).release;
                self.releasing.insert(number);
                self.at(self.now + after, Event::Release(number));
            }
            let mut late = 0.0;
            let completed: Vec<Item> = self.model.drain_completed().collect();
            for item in completed {
                let Some(number) = self.replay.number(item) else { continue };
                if self.parents.contains(&number) {
                    late = self.machine.device.family;
                }
                if let Some(grid) = self.timeline.grids.get_mut(&number) {
                    grid.complete = self.now;
                }
                self.timeline.end = self.timeline.end.max(self.now);
            }
            let Some(item) = self.model.next(Situation::Busy) else { break };
            self.start(item, late);
        }
        let pending = self.model.pending();
        if self.timeline.pending.last().map_or(0, |last| last.1) != pending {
            self.timeline.pending.push((self.now, pending));
        }
        self.wake_host();
    }

    fn edges(&self, number: u64) -> Edges {
        if self.changes.graph || self.nodes.contains(&number) { self.machine.graph } else { self.machine.stream }
    }

    /// An item may start; `late` is what the one in front of it takes longer.
    fn start(&mut self, item: Item, late: f64) {
        let Some(number) = self.replay.number(item) else { return };
        let edges = self.edges(number);
        let is_device = self.timeline.grids.get(&number).is_some_and(|grid| grid.launcher.is_some());
        let after = match is_device {
            true if self.tails.contains(&number) => self.machine.device.tail,
            true => self.machine.device.start,
            false if self.model.is_tied(item) => edges.early,
            false => edges.start + late,
        };
        if self.log.grids.contains_key(&number) {
            self.at(self.now + after, Event::Begin(number));
            return;
        }
        let took = self.operation_time(number);
        if let Some(span) = self.timeline.operations.get_mut(&number) {
            (span.start, span.end) = (self.now + after, self.now + after + took);
        }
        self.at(self.now + after + took, Event::Over(number));
    }

    fn operation_time(&self, number: u64) -> f64 {
        let Some(operation) = self.log.operations.get(&number) else { return 0.0 };
        let rate = if operation.crosses { self.machine.link } else { self.machine.memory_bandwidth / 2.0 };
        operation.bytes as f64 / rate
    }

    /// An item is over for good: what it wrote is there.
    fn over(&mut self, number: u64) {
        for step in self.within.remove(&number).into_iter().flatten() {
            if let Step::Within { command, .. } = &self.log.steps[step] {
                self.command(command, None);
            }
        }
        if let Ok(item) = self.replay.item(number) {
            self.model.finished(item);
        }
    }

    /// A grid's last block has exited.
    fn exited(&mut self, number: u64, multiprocessors: usize) {
        let share = (multiprocessors.saturating_sub(1)) as f64 / self.machine.multiprocessors as f64;
        if let Some(grid) = self.timeline.grids.get_mut(&number) {
            grid.exit = self.now;
        }
        self.at(self.now + self.machine.flush + share * self.machine.spread, Event::Over(number));
    }

    /// All blocks of a grid have come so far.
    fn reached(&mut self, number: u64, early: Early) {
        if early == Early::Triggered
            && let Some(grid) = self.timeline.grids.get_mut(&number)
        {
            grid.triggered = self.now;
        }
        if let Ok(item) = self.replay.item(number) {
            self.model.reached(item, early);
        }
    }

    /// Gives a command to the model. `from` is the thread of a block that gives it.
    fn command(&mut self, command: &Command, from: Option<(u64, u64)>) {
        let mut command = command.clone();
        if let Command::Submit { work: Work::Grid, manner, .. } = &mut command
            && self.changes.programmatic
        {
            *manner = Manner::Programmatic;
        }
        if let Command::Connect { edge, from, to } = &mut command {
            let is_grid = |number| self.log.grids.contains_key(number);
            if self.changes.programmatic && *edge == GraphEdge::Full && is_grid(from) && is_grid(to) {
                *edge = GraphEdge::Programmatic;
            }
            if is_grid(from) && is_grid(to) {
                self.timeline.edges.push((*from, *to));
            }
            if *edge != GraphEdge::Full
                && let Some(grid) = self.timeline.grids.get_mut(to)
            {
                grid.programmatic = true;
            }
        }
        let (lane, item, work, programmatic) = match command {
            Command::Submit { stream, work, item, manner, .. } => {
                (Lane::Stream(stream), item, work, manner == Manner::Programmatic)
            }
            Command::Launch { launcher, work, item, stream, .. } => {
                self.parents.insert(launcher);
                if stream == Destination::Tail {
                    self.tails.insert(item);
                }
                (Lane::Device(launcher), item, work, false)
            }
            Command::AddWithin { outer, work, item } => {
                self.nodes.insert(item);
                let lane = self.timeline.operations.get(&outer).map(|outer| outer.lane);
                (lane.unwrap_or(Lane::Device(outer)), item, work, false)
            }
            _ => return self.apply(&command),
        };
        let launcher = from.map(|(grid, block)| Launcher { grid, block, time: self.now });
        match (work, self.log.grids.get(&item)) {
            (Work::Grid, Some(grid)) => {
                let span = GridSpan {
                    kernel: grid.kernel.clone(),
                    lane,
                    shape: (grid.blocks(), grid.threads()),
                    programmatic,
                    queued: self.now,
                    start: self.now,
                    triggered: self.now,
                    exit: self.now,
                    complete: self.now,
                    launcher,
                    is_node: self.nodes.contains(&item),
                };
                self.timeline.grids.insert(item, span);
            }
            _ => {
                let operation = self.log.operations.get(&item).cloned().unwrap_or_default();
                let span = OperationSpan {
                    name: operation.name,
                    bytes: operation.bytes,
                    lane,
                    start: self.now,
                    end: self.now,
                };
                self.timeline.operations.insert(item, span);
            }
        }
        self.apply(&command);
    }

    fn apply(&mut self, command: &Command) {
        if let Err(error) = self.replay.apply(&mut self.model, command) {
            self.note(format!("left out: {error}"));
        }
    }

    fn note(&mut self, line: String) {
        if self.timeline.notes.len() < 20 && !self.timeline.notes.contains(&line) {
            self.timeline.notes.push(line);
        }
    }

    fn finish(mut self) -> Timeline {
        if !self.model.all_idle() {
            let left = self.model.unfinished();
            self.note(format!(
                "{left} items never ended: the program ended before them, or the log lacks what they waited for"
            ));
        }
        self.timeline.end = self.timeline.end.max(self.timeline.calls.iter().map(|call| call.end).fold(0.0, f64::max));
        self.timeline
    }
}

/// Milestones of blocks by cycles.
type Milestones = BTreeMap<u64, Vec<blocks::Milestone>>;
