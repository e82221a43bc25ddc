//! The typed module that the parser produces and that everything above reads.
//!
//! Names inside a function body (registers, labels, local variables) are resolved to indices while parsing; names
//! that may live in another unit (functions, module variables) stay strings until [`crate::link`].

mod body;
mod words;

pub use body::*;
pub use words::*;

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
    /// The texts that the functions were read from, by [`Function::unit`]; empty where nobody keeps them.
    pub texts: Vec<Name>,
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
    /// `.attribute(.managed)`: `__managed__` variables.
    pub managed: bool,
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
    /// The text that its locations mean: index into [`Module::texts`], where texts are kept.
    pub unit: u32,
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
    /// `.blocksareclusters`: the grid of a launch counts clusters.
    pub blocks_are_clusters: bool,
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
