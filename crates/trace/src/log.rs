//! What a traced run did, without any time: the calls of the host in the order in which they were made, the commands that they gave to the
//! launch model, and what every block cost. A process writes one log; its format is the two versions' of Hotfire own business.

use hotfire_launch::recording::Command;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format.
pub const VERSION: u32 = 1;

/// What one process did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Log {
    /// [`VERSION`]
    pub version: u32,
    /// The program's name.
    pub program: String,
    /// The process's number.
    pub process: u32,
    /// What happened, in order.
    pub steps: Vec<Step>,
    /// The grids, by item.
    pub grids: BTreeMap<u64, Grid>,
    /// Copies, sets and so on, by item.
    pub operations: BTreeMap<u64, Operation>,
    /// What the log lacks, one line each.
    pub notes: Vec<String>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// A host thread (by a small number) calls a function of CUDA.
    Call {
        /// Which thread.
        thread: u32,
        /// The function.
        name: String,
    },
    /// The call returns.
    Return {
        /// Which thread.
        thread: u32,
    },
    /// A host thread gives a command.
    Host {
        /// Which thread.
        thread: u32,
        /// The command.
        command: Command,
    },
    /// The device gives a command while it adds what an item stands for: the nodes of a graph.
    Within {
        /// The item.
        item: u64,
        /// The command.
        command: Command,
    },
    /// A thread of a block gives a command.
    Device {
        /// The grid's item.
        grid: u64,
        /// Which block.
        block: u64,
        /// Cycles of the thread until then.
        cycles: u64,
        /// The command.
        command: Command,
    },
    /// A host thread waits.
    Await {
        /// Which thread.
        thread: u32,
        /// For what.
        what: Await,
    },
}

/// What a host thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Await {
    /// Everything.
    All,
    /// What is in a stream.
    Stream(u64),
    /// One item.
    Item(u64),
}

/// One launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// The kernel's name as its author wrote it.
    pub kernel: String,
    /// Blocks in each dimension.
    pub grid: [u32; 3],
    /// Threads of a block in each dimension.
    pub block: [u32; 3],
    /// Blocks of this kind that fit one multiprocessor.
    pub per_multiprocessor: u32,
    /// All blocks become resident together.
    pub cooperative: bool,
    /// What the blocks cost, in order of their index: runs of equal ones. Blocks that never ended are missing at the end.
    pub costs: Vec<Run>,
}

/// Equal blocks in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// How many.
    pub count: u64,
    /// What each cost.
    pub cost: BlockCost,
}

/// What one block cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockCost {
    /// Cycles of its longest thread, had it the multiprocessor to itself.
    pub cycles: u64,
    /// Instructions of all its threads.
    pub instructions: u64,
    /// Bytes that they read from global memory.
    pub read: u64,
    /// Bytes that they wrote.
    pub written: u64,
    /// Cycles of the first thread that triggered, until then.
    pub trigger: Option<u64>,
    /// Cycles of the first thread that waited for the grids in front, until then.
    pub wait: Option<u64>,
}

/// What an operation that is no grid does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// What it is.
    pub name: String,
    /// Bytes that it moves.
    pub bytes: u64,
    /// Whether it goes between the host's memory and the device's.
    pub crosses: bool,
}

impl Grid {
    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Adds the next block.
    pub fn push(&mut self, cost: BlockCost) {
        match self.costs.last_mut() {
            Some(run) if run.cost == cost => run.count += 1,
            _ => self.costs.push(Run { count: 1, cost }),
        }
    }
}
