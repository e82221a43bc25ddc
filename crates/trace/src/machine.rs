//! The machine that a timeline is for: a few numbers, calibrated once. `docs/trace.md` says how, and against what.

/// Times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Its name.
    pub name: &'static str,
    /// Multiprocessors.
    pub multiprocessors: usize,
    /// Cycles in a nanosecond.
    pub clock: f64,
    /// Instructions of warps that a multiprocessor issues in a cycle.
    pub issue: f64,
    /// Bytes of global memory that one multiprocessor moves in a nanosecond at most.
    pub own_bandwidth: f64,
    /// Bytes that all move together in a nanosecond, to and from the second-level cache.
    pub cache_bandwidth: f64,
    /// The same for grids that move more than the cache holds: to and from memory.
    pub memory_bandwidth: f64,
    /// Bytes that the cache holds.
    pub cache: f64,
    /// How many times as long threads of such grids stand still as code counts, which takes loads to come from the cache.
    pub memory_latency: f64,
    /// Bytes that a copy between host and device moves in a nanosecond.
    pub link: f64,
    /// How long a host thread is in the call of a launch, and of one with attributes that make it programmatic.
    pub launch_call: [f64; 2],
    /// How long a host thread is in any other call.
    pub call: f64,
    /// From the end of what a host thread waits for to the return of its call.
    pub wake: f64,
    /// From the exit of the last block of a grid until it is complete: what it wrote is flushed.
    pub flush: f64,
    /// What that takes longer when all multiprocessors had blocks; in proportion for fewer.
    pub spread: f64,
    /// Between one block and the next of a grid that starts.
    pub dispatch: f64,
    /// The edges of streams.
    pub stream: Edges,
    /// The edges of graphs.
    pub graph: Edges,
    /// From the trigger or the launch by device code to the first block.
    pub device: DeviceLaunches,
}

/// How long the ways take that lead from one grid to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edges {
    /// From completion to the first block of what waited for it.
    pub start: f64,
    /// From the last trigger to the first block of a programmatic dependent.
    pub early: f64,
    /// From completion until threads go on that waited for it.
    pub release: f64,
}

/// What device launches take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceLaunches {
    /// The launching thread's call.
    pub call: f64,
    /// From the end of the call, or of what is in front in its stream, to the first block.
    pub start: f64,
    /// Until the first block of a tail.
    pub tail: f64,
    /// What the completion of a grid that launched takes longer.
    pub family: f64,
}

impl Machine {
    /// An NVIDIA H200 as `litmus/chains.h200.txt` and section 4.12 of the launch model have it.
    pub const H200: Machine = Machine {
        name: "NVIDIA H200",
        multiprocessors: 132,
        clock: 1.98,
        issue: 4.0,
        own_bandwidth: 90.0,
        cache_bandwidth: 7500.0,
        memory_bandwidth: 3500.0,
        cache: 5e7,
        memory_latency: 3.6,
        link: 50.0,
        launch_call: [3110.0, 2600.0],
        call: 200.0,
        wake: 3000.0,
        flush: 300.0,
        spread: 130.0,
        dispatch: 0.4,
        stream: Edges { start: 1140.0, early: 610.0, release: 210.0 },
        graph: Edges { start: 450.0, early: 500.0, release: 130.0 },
        device: DeviceLaunches { call: 5700.0, start: 500.0, tail: 2700.0, family: 6300.0 },
    };
}

impl Default for Machine {
    fn default() -> Self {
        Self::H200
    }
}
