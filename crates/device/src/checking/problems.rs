//! From what the shadow says to a finding.

use super::name::Relation;
use super::{Checking, Class, Origin, Who, held};
use crate::engine::Grid;
use crate::exec;
use crate::memory::Kind;
use hotfire_check::{
    Access, Action, Agent, Allocation, Checker, Consequence, Finding, ItemLabel, Problem, Rule, Stamp, Touch,
};
use hotfire_jit::abi::ThreadContext;
use std::collections::HashMap;

/// One side of a race, for counting: whose code, and where in it.
type Spot = (u64, u32);

/// What was found so far, to count repetitions without describing them again.
#[derive(Default)]
pub(crate) struct Known {
    races: HashMap<(Rule, Spot, bool, Spot, bool), usize>,
    /// Races by the place that reads.
    readers: HashMap<Spot, usize>,
    /// Races by the code of either side and the allocation: what such code finds unset there is a consequence.
    raced: HashMap<(u64, String), usize>,
    /// Races by a grid that reads.
    grids: HashMap<u64, usize>,
    /// Reads of what nobody has written yet: faults of their own only if no race explains them.
    unset: Vec<(Spot, Finding)>,
    /// Other faults.
    faults: HashMap<(Rule, Spot), Option<usize>>,
}

/// An access of the calling device thread has a problem. Called on the worker's stack.
///
/// # Safety
/// `context` is what generated code passed.
pub(crate) unsafe fn problem(context: *mut ThreadContext, touch: &Touch, problem: Problem, writes: bool) {
    // SAFETY: the caller's promise; the worker holds the checker.
    unsafe {
        let grid = Grid::from_owner(exec::owner(context));
        let (Some(checking), Some(checker)) = (&grid.device.checking, held().as_mut()) else { return };
        let mut agent = checker.agent(touch.stamp);
        agent.site = touch.stamp.site();
        let side = Side { agent, write: writes, atomic: touch.atomic };
        match problem {
            Problem::Race { before, wrote, address } => {
                if exec::order(context).is_some_and(|order| order.knows_in_order(checker, agent.thread, before)) {
                    let before = Side { agent: checker.agent(before), write: wrote, atomic: false };
                    return checking.beyond_wait(checker, side, before, (address, touch.size));
                }
                checking.race(checker, side, before, wrote, address, touch.size);
            }
            Problem::SameValue { before, address } => checking.same_value(checker, side, before, address, touch.size),
            Problem::Unset { .. } => {
                let found = checking.unset(grid, context, side, touch);
                if let (Some((start, end)), Some(order)) = (found, exec::order(context)) {
                    order.allocation = Some(Allocation { start, end, memory: checker.memory });
                }
            }
        }
    }
}

/// An access behind the end of a block's shared memory.
///
/// # Safety
/// As [`problem`].
pub(crate) unsafe fn shared_bounds(context: *mut ThreadContext, touch: &Touch, window: u64, writes: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        let grid = Grid::from_owner(exec::owner(context));
        let (Some(checking), Some(checker)) = (&grid.device.checking, held().as_mut()) else { return };
        let mut agent = checker.agent(touch.stamp);
        agent.site = touch.stamp.site();
        let side = Side { agent, write: writes, atomic: touch.atomic };
        let size = (*(*context).block).total_shared;
        let message = format!(
            "{} {} bytes at offset {} of {size} bytes of shared memory",
            verb(side),
            touch.size,
            touch.address - window,
        );
        checking.fault(checker, Rule::MemoryBounds, side, touch, message, Vec::new(), Vec::new());
    }
}

/// One side of a problem.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub agent: Agent,
    pub write: bool,
    pub atomic: bool,
}

fn verb(side: Side) -> &'static str {
    match (side.write, side.atomic) {
        (_, true) => "an atomic changes",
        (true, _) => "a thread writes",
        (false, _) => "a thread reads",
    }
}

impl Checking {
    /// Whose code it is: the same for all launches of a kernel.
    fn spot(&self, checker: &Checker, agent: Agent) -> Spot {
        let code = match checker.label(agent.item) {
            ItemLabel::Host => 0,
            ItemLabel::Grid(grid) => {
                let grids = self.grids.lock();
                grids.get(grid).map_or(1, |(_, kind)| std::sync::Arc::as_ptr(&kind.function) as u64)
            }
            ItemLabel::Operation(number) => {
                let operations = self.operations.lock();
                match operations.get(number as usize).map(|record| &record.by) {
                    Some(Origin::Host(stack)) => stack.identity(),
                    Some(Origin::Device(who)) => return (3, who.site),
                    _ => 2,
                }
            }
        };
        (code, agent.site)
    }

    /// Describes one side.
    pub(crate) fn describe(&self, checker: &Checker, side: Side, address: u64, size: u32) -> Access {
        let Side { agent, write, atomic } = side;
        let action = match (write, atomic) {
            (_, true) => Action::Atomic,
            (true, _) => Action::Write,
            (false, _) => Action::Read,
        };
        let mut access = match checker.label(agent.item) {
            ItemLabel::Host => self.host_side(agent.site, action),
            ItemLabel::Grid(grid) => {
                let who = Who { grid, block: u64::from(agent.block), thread: u32::from(agent.thread), site: 0 };
                let mut access = self.access(who, action);
                access.place = self.place_of(grid, agent.site);
                access
            }
            ItemLabel::Operation(number) => self.operation_side(number, write),
        };
        access.bytes = self.bytes(address, u64::from(size));
        access
    }

    pub(crate) fn race(&self, checker: &mut Checker, now: Side, before: Stamp, wrote: bool, address: u64, size: u32) {
        let earlier = Side { agent: checker.agent(before), write: wrote, atomic: false };
        let relation = Relation::of(checker, now.agent, earlier.agent);
        let rule = relation.rule();
        let (spot, earlier_spot) = (self.spot(checker, now.agent), self.spot(checker, earlier.agent));
        let key = (rule, spot, now.write, earlier_spot, wrote);
        let racer = match relation {
            Relation::Early { secondary, .. } => [now, earlier].into_iter().find(|side| side.agent.item == secondary),
            _ => None,
        };
        let mut known = self.known.lock();
        if let Some(&index) = known.races.get(&key) {
            drop(known);
            if let Some(racer) = racer {
                self.raced_early(checker, racer, index, None);
            }
            return self.collector.again(index);
        }
        let sides = [self.describe(checker, now, address, size), self.describe(checker, earlier, address, size)];
        let mut finding = Finding::new(rule, super::edges::message(&sides, relation));
        let (edge, help) = self.advice(checker, relation, [now, earlier], &sides);
        finding.edge = Some(edge);
        finding.help = help;
        finding.hardware = Some(super::edges::hardware(relation).into());
        if let Relation::Early { primary, secondary } = relation {
            self.explain_early(checker, primary, secondary, &mut finding);
        }
        let description = sides[usize::from(racer.is_some_and(|racer| racer.agent.item != now.agent.item))].clone();
        let allocation = sides[0].bytes.as_ref().map(|bytes| bytes.allocation.clone());
        finding.accesses = sides.into();
        let reader = if now.write { earlier_spot } else { spot };
        let reading = if now.write { earlier.agent.item } else { now.agent.item };
        let index = self.collector.add(finding);
        known.races.insert(key, index);
        known.readers.entry(reader).or_insert(index);
        let raced = allocation.map(|name| [(spot.0, name.clone()), (earlier_spot.0, name)]);
        for key in raced.iter().flatten() {
            known.raced.entry(key.clone()).or_insert(index);
        }
        if let ItemLabel::Grid(grid) = checker.label(reading) {
            known.grids.entry(grid).or_insert(index);
        }
        // What was read too early was perhaps not even set.
        let explains = |(spot, finding): &mut (Spot, Finding)| {
            let place = finding.accesses.first().and_then(|side| side.bytes.as_ref());
            let same =
                |(code, name): &(u64, String)| *code == spot.0 && place.is_some_and(|bytes| bytes.allocation == *name);
            *spot == reader || raced.iter().flatten().any(same)
        };
        let explained: Vec<_> = known.unset.extract_if(.., explains).collect();
        drop(known);
        for (_, finding) in explained {
            self.attach(index, finding);
        }
        if let Some(racer) = racer {
            self.raced_early(checker, racer, index, Some(&description));
        }
    }

    /// A race in which the grid reads, if there is one.
    pub fn race_of(&self, gridid: u64) -> Option<usize> {
        self.known.lock().grids.get(&gridid).copied()
    }

    pub(super) fn attach(&self, index: usize, finding: Finding) {
        let place = finding.accesses.into_iter().next().and_then(|side| side.place);
        self.collector.consequence(index, Consequence { rule: finding.rule, message: finding.message, place });
    }

    fn same_value(&self, checker: &Checker, now: Side, before: Stamp, address: u64, size: u32) {
        let earlier = Side { agent: checker.agent(before), write: true, atomic: false };
        let (spot, earlier_spot) = (self.spot(checker, now.agent), self.spot(checker, earlier.agent));
        let key = (Rule::AdviceSameValue, spot, true, earlier_spot, true);
        let mut known = self.known.lock();
        if let Some(&index) = known.races.get(&key) {
            return self.collector.again(index);
        }
        let mut finding = Finding::new(
            Rule::AdviceSameValue,
            "several threads of one grid store the same value to one place without an order",
        );
        finding.accesses =
            vec![self.describe(checker, now, address, size), self.describe(checker, earlier, address, size)];
        finding.help = vec!["use an atomic (`atomicExch`, `atomicOr`) if the values can ever differ".into()];
        known.races.insert(key, self.collector.add(finding));
    }

    /// An access to memory that nobody has written. The allocation around it, if it is inside one.
    fn unset(&self, grid: &Grid, context: *mut ThreadContext, side: Side, touch: &Touch) -> Option<(u64, u64)> {
        let (address, end) = (touch.address, touch.address + u64::from(touch.size));
        let live = self.allocations.lock().live(address).map(|known| (known.base, known.base + known.size));
        if let Some((base, behind)) = live
            && end <= behind
        {
            if !side.write || !touch.blind {
                self.uninitialised(side, touch);
            }
            return Some((base, behind));
        }
        // SAFETY: the context is that of the calling thread.
        let checker = unsafe { held().as_mut() }?;
        if !exec::is_shared(context, address) {
            let memory = grid.device.memory();
            if let Some(found) = memory.find(address)
                && matches!(found.kind, Kind::Module | Kind::Constant | Kind::Parameters)
                && live.is_none()
                && !grid.device.heap.contains(address)
            {
                return None; // The device's own.
            }
            self.outside(checker, side, touch);
            return None;
        }
        if !side.write || !touch.blind {
            self.uninitialised(side, touch);
        }
        None
    }

    fn uninitialised(&self, side: Side, touch: &Touch) {
        // SAFETY: the worker holds the checker.
        let Some(checker) = (unsafe { held().as_mut() }) else { return };
        let spot = self.spot(checker, side.agent);
        let mut known = self.known.lock();
        let key = (Rule::MemoryUninitialised, spot);
        if known.faults.contains_key(&key) {
            if let Some((_, finding)) = known.unset.iter_mut().find(|(other, _)| *other == spot) {
                finding.count += 1;
            }
            return;
        }
        known.faults.insert(key, None);
        let mut finding = Finding::new(Rule::MemoryUninitialised, "a thread reads memory that nobody has written");
        finding.accesses = vec![self.describe(checker, side, touch.address, touch.size)];
        finding.help = vec!["write or `cudaMemset` it before, or do not read it".into()];
        let place = finding.accesses[0].bytes.as_ref().map(|bytes| (spot.0, bytes.allocation.clone()));
        let raced = place.and_then(|place| known.raced.get(&place));
        match known.readers.get(&spot).or(raced).copied() {
            Some(index) => {
                drop(known);
                self.attach(index, finding);
            }
            None => known.unset.push((spot, finding)),
        }
    }

    /// An access to what is not allocated.
    fn outside(&self, checker: &mut Checker, side: Side, touch: &Touch) {
        let (address, size) = (touch.address, touch.size);
        let (freed, before) = {
            let allocations = self.allocations.lock();
            let freed = allocations.find(address).filter(|known| known.freed.is_some()).cloned();
            (freed, allocations.before(address).map(|known| (known.name(), known.base, known.size)))
        };
        if let Some(freed) = freed {
            let message = format!("{} memory that was freed: {}", verb(side), freed.name());
            let more = self.allocation(address).and_then(|(_, _, free)| free).into_iter().collect();
            let help = match freed.class() {
                Class::Heap => "free it only after its last use: behind a barrier, or in a kernel that runs later",
                _ => {
                    "free it only after the last use is complete: synchronise first, or `cudaFreeAsync` in the stream of \
                     the last use"
                }
            };
            let help = vec![help.into()];
            return self.fault(checker, Rule::MemoryFreed, side, touch, message, more, help);
        }
        let where_ = match before {
            Some((name, base, bytes)) if address - base < bytes + (1 << 16) => {
                format!("{} bytes from the start of {name}, which has {bytes}", address - base)
            }
            _ if address < 4096 => "at a null pointer".into(),
            _ => "where nothing is allocated".into(),
        };
        let message = format!("{} {size} bytes {where_}", verb(side));
        self.fault(checker, Rule::MemoryBounds, side, touch, message, Vec::new(), Vec::new());
    }

    /// A fault of one access.
    #[expect(clippy::too_many_arguments, reason = "a fault is what it is made of")]
    fn fault(
        &self,
        checker: &Checker,
        rule: Rule,
        side: Side,
        touch: &Touch,
        message: String,
        more: Vec<Access>,
        help: Vec<String>,
    ) {
        let spot = self.spot(checker, side.agent);
        let mut known = self.known.lock();
        if let Some(index) = known.faults.get(&(rule, spot)) {
            if let Some(index) = *index {
                self.collector.again(index);
            }
            return;
        }
        let mut finding = Finding::new(rule, message);
        finding.accesses = vec![self.describe(checker, side, touch.address, touch.size)];
        finding.accesses.extend(more);
        finding.help = help;
        let cause = match checker.label(side.agent.item) {
            ItemLabel::Grid(grid) => known.grids.get(&grid).copied().or_else(|| self.blamed(grid)),
            _ => None,
        };
        match cause {
            Some(index) => {
                known.faults.insert((rule, spot), None);
                drop(known);
                self.attach(index, finding);
            }
            None => {
                known.faults.insert((rule, spot), Some(self.collector.add(finding)));
            }
        }
    }

    /// Is there a fault finding of this grid's code already? Then the fault that follows is the same one.
    pub fn explains(&self, rules: &[Rule]) -> bool {
        self.known.lock().faults.keys().any(|(rule, _)| rules.contains(rule))
    }

    /// What no race explained by the end of the run stands for itself.
    pub fn flush(&self) {
        self.judge_all();
        let unset = std::mem::take(&mut self.known.lock().unset);
        for (_, finding) in unset {
            self.collector.add(finding);
        }
    }
}
