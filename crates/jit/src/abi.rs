//! The contract between generated code and the device that runs it.
//!
//! A CUDA thread is a call of the kernel's native entry on a coroutine of its own. Generated code calls the [`Runtime`]
//! functions; those may suspend the coroutine (barrier, warp collective, loop fuel used up) and resume it later, or
//! never (exit inside a function, fault). Generated frames own nothing, so a coroutine may be dropped without unwinding.
//!
//! A kernel that never suspends except to fault is compiled as a loop over consecutive threads of one block
//! ([`EntryKind::Loop`]), one that only meets at a barrier of the whole block in as many calls as there are
//! meetings ([`EntryKind::Phases`]); every other kernel is called once a thread ([`EntryKind::Thread`]).

use crate::texel::Request;
use std::ffi::c_void;

/// Block-wide facts, shared by the threads of a block. Read by generated code.
#[repr(C)]
#[derive(Debug)]
pub struct BlockContext {
    /// `%ntid`
    pub ntid: [u32; 3],
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// `%nctaid`
    pub nctaid: [u32; 3],
    /// `%dynamic_smem_size` in bytes.
    pub dynamic_shared: u32,
    /// Bytes of the block's window that its code may use: static and dynamic, and what is reserved if its code asks for that.
    pub total_shared: u32,
    /// `%smid`
    pub smid: u32,
    /// `%nsmid`
    pub nsmid: u32,
    /// Position of the block in its cluster, `%cluster_ctaid`.
    pub cluster_ctaid: [u32; 3],
    /// `%cluster_nctaid`; 1, 1, 1 without a cluster.
    pub cluster_nctaid: [u32; 3],
    /// `%gridid`
    pub gridid: u64,
    /// Start of this block's shared window: real address of shared offset 0. The 4 GiB behind it are reserved for this
    /// block, so that any 32-bit offset either hits its memory or faults.
    pub shared: *mut u8,
    /// The kernel's parameter block.
    pub parameters: *const u8,
    /// The device's own block object.
    pub device: *mut c_void,
    /// `%current_graph_exec`
    pub current_graph: u64,
    /// `%envreg1` (high half) and `%envreg2`: where the blocks of a cooperative launch meet; 0 in other grids. Other `%envreg` are zero.
    pub workspace: u64,
    /// Starts of the shared windows of the blocks of its cluster, each as `shared`: first its own, then by rank. [`cluster::WINDOWS`] in all.
    pub windows: *const u64,
    /// The time at which the threads of the block begin, for happens-before.
    pub segment: u32,
    /// In checked runs: what came before this time is known to all threads of the block. Shifted to where a [`stamp`] has its time.
    pub met: u64,
    /// So many addresses from the start of shared memory on are first bytes of a word that `shadow` tells of; 0 without a shadow.
    pub watched: u64,
    /// In checked runs, the shadow of the block's shared memory: for each word the [`stamp`]s of its writer and of two readers. Or null.
    pub shadow: *const [u64; 3],
    /// What the block's threads did so far, in code that counts.
    pub costs: BlockCosts,
}

/// What the threads of a block did, as code compiled with [`crate::Options::costs`] counts it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockCosts {
    /// Instructions of all threads.
    pub instructions: u64,
    /// Bytes that they read from global memory, each access counted.
    pub read: u64,
    /// Bytes that they wrote to it.
    pub written: u64,
    /// Cycles of the longest thread that has ended ([`ThreadContext::cycles`]).
    pub cycles: u64,
}

/// One CUDA thread (or, for [`EntryKind::Loop`], the thread the loop is at). Read and written by generated code.
#[repr(C)]
#[derive(Debug)]
pub struct ThreadContext {
    /// The thread's block.
    pub block: *const BlockContext,
    /// Lowest stack address that frames of generated code may use; checked in every function's prologue.
    pub stack_limit: *const u8,
    /// `%tid`. In loop kernels written by the generated loop before each thread's body.
    pub tid: [u32; 3],
    /// Linear thread index in the block: x + ntid.x * (y + ntid.y * z). In loop kernels written by the generated loop.
    pub linear: u32,
    /// The thread's last device-runtime error (`cudaGetLastError` on the device).
    pub last_error: u32,
    /// In code for checks: the place of the latest call of a built-in function, as [`crate::Kernel::place`] knows it.
    pub site: u32,
    /// Always 0: together with the time behind it a [`stamp`] of that time.
    pub zero: u32,
    /// The thread's present time, for happens-before. In checked loop kernels set to the block's before each thread's body.
    pub segment: u32,
    /// The coroutine's yielder: the device's.
    pub yielder: *const c_void,
    /// The device's own thread object.
    pub device: *mut c_void,
    /// The place of the latest call of a built-in function as an access: what such a function writes for the program has this number ([`Checks`]).
    pub access: u32,
    /// In code for checks, set before the thread lets others run in a loop: a number for all that decides how the loop goes on, apart
    /// from memory. 0 if that is not known. The device takes it.
    pub look: u64,
    /// In code that counts: cycles that the thread would take alone, from its start to here. Set to 0 before each thread of a loop kernel;
    /// the device does it for others, and lets threads that meet at a barrier leave it together.
    pub cycles: u64,
}

/// Bytes below [`ThreadContext::stack_limit`] that are there for the device's own functions, which check nothing. Code that allocates
/// on the stack takes them from the bottom, and moves the limit up.
pub const STACK_SLACK: u64 = 8 << 10;

/// What stopped a thread for good. Values are CUDA error codes (driver and runtime agree on them).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Fault {
    /// `cudaErrorIllegalAddress`
    IllegalAddress = 700,
    /// `cudaErrorAssert`
    Assert = 710,
    /// `cudaErrorHardwareStackError`
    StackError = 714,
    /// `cudaErrorIllegalInstruction`
    IllegalInstruction = 715,
    /// `cudaErrorMisalignedAddress`
    MisalignedAddress = 716,
    /// `cudaErrorInvalidAddressSpace`
    InvalidAddressSpace = 717,
    /// `cudaErrorInvalidPc`
    InvalidPc = 718,
    /// `cudaErrorLaunchFailure`: `trap`, brkpt and everything else.
    LaunchFailure = 719,
}

/// Entry of a thread kernel: runs one thread to its end.
pub type ThreadEntry = unsafe extern "C-unwind" fn(*mut ThreadContext);
/// Entry of a loop kernel: runs threads `first..first + count` (linear indices) of the block one after another,
/// writing `tid` and `linear` itself.
pub type LoopEntry = unsafe extern "C-unwind" fn(*mut ThreadContext, first: u32, count: u32);
/// Entry of a kernel in phases: runs threads `0..count` of the block one after another, each from its start or the barrier where it waits to
/// the next barrier or its end. Answers how many wait: 0 when all have ended. What a thread needs to go on lies in its frame; frames lie one
/// behind the other from `frames`, a multiple of 16, and are zero at first.
pub type PhaseEntry = unsafe extern "C-unwind" fn(*mut ThreadContext, frames: *mut u8, count: u32) -> u32;
/// A device function as generated code calls it: arguments and results in PTX parameter layout
/// (each at the next multiple of its alignment), 16-byte aligned.
pub type DeviceFunction = unsafe extern "C-unwind" fn(*mut ThreadContext, arguments: *const u8, result: *mut u8);

/// How to call a compiled kernel.
#[derive(Clone, Copy, Debug)]
pub enum EntryKind {
    /// Never suspends except to fault.
    Loop(LoopEntry),
    /// Suspends only where all threads of the block meet. With the bytes of one thread's frame, a multiple of 16.
    Phases(PhaseEntry, u32),
    /// May suspend.
    Thread(ThreadEntry),
    /// A device function compiled by itself, to be called through a pointer ([`Runtime::call_target`]); no kernel.
    Function(DeviceFunction),
}

/// Kind of access given to [`Runtime::check_access`], or-ed together.
pub mod access {
    /// The access reads.
    pub const READ: u32 = 1;
    /// The access writes.
    pub const WRITE: u32 = 2;
    /// The access is an atomic.
    pub const ATOMIC: u32 = 4;
    /// The address is in the global space (`ld.global`), where shared and local windows are no legal targets.
    pub const GLOBAL: u32 = 8;
    /// The address is in the constant space.
    pub const CONST: u32 = 16;
    /// The address is a generic address computed for the local space (`ld.local` through a register).
    pub const LOCAL: u32 = 32;
}

/// The functions that generated code calls. The device fills the table once; addresses are baked into the code.
///
/// `site` is an index into [`crate::Kernel::sites`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// Slow path of an address check: returns if `size` bytes at `address` are legal and aligned for this thread, else faults
    /// (never returns). Called when the address is not an aligned address inside the arena.
    pub check_access: unsafe extern "C-unwind" fn(*mut ThreadContext, address: u64, size: u32, access: u32, site: u32),
    /// Ends the thread with a fault; never returns.
    pub fault: unsafe extern "C-unwind" fn(*mut ThreadContext, fault: u32, address: u64, site: u32),
    /// `exit` inside a device function; never returns. (In a kernel body, `exit` and `ret` simply return.)
    pub exit: unsafe extern "C-unwind" fn(*mut ThreadContext),
    /// `bar.sync`/`bar.arrive`/`bar.red`: barrier `id`; `threads` 0 means all of the block; `kind` as in [`barrier`]; `predicate`
    /// for the reductions. Returns the reduction's result.
    pub barrier: unsafe extern "C-unwind" fn(
        *mut ThreadContext,
        id: u32,
        threads: u32,
        kind: u32,
        predicate: u32,
        site: u32,
    ) -> u32,
    /// `bar.warp.sync`
    pub warp_sync: unsafe extern "C-unwind" fn(*mut ThreadContext, mask: u32, site: u32),
    /// `shfl.sync`: `mode` as in [`shuffle`]; `b`, `c` as PTX's operands. Value in the low half, predicate in bit 32.
    pub shuffle: unsafe extern "C-unwind" fn(
        *mut ThreadContext,
        mode: u32,
        value: u32,
        b: u32,
        c: u32,
        mask: u32,
        site: u32,
    ) -> u64,
    /// `vote.sync`: `mode` as in [`vote`].
    pub vote: unsafe extern "C-unwind" fn(*mut ThreadContext, mode: u32, predicate: u32, mask: u32, site: u32) -> u32,
    /// `match.sync`: `all` 0 or 1. Mask in the low half, predicate (`match.all`) in bit 32.
    pub match_sync: unsafe extern "C-unwind" fn(*mut ThreadContext, all: u32, value: u64, mask: u32, site: u32) -> u64,
    /// `redux.sync`: `operation` as in [`redux`].
    pub redux: unsafe extern "C-unwind" fn(*mut ThreadContext, operation: u32, value: u32, mask: u32, site: u32) -> u32,
    /// `activemask`
    pub active_mask: unsafe extern "C-unwind" fn(*mut ThreadContext) -> u32,
    /// `elect.sync`: leader lane in the low half, predicate in bit 32.
    pub elect: unsafe extern "C-unwind" fn(*mut ThreadContext, mask: u32, site: u32) -> u64,
    /// Loop fuel is used up, `nanosleep`, or a clock was read in a loop: lets others run.
    pub yield_now: unsafe extern "C-unwind" fn(*mut ThreadContext),
    /// `griddepcontrol.wait` (0) and `.launch_dependents` (1).
    pub grid_dependency: unsafe extern "C-unwind" fn(*mut ThreadContext, which: u32, site: u32),
    /// `%clock64`: a counter that never runs backwards on one thread.
    pub clock: unsafe extern "C-unwind" fn(*mut ThreadContext) -> u64,
    /// `%globaltimer` in nanoseconds.
    pub global_timer: unsafe extern "C-unwind" fn(*mut ThreadContext) -> u64,
    /// Native code ([`DeviceFunction`]) of the function whose address a program holds; faults with `InvalidPc` if it is none.
    pub call_target: unsafe extern "C-unwind" fn(*mut ThreadContext, address: u64, site: u32) -> *const u8,
    /// `isspacep`: 1 if the generic address lies in `space` as in [`space`] (for the calling thread), else 0.
    pub is_space: unsafe extern "C-unwind" fn(*mut ThreadContext, address: u64, space: u32) -> u32,
    /// `mbarrier.*` on the object at a checked address: `operation` as in [`mbarrier`], `operand` a count, a state or a parity.
    /// Answers the state before (arrivals), or whether the phase is over (waits).
    pub mbarrier:
        unsafe extern "C-unwind" fn(*mut ThreadContext, address: u64, operation: u32, operand: u64, site: u32) -> u64,
    /// `cp.async` that reads `count` bytes and writes `size`, the rest zero. `number` as in [`Checks`].
    pub copy_part: unsafe extern "C-unwind" fn(
        *mut ThreadContext,
        to: u64,
        from: u64,
        count: u32,
        size: u32,
        site: u32,
        number: u32,
    ),
    /// `cp.async.bulk` of `size` bytes, a multiple of 16; `object` is the `mbarrier` object that counts them, or 0. `number` as in [`Checks`].
    pub copy_bulk: unsafe extern "C-unwind" fn(
        *mut ThreadContext,
        to: u64,
        from: u64,
        size: u32,
        object: u64,
        site: u32,
        number: u32,
    ),
    /// `barrier.cluster`: `kind` as in [`cluster`].
    pub cluster_barrier: unsafe extern "C-unwind" fn(*mut ThreadContext, kind: u32, site: u32),
    /// A matrix instruction, by the code of its [`crate::matrix::Operation`]: the lanes of the warp come together, each with a buffer of
    /// [`crate::matrix::WORDS`] words that [`crate::matrix::compute`] works on.
    pub matrix: unsafe extern "C-unwind" fn(*mut ThreadContext, operation: u32, words: *mut u32, site: u32),
    /// Rank in the cluster of the block whose shared memory a generic address lies in; all ones for any other address.
    pub cluster_rank: unsafe extern "C-unwind" fn(*mut ThreadContext, address: u64) -> u32,
    /// Texture and surface instructions: `operation` as in [`crate::texel`], results go into the request. `number` as in [`Checks`].
    pub texel: unsafe extern "C-unwind" fn(*mut ThreadContext, *mut Request, operation: u32, site: u32, number: u32),
}

/// The functions that checked code calls besides, see [`crate::Options::checks`].
///
/// `what` is a size in bytes or-ed with bits of [`what`]; `site` is what [`crate::Kernel::access`] knows, below 2^15; 0 where numbers
/// have run out.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    /// A load is about to happen at an address that [`Runtime::check_access`] lets pass.
    pub read: unsafe extern "C-unwind" fn(*mut ThreadContext, address: u64, what: u32, site: u32),
    /// A store or an atomic is about to happen; a store's value is in `low` and `high`, first byte lowest.
    pub write: unsafe extern "C-unwind" fn(*mut ThreadContext, address: u64, what: u32, site: u32, low: u64, high: u64),
    /// A fence; `scope` as the strengths in [`what`].
    pub fence: unsafe extern "C-unwind" fn(*mut ThreadContext, scope: u32, site: u32),
    /// The thread learns something that depends on the schedule, other than through memory or a function of [`Runtime`].
    pub learn: unsafe extern "C-unwind" fn(*mut ThreadContext),
}

/// Clusters: kinds of [`Runtime::cluster_barrier`], and addresses in the `shared::cluster` window.
pub mod cluster {
    /// `barrier.cluster.arrive`
    pub const ARRIVE: u32 = 0;
    /// `barrier.cluster.wait`
    pub const WAIT: u32 = 1;
    /// Or-ed to `ARRIVE`: nothing is released.
    pub const RELAXED: u32 = 2;

    /// Blocks of the largest cluster.
    pub const LARGEST: u32 = 16;
    /// Where a 32-bit address has the rank of a block, plus one; 0 there is the block's own window.
    pub const RANK: u32 = 24;
    /// Places in the table of windows: any rank that an address may name after masking.
    pub const WINDOWS: usize = 2 * LARGEST as usize;
}

/// Operations of [`Runtime::mbarrier`].
pub mod mbarrier {
    /// The operand is how many arrivals a phase takes.
    pub const INIT: u32 = 0;
    /// Nothing is known of the object any more.
    pub const INVALIDATE: u32 = 1;
    /// The operand is how many arrivals this is.
    pub const ARRIVE: u32 = 2;
    /// As `ARRIVE`, and the following phases take so many fewer.
    pub const ARRIVE_DROP: u32 = 3;
    /// The operand is a number of transactions that the phase waits for besides.
    pub const EXPECT: u32 = 4;
    /// So many transactions are done.
    pub const COMPLETE: u32 = 5;
    /// `EXPECT`, then one arrival.
    pub const ARRIVE_EXPECT: u32 = 6;
    /// `EXPECT`, then one arrival that the following phases do not take.
    pub const ARRIVE_DROP_EXPECT: u32 = 7;
    /// Is the phase of that state over?
    pub const TEST: u32 = 8;
    /// Is the phase of that parity over?
    pub const TEST_PARITY: u32 = 9;
    /// As `TEST`; lets others run before it says no.
    pub const TRY: u32 = 10;
    /// As `TEST_PARITY`; lets others run before it says no.
    pub const TRY_PARITY: u32 = 11;
    /// Or-ed to any of them: nothing is released or acquired.
    pub const RELAXED: u32 = 1 << 8;

    /// Bits of a state that count the arrivals still missing: what `mbarrier.pending_count` answers.
    pub const PENDING: u64 = (1 << 20) - 1;
}

/// How one access is remembered in a word of shadow memory, as far as generated code looks at it.
pub mod stamp {
    /// Where the time begins.
    pub const TIME: u32 = 32;
    /// Where the thread begins, which is right below the time.
    pub const THREAD: u32 = 22;
    /// The bits of an access to all bytes of the word.
    pub const WHOLE: u64 = 0b1111 << 18;
    /// Zero for a weak access.
    pub const STRENGTH: u64 = 0b11 << 15;
}

/// What an access is, to [`Checks`].
pub mod what {
    /// Mask of the size in bytes.
    pub const SIZE: u32 = 0xff;
    /// Where the strength begins: 0 weak, else the scope.
    pub const STRENGTH: u32 = 8;
    /// Strong, scope `cta`.
    pub const CTA: u32 = 1;
    /// Strong, scope `cluster` or `gpu`.
    pub const GPU: u32 = 2;
    /// Strong, scope `sys`.
    pub const SYS: u32 = 3;
    /// Acquires.
    pub const ACQUIRE: u32 = 1 << 10;
    /// Releases.
    pub const RELEASE: u32 = 1 << 11;
    /// A read-modify-write.
    pub const ATOMIC: u32 = 1 << 12;
    /// The address is in the shared window of the block for sure.
    pub const SHARED: u32 = 1 << 13;
    /// A read-modify-write whose new value does not hang on the old one (`exch`).
    pub const BLIND: u32 = 1 << 15;
    /// Through the non-coherent path (`ld.global.nc`).
    pub const NON_COHERENT: u32 = 1 << 14;
    /// A read-modify-write whose old value is used.
    pub const RETURNS: u32 = 1 << 16;
    /// Where four bits begin: 0, or which read-modify-write it is, of those whose order among their like changes no result.
    pub const ACCUMULATES: u32 = 17;
}

/// `kind` of [`Runtime::barrier`].
#[expect(missing_docs, reason = "named as PTX names them")]
pub mod barrier {
    pub const SYNC: u32 = 0;
    pub const ARRIVE: u32 = 1;
    pub const RED_POPC: u32 = 2;
    pub const RED_AND: u32 = 3;
    pub const RED_OR: u32 = 4;
    /// Or-ed to the kind: all threads of a warp execute the same instruction together (`bar`, and `barrier` with `.aligned`).
    pub const ALIGNED: u32 = 0x100;
}

/// `mode` of [`Runtime::shuffle`].
#[expect(missing_docs, reason = "named as PTX names them")]
pub mod shuffle {
    pub const UP: u32 = 0;
    pub const DOWN: u32 = 1;
    pub const BFLY: u32 = 2;
    pub const IDX: u32 = 3;
}

/// `mode` of [`Runtime::vote`].
#[expect(missing_docs, reason = "named as PTX names them")]
pub mod vote {
    pub const ALL: u32 = 0;
    pub const ANY: u32 = 1;
    pub const UNI: u32 = 2;
    pub const BALLOT: u32 = 3;
}

/// `operation` of [`Runtime::redux`].
#[expect(missing_docs, reason = "named as PTX names them")]
pub mod redux {
    pub const ADD: u32 = 0;
    pub const MIN_S32: u32 = 1;
    pub const MAX_S32: u32 = 2;
    pub const MIN_U32: u32 = 3;
    pub const MAX_U32: u32 = 4;
    pub const AND: u32 = 5;
    pub const OR: u32 = 6;
    pub const XOR: u32 = 7;
}

/// `space` of [`Runtime::is_space`].
#[expect(missing_docs, reason = "named as PTX names them")]
pub mod space {
    pub const GLOBAL: u32 = 0;
    pub const SHARED: u32 = 1;
    pub const LOCAL: u32 = 2;
    pub const CONST: u32 = 3;
    pub const PARAM: u32 = 4;
    pub const SHARED_CLUSTER: u32 = 5;
}
