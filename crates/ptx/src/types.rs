//! Fundamental types: their words, sizes and classes (PTX ISA, section 5.2).

use crate::ast::Type;

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
        "b1" => Type::B1,
        "u4" => Type::U4,
        "s4" => Type::S4,
        "e4m3" => Type::E4m3,
        "e5m2" => Type::E5m2,
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
            Type::B1 => "b1",
            Type::U4 => "u4",
            Type::S4 => "s4",
            Type::E4m3 => "e4m3",
            Type::E5m2 => "e5m2",
        }
    }

    /// Size of a value in bytes; predicates and what is smaller than a byte count as one, opaque references as eight.
    pub fn size(self) -> u32 {
        match self {
            Type::Pred | Type::B8 | Type::U8 | Type::S8 => 1,
            Type::B1 | Type::U4 | Type::S4 | Type::E4m3 | Type::E5m2 => 1,
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

/// What a register or an instruction type holds, as far as type checking cares (PTX ISA, section 9.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Untyped bits: agree with everything of their size.
    Bits,
    Integer,
    Float,
    /// Formats that only untyped registers hold, and such of the same type.
    Packed,
    Predicate,
}

impl Type {
    pub(crate) fn class(self) -> Class {
        match self {
            Type::Pred => Class::Predicate,
            Type::B8 | Type::B16 | Type::B32 | Type::B64 | Type::B128 => Class::Bits,
            Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::S8 | Type::S16 | Type::S32 | Type::S64 => {
                Class::Integer
            }
            Type::F16 | Type::F32 | Type::F64 => Class::Float,
            _ => Class::Packed,
        }
    }

    /// Whether a register of type `register` may stand where an instruction says this type, sizes aside.
    pub(crate) fn takes(self, register: Type) -> bool {
        match (self.class(), register.class()) {
            (Class::Packed, Class::Packed) => self == register,
            (ours, theirs) => ours == theirs || ours == Class::Bits || theirs == Class::Bits,
        }
    }

    pub(crate) fn is_predicate(self) -> bool {
        self == Type::Pred
    }
}
