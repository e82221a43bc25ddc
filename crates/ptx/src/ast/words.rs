//! The vocabulary of instructions: types, spaces, special registers and modifiers (PTX ISA, sections 5, 8 to 10).

use super::Name;

/// Fundamental types.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    Pred,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    U16x2,
    S16x2,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    Tf32,
    F32,
    F64,
    F32x2,
    E4m3x2,
    E5m2x2,
    Texref,
    Samplerref,
    Surfref,
    // Elements of matrix fragments only; never the type of a register.
    B1,
    U4,
    S4,
    E4m3,
    E5m2,
}

/// State spaces.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Reg,
    Global,
    Shared,
    SharedCluster,
    Local,
    Const,
    Param,
}

/// Special registers. `.x/.y/.z` are the index 0 to 2.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    NWarpId,
    SmId,
    NSmId,
    GridId,
    LaneMaskEq,
    LaneMaskLe,
    LaneMaskLt,
    LaneMaskGe,
    LaneMaskGt,
    Clock,
    ClockHi,
    Clock64,
    GlobalTimer,
    GlobalTimerLo,
    GlobalTimerHi,
    ClusterId(u8),
    NClusterId(u8),
    ClusterCtaId(u8),
    ClusterNctaId(u8),
    ClusterCtaRank,
    ClusterNctaRank,
    IsExplicitCluster,
    DynamicSmemSize,
    TotalSmemSize,
    AggrSmemSize,
    CurrentGraphExec,
    EnvReg(u8),
    Pm(u8),
    /// `%pm0_64` to `%pm7_64`.
    Pm64(u8),
    /// `%reserved_smem_offset_0` and `_1`; 2 to 4 are `_begin`, `_end`, `_cap`.
    ReservedSmemOffset(u8),
    WarpSize,
}

/// Rounding modes of floats and of float-to-integer conversions.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    Rn,
    Rz,
    Rm,
    Rp,
    Rna,
    Rs,
    Rni,
    Rzi,
    Rmi,
    Rpi,
}

/// Comparisons of `set`, `setp`.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Lo,
    Ls,
    Hi,
    Hs,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan,
}

/// `.hi`, `.lo`, `.wide`.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    Hi,
    Lo,
    Wide,
}

/// Operation of `atom`, `red`, `redux`, and the Boolean of `set`/`setp` and `bar.red`.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    Add,
    And,
    Or,
    Xor,
    Min,
    Max,
    Exch,
    Cas,
    Inc,
    Dec,
    Popc,
}

/// Memory-ordering semantics.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Semantics {
    Weak,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    Sc,
    Volatile,
    Mmio,
}

/// Scope of a strong operation.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    Cta,
    Cluster,
    Gpu,
    Sys,
}

/// Mode of `shfl`, `vote`, `match`, `bar`/`barrier`, `shf`, `testp`, `griddepcontrol`, `prmt`: the word after the opcode that selects the operation.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    // shfl
    Up,
    Down,
    Bfly,
    Idx,
    // vote, match
    All,
    Any,
    Uni,
    Ballot,
    // bar, barrier
    Sync,
    Arrive,
    Red,
    Wait,
    Warp,
    // griddepcontrol
    LaunchDependents,
    // shf
    Left,
    Right,
    // prmt
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
    // testp
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
    // fence
    Proxy,
    MbarrierInit,
    // cp
    Async,
    AsyncMbarrierArrive,
    CommitGroup,
    WaitGroup,
    WaitAll,
    Bulk,
    BulkPrefetch,
    BulkCommitGroup,
    BulkWaitGroup,
    BulkReduce,
    // mbarrier (`arrive` is Arrive)
    Init,
    Inval,
    ExpectTx,
    CompleteTx,
    ArriveExpectTx,
    ArriveDrop,
    ArriveDropExpectTx,
    TestWait,
    TryWait,
    PendingCount,
    // wmma
    Load,
    Store,
    Mma,
    // tex
    Base,
    Level,
    Grad,
    // tld4: the component that is gathered
    ComponentR,
    ComponentG,
    ComponentB,
    ComponentA,
    // suld, sust, sured: unformatted (`.b`) or formatted (`.p`)
    Unformatted,
    Formatted,
    // createpolicy
    Fractional,
    Range,
    Cvt,
}

/// `.m16n8k16`: rows and columns of the result, and the length of the sums. `.m8n8` has no `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows.
    pub m: u16,
    /// Columns.
    pub n: u16,
    /// Length of the sums; 0 when the instruction sums nothing.
    pub k: u16,
}

/// `.row`, `.col`.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    Row,
    Col,
}

/// The matrix that `wmma.load` and `wmma.store` move.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matrix {
    A,
    B,
    C,
    D,
}

/// Geometry of a texture or surface.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Geometry {
    D1,
    D2,
    D3,
    A1d,
    A2d,
    Cube,
    Acube,
    D2ms,
    A2dms,
}

/// What a surface access out of bounds does.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    Trap,
    Clamp,
    Zero,
}

/// What `txq` and `suq` ask.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    Width,
    Height,
    Depth,
    ChannelDataType,
    ChannelOrder,
    NormalizedCoords,
    ForceUnnormalizedCoords,
    FilterMode,
    AddrMode(u8),
    ArraySize,
    NumMipmapLevels,
    NumSamples,
    MemoryLayout,
}

/// Everything between the dots that is not a type. Absent means what PTX says it means when absent.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    pub mode: Option<Mode>,
    pub rounding: Option<Rounding>,
    pub compare: Option<Compare>,
    pub half: Option<Half>,
    pub operation: Option<Operation>,
    pub space: Option<Space>,
    pub semantics: Option<Semantics>,
    pub scope: Option<Scope>,
    /// 1 when absent, else 2, 4 or 8.
    pub vector: u8,
    /// `cvta.to`
    pub to: bool,
    pub ftz: bool,
    pub sat: bool,
    pub satfinite: bool,
    pub relu: bool,
    pub approx: bool,
    pub full: bool,
    pub nan: bool,
    pub xorsign: bool,
    pub abs: bool,
    pub carry: bool,
    pub uniform: bool,
    pub aligned: bool,
    pub sync: bool,
    pub clamp: bool,
    pub wrap: bool,
    pub shiftamt: bool,
    pub noftz: bool,
    /// `ld.global.nc`
    pub non_coherent: bool,
    /// Where `cp.async` and its bulk forms read; `space` is where they write.
    pub source_space: Option<Space>,
    pub shape: Option<Shape>,
    /// Layouts in textual order: of a and b, or of the one matrix that is moved.
    pub layouts: [Option<Layout>; 2],
    pub matrix: Option<Matrix>,
    /// `.x1`, `.x2`, `.x4` of `ldmatrix` and `stmatrix`; 0 when absent.
    pub count: u8,
    pub trans: bool,
    pub geometry: Option<Geometry>,
    pub boundary: Option<Boundary>,
    pub query: Option<Query>,
    /// `mbarrier.test_wait.parity`
    pub parity: bool,
    /// `mbarrier.arrive.noComplete`
    pub no_complete: bool,
    /// `cp.async.mbarrier.arrive.noinc`
    pub no_increment: bool,
    /// `cp.async.bulk.wait_group.read`
    pub read: bool,
    /// `mma….and.popc`, `bar.red.popc` has it as its operation.
    pub popc: bool,
    /// Suffixes that change nothing here (cache operators and hints), as written.
    pub hints: Vec<Name>,
}
