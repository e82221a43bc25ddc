//! What `hotfire check` adds to a device: findings, and who is who in them.
//!
//! Locks here are taken inside the engine's, never around it.
#![allow(dead_code, reason = "names for rules of other crates' findings are made as the rules come")]

mod advice;
mod allocations;
mod api;
mod cdp1;
mod describe;
mod early;
mod edges;
mod failures;
mod graph;
mod grids;
mod handles;
mod heap;
mod hold;
pub(crate) mod host;
mod host_race;
mod name;
mod names;
mod observe;
mod order;
mod origin;
mod outcome;
mod overlap;
pub(crate) mod params;
mod pool;
mod private;
mod problems;
mod progress;
mod results;
mod run;
mod shared;
mod summary;
mod time;
mod usage;

pub(crate) use allocations::{Allocations, Class};
pub(crate) use describe::Who;
pub(crate) use early::{dependency_over, dependency_reached, touched_early, triggered};
pub(crate) use failures::LaunchCall;
pub(crate) use grids::{Grids, Queue};
pub(crate) use handles::Object;
pub(crate) use hold::held;
pub(crate) use host::Call;
pub(crate) use names::Names;
pub(crate) use order::OperationRecord;
pub(crate) use origin::{Origin, Stack};
pub(crate) use problems::{problem, shared_bounds};
pub(crate) use progress::{Stalled, StalledGrid, spin_ended};
pub(crate) use time::{CALL, ModelTime, TURN};

use crate::exec;
use crate::memory::Memory;
use describe::Lines;
use early::EarlyStarts;
use failures::Failures;
use handles::Handles;
use heap::HeapNulls;
use hotfire_check::{Checker, Collector, Report};
use hotfire_launch::order::ItemId;
use parking_lot::Mutex;
use shared::Shared;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// The checker of one device.
pub(crate) struct Checking {
    /// What was found.
    pub collector: Collector,
    /// Whether to say what is only worth a word (`HOTFIRE_LINT`).
    lint: bool,
    /// The directory that the report goes to: one file a process.
    output: Option<PathBuf>,
    memory: Arc<Memory>,
    names: Names,
    /// Every launch of the run.
    pub grids: Mutex<Grids>,
    /// What memory is called.
    pub allocations: Mutex<Allocations>,
    /// What clocks show.
    pub time: ModelTime,
    lines: Mutex<Lines>,
    failures: Mutex<Failures>,
    handles: Mutex<Handles>,
    heap_nulls: Mutex<HeapNulls>,
    /// Grids whose parameters a finding speaks of: what goes wrong in them is its consequence.
    blamed: Mutex<HashMap<u64, usize>>,
    /// The most slots of the launch pool that were taken before the latest reset.
    pub high_water: AtomicU32,
    /// Copies, sets and so on.
    operations: Mutex<Vec<OperationRecord>>,
    /// Happens-before and the shadow.
    checker: Mutex<Checker>,
    known: Mutex<problems::Known>,
    /// Memory that host code shares with the device.
    shared: Shared,
    host_code: Mutex<host_race::HostCode>,
    /// What memory held when the host synchronised, if that is asked for.
    recorder: Option<Mutex<outcome::Recorder>>,
    early: Mutex<EarlyStarts>,
    launches: Mutex<overlap::Launches>,
    /// Chains of rounds of conditional nodes.
    rounds: Mutex<HashMap<ItemId, u32>>,
}

/// The functions that checked code calls.
pub(crate) fn checks() -> hotfire_jit::abi::Checks {
    // Code that follows values calls more.
    if outcome::Recorder::of_environment().is_some() { exec::outcome_checks() } else { exec::checks() }
}

impl Checking {
    /// A checker that writes no report by itself.
    ///
    /// # Panics
    /// If the operating system refuses the address space of the shadow.
    pub fn new(memory: Arc<Memory>) -> Self {
        let arena = memory.arena();
        let checker = Checker::new(arena.base, arena.size)
            .unwrap_or_else(|error| panic!("hotfire: no address space for shadow memory: {error}"));
        Self {
            collector: Collector::new(),
            lint: std::env::var_os("HOTFIRE_LINT").is_some_and(|set| !set.is_empty()),
            output: None,
            memory,
            names: Names::default(),
            grids: Mutex::default(),
            allocations: Mutex::default(),
            time: ModelTime::default(),
            lines: Mutex::default(),
            failures: Mutex::default(),
            handles: Mutex::default(),
            heap_nulls: Mutex::default(),
            blamed: Mutex::default(),
            high_water: AtomicU32::new(0),
            operations: Mutex::default(),
            checker: Mutex::new(checker),
            known: Mutex::default(),
            shared: Shared::new(),
            host_code: Mutex::default(),
            recorder: None,
            early: Mutex::default(),
            launches: Mutex::default(),
            rounds: Mutex::default(),
        }
    }

    /// Adds a line to the summary, once.
    pub fn note(&self, line: String) {
        self.collector.summary(|summary| {
            if !summary.notes.contains(&line) {
                summary.notes.push(line);
            }
        });
    }

    /// A checker, if `HOTFIRE_CHECK` names the directory for its report.
    pub fn of_environment(memory: Arc<Memory>) -> Option<Self> {
        let output = std::env::var_os("HOTFIRE_CHECK").filter(|path| !path.is_empty())?;
        let arena = memory.arena();
        let mut checking = Self { output: Some(output.into()), ..Self::new(memory) };
        if let Some(recorder) = outcome::Recorder::of_environment() {
            match hotfire_check::outcome::Outcome::new(arena.base, arena.size) {
                Ok(outcome) => checking.checker.get_mut().outcome = Some(Box::new(outcome)),
                Err(error) => eprintln!("hotfire: no address space for --outcome: {error}"),
            }
            checking.recorder = Some(Mutex::new(recorder));
        }
        Some(checking)
    }

    /// A finding speaks of the parameters with which a grid starts.
    pub fn blame(&self, gridid: u64, finding: usize) {
        self.blamed.lock().insert(gridid, finding);
    }

    /// The finding that explains faults of a grid, because its parameters were wrong from the start: they are
    /// [consequences](Collector::consequence) of it.
    pub fn blamed(&self, gridid: u64) -> Option<usize> {
        self.blamed.lock().get(&gridid).copied()
    }

    /// Writes a report.
    pub fn write(&self, report: &Report) {
        let Some(directory) = &self.output else { return };
        self.write_outcome();
        let path = directory.join(format!("{}.json", std::process::id()));
        let written = serde_json::to_vec(report).map_err(std::io::Error::other).and_then(|text| {
            let fresh = path.with_extension("new");
            std::fs::write(&fresh, text)?;
            std::fs::rename(&fresh, &path)
        });
        if let Err(error) = written {
            eprintln!("hotfire: cannot write {}: {error}", path.display());
        }
    }
}
