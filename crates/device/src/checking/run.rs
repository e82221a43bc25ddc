//! What the checker is told while things run: the first block of a grid, operations, host functions, memory that comes and goes.

use super::problems::Side;
use super::{Checking, Class, Origin};
use crate::copy::{Copy3d, Fill3d};
use crate::device::Device;
use crate::engine::{Engine, Grid, Operation};
use crate::exec::FaultReport;
use hotfire_check::{Action, Finding, ItemLabel, Problem, RangeAccess, Rule, Stamp, Strength};
use hotfire_jit::abi::Fault;
use hotfire_launch::Item;
use hotfire_launch::order::{ItemId, NO_ITEM};

impl Checking {
    /// A grid is about to run blocks.
    pub fn begin(&self, grid: &Grid) {
        if grid.code.start.get().is_some() {
            return;
        }
        let complete = grid.device.with(|state| std::mem::take(&mut state.complete));
        let id = grid.id();
        let start = self.checker(|checker| {
            complete.into_iter().for_each(|item| checker.complete(item));
            self.judge_over(checker);
            checker.start(id)
        });
        let _ = grid.code.start.set((id, start));
    }

    /// An operation is about to be carried out.
    pub fn operate(&self, device: &Device, item: Item, operation: &Operation) {
        let (id, complete) = device.with(|state| (state.id(item), std::mem::take(&mut state.complete)));
        if id == NO_ITEM {
            return;
        }
        let time = self.checker(|checker| {
            complete.into_iter().for_each(|item| checker.complete(item));
            checker.operation(id)
        });
        match operation {
            Operation::Copy(copy) => {
                let raced = self.rows(device, id, time, copy, false) | self.rows(device, id, time, copy, true);
                self.outcome_copied(device, id, copy, raced);
            }
            Operation::CopyFrom(copy, bytes) => {
                let raced = self.rows(device, id, time, copy, true);
                let source = bytes.as_ptr() as u64;
                self.outcome_copied(device, id, &Copy3d { source, ..*copy }, raced);
            }
            Operation::Fill(fill) => {
                let Fill3d { destination, pitch, rows, element, width, height, depth, .. } = *fill;
                let shape = Copy3d {
                    destination,
                    destination_pitch: pitch,
                    destination_rows: rows,
                    source: 0,
                    source_pitch: 0,
                    source_rows: 0,
                    width: width * u64::from(element),
                    height,
                    depth,
                };
                let raced = self.rows(device, id, time, &shape, true);
                self.outcome_filled(device, id, &shape, raced);
            }
            Operation::Free(address) | Operation::GraphFree(address) => self.free_in_stream(device, id, time, *address),
            // What they hold has items of its own; memory that comes to life nobody can have touched.
            Operation::Host(_)
            | Operation::Caller
            | Operation::Graph(_)
            | Operation::Decide(_)
            | Operation::GraphAlloc(..) => {}
        }
    }

    /// All rows of one side of a copy. True if there was a race.
    fn rows(&self, device: &Device, id: ItemId, time: u32, copy: &Copy3d, write: bool) -> bool {
        let (start, pitch, rows) = if write {
            (copy.destination, copy.destination_pitch, copy.destination_rows)
        } else {
            (copy.source, copy.source_pitch, copy.source_rows)
        };
        let memory = device.memory();
        if !memory.contains(start) && !memory.is_registered(start, 1) {
            return false; // Pageable host memory is nobody's business but the host's.
        }
        let mut raced = false;
        for z in 0..copy.depth {
            for y in 0..copy.height {
                let address = start + (z * rows + y) * pitch;
                raced |= self.range(id, time, RangeAccess { address, bytes: copy.width, write });
            }
        }
        raced
    }

    /// True if there was a race.
    fn range(&self, id: ItemId, time: u32, access: RangeAccess) -> bool {
        let found = self.checker(|checker| checker.operate(id, time, access));
        if let Some(Problem::Race { before, wrote, address }) = found {
            self.checker(|checker| {
                let agent = checker.agent(Stamp::new(time, 0, Strength::Weak, 0));
                let side = Side { agent, write: access.write, atomic: false };
                let bytes = (access.address + access.bytes - address).min(4) as u32;
                self.race(checker, side, before, wrote, address, bytes);
            });
            return true;
        }
        false
    }

    /// `cudaFreeAsync`: whoever still uses the memory does so too late.
    fn free_in_stream(&self, device: &Device, id: ItemId, time: u32, address: u64) {
        let Some(found) = device.memory().find(address) else { return };
        let access = RangeAccess { address, bytes: found.size, write: true };
        let problem = self.checker(|checker| checker.operate(id, time, access));
        if let Some(Problem::Race { before, wrote, address }) = problem {
            self.checker(|checker| {
                let agent = checker.agent(Stamp::new(time, 0, Strength::Weak, 0));
                let user = Side { agent: checker.agent(before), write: wrote, atomic: false };
                let mut user_side = self.describe(checker, user, address, 4);
                user_side.bytes = self.bytes(address, 4);
                let mut free = self.describe(checker, Side { agent, write: true, atomic: false }, address, 4);
                free.action = Action::Free;
                let name = free.bytes.as_ref().map_or("memory".into(), |bytes| bytes.allocation.clone());
                let mut finding = Finding::new(
                    Rule::MemoryFreed,
                    format!("{name} is freed by `cudaFreeAsync` without an order behind its last use"),
                );
                finding.accesses = vec![user_side, free];
                finding.edge = Some("the stream of the free is not ordered behind the stream of the use".into());
                finding.help =
                    vec!["`cudaStreamWaitEvent` on an event recorded behind the use, before `cudaFreeAsync`".into()];
                self.collector.add(finding);
            });
        }
        if let ItemLabel::Operation(number) = self.checker(|checker| checker.label(id)) {
            let by = self.operations.lock().get(number as usize).map_or(Origin::Load, |record| record.by.clone());
            self.freed(address, by);
        }
    }

    /// A host function begins: the host knows what its stream waited for.
    pub fn host_function_begins(&self, engine: &Engine, item: Item) {
        let _held = self.hold();
        engine.with(|state| {
            let id = state.id(item);
            let facts = self.checker(|checker| checker.facts(id));
            self.synchronised(state, &facts);
        });
    }

    /// A host function ended: what is behind it in its stream knows what the host did.
    pub fn host_function_ended(&self, engine: &Engine, item: Item) {
        let _held = self.hold();
        let id = engine.look(|state| state.id(item));
        self.checker(|checker| checker.host_function_ended(id));
    }

    /// The device was reset: everything is over.
    pub fn reset(&self) {
        self.checker(|checker| checker.reset());
    }

    /// Memory was allocated.
    pub fn made(&self, class: Class, base: u64, size: u64, by: Origin) {
        if base == 0 || size == 0 {
            return;
        }
        // What host code may have written before, and variables, which start as zero, are never unset.
        let preset = !matches!(class, Class::Device | Class::Heap);
        self.checker(|checker| {
            checker.memory += 1;
            checker.shadow.clear(base, size);
            if let Some(outcome) = &mut checker.outcome {
                outcome.clear(base, size);
            }
            if preset {
                checker.preset(base, size);
            }
        });
        self.allocations.lock().made(class, base, size, by);
    }

    /// Memory was freed.
    pub fn freed(&self, base: u64, by: Origin) {
        let mut allocations = self.allocations.lock();
        let size = allocations.live(base).map(|known| known.size);
        allocations.freed(base, by);
        drop(allocations);
        if let Some(size) = size {
            self.count_usage(base, size);
            self.checker(|checker| {
                checker.memory += 1;
                checker.shadow.clear(base, size);
            });
        }
    }

    /// A thread faulted, which ends the context.
    pub fn faulted(&self, grid: &Grid, report: &FaultReport) {
        let (rule, message) = match report.fault {
            Fault::MisalignedAddress => (Rule::MemoryAlignment, "an access is not aligned to its size"),
            Fault::IllegalAddress if self.explains(&[Rule::MemoryBounds, Rule::MemoryFreed]) => return,
            Fault::IllegalAddress if report.address < 4096 => (Rule::MemoryBounds, "an access through a null pointer"),
            Fault::IllegalAddress => (Rule::MemoryBounds, "an access to what is not device memory"),
            Fault::InvalidAddressSpace => {
                (Rule::PointerPrivate, "an access through a pointer to another thread's or block's private memory")
            }
            _ => return,
        };
        let mut finding = Finding::new(rule, message);
        let mut side = self.device_side(grid, report.block, report.thread, report.location, Action::Read);
        side.bytes = self.bytes(report.address, 1);
        finding.accesses = vec![side];
        let known = rule == Rule::PointerPrivate;
        let cause = known.then(|| self.collector.find(rule)).flatten().or_else(|| self.race_of(grid.code.gridid));
        let cause = cause.or_else(|| self.blamed(grid.code.gridid));
        match cause {
            Some(index) => self.attach(index, finding),
            None => {
                self.collector.add(finding);
            }
        }
    }
}
