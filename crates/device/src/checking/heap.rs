//! `memory/heap`: an allocation of device code that failed, and was used all the same.
//!
//! That `malloc` answers null is no fault. It is one if the code never compares the answer and the thread hands a null on to a
//! child, or if somebody follows a null pointer later.

use super::{Checking, Who, params};
use crate::engine::Grid;
use crate::module::Function;
use hotfire_check::{Action, Finding, Rule};
use std::collections::{BTreeMap, HashSet};

/// Threads without memory that are remembered.
const THREADS: usize = 1 << 16;
/// Addresses up to this one come from a null pointer.
const NULL_PAGE: u64 = 1 << 16;

/// A place whose allocations failed.
struct Place {
    who: Who,
    size: u64,
    count: u64,
    /// Whether the code compares the answer with something, sooner or later.
    compared: bool,
    finding: Option<usize>,
}

/// Failed allocations, and the threads that got nothing.
#[derive(Default)]
pub(crate) struct HeapNulls {
    places: BTreeMap<u32, Place>,
    threads: HashSet<(u64, u64, u32)>,
}

impl Checking {
    /// The heap has no room for an allocation.
    pub fn heap_full(&self, who: Who, size: u64) {
        let compared = self.answer(who).compared;
        let line = self.same_line(who);
        let mut nulls = self.heap_nulls.lock();
        let place = nulls.places.entry(line).or_insert(Place { who, size, count: 0, compared, finding: None });
        place.count += 1;
        if let Some(finding) = place.finding {
            self.collector.again(finding);
        }
        if nulls.threads.len() < THREADS {
            nulls.threads.insert((who.grid, who.block, who.thread));
        }
    }

    /// A child is about to be launched: a null in its parameters is used without a look, if the thread got one from the heap.
    pub(super) fn heap_parameters(&self, who: Who, child: &Function, buffer: &[u8]) {
        if !self.heap_nulls.lock().threads.contains(&(who.grid, who.block, who.thread)) {
            return;
        }
        let null = |offset: u32, size: u32| {
            (offset.next_multiple_of(8)..offset + size)
                .step_by(8)
                .any(|at| params::word(buffer, u64::from(at)) == Some(0))
        };
        if child.parameters().iter().any(|parameter| parameter.size >= 8 && null(parameter.offset, parameter.size)) {
            let use_of_it = format!("passed to `{}`", self.kernel_name(child));
            self.report_nulls(&use_of_it, |place| place.who.grid == who.grid && !place.compared);
        }
    }

    /// A grid faults: if it followed a null pointer, and the heap gave one, that is why. Called before the fault itself is reported.
    pub fn heap_fault(&self, grid: &Grid, address: u64, block: [u32; 3], thread: [u32; 3]) {
        if address >= NULL_PAGE {
            return;
        }
        let linear = |at: [u32; 3], size: [u32; 3]| {
            let [x, y, z] = at.map(u64::from);
            x + u64::from(size[0]) * (y + u64::from(size[1]) * z)
        };
        let thread = (grid.code.gridid, linear(block, grid.code.grid), linear(thread, grid.code.block) as u32);
        // Code that compares the answer may do so too late, but then it is the same thread that faults.
        let own = self.heap_nulls.lock().threads.contains(&thread);
        let use_of_it = format!("followed by `{}`", self.kernel_name(&grid.function));
        self.report_nulls(&use_of_it, |place| own || !place.compared);
    }

    fn report_nulls(&self, use_of_it: &str, concerns: impl Fn(&Place) -> bool) {
        for place in self.heap_nulls.lock().places.values_mut().filter(|place| concerns(place)) {
            if place.finding.is_some() {
                continue;
            }
            let message =
                format!("an allocation of {} bytes failed, and its null pointer was {use_of_it} unchecked", place.size);
            let mut finding = Finding::new(Rule::MemoryHeap, message);
            finding.count = place.count;
            finding.accesses = vec![self.access(place.who, Action::Allocate)];
            finding.help = vec![
                "test the pointer in the thread that got it: if (p == nullptr) return;".into(),
                "or make the heap larger, on the host before the first launch: cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes);"
                    .into(),
            ];
            finding.notes.push(
                "device-side malloc, new and cudaMalloc share one heap, of 8 MiB unless the host sets its size".into(),
            );
            finding.hardware = Some("fails in the same way once the heap is full".into());
            place.finding = Some(self.collector.add(finding));
        }
    }
}
