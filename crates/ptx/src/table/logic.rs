//! Comparison and selection, logic and shift (PTX ISA, sections 9.7.6 to 9.7.8).

use super::{ANY, BITS, Form, Opcode::*, form};

macro_rules! float_compare {
    () => {
        "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"
    };
}

const SIGNED: &str = "s16 s32 s64";
const UNSIGNED: &str = "u16 u32 u64";

pub(super) const FORMS: &[Form] = &[
    form(Set, "eq|ne", &["u32 s32 f32", BITS], "=0 1 1", 10, 10),
    form(Set, "eq|ne and|or|xor", &["u32 s32 f32", BITS], "=0 1 1 n", 10, 10),
    form(Set, "eq|ne|lt|le|gt|ge", &["u32 s32 f32", SIGNED], "=0 1 1", 10, 10),
    form(Set, "eq|ne|lt|le|gt|ge|lo|ls|hi|hs", &["u32 s32 f32", UNSIGNED], "=0 1 1", 10, 10),
    form(Set, "eq|ne|lt|le|gt|ge and|or|xor", &["u32 s32 f32", SIGNED], "=0 1 1 n", 10, 10),
    form(Set, "eq|ne|lt|le|gt|ge|lo|ls|hi|hs and|or|xor", &["u32 s32 f32", UNSIGNED], "=0 1 1 n", 10, 10),
    form(Set, concat!(float_compare!(), " ftz?"), &["u32 s32 f32", "f32"], "=0 1 1", 10, 10),
    form(Set, concat!(float_compare!(), " and|or|xor ftz?"), &["u32 s32 f32", "f32"], "=0 1 1 n", 10, 10),
    form(Set, float_compare!(), &["u32 s32 f32", "f64"], "=0 1 1", 10, 13),
    form(Set, concat!(float_compare!(), " and|or|xor"), &["u32 s32 f32", "f64"], "=0 1 1 n", 10, 13),
    form(Set, concat!(float_compare!(), " ftz?"), &["f16 u16 s16 u32 s32", "f16"], "=0 1 1", 42, 53),
    form(Set, concat!(float_compare!(), " and|or|xor ftz?"), &["f16 u16 s16 u32 s32", "f16"], "=0 1 1 n", 42, 53),
    form(Set, concat!(float_compare!(), " ftz?"), &["f16x2 u32 s32", "f16x2"], "=0 1 1", 42, 53),
    form(Set, concat!(float_compare!(), " and|or|xor ftz?"), &["f16x2 u32 s32", "f16x2"], "=0 1 1 n", 42, 53),
    form(Set, float_compare!(), &["bf16 u16 s16 u32 s32", "bf16"], "=0 1 1", 78, 90),
    form(Set, concat!(float_compare!(), " and|or|xor"), &["bf16 u16 s16 u32 s32", "bf16"], "=0 1 1 n", 78, 90),
    form(Set, float_compare!(), &["bf16x2 u32 s32", "bf16x2"], "=0 1 1", 78, 90),
    form(Set, concat!(float_compare!(), " and|or|xor"), &["bf16x2 u32 s32", "bf16x2"], "=0 1 1 n", 78, 90),
    form(Setp, "eq|ne", &[BITS], "=p|p 0 0", 10, 10),
    form(Setp, "eq|ne and|or|xor", &[BITS], "=p|p 0 0 n", 10, 10),
    form(Setp, "eq|ne|lt|le|gt|ge", &[SIGNED], "=p|p 0 0", 10, 10),
    form(Setp, "eq|ne|lt|le|gt|ge|lo|ls|hi|hs", &[UNSIGNED], "=p|p 0 0", 10, 10),
    form(Setp, "eq|ne|lt|le|gt|ge and|or|xor", &[SIGNED], "=p|p 0 0 n", 10, 10),
    form(Setp, "eq|ne|lt|le|gt|ge|lo|ls|hi|hs and|or|xor", &[UNSIGNED], "=p|p 0 0 n", 10, 10),
    form(Setp, concat!(float_compare!(), " ftz?"), &["f32"], "=p|p 0 0", 10, 10),
    form(Setp, concat!(float_compare!(), " and|or|xor ftz?"), &["f32"], "=p|p 0 0 n", 10, 10),
    form(Setp, float_compare!(), &["f64"], "=p|p 0 0", 10, 13),
    form(Setp, concat!(float_compare!(), " and|or|xor"), &["f64"], "=p|p 0 0 n", 10, 13),
    form(Setp, concat!(float_compare!(), " ftz?"), &["f16 f16x2"], "=p|p 0 0", 42, 53),
    form(Setp, concat!(float_compare!(), " and|or|xor ftz?"), &["f16 f16x2"], "=p|p 0 0 n", 42, 53),
    form(Setp, float_compare!(), &["bf16 bf16x2"], "=p|p 0 0", 78, 90),
    form(Setp, concat!(float_compare!(), " and|or|xor"), &["bf16 bf16x2"], "=p|p 0 0 n", 78, 90),
    form(Selp, "", &[ANY], "=0 0 0 n", 10, 10),
    form(Slct, "", &[ANY, "s32"], "=0 0 0 1", 10, 10),
    form(Slct, "ftz?", &[ANY, "f32"], "=0 0 0 1", 10, 10),
    form(And, "", &["pred b16 b32 b64"], "=0 0 0", 10, 10),
    form(Or, "", &["pred b16 b32 b64"], "=0 0 0", 10, 10),
    form(Xor, "", &["pred b16 b32 b64"], "=0 0 0", 10, 10),
    form(Not, "", &["pred b16 b32 b64"], "=0 0", 10, 10),
    form(Cnot, "", &[BITS], "=0 0", 10, 10),
    form(Lop3, "", &["b32"], "=0 0 0 0 i", 43, 50),
    form(Lop3, "and|or", &["b32"], "=0|p! 0 0 0 i n", 82, 70),
    form(Shf, "l|r clamp|wrap", &["b32"], "=0 0 0 r", 31, 32),
    form(Shl, "", &[BITS], "=0 0 r", 10, 10),
    form(Shr, "", &["b16 b32 b64 u16 u32 u64 s16 s32 s64"], "=0 0 r", 10, 10),
];
