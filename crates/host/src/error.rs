//! What can go wrong, said so that the reader knows what to do.

use std::fmt;
use std::path::PathBuf;

use crate::ledger::Failures;

/// An error of this crate or of the driver.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no CUDA driver on this machine.
    NoDriver,
    /// A call of the driver answered an error.
    Driver {
        /// The call.
        call: &'static str,
        /// CUDA's number.
        code: u32,
        /// CUDA's name of it.
        name: String,
    },
    /// The kernels launch kernels, the driver does not take them alone, and CUDA's device runtime is nowhere.
    NoDeviceRuntime {
        /// What the driver said to the kernels alone.
        alone: String,
        /// Every file that was looked for.
        looked: Vec<PathBuf>,
    },
    /// The driver's linker refused.
    Link {
        /// What was linked, and what the driver said.
        what: String,
    },
    /// NVRTC is not installed.
    NoCompiler,
    /// NVRTC refused the source; its log.
    Compile(String),
    /// The arguments of a launch are not those that the kernel declares: sizes in bytes.
    Arguments {
        /// The kernel.
        kernel: String,
        /// What it declares.
        declared: Vec<usize>,
        /// What was given.
        given: Vec<usize>,
    },
    /// The launch pool is smaller than what may be pending.
    PoolTooSmall {
        /// The bound.
        needed: usize,
        /// What the device gave.
        granted: usize,
    },
    /// The pool must be sized before the first kernel of the context.
    PoolAfterKernel,
    /// Device launches failed, and what they should have computed is missing.
    LaunchesLost(Failures),
    /// Host memory was to be reached without a proof that the device is done with it.
    NotDone,
    /// The device was to use host memory that a guard holds.
    Guarded,
    /// A programmatic edge to a kernel that never waits orders nothing.
    NoWait {
        /// The kernel.
        kernel: String,
    },
    /// A kernel that triggers and then launches into its tail stream: on an H200 it never ends.
    TriggerBeforeTail {
        /// The kernel.
        kernel: String,
    },
    /// A size or shape that cannot be.
    Invalid(&'static str),
}

impl Error {
    /// Whether the driver says that it does not have this.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Driver { code: 801, .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDriver => write!(f, "no CUDA driver here; start this program with `hotfire run -- …`"),
            Self::Driver { call, code, name } => write!(f, "{call}: {name} ({code})"),
            Self::NoDeviceRuntime { alone, looked } => {
                write!(f, "the kernels do not load by themselves ({alone}), and libcudadevrt.a is not in")?;
                for path in looked {
                    write!(f, " {}", path.display())?;
                }
                write!(f, "; set CUDA_HOME to a CUDA toolkit")
            }
            Self::Link { what } => write!(f, "linking: {what}"),
            Self::NoCompiler => write!(f, "NVRTC is not installed: give PTX instead of a source"),
            Self::Compile(log) => write!(f, "NVRTC: {log}"),
            Self::Arguments { kernel, declared, given } => {
                write!(f, "{kernel} declares parameters of {declared:?} bytes, but was given {given:?}")
            }
            Self::PoolTooSmall { needed, granted } => {
                write!(f, "{needed} device launches may be pending, but the pool has {granted} slots")
            }
            Self::PoolAfterKernel => write!(f, "the launch pool must be sized before the first kernel"),
            Self::LaunchesLost(failures) => failures.fmt(f),
            Self::NotDone => {
                write!(f, "nothing proves that the device is done with this memory: synchronise after its last use")
            }
            Self::Guarded => write!(f, "host code holds a guard of memory that the device was to use"),
            Self::NoWait { kernel } => {
                write!(
                    f,
                    "{kernel} never waits (griddepcontrol.wait), so that a programmatic edge to it orders nothing"
                )
            }
            Self::TriggerBeforeTail { kernel } => write!(
                f,
                "{kernel} triggers (griddepcontrol.launch_dependents) and launches tails: an H200 never ends such a kernel"
            ),
            Self::Invalid(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for Error {}
