//! A system of equations on the device.

use clap::ValueEnum;
use hotfire_host::{Address, Covered, Device, DeviceBuffer, Error, FailureLedger, LaunchPool, Plain, Stream};

use crate::system::System;

/// Threads a block, as the kernels assume.
pub const THREADS: u32 = 256;

/// How the equations are solved; the numbers are those of `control_tail`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Method {
    /// Conjugate gradients.
    Cg = 0,
    /// Jacobi's method.
    Jacobi = 1,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cg => "conjugate gradients",
            Self::Jacobi => "Jacobi",
        }
    }

    /// The kernels of an iteration in their order, but for its end.
    pub fn kernels(self) -> &'static [&'static str] {
        match self {
            Self::Cg => &["cg_multiply", "cg_step", "cg_turn"],
            Self::Jacobi => &["jacobi"],
        }
    }
}

/// `struct State` of the kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct State {
    pub iteration: i32,
    pub go: i32,
    pub squares: f32,
}

/// `struct Problem` of the kernels.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Problem {
    start: Address<i32>,
    column: Address<i32>,
    value: Address<f32>,
    diagonal: Address<f32>,
    b: Address<f32>,
    x: [Address<f32>; 2],
    residual: Address<f32>,
    direction: Address<f32>,
    product: Address<f32>,
    partial_products: Address<f32>,
    partial_squares: Address<f32>,
    state: Address<State>,
    history: Address<f32>,
    rows: i32,
    pub blocks: i32,
    enough: f32,
    most: i32,
}

// SAFETY: `repr(C)` numbers without padding, laid out as the kernels declare it.
unsafe impl Plain for State {}
// SAFETY: as above.
unsafe impl Plain for Problem {}

/// Everything on the device that a solution needs.
pub struct Solver {
    stream: Stream,
    pool: LaunchPool,
    problem: Problem,
    vectors: Vectors,
    x: [Covered<f32>; 2],
    state: DeviceBuffer<State>,
    history: DeviceBuffer<f32>,
    ledger: FailureLedger,
    /// Reached through the problem's addresses.
    _kept: (Vec<DeviceBuffer<f32>>, [DeviceBuffer<i32>; 2]),
}

/// The vectors that a solution begins with anew.
struct Vectors {
    residual: DeviceBuffer<f32>,
    direction: DeviceBuffer<f32>,
}

/// What a solution is.
pub struct Solution {
    pub x: Vec<f32>,
    pub iterations: usize,
    /// Squares of the residual after each iteration.
    pub history: Vec<f32>,
}

impl Solver {
    /// Copies a system. It is solved when the residual is `tolerance` times the right side, or after `most` iterations.
    pub fn new(device: &Device, pool: LaunchPool, system: &System, tolerance: f64, most: usize) -> Result<Self, Error> {
        let stream = Stream::new(device)?;
        let rows = system.rows();
        // Two for each multiprocessor of an H200, but no more than there is work for: every kernel adds a partial sum a block. The number is a
        // part of the result, so that it must not depend on the device.
        let blocks = rows.div_ceil(THREADS as usize).min(2 * 132);
        let floats = |values: &[f32]| DeviceBuffer::from_slice(&stream, values);
        let empty = |len| DeviceBuffer::<f32>::zeroed(&stream, len);
        let start = DeviceBuffer::from_slice(&stream, &system.off_diagonal.start)?;
        let column = DeviceBuffer::from_slice(&stream, &system.off_diagonal.column)?;
        let kept = vec![
            floats(&system.off_diagonal.value)?,
            floats(&system.diagonal)?,
            floats(&system.b)?,
            empty(rows)?,
            empty(blocks)?,
            empty(blocks)?,
        ];
        let x = [Covered::new(empty(rows)?), Covered::new(empty(rows)?)];
        let vectors = Vectors { residual: empty(rows)?, direction: empty(rows)? };
        let state = DeviceBuffer::zeroed(&stream, 1)?;
        let history = empty(most)?;
        let problem = Problem {
            start: start.address(),
            column: column.address(),
            value: kept[0].address(),
            diagonal: kept[1].address(),
            b: kept[2].address(),
            x: [x[0].address(), x[1].address()],
            residual: vectors.residual.address(),
            direction: vectors.direction.address(),
            product: kept[3].address(),
            partial_products: kept[4].address(),
            partial_squares: kept[5].address(),
            state: state.address(),
            history: history.address(),
            rows: rows as i32,
            blocks: blocks as i32,
            enough: (tolerance * tolerance * system.squares_of_b()) as f32,
            most: most as i32,
        };
        let ledger = FailureLedger::new(&stream)?;
        let kept = (kept, [start, column]);
        Ok(Self { stream, pool, problem, vectors, x, state, history, ledger, _kept: kept })
    }

    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    pub fn pool(&self) -> &LaunchPool {
        &self.pool
    }

    pub fn problem(&self) -> Problem {
        self.problem
    }

    pub fn ledger(&self) -> &FailureLedger {
        &self.ledger
    }

    /// Begins anew with x = 0.
    pub fn begin(&mut self, system: &System) -> Result<(), Error> {
        let stream = self.stream.clone();
        for x in &mut self.x {
            x.fill(&stream, 0)?;
        }
        self.vectors.residual.upload(&stream, &system.b)?;
        self.vectors.direction.upload(&stream, &system.b)?;
        self.ledger.clear(&stream)?;
        let squares = system.squares_of_b() as f32;
        self.state.upload(&stream, &[State { iteration: 0, go: 1, squares }])
    }

    /// Waits, and asks the device whether there is another iteration.
    pub fn goes_on(&self) -> Result<bool, Error> {
        Ok(self.state.read(&self.stream)?[0].go != 0)
    }

    /// What the device has found.
    pub fn solution(&self, method: Method) -> Result<Solution, Error> {
        let state = self.state.read(&self.stream)?[0];
        let iterations = state.iteration.max(0) as usize;
        let turn = if method == Method::Jacobi { iterations % 2 } else { 0 };
        let x = self.x[turn].read(&self.stream, &self.ledger)?;
        Ok(Solution { x, iterations, history: self.history.read_first(&self.stream, iterations)? })
    }
}
