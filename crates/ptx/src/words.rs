//! The words between the dots of an instruction: types and modifiers (PTX ISA, section 9).

use crate::Opcode;
use crate::ast::{Compare, Half, Mode, Modifiers, Name, Operation, Rounding, Scope, Semantics, Space, Type};

/// The type that a word such as `.u32` names.
pub(crate) fn type_of(word: &str) -> Option<Type> {
    Some(match word {
        "pred" => Type::Pred,
        "b8" => Type::B8,
        "b16" => Type::B16,
        "b32" => Type::B32,
        "b64" => Type::B64,
        "b128" => Type::B128,
        "u8" => Type::U8,
        "u16" => Type::U16,
        "u32" => Type::U32,
        "u64" => Type::U64,
        "s8" => Type::S8,
        "s16" => Type::S16,
        "s32" => Type::S32,
        "s64" => Type::S64,
        "u16x2" => Type::U16x2,
        "s16x2" => Type::S16x2,
        "f16" => Type::F16,
        "f16x2" => Type::F16x2,
        "bf16" => Type::Bf16,
        "bf16x2" => Type::Bf16x2,
        "tf32" => Type::Tf32,
        "f32" => Type::F32,
        "f64" => Type::F64,
        "f32x2" => Type::F32x2,
        "e4m3x2" => Type::E4m3x2,
        "e5m2x2" => Type::E5m2x2,
        "texref" => Type::Texref,
        "samplerref" => Type::Samplerref,
        "surfref" => Type::Surfref,
        _ => return None,
    })
}

impl Type {
    /// As PTX writes it, without the dot.
    pub fn text(self) -> &'static str {
        match self {
            Type::Pred => "pred",
            Type::B8 => "b8",
            Type::B16 => "b16",
            Type::B32 => "b32",
            Type::B64 => "b64",
            Type::B128 => "b128",
            Type::U8 => "u8",
            Type::U16 => "u16",
            Type::U32 => "u32",
            Type::U64 => "u64",
            Type::S8 => "s8",
            Type::S16 => "s16",
            Type::S32 => "s32",
            Type::S64 => "s64",
            Type::U16x2 => "u16x2",
            Type::S16x2 => "s16x2",
            Type::F16 => "f16",
            Type::F16x2 => "f16x2",
            Type::Bf16 => "bf16",
            Type::Bf16x2 => "bf16x2",
            Type::Tf32 => "tf32",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::F32x2 => "f32x2",
            Type::E4m3x2 => "e4m3x2",
            Type::E5m2x2 => "e5m2x2",
            Type::Texref => "texref",
            Type::Samplerref => "samplerref",
            Type::Surfref => "surfref",
        }
    }

    /// Size of a value in bytes; predicates count as one, opaque references as eight.
    pub fn size(self) -> u32 {
        match self {
            Type::Pred | Type::B8 | Type::U8 | Type::S8 => 1,
            Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 | Type::E4m3x2 | Type::E5m2x2 => 2,
            Type::B32
            | Type::U32
            | Type::S32
            | Type::U16x2
            | Type::S16x2
            | Type::F16x2
            | Type::Bf16x2
            | Type::Tf32
            | Type::F32 => 4,
            Type::B64
            | Type::U64
            | Type::S64
            | Type::F64
            | Type::F32x2
            | Type::Texref
            | Type::Samplerref
            | Type::Surfref => 8,
            Type::B128 => 16,
        }
    }
}

/// Applies one word of an instruction to its modifiers. False if no instruction has such a word.
pub(crate) fn apply(opcode: Opcode, word: &str, m: &mut Modifiers) -> bool {
    let set = |flag: &mut bool| {
        *flag = true;
        true
    };
    // Words whose meaning hangs on the instruction.
    match (opcode, word) {
        (Opcode::Min | Opcode::Max, "NaN") => return set(&mut m.nan),
        (Opcode::Shfl, "up") => return mode(m, Mode::Up),
        (Opcode::Shfl, "down") => return mode(m, Mode::Down),
        (Opcode::Shfl, "bfly") => return mode(m, Mode::Bfly),
        (Opcode::Shfl, "idx") => return mode(m, Mode::Idx),
        (Opcode::Vote | Opcode::Match, "all") => return mode(m, Mode::All),
        (Opcode::Vote | Opcode::Match, "any") => return mode(m, Mode::Any),
        (Opcode::Vote, "uni") => return mode(m, Mode::Uni),
        (Opcode::Vote, "ballot") => return mode(m, Mode::Ballot),
        (Opcode::Bar | Opcode::Barrier, "sync") => {
            m.sync = true;
            if m.mode.is_none() {
                m.mode = Some(Mode::Sync);
            }
            return true;
        }
        (Opcode::Bar | Opcode::Barrier, "arrive") => return mode(m, Mode::Arrive),
        (Opcode::Bar | Opcode::Barrier, "red") => return mode(m, Mode::Red),
        (Opcode::Bar | Opcode::Barrier, "warp") => return mode(m, Mode::Warp),
        (Opcode::Barrier | Opcode::Griddepcontrol, "wait") => return mode(m, Mode::Wait),
        (Opcode::Bar | Opcode::Barrier, "cta") => return true,
        (Opcode::Barrier, "cluster") => {
            m.scope = Some(Scope::Cluster);
            return true;
        }
        (Opcode::Griddepcontrol, "launch_dependents") => return mode(m, Mode::LaunchDependents),
        (Opcode::Shf, "l") => return mode(m, Mode::Left),
        (Opcode::Shf, "r") => return mode(m, Mode::Right),
        (Opcode::Prmt, "f4e") => return mode(m, Mode::F4e),
        (Opcode::Prmt, "b4e") => return mode(m, Mode::B4e),
        (Opcode::Prmt, "rc8") => return mode(m, Mode::Rc8),
        (Opcode::Prmt, "ecl") => return mode(m, Mode::Ecl),
        (Opcode::Prmt, "ecr") => return mode(m, Mode::Ecr),
        (Opcode::Prmt, "rc16") => return mode(m, Mode::Rc16),
        (Opcode::Testp, "finite") => return mode(m, Mode::Finite),
        (Opcode::Testp, "infinite") => return mode(m, Mode::Infinite),
        (Opcode::Testp, "number") => return mode(m, Mode::Number),
        (Opcode::Testp, "notanumber") => return mode(m, Mode::NotANumber),
        (Opcode::Testp, "normal") => return mode(m, Mode::Normal),
        (Opcode::Testp, "subnormal") => return mode(m, Mode::Subnormal),
        (Opcode::Fence, "proxy") => return mode(m, Mode::Proxy),
        (Opcode::Fence, "mbarrier_init") => return mode(m, Mode::MbarrierInit),
        (Opcode::Membar, "gl") => return scope(m, Scope::Gpu),
        (Opcode::Membar, "proxy") => return mode(m, Mode::Proxy),
        (Opcode::Set | Opcode::Setp, _) => {
            if let Some(compare) = compare_of(word) {
                m.compare = Some(compare);
                return true;
            }
        }
        (Opcode::Atom | Opcode::Red | Opcode::Redux, "add") => return operation(m, Operation::Add),
        (Opcode::Atom | Opcode::Red | Opcode::Redux, "min") => return operation(m, Operation::Min),
        (Opcode::Atom | Opcode::Red | Opcode::Redux, "max") => return operation(m, Operation::Max),
        (Opcode::Atom, "exch") => return operation(m, Operation::Exch),
        (Opcode::Atom, "cas") => return operation(m, Operation::Cas),
        (Opcode::Atom | Opcode::Red, "inc") => return operation(m, Operation::Inc),
        (Opcode::Atom | Opcode::Red, "dec") => return operation(m, Operation::Dec),
        (Opcode::Bar | Opcode::Barrier, "popc") => return operation(m, Operation::Popc),
        (Opcode::Mul | Opcode::Mad | Opcode::Madc | Opcode::Mul24 | Opcode::Mad24, "hi") => m.half = Some(Half::Hi),
        (Opcode::Mul | Opcode::Mad | Opcode::Madc | Opcode::Mul24 | Opcode::Mad24, "lo") => m.half = Some(Half::Lo),
        _ => {}
    }
    match word {
        "rn" => m.rounding = Some(Rounding::Rn),
        "rz" => m.rounding = Some(Rounding::Rz),
        "rm" => m.rounding = Some(Rounding::Rm),
        "rp" => m.rounding = Some(Rounding::Rp),
        "rna" => m.rounding = Some(Rounding::Rna),
        "rs" => m.rounding = Some(Rounding::Rs),
        "rni" => m.rounding = Some(Rounding::Rni),
        "rzi" => m.rounding = Some(Rounding::Rzi),
        "rmi" => m.rounding = Some(Rounding::Rmi),
        "rpi" => m.rounding = Some(Rounding::Rpi),
        "hi" | "lo" => {}
        "wide" => m.half = Some(Half::Wide),
        "and" => m.operation = Some(Operation::And),
        "or" => m.operation = Some(Operation::Or),
        "xor" => m.operation = Some(Operation::Xor),
        "global" => m.space = Some(Space::Global),
        "shared" | "shared::cta" => m.space = Some(Space::Shared),
        "shared::cluster" => m.space = Some(Space::SharedCluster),
        "local" => m.space = Some(Space::Local),
        "const" => m.space = Some(Space::Const),
        "param" | "param::entry" | "param::func" => m.space = Some(Space::Param),
        "weak" => m.semantics = Some(Semantics::Weak),
        "relaxed" => m.semantics = Some(Semantics::Relaxed),
        "acquire" => m.semantics = Some(Semantics::Acquire),
        "release" => m.semantics = Some(Semantics::Release),
        "acq_rel" => m.semantics = Some(Semantics::AcqRel),
        "sc" => m.semantics = Some(Semantics::Sc),
        "volatile" => m.semantics = Some(Semantics::Volatile),
        "mmio" => m.semantics = Some(Semantics::Mmio),
        "cta" => m.scope = Some(Scope::Cta),
        "cluster" => m.scope = Some(Scope::Cluster),
        "gpu" => m.scope = Some(Scope::Gpu),
        "sys" => m.scope = Some(Scope::Sys),
        "v2" => m.vector = 2,
        "v4" => m.vector = 4,
        "v8" => m.vector = 8,
        "to" => m.to = true,
        "ftz" => m.ftz = true,
        "sat" => m.sat = true,
        "satfinite" => m.satfinite = true,
        "relu" => m.relu = true,
        "approx" => m.approx = true,
        "full" => m.full = true,
        "xorsign" => m.xorsign = true,
        "abs" => m.abs = true,
        "cc" => m.carry = true,
        "uni" => m.uniform = true,
        "aligned" => m.aligned = true,
        "sync" => m.sync = true,
        "clamp" => m.clamp = true,
        "wrap" => m.wrap = true,
        "shiftamt" => m.shiftamt = true,
        "noftz" => m.noftz = true,
        "nc" => m.non_coherent = true,
        "ca"
        | "cg"
        | "cs"
        | "lu"
        | "cv"
        | "wb"
        | "wt"
        | "L1"
        | "L2"
        | "level::cache_hint"
        | "L1::evict_normal"
        | "L1::evict_unchanged"
        | "L1::evict_first"
        | "L1::evict_last"
        | "L1::no_allocate"
        | "L2::evict_normal"
        | "L2::evict_first"
        | "L2::evict_last"
        | "L2::64B"
        | "L2::128B"
        | "L2::256B"
        | "alias"
        | "idx"
        | "async"
        | "async::generic"
        | "tensormap"
        | "generic"
        | "alias::generic" => m.hints.push(Name::from(word)),
        // The policy operand that follows it cannot be honoured, only skipped; the table gives such forms one operand more.
        "L2::cache_hint" => m.hints.push(Name::from(word)),
        _ => return false,
    }
    true
}

fn mode(m: &mut Modifiers, mode: Mode) -> bool {
    m.mode = Some(mode);
    true
}

fn scope(m: &mut Modifiers, scope: Scope) -> bool {
    m.scope = Some(scope);
    true
}

fn operation(m: &mut Modifiers, operation: Operation) -> bool {
    m.operation = Some(operation);
    true
}

fn compare_of(word: &str) -> Option<Compare> {
    Some(match word {
        "eq" => Compare::Eq,
        "ne" => Compare::Ne,
        "lt" => Compare::Lt,
        "le" => Compare::Le,
        "gt" => Compare::Gt,
        "ge" => Compare::Ge,
        "lo" => Compare::Lo,
        "ls" => Compare::Ls,
        "hi" => Compare::Hi,
        "hs" => Compare::Hs,
        "equ" => Compare::Equ,
        "neu" => Compare::Neu,
        "ltu" => Compare::Ltu,
        "leu" => Compare::Leu,
        "gtu" => Compare::Gtu,
        "geu" => Compare::Geu,
        "num" => Compare::Num,
        "nan" => Compare::Nan,
        _ => return None,
    })
}
