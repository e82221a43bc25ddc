//! Function bodies: registers, statements, operands (PTX ISA, sections 5 to 7).

use super::{Inline, Location, Modifiers, Name, Parameter, Special, Type, Variable};

/// The code of one function.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The registers of every nested scope that are used, in the order of their first use; [`Reg`] indexes it. `.reg` parameters and
    /// then `.reg` results of the function come first, used or not, in the order of the header.
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
    /// `[object, {x, y}]`, `[object, sampler, {x, y}]`: a place in a texture or surface.
    Texel {
        /// The texture or surface.
        object: Box<Operand>,
        /// The sampler, when it is not part of the texture object.
        sampler: Option<Box<Operand>>,
        /// Coordinates as written, with the array index or face where the geometry has one.
        coordinates: Vec<Operand>,
    },
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
