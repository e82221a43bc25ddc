//! The typed module that the parser produces and that everything above reads.
//!
//! Names inside a function body (registers, labels, local variables) are resolved to indices while parsing; names
//! that may live in another unit (functions, module variables) stay strings until [`crate::link`].

use std::sync::Arc;

/// A name shared between many instructions.
pub type Name = Arc<str>;

/// A place in the PTX text: 1-based line and column. `source` is the `.loc` in force there, if any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// Line of the PTX text, from 1; 0 when there is no text behind the item.
    pub line: u32,
    /// Column of the PTX text, from 1.
    pub column: u32,
    /// The CUDA source line, from the `.loc` directive that precedes the instruction.
    pub source: Option<SourceLine>,
}

/// What a `.loc` directive says. `inlined_at` chains are kept in [`Body::inlines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// Index into [`Module::files`] (not the `.file` number).
    pub file: u32,
    /// Line in that file.
    pub line: u32,
    /// Column in that file, 0 if unknown.
    pub column: u32,
    /// Index into [`Body::inlines`] plus one; 0 when not inlined.
    pub inlined: u32,
}

/// A call that the compiler inlined: the function that the line belongs to and where it was called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inline {
    /// Name of the inlined function, when the text gives one.
    pub function: Option<Name>,
    /// Where it was called.
    pub at: SourceLine,
}

/// One linked or unlinked PTX module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// `.version`, major and minor.
    pub version: (u32, u32),
    /// `.target`, first word, such as `sm_90a`.
    pub target: String,
    /// `.address_size`: 32 or 64.
    pub address_size: u32,
    /// Paths named by `.file`.
    pub files: Vec<String>,
    /// Variables at module scope: `.global`, `.const`, `.shared` (and `.extern` declarations of them).
    pub variables: Vec<Variable>,
    /// Kernels, functions and their declarations.
    pub functions: Vec<Function>,
}

/// Who sees a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// Only its own unit.
    #[default]
    Internal,
    /// `.visible`.
    Visible,
    /// `.extern`: defined elsewhere.
    Extern,
    /// `.weak`: one of several equal definitions.
    Weak,
    /// `.common`.
    Common,
}

/// A variable in any space. For `.param` variables of calls, see [`Body::variables`].
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Who sees it.
    pub linkage: Linkage,
    /// Where it lives.
    pub space: Space,
    /// Element type.
    pub ty: Type,
    /// Alignment in bytes (explicit or natural).
    pub align: u32,
    /// Size in bytes; `None` for an unsized array (`extern __shared__ x[]`).
    pub size: Option<u64>,
    /// Initial bytes with relocations; empty means zero.
    pub init: Initializer,
    /// Where it is declared.
    pub location: Location,
}

/// Initial contents of a variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Initializer {
    /// Bytes from the start of the variable; the rest is zero.
    pub bytes: Vec<u8>,
    /// Places that hold the address of a symbol.
    pub relocations: Vec<Relocation>,
}

/// An address inside an initializer.
#[derive(Clone, Debug, PartialEq)]
pub struct Relocation {
    /// Byte offset in the variable (8 bytes wide, or `width`).
    pub offset: u64,
    /// Bytes written: usually 8; fewer with `mask()` forms.
    pub width: u8,
    /// Right shift applied to the address before storing its low `width` bytes (from `0xFF00(sym)` masks).
    pub shift: u8,
    /// The symbol.
    pub symbol: Name,
    /// Added to its address.
    pub addend: i64,
    /// `generic(sym)` or a function: the generic address. Otherwise the address in the symbol's own space.
    pub generic: bool,
}

/// Kernel or device function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// `.entry`
    Kernel,
    /// `.func`
    Device,
}

/// A kernel, a device function, or the declaration of one.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its (mangled) name.
    pub name: Name,
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// Who sees it.
    pub linkage: Linkage,
    /// Return parameters (at most one in practice).
    pub returns: Vec<Parameter>,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
    /// Performance directives.
    pub directives: Directives,
    /// `None` for a declaration.
    pub body: Option<Body>,
    /// First error found in the body: the function cannot be compiled, other functions of the module can.
    pub broken: Option<crate::Diagnostic>,
    /// Where it is declared.
    pub location: Location,
}

/// `.maxntid` and its relatives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// `.maxntid x, y, z`
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid x, y, z`
    pub required_threads: Option<[u32; 3]>,
    /// `.minnctapersm`
    pub min_blocks_per_sm: Option<u32>,
    /// `.maxnreg`
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster x, y, z`
    pub required_cluster: Option<[u32; 3]>,
    /// `.explicitcluster`
    pub explicit_cluster: bool,
    /// `.maxclusterrank`
    pub max_cluster_rank: Option<u32>,
    /// `.noreturn`
    pub no_return: bool,
}

/// A parameter of a function or kernel. Lives at `offset` of the parameter block: each at the next multiple of its alignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name; empty in prototypes with `_`.
    pub name: Name,
    /// Element type.
    pub ty: Type,
    /// Alignment in bytes.
    pub align: u32,
    /// Size in bytes.
    pub size: u32,
    /// Offset in the parameter block, in bytes.
    pub offset: u32,
    /// True when the function declares it as `.reg` instead of `.param`.
    pub register: bool,
}

/// The code of one function.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Every register of every nested scope; [`Reg`] indexes it.
    pub registers: Vec<Register>,
    /// `.local`, `.shared` and `.param` (call argument) variables of every nested scope; [`Var`] indexes it.
    pub variables: Vec<Variable>,
    /// Label names; [`Label`] indexes it.
    pub labels: Vec<Name>,
    /// `.callprototype` declarations; [`Call::prototype`] indexes it.
    pub prototypes: Vec<Prototype>,
    /// `.branchtargets` lists; [`Operand::Targets`] indexes it.
    pub targets: Vec<Vec<Label>>,
    /// Inlined calls named by locations.
    pub inlines: Vec<Inline>,
    /// The code, in textual order.
    pub statements: Vec<Statement>,
}

/// A declared register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name with `%`.
    pub name: Name,
    /// Its declared type.
    pub ty: Type,
}

/// Index into [`Body::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);
/// Index into [`Body::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);
/// Index into [`Body::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

/// A function type for indirect calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// Return parameters.
    pub returns: Vec<Parameter>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// `.noreturn`
    pub no_return: bool,
}

/// One item of a body.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A label stands here.
    Label(Label),
    /// An instruction.
    Instruction(Instruction),
    /// A call.
    Call(Call),
}

/// `@%p` or `@!%p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub register: Reg,
    /// True for `@!`.
    pub negated: bool,
}

/// One instruction other than a call.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Runs only if this holds.
    pub guard: Option<Guard>,
    /// The mnemonic up to the first dot (`griddepcontrol`, `add`, `ld`, …).
    pub opcode: crate::Opcode,
    /// Everything between the dots that is not a type.
    pub modifiers: Modifiers,
    /// The types in textual order (`cvt.rn.f32.s32` has two).
    pub types: Vec<Type>,
    /// Operands in textual order, destination first.
    pub operands: Vec<Operand>,
    /// Where it stands.
    pub location: Location,
}

/// A `call`.
#[derive(Clone, Debug)]
pub struct Call {
    /// Runs only if this holds.
    pub guard: Option<Guard>,
    /// Whom it calls.
    pub target: CallTarget,
    /// Where the results go: `.param` variables or registers.
    pub returns: Vec<Operand>,
    /// Arguments: `.param` variables, registers or immediates.
    pub arguments: Vec<Operand>,
    /// For indirect calls: index into [`Body::prototypes`].
    pub prototype: Option<u32>,
    /// Where it stands.
    pub location: Location,
}

/// Whom a call calls.
#[derive(Clone, Debug, PartialEq)]
pub enum CallTarget {
    /// A function by name.
    Direct(Name),
    /// A function address in a register.
    Indirect(Reg),
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Register(Reg),
    /// `!%p`
    NotRegister(Reg),
    /// An integer constant, two's complement.
    Integer(i128),
    /// `0f…`: the bits of an f32.
    Float32(u32),
    /// `0d…` or a decimal literal: the bits of an f64.
    Float64(u64),
    /// A special register.
    Special(Special),
    /// The address of a module-level variable or function (`mov.u64 %rd, name+4`), or a kernel/function parameter (`mov.b64 %rd, k_param_0`).
    Symbol(Symbol, i64),
    /// `[base+offset]`
    Address(AddressBase, i64),
    /// `{a, b, c, d}`
    Vector(Vec<Operand>),
    /// A branch target.
    Label(Label),
    /// The `.branchtargets` list of a `brx.idx`: index into [`Body::targets`].
    Targets(u32),
    /// `a|b`: two destinations, either of which may be [`Operand::Sink`].
    Pair(Box<Operand>, Box<Operand>),
    /// `_`
    Sink,
}

/// What an address starts from.
#[derive(Clone, Debug, PartialEq)]
pub enum AddressBase {
    /// A register.
    Register(Reg),
    /// A named thing.
    Symbol(Symbol),
    /// An absolute address.
    Absolute(u64),
}

/// A named thing with an address.
#[derive(Clone, Debug, PartialEq)]
pub enum Symbol {
    /// A variable of this body.
    Local(Var),
    /// Parameter number of the enclosing function or kernel.
    Parameter(u32),
    /// Return parameter number of the enclosing function.
    Return(u32),
    /// A variable or function at module scope.
    Global(Name),
}

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
    /// Suffixes that change nothing here (cache operators and hints), as written.
    pub hints: Vec<Name>,
}
