//! What `hotfire trace` adds to a device: a log of what the program did ([`hotfire_trace::log`]).
//!
//! Nothing here knows a time. Calls come from the C API, commands from the launch model, which keeps them when it is asked to, costs from the code
//! that runs, compiled to count. The lock here is taken inside the engine's.

use crate::checking::Names;
use crate::copy::Copy3d;
use crate::engine::{Grid, Operation, State};
use hotfire_launch::Item;
use hotfire_launch::recording::Command;
use hotfire_trace::log::{Await, BlockCost, Grid as Launched, Log, Operation as Operated, Step, VERSION};
use parking_lot::Mutex;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The log of this process.
pub(crate) struct Tracing {
    /// The directory that it goes to: one file a process.
    output: PathBuf,
    names: Names,
    log: Mutex<Log>,
}

thread_local! {
    /// The number of this host thread.
    static THREAD: u32 = {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    };
    /// The item of which this thread adds what it stands for.
    static WITHIN: Cell<Option<Item>> = const { Cell::new(None) };
    /// The thread of a block that calls the device runtime: its grid, block and cycles.
    static CALLER: Cell<Option<(Item, u64, u64)>> = const { Cell::new(None) };
}

/// The log, if `HOTFIRE_TRACE` names the directory for it.
pub(crate) fn active() -> Option<&'static Tracing> {
    static TRACING: OnceLock<Option<Tracing>> = OnceLock::new();
    let of_environment = || {
        let output = std::env::var_os("HOTFIRE_TRACE").filter(|path| !path.is_empty())?;
        let program = std::env::args_os().next().unwrap_or_default();
        let program = Path::new(&program).file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
        let log = Log { version: VERSION, program, process: std::process::id(), ..Log::default() };
        Some(Tracing { output: output.into(), names: Names::default(), log: Mutex::new(log) })
    };
    TRACING.get_or_init(of_environment).as_ref()
}

/// While `call` runs, commands come from this thread of a block.
pub(crate) fn on_device<R>(grid: &Grid, block: u64, cycles: u64, call: impl FnOnce() -> R) -> R {
    if active().is_none() {
        return call();
    }
    let before = CALLER.replace(Some((grid.item(), block, cycles)));
    let result = call();
    CALLER.set(before);
    result
}

/// While `add` runs, commands add what an item stands for.
pub(crate) fn within<R>(item: Item, add: impl FnOnce() -> R) -> R {
    WITHIN.set(Some(item));
    let result = add();
    WITHIN.set(None);
    result
}

impl Tracing {
    /// A host thread calls a function of CUDA.
    pub fn called(&self, name: &str) {
        let thread = THREAD.with(|thread| *thread);
        self.log.lock().steps.push(Step::Call { thread, name: name.to_owned() });
    }

    /// The call returns.
    pub fn returned(&self) {
        let thread = THREAD.with(|thread| *thread);
        self.log.lock().steps.push(Step::Return { thread });
    }

    /// The calling host thread waits.
    pub fn awaits(&self, what: Await) {
        let thread = THREAD.with(|thread| *thread);
        self.log.lock().steps.push(Step::Await { thread, what });
    }

    /// Takes the commands that the model was given.
    pub fn take(&self, state: &mut State) {
        let commands = state.model.drain_commands();
        if commands.is_empty() {
            return;
        }
        let caller = CALLER.get().and_then(|(grid, block, cycles)| Some((state.model.number(grid)?, block, cycles)));
        let thread = THREAD.with(|thread| *thread);
        let within = WITHIN.get().and_then(|item| state.model.number(item));
        let step = |command: Command| match (caller, within) {
            (Some((grid, block, cycles)), _) => Step::Device { grid, block, cycles, command },
            (None, Some(item)) => Step::Within { item, command },
            (None, None) => Step::Host { thread, command },
        };
        self.log.lock().steps.extend(commands.into_iter().map(step));
    }

    /// An item is this grid.
    pub fn grid(&self, number: u64, grid: &Grid) {
        let launched = Launched {
            kernel: self.names.show(grid.function.name()),
            grid: grid.code.grid,
            block: grid.code.block,
            per_multiprocessor: grid.per_multiprocessor(),
            cooperative: grid.workspace.is_some(),
            costs: Vec::new(),
        };
        self.log.lock().grids.insert(number, launched);
    }

    /// The blocks of a grid have exited.
    pub fn costs(&self, number: u64, costs: &[Option<BlockCost>]) {
        let mut log = self.log.lock();
        let Some(grid) = log.grids.get_mut(&number) else { return };
        costs.iter().map_while(|cost| *cost).for_each(|cost| grid.push(cost));
    }

    /// An item is this operation.
    pub fn operation(&self, number: u64, operation: &Operation) {
        let (name, bytes) = match operation {
            Operation::Copy(copy) | Operation::CopyFrom(copy, _) => ("copy", size(copy)),
            Operation::Fill(fill) => ("set", fill.width * fill.height * fill.depth * u64::from(fill.element)),
            Operation::Free(_) => ("free", 0),
            Operation::Host(_) => ("host function", 0),
            Operation::GraphAlloc(..) | Operation::GraphFree(_) => ("memory of a graph", 0),
            Operation::Graph(_) => ("graph", 0),
            Operation::Decide(_) => ("condition", 0),
            Operation::Caller => return,
        };
        self.log.lock().operations.insert(number, Operated { name: name.to_owned(), bytes, crosses: false });
    }

    /// This operation goes between the host's memory and the device's.
    pub fn crosses(&self, number: u64) {
        if let Some(operation) = self.log.lock().operations.get_mut(&number) {
            operation.crosses = true;
        }
    }

    /// Says what the log lacks.
    pub fn note(&self, line: &str) {
        let mut log = self.log.lock();
        if !log.notes.iter().any(|note| note == line) {
            log.notes.push(line.to_owned());
        }
    }

    /// Writes the log.
    pub fn write(&self) {
        let path = self.output.join(format!("{}.json", std::process::id()));
        let written = serde_json::to_vec(&*self.log.lock()).map_err(std::io::Error::other).and_then(|text| {
            let fresh = path.with_extension("new");
            std::fs::write(&fresh, text)?;
            std::fs::rename(&fresh, &path)
        });
        if let Err(error) = written {
            eprintln!("hotfire: cannot write {}: {error}", path.display());
        }
    }
}

fn size(copy: &Copy3d) -> u64 {
    copy.width * copy.height * copy.depth
}
