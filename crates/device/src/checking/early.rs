//! Programmatic dependent launch (launch-model 4): what device code tells the checker, and what races over a programmatic edge mean.
//!
//! Whether a thread never waits is known only when its grid is over, and may come after the race: such races are kept until then.

use super::problems::Side;
use super::{Checking, Who, held};
use crate::engine::{CAPACITY, Grid};
use crate::exec;
use crate::module::Function;
use hotfire_check::{Access, Action, Checker, Finding, ItemLabel, Rule, Stamp, Touch};
use hotfire_jit::abi::ThreadContext;
use hotfire_launch::order::ItemId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Threads of one race of which is remembered that they may not have waited.
const THREADS: usize = 64;
/// Sides of one finding about a kernel without a wait.
const SIDES: usize = 4;

/// A thread that raced before its wait, if it has one.
struct Racer {
    finding: usize,
    item: ItemId,
    block: u32,
    thread: u16,
}

/// A child that a block launched when it had triggered.
struct Child {
    who: Who,
    gridid: u64,
    cost: u64,
}

/// What is kept of early starts.
#[derive(Default)]
pub(crate) struct EarlyStarts {
    racers: Vec<Racer>,
    /// Findings that somebody did not wait, though others of the block did.
    partial: HashSet<usize>,
    /// Findings about kernels without a wait, by function.
    no_wait: HashMap<usize, (usize, Vec<u32>)>,
    /// Other findings, by rule, function and place.
    places: HashMap<(Rule, usize, u32), usize>,
    /// Grids whose blocks have all exited and whose races were not judged yet.
    over: Vec<ItemId>,
    /// Children launched behind a trigger, by their parent.
    children: BTreeMap<ItemId, Child>,
}

/// The calling thread comes to `griddepcontrol.wait`. Called on the worker's stack.
///
/// # Safety
/// `context` is what generated code passed, as below; the worker holds the checker.
pub(crate) unsafe fn dependency_reached(context: *mut ThreadContext, site: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        let grid = Grid::from_owner(exec::owner(context));
        let (Some(checking), Some(checker), Some(order)) =
            (&grid.device.checking, held().as_mut(), exec::order(context))
        else {
            return;
        };
        order.comes_to_wait(checker, exec::caller(context).thread, site + 1);
        if order.is_early() {
            checking.slots(checker, grid, context, site + 1);
        }
    }
}

/// What the calling thread waited for is complete. Called on the worker's stack.
///
/// # Safety
/// As [`dependency_reached`].
pub(crate) unsafe fn dependency_over(context: *mut ThreadContext) {
    // SAFETY: the caller's promise.
    unsafe {
        let grid = Grid::from_owner(exec::owner(context));
        let (Some(checker), Some(order)) = (held().as_mut(), exec::order(context)) else { return };
        if order.is_early() {
            let complete = grid.device.with(|state| std::mem::take(&mut state.complete));
            complete.into_iter().for_each(|item| checker.complete(item));
            order.waited(checker, exec::caller(context).thread);
        }
    }
}

/// The calling thread triggers. Called on the worker's stack.
///
/// # Safety
/// As [`dependency_reached`].
pub(crate) unsafe fn triggered(context: *mut ThreadContext) {
    // SAFETY: the caller's promise.
    unsafe {
        if let (Some(checker), Some(order)) = (held().as_mut(), exec::order(context)) {
            order.triggers(checker, exec::caller(context).thread);
        }
    }
}

/// A thread touches what `writer` wrote and is ordered behind it, in a grid that may start early. Called on the worker's stack.
///
/// # Safety
/// As [`dependency_reached`].
pub(crate) unsafe fn touched_early(
    context: *mut ThreadContext,
    touch: &Touch,
    writer: Stamp,
    writes: bool,
    non_coherent: bool,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let grid = Grid::from_owner(exec::owner(context));
        let (Some(checking), Some(checker), Some(order)) =
            (&grid.device.checking, held().as_mut(), exec::order(context))
        else {
            return;
        };
        let mut agent = checker.agent(touch.stamp);
        agent.site = touch.stamp.site();
        let now = Side { agent, write: writes, atomic: touch.atomic };
        let before = Side { agent: checker.agent(writer), write: true, atomic: false };
        if order.relies_on_fence(checker, touch.stamp.thread(), writer) && !grid.function.waits() {
            let side = checking.describe(checker, now, touch.address, touch.size);
            let other = checking.describe(checker, before, touch.address, touch.size);
            checking.no_wait(&grid.function, agent.site, vec![side, other], true);
        } else if non_coherent && order.written_beside(checker, writer) {
            checking.non_coherent(checker, &grid.function, now, before, touch);
        }
    }
}

fn address(function: &Arc<Function>) -> usize {
    Arc::as_ptr(function) as usize
}

impl Checking {
    /// Whether a wait covers all that is in front in its stream.
    pub fn set_in_order(&self, in_order: bool) {
        self.checker(|checker| checker.in_order = in_order);
    }

    /// The function of a grid.
    fn function_of(&self, checker: &Checker, item: ItemId) -> Option<Arc<Function>> {
        let ItemLabel::Grid(gridid) = checker.label(item) else { return None };
        self.function(gridid)
    }

    fn item_name(&self, checker: &Checker, item: ItemId) -> String {
        match checker.label(item) {
            ItemLabel::Grid(gridid) => self.grid_name(gridid),
            _ => "the work in front".into(),
        }
    }

    /// `scale`, as its author wrote it.
    fn kernel_of(&self, checker: &Checker, item: ItemId) -> String {
        self.function_of(checker, item).map_or("the kernel".into(), |function| self.kernel_name(&function))
    }

    /// Which edge of a race over a programmatic edge is missing, which side must change, and whether hardware shows it.
    pub(super) fn explain_early(&self, checker: &Checker, primary: ItemId, secondary: ItemId, finding: &mut Finding) {
        let (first, second) = (self.item_name(checker, primary), self.item_name(checker, secondary));
        if !checker.is_early(secondary) {
            finding.edge = Some(format!(
                "{second} starts when all blocks of {first} have begun: it waits for the launch-completion event only"
            ));
            finding.help =
                vec![format!("let its stream wait for an event recorded behind {first} (`cudaEventRecord`)")];
            finding.hardware = Some("an H200 starts it at once, and its wait does not wait for that kernel".into());
            return;
        }
        let direct = checker.primaries(secondary).any(|item| item == primary);
        let between = checker.primaries(secondary).next().filter(|_| !direct);
        finding.edge = Some(match between {
            None => {
                format!("{second} was launched programmatically behind {first} and may start before it is complete")
            }
            Some(between) => format!(
                "{second} was launched programmatically behind {}, which may itself run before {first} is complete",
                self.item_name(checker, between)
            ),
        });
        let kernel = self.kernel_of(checker, secondary);
        finding.help = vec![
            format!(
                "in `{kernel}`: `cudaGridDependencySynchronize();` before this access, on every path and in every thread (or before a `__syncthreads();` in front of it)"
            ),
            format!(
                "or launch `{kernel}` without the attribute; where `{}` triggers changes nothing",
                self.kernel_of(checker, primary)
            ),
        ];
        let triggers = between.unwrap_or(primary);
        let early = self.function_of(checker, triggers).is_some_and(|function| function.triggers());
        finding.hardware = Some(if early {
            format!(
                "an H200 starts `{kernel}` as soon as every block of `{}` has triggered: it can show this in any run",
                self.kernel_of(checker, triggers)
            )
        } else {
            format!(
                "seldom: `{}` triggers by its end only, shortly before what it wrote is sure to be seen",
                self.kernel_of(checker, triggers)
            )
        });
    }

    /// One side of a race is in a grid that was started early, perhaps before its wait.
    pub(super) fn raced_early(&self, checker: &Checker, racer: Side, finding: usize, description: Option<&Access>) {
        let Some(function) = self.function_of(checker, racer.agent.item).filter(|_| checker.is_early(racer.agent.item))
        else {
            return;
        };
        if !function.waits() {
            return self.no_wait(&function, racer.agent.site, description.cloned().into_iter().collect(), false);
        }
        let mut early = self.early.lock();
        let count = early.racers.iter().filter(|known| known.finding == finding).count();
        if count < THREADS && !early.partial.contains(&finding) {
            let (item, block, thread) = (racer.agent.item, racer.agent.block, racer.agent.thread);
            early.racers.push(Racer { finding, item, block, thread });
        }
    }

    /// A kernel that is launched programmatically has no wait.
    fn no_wait(&self, function: &Arc<Function>, site: u32, sides: Vec<Access>, fence: bool) {
        let mut early = self.early.lock();
        if let Some((index, sites)) = early.no_wait.get_mut(&address(function)) {
            self.collector.again(*index);
            if !sites.contains(&site) && sites.len() < SIDES {
                sites.push(site);
                self.collector.change(*index, |finding| finding.accesses.extend(sides.into_iter().take(1)));
            }
            return;
        }
        let mut finding = self.without_wait(function, sides);
        if fence {
            finding.message += ": it relies on the fence before the trigger of the kernel in front";
        }
        if fence {
            finding.notes.push(
                "a fence before the trigger orders what it covers, says the PTX manual, which in the same section wants the wait all the same".into(),
            );
        }
        let index = self.collector.add(finding);
        early.no_wait.insert(address(function), (index, vec![site]));
    }

    fn without_wait(&self, function: &Arc<Function>, sides: Vec<Access>) -> Finding {
        let kernel = self.kernel_name(function);
        let message = format!("`{kernel}` is launched programmatically and has no wait");
        let mut finding = Finding::new(Rule::PdlNoWait, message);
        finding.accesses = sides;
        finding.edge = Some(
            "only cudaGridDependencySynchronize() (griddepcontrol.wait) orders the kernel behind the one in front"
                .into(),
        );
        finding.help = vec![format!(
            "`cudaGridDependencySynchronize();` in `{kernel}`, before the first access to memory of an earlier kernel"
        )];
        finding
    }

    /// With `--lint`: a kernel without a wait is launched programmatically, which is worth a word whatever it touches.
    pub(super) fn lint_launch(&self, gridid: u64) {
        let grids = self.grids.lock();
        let Some((function, stack)) = grids.get(gridid).map(|(_, kind)| (kind.function.clone(), kind.stack.clone()))
        else {
            return;
        };
        drop(grids);
        let side = self.host(&stack, Action::Launch);
        let mut early = self.early.lock();
        if let Some((index, _)) = early.no_wait.get(&address(&function)) {
            return self.collector.again(*index);
        }
        let index = self.collector.add(self.without_wait(&function, vec![side]));
        early.no_wait.insert(address(&function), (index, Vec::new()));
    }

    fn non_coherent(&self, checker: &Checker, function: &Arc<Function>, now: Side, before: Side, touch: &Touch) {
        let key = (Rule::PdlNonCoherent, address(function), now.agent.site);
        let mut early = self.early.lock();
        if let Some(&index) = early.places.get(&key) {
            return self.collector.again(index);
        }
        let kernel = self.kernel_name(function);
        let writer = self.item_name(checker, before.agent.item);
        let side = self.describe(checker, now, touch.address, touch.size);
        let what = side.bytes.as_ref().map_or("memory".into(), |bytes| bytes.allocation.clone());
        let message =
            format!("`{kernel}` reads {what} by ld.global.nc, which {writer} may write while `{kernel}` is alive");
        let mut finding = Finding::new(Rule::PdlNonCoherent, message);
        finding.accesses = vec![side, self.describe(checker, before, touch.address, touch.size)];
        finding.edge = Some("ld.global.nc is for data that nobody writes during the whole life of the kernel, its time before the wait included".into());
        finding.help = vec![format!(
            "in `{kernel}`: no `const __restrict__` and no `__ldg()` for what the kernel in front writes"
        )];
        finding.hardware = Some("the cache may hold what was there before the wait".into());
        early.places.insert(key, self.collector.add(finding));
    }

    /// A thread that waited touches what a grid further up the chain wrote or read, with nothing but the order of completion behind it.
    pub(super) fn beyond_wait(&self, checker: &Checker, now: Side, before: Side, bytes: (u64, u32)) {
        let Some(function) = self.function_of(checker, now.agent.item) else { return };
        let key = (Rule::PdlChain, address(&function), now.agent.site);
        let mut early = self.early.lock();
        if let Some(&index) = early.places.get(&key) {
            return self.collector.again(index);
        }
        let sides = [now, before].map(|side| self.describe(checker, side, bytes.0, bytes.1));
        let (own, far) = (self.item_name(checker, now.agent.item), self.item_name(checker, before.agent.item));
        let near: Vec<ItemId> = checker.primaries(now.agent.item).collect();
        let nearest = near.first().map_or("the kernel in front".into(), |&item| self.item_name(checker, item));
        let what = sides[0].bytes.as_ref().map_or("memory".into(), |bytes| bytes.allocation.clone());
        let message = format!("{own} relies on its wait for {what} of {far}, but the wait covers {nearest} only");
        let mut finding = Finding::new(Rule::PdlChain, message);
        finding.accesses = sides.into();
        finding.edge = Some(format!("{nearest} does not wait for {far}, so its completion says nothing about it"));
        if let Some(&item) = near.first() {
            let kernel = self.kernel_of(checker, item);
            finding.help.push(format!("in `{kernel}`: `cudaGridDependencySynchronize();` before it ends"));
        }
        finding.help.push(format!("or launch `{}` without the attribute", self.kernel_name(&function)));
        finding.hardware = Some(
            "an H200 completes the grids of a stream in order, so it shows nothing; no document promises that".into(),
        );
        early.places.insert(key, self.collector.add(finding));
    }

    /// A thread launched a grid: a block that has triggered leaves it to those that start early whether there is room for it.
    ///
    /// # Safety
    /// `context` is what generated code passed.
    pub unsafe fn child_launched(&self, context: *mut ThreadContext, child: &Grid, who: Who) {
        // SAFETY: the caller's promise.
        unsafe {
            if let Some(order) = exec::order(context)
                && exec::has_triggered(context)
            {
                let child = Child { who, gridid: child.code.gridid, cost: child.cost };
                self.early.lock().children.entry(order.item).or_insert(child);
            }
        }
    }

    /// A thread of an early-started grid comes to its wait: is there room for what it waits for, whoever is resident by then?
    unsafe fn slots(&self, checker: &Checker, grid: &Grid, context: *mut ThreadContext, site: u32) {
        let mut early = self.early.lock();
        if early.children.is_empty() {
            return;
        }
        let blocks = grid.code.blocks();
        let key = (Rule::ProgressPdlSlots, address(&grid.function), site);
        if early.places.contains_key(&key) {
            return;
        }
        let starved = checker.primaries(grid.id()).find_map(|item| Some((item, early.children.get(&item)?)));
        let Some((primary, child)) = starved else { return };
        if u128::from(grid.cost) * u128::from(blocks) + u128::from(child.cost) <= u128::from(CAPACITY) {
            return;
        }
        // SAFETY: the caller's promise.
        let mut waiter = self.access(unsafe { Who { site: 0, ..Who::of(context) } }, Action::Wait);
        waiter.place = self.place_of(grid.code.gridid, site);
        let finding = self.slots_finding(
            &self.grid_name(grid.code.gridid),
            &self.item_name(checker, primary),
            &format!("{}, launched after the trigger,", self.grid_name(child.gridid)),
            vec![waiter, self.access(child.who, Action::Launch)],
        );
        let index = self.collector.add(finding);
        early.places.insert(key, index);
    }

    /// Blocks that wait fill the device.
    pub(super) fn slots_finding(&self, waiter: &str, primary: &str, starved: &str, sides: Vec<Access>) -> Finding {
        let message =
            format!("blocks of {waiter} that wait for {primary} can fill the device, and {starved} has no room");
        let mut finding = Finding::new(Rule::ProgressPdlSlots, message);
        finding.accesses = sides;
        finding.edge =
            Some(format!("{primary} is complete only when all that it launched is, which nothing gives room to"));
        finding.help = vec![
            format!("in {primary}: trigger only when no child is left to start, or not at all"),
            format!("or launch {waiter} with fewer blocks than the device holds, or without the attribute"),
        ];
        finding.hardware = Some("hangs if the blocks that wait are started before what they wait for".into());
        finding
    }

    /// All blocks of a grid that may have started early have exited. Judged later, by [`Checking::judge_over`]: the engine's lock is held.
    pub fn early_ended(&self, item: ItemId) {
        self.early.lock().over.push(item);
    }

    /// Which threads of grids that are over have waited is known now.
    pub(super) fn judge_over(&self, checker: &mut Checker) {
        let over = std::mem::take(&mut self.early.lock().over);
        for item in over {
            self.judge(checker, |racer| racer.item == item);
            checker.forget_waits(item);
        }
    }

    /// Judges what is left at the end of a run.
    pub(super) fn judge_all(&self) {
        self.checker(|checker| {
            self.judge_over(checker);
            self.judge(checker, |_| true);
        });
    }

    fn judge(&self, checker: &Checker, of: impl Fn(&Racer) -> bool) {
        let mut early = self.early.lock();
        if early.racers.is_empty() {
            return;
        }
        let racers: Vec<Racer> = early.racers.extract_if(.., |racer| of(racer)).collect();
        for Racer { finding, item, block, thread } in racers {
            if early.partial.contains(&finding)
                || checker.has_waited(item, block, thread)
                || !checker.block_has_waited(item, block)
            {
                continue;
            }
            early.partial.insert(finding);
            let Some(function) = self.function_of(checker, item) else { continue };
            let mut sides = Vec::new();
            self.collector.change(finding, |race| sides.clone_from(&race.accesses));
            let ItemLabel::Grid(gridid) = checker.label(item) else { continue };
            let is_own =
                |side: &&Access| matches!(side.thread, hotfire_check::Thread::Device { grid, .. } if grid == gridid);
            sides.retain(|side| is_own(&side));
            if let Some(waiter) = checker.first_waiter(item) {
                let who = Who { grid: gridid, block: waiter.block.into(), thread: waiter.thread.into(), site: 0 };
                let mut side = self.access(who, Action::Wait);
                side.place = self.place_of(gridid, waiter.site);
                sides.push(side);
            }
            let place = sides.first().and_then(|side| side.place.as_ref()).and_then(|place| place.ptx_line);
            let key = (Rule::PdlPartialWait, address(&function), place.unwrap_or(0));
            if let Some(&index) = early.places.get(&key) {
                self.collector.again(index);
                continue;
            }
            let kernel = self.kernel_name(&function);
            let message = format!("only some threads of a block of `{kernel}` wait, and another one goes on without");
            let mut found = Finding::new(Rule::PdlPartialWait, message);
            found.accesses = sides;
            found.edge = Some(
                "griddepcontrol.wait holds and orders the thread that executes it; the others only a barrier behind it"
                    .into(),
            );
            found.help = vec![format!(
                "in `{kernel}`: let every thread call `cudaGridDependencySynchronize();`, or put `__syncthreads();` between the wait and the access"
            )];
            early.places.insert(key, self.collector.add(found));
        }
    }
}
