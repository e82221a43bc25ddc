//! What the progress rules say (launch-model 2.6, 3.1.2, 6 and 9): who waits where, for whom, and why nobody comes.

use super::describe::triple;
use super::name::Relation;
use super::problems::Side;
use super::{Checking, held};
use crate::engine::Grid;
use crate::exec::{self, ParkedBlock, ThreadAt, WaitingThread, WaitsAt};
use hotfire_check::{Access, Action, Agent, Checker, Finding, Rule, Stamp, Thread, Touch};
use hotfire_jit::abi::ThreadContext;
use hotfire_launch::EdgeKind;
use hotfire_ptx::ast::Location;

/// Sides of a finding at most.
const SIDES: usize = 8;

/// Threads that wait at one place.
struct Spot {
    at: WaitsAt,
    location: Option<Location>,
    polls: Option<(u64, u32)>,
    block: [u32; 3],
    thread: [u32; 3],
    threads: u64,
}

/// A grid with blocks that wait.
pub(crate) struct StalledGrid<'a> {
    grid: &'a Grid,
    /// Its resident blocks, all of which wait.
    resident: u64,
    spots: Vec<Spot>,
}

impl<'a> StalledGrid<'a> {
    /// None of its blocks so far.
    pub fn new(grid: &'a Grid) -> Self {
        Self { grid, resident: 0, spots: Vec::new() }
    }

    /// One of its blocks.
    pub fn add(&mut self, block: &ParkedBlock) {
        self.resident += 1;
        let at = self.grid.code.coordinates(block.block());
        for thread in block.waiting() {
            self.add_thread(at, &thread);
        }
    }

    fn add_thread(&mut self, block: [u32; 3], waiting: &WaitingThread) {
        let WaitingThread { at, location, thread, polls, .. } = *waiting;
        match self.spots.iter_mut().find(|spot| (spot.at, spot.location) == (at, location)) {
            Some(spot) => spot.threads += 1,
            None => self.spots.push(Spot { at, location, polls, block, thread, threads: 1 }),
        }
    }

    /// Do some threads of a block wait at a barrier for others that loop, but not on memory that other blocks or grids can write?
    fn misses_barrier(&self) -> bool {
        let loops = || self.spots.iter().filter(|spot| spot.at == WaitsAt::Loop);
        loops().all(|spot| spot.polls.is_none())
            && self.spots.iter().any(|spot| match spot.at {
                WaitsAt::Barrier(_) => loops().any(|other| other.block == spot.block),
                WaitsAt::Cluster => true,
                _ => false,
            })
    }

    fn gridid(&self) -> u64 {
        self.grid.code.gridid
    }
}

/// A device on which nothing moves any more.
pub(crate) struct Stalled<'a> {
    /// Grids with blocks that wait, in order of launch.
    pub grids: Vec<StalledGrid<'a>>,
    /// Started grids with blocks for which there is no room: `gridid`, blocks not started, blocks.
    pub waiting: Vec<(u64, u64, u64)>,
    /// Which grid waits for which: the earlier, the later, why.
    pub edges: Vec<(u64, u64, EdgeKind)>,
}

fn plural(count: u64, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

impl Checking {
    fn sides<'a>(&self, grids: impl Iterator<Item = &'a StalledGrid<'a>>, spins: bool) -> Vec<Access> {
        let spots = grids.flat_map(|grid| grid.spots.iter().map(move |spot| (grid, spot)));
        let spots = spots.filter(|(_, spot)| !spins || spot.at == WaitsAt::Loop);
        spots
            .take(SIDES)
            .map(|(grid, spot)| {
                let side = self.device_side(grid.grid, spot.block, spot.thread, spot.location, Action::Wait);
                let bytes = spot.polls.and_then(|(address, size)| self.bytes(address, u64::from(size)));
                Access { bytes, ..side }
            })
            .collect()
    }

    /// Nothing moves any more, and nothing that is promised would change that.
    pub fn stalled(&self, stalled: &Stalled<'_>) {
        if self.slots_taken(stalled) {
            return;
        }
        let starved = stalled.waiting.iter().filter_map(|&(gridid, left, blocks)| {
            // Blocks that wait for other grids do not wait for their own.
            let loops = |grid: &&StalledGrid<'_>| grid.spots.iter().any(|spot| spot.at != WaitsAt::Dependency);
            let grid = stalled.grids.iter().find(|grid| grid.gridid() == gridid).filter(loops)?;
            Some((grid, left, blocks))
        });
        let starved: Vec<_> = starved.collect();
        for &(grid, left, blocks) in &starved {
            self.collector.add(self.residency(grid, left, blocks));
        }
        if !starved.is_empty() {
            return;
        }
        match stalled.grids.iter().find(|grid| grid.misses_barrier()) {
            Some(grid) => self.waits_at_barrier(grid),
            None => {
                self.collector.add(self.cycle(stalled));
            }
        }
    }

    /// Blocks that wait for other grids hold the room that some grid needs which these wait for.
    fn slots_taken(&self, stalled: &Stalled<'_>) -> bool {
        let depends = |grid: &&StalledGrid<'_>| grid.spots.iter().any(|spot| spot.at == WaitsAt::Dependency);
        let Some(waiter) = stalled.grids.iter().find(depends) else { return false };
        let starved = stalled.waiting.iter().find(|(gridid, ..)| *gridid != waiter.gridid());
        let Some(&(starved, ..)) = starved else { return false };
        // Their waits may have said so already.
        if self.collector.find(Rule::ProgressPdlSlots).is_some() {
            return true;
        }
        let primary = stalled.edges.iter().find(|(_, after, _)| *after == waiter.gridid());
        let primary = primary.map_or("what is in front of it".into(), |(before, ..)| self.grid_name(*before));
        let sides = self.sides([waiter].into_iter(), false);
        self.collector.add(self.slots_finding(
            &self.grid_name(waiter.gridid()),
            &primary,
            &self.grid_name(starved),
            sides,
        ));
        true
    }

    fn residency(&self, grid: &StalledGrid<'_>, left: u64, blocks: u64) -> Finding {
        let name = self.grid_name(grid.gridid());
        let message = format!(
            "blocks of {name} wait for a block that can only start when one of them has ended: {} of {blocks} fill the device",
            blocks - left,
        );
        let mut finding = Finding::new(Rule::ProgressResidency, message);
        finding.accesses = self.sides([grid].into_iter(), true);
        let next = triple(grid.grid.code.coordinates(blocks - left));
        finding.notes.push(format!(
            "{} wait, and block {next} is the first of {left} that have no room",
            plural(grid.resident, "resident block")
        ));
        finding.edge = Some(format!("nothing promises that all {blocks} blocks are resident at once"));
        finding.help = vec![
            format!(
                "launch at most {} blocks, with cudaLaunchCooperativeKernel, and wait with cooperative_groups::this_grid().sync()",
                blocks - left
            ),
            "or split the kernel at the barrier: two launches of one stream".into(),
        ];
        finding.hardware = Some("hangs on every device that does not hold the whole grid".into());
        finding
    }

    fn cycle(&self, stalled: &Stalled<'_>) -> Finding {
        let spinning = || stalled.grids.iter().filter(|grid| grid.spots.iter().any(|spot| spot.at == WaitsAt::Loop));
        let names: Vec<String> = spinning().map(|grid| self.grid_name(grid.gridid())).collect();
        let message = match names.len() {
            1 => format!("{} waits for a write that never comes: nothing else can run", names[0]),
            _ => format!("{} wait for each other, or for a write that never comes", list(&names)),
        };
        let mut finding = Finding::new(Rule::ProgressSpin, message);
        finding.accesses = self.sides(spinning(), true);
        for grid in spinning() {
            for spot in grid.spots.iter().filter(|spot| spot.at == WaitsAt::Loop) {
                finding.notes.push(format!(
                    "block {}, thread {} of {} re-reads memory that does not change ({} there)",
                    triple(spot.block),
                    triple(spot.thread),
                    self.grid_name(grid.gridid()),
                    plural(spot.threads, "thread"),
                ));
            }
        }
        finding.notes.extend(self.reasons(stalled));
        // Who could write stands behind them in a queue, or there is nobody but those who wait.
        let others = !stalled.waiting.is_empty() || !stalled.edges.is_empty();
        let (edge, hardware, help): (_, _, &[&str]) = if others {
            (
                "no thread that could write what is waited for is sure to run",
                "hangs whenever the threads that wait are the only ones that run",
                &[
                    "do not wait: move what follows the wait into a tail launch (cudaStreamTailLaunch), or to a later launch of the stream",
                ],
            )
        } else {
            (
                "every thread that could write what is waited for waits itself, or has ended",
                "hangs",
                &[
                    "let a thread write what others wait for before it waits itself: release a lock before waiting, and take several locks in one order",
                    "a barrier of your own, or an mbarrier, must expect exactly as many arrivals as each phase gets",
                ],
            )
        };
        finding.edge = Some(edge.into());
        finding.help = help.iter().map(|&line| line.into()).collect();
        finding.hardware = Some(hardware.into());
        finding
    }

    /// Why other grids do not come.
    fn reasons(&self, stalled: &Stalled<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        for &(gridid, left, blocks) in &stalled.waiting {
            lines.push(format!("{left} of {blocks} blocks of {} have no room on the device", self.grid_name(gridid)));
        }
        for &(before, after, kind) in &stalled.edges {
            let (before, after) = (self.grid_name(before), self.grid_name(after));
            lines.push(match kind {
                EdgeKind::Tail => format!("{after}, a tail, starts when {before} and all its other work are done"),
                EdgeKind::Programmatic => {
                    format!("{after} may start when all blocks of {before} have triggered or exited")
                }
                EdgeKind::LaunchCompletion => format!("{after} may start when all blocks of {before} have begun"),
                EdgeKind::Prerequisite => format!("{after} waits for the end of {before}, or ends behind it"),
                EdgeKind::Event => format!("{after} waits for an event behind {before}"),
                _ => format!("{after} comes behind {before} in its stream"),
            });
        }
        lines.truncate(SIDES);
        lines
    }

    /// All live threads of a block wait for each other.
    pub fn stuck(&self, grid: &Grid, block: &ParkedBlock) {
        let mut stuck = StalledGrid::new(grid);
        stuck.add(block);
        self.waits_at_barrier(&stuck);
    }

    /// Some threads of a block wait at a barrier, or all of them at different ones, and the others never come.
    fn waits_at_barrier(&self, stuck: &StalledGrid<'_>) {
        let first = stuck.spots.iter().find(|spot| spot.at != WaitsAt::Loop).unwrap_or(&stuck.spots[0]);
        let block = triple(first.block);
        let name = self.grid_name(stuck.gridid());
        let what = |spot: &Spot| match spot.at {
            WaitsAt::Barrier(id) => format!("at barrier {id}"),
            WaitsAt::Collective => "at a warp-level synchronisation".into(),
            WaitsAt::Cluster => "at the barrier of the cluster".into(),
            WaitsAt::Dependency => "at griddepcontrol.wait".into(),
            WaitsAt::Loop => "in a loop".into(),
        };
        let groups: Vec<String> = stuck
            .spots
            .iter()
            .map(|spot| {
                let line = spot.location.map_or(String::new(), |location| format!(" (PTX line {})", location.line));
                format!("{} {}{line}", plural(spot.threads, "thread"), what(spot))
            })
            .collect();
        let message =
            format!("block {block} of {name} never goes on: {} wait for threads that never come", list(&groups));
        let mut finding = Finding::new(Rule::ProgressBarrier, message);
        finding.accesses = self.sides([stuck].into_iter(), false);
        finding.edge = Some(match first.at {
            WaitsAt::Barrier(id) => format!("not every live thread of the block reaches barrier {id}"),
            WaitsAt::Cluster => "not every live thread of the cluster arrives at its barrier".into(),
            _ => "not every live lane that the mask names reaches the warp-level synchronisation".into(),
        });
        finding.help =
            vec!["let every live thread that the barrier counts execute it: move it out of the condition".into()];
        finding.hardware = Some("hangs, or goes on with data that was not synchronised".into());
        self.collector.add(finding);
    }

    /// Two lanes of a warp are at different instructions of one aligned barrier.
    pub fn divergent(&self, grid: &Grid, block: [u32; 3], id: u32, first: ThreadAt, second: ThreadAt) {
        let name = self.grid_name(grid.code.gridid);
        let message = format!(
            "threads {} and {} of block {}, of one warp of {name}, are at different instructions when barrier {id} is executed",
            triple(first.thread),
            triple(second.thread),
            triple(block),
        );
        let mut finding = Finding::new(Rule::ProgressBarrier, message);
        let side = |at: ThreadAt| self.device_side(grid, block, at.thread, at.location, Action::Wait);
        finding.accesses = vec![side(second), side(first)];
        finding.edge =
            Some("__syncthreads() is aligned: all live threads of a warp execute the same one together".into());
        finding.help = vec!["put one __syncthreads() behind the condition instead of one into each branch".into()];
        finding.hardware = Some("undefined: it may hang, or seem to work".into());
        self.collector.add(finding);
    }

    /// A thread looked twice or more at a value in vain, and then saw one that another had written. Reports it if nothing had promised
    /// that the writer makes progress while the reader waits (launch-model 3.1.2, 9).
    fn spin_ended(&self, checker: &Checker, reader: Agent, writer: Agent, address: u64, size: u32) {
        let Some(writes) = Writer::of(checker, reader, writer) else { return };
        let side = |agent, write| self.describe(checker, Side { agent, write, atomic: false }, address, size);
        let reader = Access { action: Action::Wait, ..side(reader, false) };
        let writer = side(writer, true);
        let (waiter, other) = (name(&reader.thread), name(&writer.thread));
        let (message, edge, help) = match writes {
            Writer::Child => (
                format!("{waiter} spins until its child {other} writes"),
                "a child is sure to start only when its parent's threads are done",
                TAIL_LAUNCH,
            ),
            Writer::Tail => (
                format!("{waiter} spins until its tail {other} writes"),
                "a tail starts when the grid that launched it is done",
                TAIL_LAUNCH,
            ),
            Writer::Parent => (
                format!("{waiter} spins until {other}, which launched it, writes"),
                "nothing promises that the parent goes on while its child runs",
                "write before the launch, or launch where the value is known",
            ),
            Writer::Dependent => (
                format!("{waiter} spins until {other} writes, which was launched behind it"),
                "an early start over a programmatic edge is allowed, never promised",
                "let the kernel in front depend on nothing that the one behind it writes",
            ),
            Writer::Sibling => (
                format!("{waiter} spins until {other} writes, launched by the same grid"),
                "nothing promises that grids launched by one grid run at the same time",
                "make them one grid, or put them into one stream in the order in which they need each other",
            ),
        };
        let mut finding = Finding::new(Rule::ProgressSpin, message);
        finding.accesses = vec![reader, writer];
        finding.edge = Some(edge.into());
        finding.notes.push("in this run the wait came to an end by luck: the other ran early enough".into());
        finding.help = vec![help.into()];
        finding.hardware = Some("hangs if the device runs one after the other, as it may".into());
        self.collector.add(finding);
    }
}

const TAIL_LAUNCH: &str = "do not wait: move what follows the wait into a tail launch (cudaStreamTailLaunch)";

/// `scale (grid 3)`
fn name(thread: &Thread) -> String {
    match thread {
        Thread::Device { kernel, grid, .. } => format!("`{kernel}` (grid {grid})"),
        other => other.name().to_owned(),
    }
}

/// The calling thread polled a value until `writer` changed it. Called on the worker's stack.
///
/// # Safety
/// `context` is what generated code passed.
pub(crate) unsafe fn spin_ended(context: *mut ThreadContext, touch: &Touch, writer: Stamp) {
    // SAFETY: the caller's promise; the worker holds the checker.
    unsafe {
        let grid = Grid::from_owner(exec::owner(context));
        let (Some(checking), Some(checker)) = (&grid.device.checking, held().as_mut()) else { return };
        let mut reader = checker.agent(touch.stamp);
        reader.site = touch.stamp.site();
        checking.spin_ended(checker, reader, checker.agent(writer), touch.address, touch.size);
    }
}

/// Who, to a thread that waits, is a writer whose progress nothing promises while it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    Child,
    Tail,
    Parent,
    Sibling,
    /// A grid that may start early, but need not.
    Dependent,
}

impl Writer {
    /// Nothing for a writer of the same grid, of the host, or of another of the host's launches, of which this rule does not speak.
    fn of(checker: &Checker, reader: Agent, writer: Agent) -> Option<Writer> {
        match Relation::of(checker, reader, writer) {
            Relation::Ancestor { ancestor, child } if ancestor == reader.item => {
                Some(if checker.items.is_tail(child) { Writer::Tail } else { Writer::Child })
            }
            Relation::Ancestor { .. } => Some(Writer::Parent),
            Relation::Sibling { .. } | Relation::Tail => Some(Writer::Sibling),
            Relation::Early { primary, .. } if checker.items.descends(reader.item, primary) => Some(Writer::Dependent),
            // All blocks of the primary have begun when the other starts.
            Relation::Early { .. } => None,
            Relation::Block { .. } | Relation::Grid | Relation::Host | Relation::Stream => None,
        }
    }
}
