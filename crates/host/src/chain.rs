//! A row of kernels, each needing the one in front, in four forms.
//!
//! Rules kept here:
//! - the attribute of programmatic dependent launch sits on the *secondary*: never on the first kernel, which would start before what the stream
//!   had before is complete, unless that is asked for;
//! - a kernel that never waits gets no programmatic edge, for the edge would order nothing;
//! - a copy or set between two kernels breaks the early start: [`Chain::edges`] says which edges are lost that way.

use cudarc::driver::sys;

use crate::argument::Packed;
use crate::driver::check;
use crate::graph::Template;
use crate::{Address, Arguments, Device, Error, Graph, Launch, Plain, Result, Stream};

/// How a chain is executed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// Launch by launch; each kernel starts when the one in front is complete.
    Stream,
    /// Launch by launch, with programmatic edges.
    Pdl,
    /// One graph, with full edges.
    Graph,
    /// One graph, with programmatic edges.
    GraphPdl,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Stream, Self::Pdl, Self::Graph, Self::GraphPdl];

    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Pdl => "stream + PDL",
            Self::Graph => "graph",
            Self::GraphPdl => "graph + PDL",
        }
    }

    fn is_programmatic(self) -> bool {
        matches!(self, Self::Pdl | Self::GraphPdl)
    }
}

/// How a kernel of a chain depends on what is in front of it, in the forms with PDL.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Edge {
    /// The first kernel: ordered after the stream's past in full.
    First,
    /// It may start early.
    Programmatic,
    /// A set in front makes it wait for full completion.
    BrokenBySet,
    /// A copy in front does.
    BrokenByCopy,
    /// It has no wait of its own, so that it must not start early.
    NoWait,
}

#[derive(Clone, Debug)]
enum Step {
    Kernel(Launch, Packed),
    Set { address: u64, byte: u8, bytes: usize },
    Copy { from: u64, to: u64, bytes: usize },
}

/// Builds a chain.
#[derive(Clone, Debug, Default)]
#[must_use = "a chain does nothing before it is built and run"]
pub struct Chain {
    steps: Vec<Step>,
    first_too: bool,
}

impl Chain {
    /// A chain of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a kernel.
    ///
    /// # Safety
    ///
    /// As for [`Launch::on`], at every run of the chain: the memory that the arguments name must last so long, and buffers given by reference
    /// are the same ones then.
    pub unsafe fn kernel(mut self, launch: Launch, arguments: &impl Arguments) -> Result<Self> {
        let packed = Packed::new(arguments);
        launch.expect(&packed)?;
        self.steps.push(Step::Kernel(launch, packed));
        Ok(self)
    }

    /// Sets bytes of device memory.
    ///
    /// # Safety
    ///
    /// The memory has so many elements at every run.
    pub unsafe fn set<T: Plain>(mut self, at: Address<T>, byte: u8, elements: usize) -> Self {
        self.steps.push(Step::Set { address: at.get(), byte, bytes: elements * size_of::<T>() });
        self
    }

    /// Copies within device memory.
    ///
    /// # Safety
    ///
    /// Both arrays have so many elements at every run.
    pub unsafe fn copy<T: Plain>(mut self, from: Address<T>, to: Address<T>, elements: usize) -> Self {
        self.steps.push(Step::Copy { from: from.get(), to: to.get(), bytes: elements * size_of::<T>() });
        self
    }

    /// Lets the first kernel start early too, before what the stream had is complete. It needs a wait like the others.
    pub fn first_kernel_too(mut self) -> Self {
        self.first_too = true;
        self
    }

    /// How each kernel depends on what is in front of it.
    pub fn edges(&self) -> Vec<Edge> {
        let mut before: Option<&Step> = None;
        let mut edges = Vec::new();
        for step in &self.steps {
            if let Step::Kernel(launch, _) = step {
                edges.push(match before {
                    Some(Step::Set { .. }) => Edge::BrokenBySet,
                    Some(Step::Copy { .. }) => Edge::BrokenByCopy,
                    None if !self.first_too => Edge::First,
                    _ if launch.can_follow_early() => Edge::Programmatic,
                    None => Edge::First,
                    Some(Step::Kernel(..)) => Edge::NoWait,
                });
            }
            before = Some(step);
        }
        edges
    }

    /// Prepares a form. The graph forms are captured and instantiated here.
    ///
    /// # Errors
    /// The driver's; 901 among them if another thread synchronised with the whole device while the graph was captured, which CUDA forbids.
    pub fn build(self, device: &Device, form: Form) -> Result<Ready> {
        if self.steps.is_empty() {
            return Err(Error::Invalid("a chain of nothing"));
        }
        let graph = match form {
            Form::Stream | Form::Pdl => None,
            Form::Graph | Form::GraphPdl => {
                let template = Template::capture(device, |stream| self.submit(stream, form.is_programmatic()))?;
                Some(template.instantiate()?)
            }
        };
        Ok(Ready { chain: self, form, graph })
    }

    /// Puts every step into a stream, captured or not.
    pub(crate) fn submit(&self, stream: &Stream, programmatic: bool) -> Result<()> {
        let mut edges = self.edges().into_iter();
        stream.device().bind()?;
        for step in &self.steps {
            match step {
                Step::Kernel(launch, packed) => {
                    let early = programmatic && edges.next() == Some(Edge::Programmatic);
                    // SAFETY: promised when the kernel was added.
                    unsafe { launch.repeat(stream.handle(), packed, early) }?;
                }
                Step::Set { address, byte, bytes } => {
                    // SAFETY: promised when the set was added.
                    let answer = unsafe { sys::cuMemsetD8Async(*address, *byte, *bytes, stream.handle()) };
                    check("cuMemsetD8Async", answer)?;
                }
                Step::Copy { from, to, bytes } => {
                    // SAFETY: promised when the copy was added.
                    let answer = unsafe { sys::cuMemcpyDtoDAsync_v2(*to, *from, *bytes, stream.handle()) };
                    check("cuMemcpyDtoDAsync", answer)?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn allow(&self) -> Result<()> {
        self.told().try_for_each(|packed| packed.told().allow())
    }

    pub(crate) fn mark(&self, stream: &Stream, number: u64) {
        self.told().for_each(|packed| packed.told().mark(stream.id(), number));
    }

    fn told(&self) -> impl Iterator<Item = &Packed> {
        self.steps.iter().filter_map(|step| if let Step::Kernel(_, packed) = step { Some(packed) } else { None })
    }
}

/// A chain in one of its forms.
#[derive(Debug)]
pub struct Ready {
    chain: Chain,
    form: Form,
    graph: Option<Graph>,
}

impl Ready {
    /// Runs it once.
    ///
    /// # Safety
    ///
    /// What was promised when its kernels were added still holds.
    pub unsafe fn run(&mut self, stream: &Stream) -> Result<()> {
        self.chain.allow()?;
        let number = match &mut self.graph {
            // SAFETY: the caller's promise.
            Some(graph) => unsafe { graph.launch(stream) }?,
            None => {
                self.chain.submit(stream, self.form.is_programmatic())?;
                stream.device().submit()
            }
        };
        self.chain.mark(stream, number);
        Ok(())
    }
}
