//! What a check found, as data. Field by field this is the documented JSON of `hotfire check --format json`, version 1.

use crate::rules::{Rule, Severity};
use serde::{Deserialize, Serialize};

/// All that one run (or several, merged) found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this schema: 1.
    pub version: u32,
    /// In the order in which they were first seen.
    pub findings: Vec<Finding>,
    /// What else there is to say.
    pub summary: Summary,
}

/// One broken rule at one pair of places, however often it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Which rule.
    pub rule: Rule,
    /// Its severity.
    pub severity: Severity,
    /// How often, at these places.
    pub count: u64,
    /// One sentence: what happened, in terms of the program.
    pub message: String,
    /// The later side first; one for faults that need no second. Reports number two sides by time: sentences may call the first of these (2)
    /// and the second (1).
    pub accesses: Vec<Access>,
    /// The edge that is missing, in words.
    pub edge: Option<String>,
    /// What to add or change, line by line.
    pub help: Vec<String>,
    /// Further facts.
    pub notes: Vec<String>,
    /// Faults that this one causes, reported here instead of alone.
    pub consequences: Vec<Consequence>,
    /// Whether and how hardware can show it.
    pub hardware: Option<String>,
    /// What `--replay` takes to see the first occurrence again.
    pub replay: Option<String>,
}

impl Finding {
    /// A finding with nothing but its rule and a sentence.
    pub fn new(rule: Rule, message: impl Into<String>) -> Finding {
        Finding {
            rule,
            severity: rule.severity(),
            count: 1,
            message: message.into(),
            accesses: Vec::new(),
            edge: None,
            help: Vec::new(),
            notes: Vec::new(),
            consequences: Vec::new(),
            hardware: None,
            replay: None,
        }
    }
}

/// One side of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// What was done.
    pub action: Action,
    /// Which bytes, if it touched memory.
    pub bytes: Option<Bytes>,
    /// Who did it.
    pub thread: Thread,
    /// Where in the program.
    pub place: Option<Place>,
    /// How the grid of `thread` came to be: its own launch first, the host's last.
    pub launches: Vec<Launch>,
    /// The calls that led to it, innermost first, for host code.
    pub stack: Vec<Frame>,
}

impl Access {
    /// Calls of host code that led to the access or, of a copy or set, to where it was queued; innermost first.
    pub fn calls(&self) -> impl Iterator<Item = &Frame> {
        let queued = matches!(self.thread, Thread::Operation { .. }).then(|| self.launches.first()).flatten();
        self.stack.iter().chain(queued.into_iter().flat_map(|launch| &launch.stack))
    }
}

/// What one side did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A read-modify-write.
    Atomic,
    /// The source side of a copy.
    CopyFrom,
    /// The target side of a copy.
    CopyTo,
    /// A memset.
    Set,
    /// A kernel or graph launch.
    Launch,
    /// An allocation.
    Allocate,
    /// A release of memory.
    Free,
    /// Waiting: a spin, a barrier, a dependency.
    Wait,
    /// A call of the API or of the device runtime.
    Call,
}

/// A range inside an allocation. Addresses differ from run to run; these do not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes {
    /// The allocation: `cudaMalloc #3 (4096 bytes)`, `variable counter`, `shared memory`, `managed #1`.
    pub allocation: String,
    /// Offset of the first byte.
    pub offset: u64,
    /// How many.
    pub size: u64,
}

/// Who acted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "agent")]
pub enum Thread {
    /// A thread of a grid.
    Device {
        /// Demangled name of the kernel.
        kernel: String,
        /// Which launch of the run, counted from 1.
        grid: u64,
        /// `blockIdx`
        block: [u32; 3],
        /// `threadIdx`
        thread: [u32; 3],
    },
    /// Host code.
    Host,
    /// A function queued by `cudaLaunchHostFunc`.
    HostFunction,
    /// A copy or set of a stream.
    Operation {
        /// The call: `cudaMemcpyAsync`.
        call: String,
    },
}

impl Thread {
    /// The kernel or call, without the coordinates.
    pub fn name(&self) -> &str {
        match self {
            Thread::Device { kernel, .. } => kernel,
            Thread::Host => "host code",
            Thread::HostFunction => "host function",
            Thread::Operation { call } => call,
        }
    }
}

/// A place in device code, or in host code if `ptx_line` is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The source file, if the module was compiled with `-lineinfo`.
    pub file: Option<String>,
    /// Line in it, from 1.
    pub line: Option<u32>,
    /// The function (demangled).
    pub function: Option<String>,
    /// Line in the PTX text, from 1.
    pub ptx_line: Option<u32>,
    /// The line of PTX itself.
    pub ptx: Option<String>,
}

/// One launch on the way from the host to a grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// `scale<<<(4,1,1), (256,1,1)>>>`, or the call for copies and sets.
    pub what: String,
    /// The stream: `stream #2`, `legacy default stream`, `tail`, `fire-and-forget`, `NULL stream of block (0,0,0)`.
    pub stream: String,
    /// Who launched it.
    pub by: Thread,
    /// Where.
    pub place: Option<Place>,
    /// The host's calls that led to it, innermost first.
    pub stack: Vec<Frame>,
}

/// One call of host code.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// The function (demangled), or the object's name and offset.
    pub function: String,
    /// Source file, if the program was compiled with `-g`.
    pub file: Option<String>,
    /// Line in it, from 1.
    pub line: Option<u32>,
}

/// A fault that another finding causes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consequence {
    /// Which rule it breaks.
    pub rule: Rule,
    /// One sentence.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
}

/// What a run says besides its findings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Grids that ran, by launches of the host and of device code.
    pub host_launches: u64,
    /// See `host_launches`.
    pub device_launches: u64,
    /// The launch pool.
    pub pool: Pool,
    /// Findings that a suppression covers.
    pub suppressed: u64,
    /// Schedules that ran: policies with their seeds.
    pub schedules: Vec<String>,
    /// What the shadow took, if it was asked for (`HOTFIRE_CHECK_MEMORY`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<Shadow>,
    /// Further lines: pages opened because they trapped too often, parts of the program that could not be checked.
    pub notes: Vec<String>,
}

/// Memory of the program that was touched, and memory that remembers by whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shadow {
    /// Bytes of the program that were written or read at least once.
    pub touched: u64,
    /// Bytes of shadow memory for them.
    pub bytes: u64,
}

/// How full the launch pool was (launch-model 3.5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pool {
    /// Slots there are.
    pub size: u32,
    /// Most slots held at once.
    pub high_water: u32,
    /// Most slots that any legal schedule of the same launches could hold at once.
    pub worst_case: u64,
    /// Launches that were dropped.
    pub lost: Vec<Lost>,
}

/// Dropped launches at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// The kernel that would have been launched.
    pub kernel: String,
    /// How many.
    pub count: u64,
    /// Of those, how many a thread noticed by reading its error.
    pub noticed: u64,
}
