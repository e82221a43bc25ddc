//! The same iteration in every form that a loop may have.

use clap::ValueEnum;
use hotfire_host::{Chain, Error, Form, Kernel, Module, Ready, Stream, TailLoop, WhileLoop};

use crate::device::{Method, Problem, Solver, THREADS};

/// Where the loop is.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Loop {
    /// The host launches an iteration and waits for it.
    Host,
    /// Eight iterations at a time, launched one by one with programmatic edges.
    Pdl,
    /// Eight iterations at a time, as one graph.
    Graph,
    /// Eight iterations at a time, as one graph with programmatic edges.
    GraphPdl,
    /// One graph with a conditional node that repeats.
    While,
    /// A kernel that launches the next iteration into its tail stream.
    Tail,
}

/// Iterations between two looks of the host.
const BATCH: usize = 8;

impl Loop {
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host loop",
            Self::Pdl => "PDL chain",
            Self::Graph => "graph",
            Self::GraphPdl => "graph + PDL",
            Self::While => "WHILE graph",
            Self::Tail => "tail launches",
        }
    }
}

/// A loop that is ready to run, however often.
pub enum Prepared {
    Batches(Ready),
    While(WhileLoop),
    Tail(TailLoop),
}

impl Prepared {
    /// Prepares a form; the error says if the device does not have it.
    pub fn new(solver: &Solver, form: Loop, method: Method) -> Result<Self, Error> {
        let device = solver.stream().device();
        let batches = |iterations: usize, form| -> Result<Self, Error> {
            let module = Module::from_ptx(device, "solver.ptx", include_str!("../kernels/solver.ptx"))?;
            let mut chain = Chain::new();
            for _ in 0..iterations {
                chain = iteration(chain, &module, solver.problem(), method)?;
                // SAFETY: as for the other kernels.
                chain = unsafe { chain.kernel(module.kernel("control")?.over(1, THREADS), &(solver.problem(),)) }?;
            }
            Ok(Self::Batches(chain.build(device, form)?))
        };
        match form {
            Loop::Host => batches(1, Form::Stream),
            Loop::Pdl => batches(BATCH, Form::Pdl),
            Loop::Graph => batches(BATCH, Form::Graph),
            Loop::GraphPdl => batches(BATCH, Form::GraphPdl),
            Loop::While => {
                let module = Module::from_ptx(device, "while.ptx", include_str!("../kernels/while.ptx"))?;
                let body = WhileLoop::build(device, |condition| {
                    let chain = iteration(Chain::new(), &module, solver.problem(), method)?;
                    let control = module.kernel("control_while")?.over(1, THREADS);
                    // SAFETY: as for the other kernels.
                    unsafe { chain.kernel(control, &(solver.problem(), condition)) }
                });
                Ok(Self::While(body?))
            }
            Loop::Tail => {
                let module = Module::from_ptx(device, "tail.ptx", include_str!("../kernels/tail.ptx"))?;
                let launches = method.kernels().len() + 1;
                let launch = module.kernel("control_tail")?.over(1, THREADS);
                Ok(Self::Tail(TailLoop::new(launch, solver.pool(), launches)?))
            }
        }
    }

    /// Runs until the device says that it is enough, and waits for that.
    pub fn run(&mut self, solver: &mut Solver, method: Method) -> Result<(), Error> {
        let stream: Stream = solver.stream().clone();
        match self {
            Self::Batches(ready) => loop {
                // SAFETY: the solver keeps the memory of the problem.
                unsafe { ready.run(&stream) }?;
                if !solver.goes_on()? {
                    return Ok(());
                }
            },
            // SAFETY: as above.
            Self::While(while_loop) => unsafe { while_loop.run(&stream) }?,
            Self::Tail(tail_loop) => {
                let arguments = (solver.problem(), method as i32, 1i32, solver.ledger());
                // SAFETY: as above; the kernel's tree of launches uses nothing else.
                unsafe { tail_loop.run(&stream, &arguments) }?;
            }
        }
        stream.synchronize().map(drop)
    }
}

/// The kernels of an iteration, but for its end.
fn iteration(mut chain: Chain, module: &Module, problem: Problem, method: Method) -> Result<Chain, Error> {
    for name in method.kernels() {
        let kernel: Kernel = module.kernel(name)?;
        // SAFETY: the kernels take the problem by value, whose arrays the solver keeps as long as it lives.
        chain = unsafe { chain.kernel(kernel.over(problem.blocks as u32, THREADS), &(problem,)) }?;
    }
    Ok(chain)
}
