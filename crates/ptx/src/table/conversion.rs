//! `cvt` (PTX ISA, section 9.7.9.21). Which roundings a pair of types needs is part of the form.

use super::{Form, Opcode::*, form};

const ALL_INTEGERS: &str = "u8 u16 u32 u64 s8 s16 s32 s64";
const FP8: &str = "e4m3x2 e5m2x2";

pub(super) const FORMS: &[Form] = &[
    // Integer to integer, to float, and back.
    form(Cvt, "", &[ALL_INTEGERS, ALL_INTEGERS], "=0 1", 10, 10),
    // Saturation is for what may not fit.
    form(Cvt, "sat", &["u8", "u16 u32 u64 s8 s16 s32 s64"], "=0 1", 10, 10),
    form(Cvt, "sat", &["u16", "u32 u64 s8 s16 s32 s64"], "=0 1", 10, 10),
    form(Cvt, "sat", &["u32", "u64 s8 s16 s32 s64"], "=0 1", 10, 10),
    form(Cvt, "sat", &["u64", "s8 s16 s32 s64"], "=0 1", 10, 10),
    form(Cvt, "sat", &["s8", "u8 u16 u32 u64 s16 s32 s64"], "=0 1", 10, 10),
    form(Cvt, "sat", &["s16", "u16 u32 u64 s32 s64"], "=0 1", 10, 10),
    form(Cvt, "sat", &["s32", "u32 u64 s64"], "=0 1", 10, 10),
    form(Cvt, "sat", &["s64", "u64"], "=0 1", 10, 10),
    form(Cvt, "rn|rz|rm|rp ftz? sat?", &["f32", ALL_INTEGERS], "=0 1", 10, 10),
    form(Cvt, "rn|rz|rm|rp sat?", &["f64", ALL_INTEGERS], "=0 1", 10, 13),
    form(Cvt, "rn|rz|rm|rp sat?", &["f16", ALL_INTEGERS], "=0 1", 42, 53),
    form(Cvt, "rn|rz|rm|rp", &["bf16", ALL_INTEGERS], "=0 1", 78, 90),
    form(Cvt, "rni|rzi|rmi|rpi ftz? sat?", &[ALL_INTEGERS, "f32"], "=0 1", 10, 10),
    form(Cvt, "rni|rzi|rmi|rpi sat?", &[ALL_INTEGERS, "f64"], "=0 1", 10, 13),
    form(Cvt, "rni|rzi|rmi|rpi sat?", &[ALL_INTEGERS, "f16"], "=0 1", 42, 53),
    form(Cvt, "rni|rzi|rmi|rpi", &[ALL_INTEGERS, "bf16"], "=0 1", 78, 90),
    // Float to float: same size rounds to an integer or only saturates.
    form(Cvt, "rni|rzi|rmi|rpi? ftz? sat?", &["f32", "f32"], "=0 1", 10, 10),
    form(Cvt, "rni|rzi|rmi|rpi? sat?", &["f64", "f64"], "=0 1", 10, 13),
    form(Cvt, "rni|rzi|rmi|rpi? sat?", &["f16", "f16"], "=0 1", 42, 53),
    form(Cvt, "rni|rzi|rmi|rpi?", &["bf16", "bf16"], "=0 1", 78, 90),
    form(Cvt, "rn|rz|rm|rp ftz? sat?", &["f32", "f64"], "=0 1", 10, 13),
    form(Cvt, "ftz? sat?", &["f64", "f32"], "=0 1", 10, 13),
    form(Cvt, "rn|rz|rm|rp ftz? sat?", &["f16", "f32"], "=0 1", 42, 53),
    form(Cvt, "rn|rz|rm|rp sat?", &["f16", "f64"], "=0 1", 42, 53),
    form(Cvt, "ftz? sat?", &["f32", "f16"], "=0 1", 42, 53),
    form(Cvt, "sat?", &["f64", "f16"], "=0 1", 42, 53),
    form(Cvt, "rn|rz|rm|rp", &["bf16", "f64"], "=0 1", 78, 90),
    form(Cvt, "rn|rz|rm|rp", &["bf16", "f16"], "=0 1", 78, 90),
    form(Cvt, "rm|rp", &["bf16", "f32"], "=0 1", 78, 80),
    form(Cvt, "ftz?", &["f32", "bf16"], "=0 1", 71, 80),
    form(Cvt, "", &["f64", "bf16"], "=0 1", 78, 90),
    form(Cvt, "rn|rz|rm|rp", &["f16", "bf16"], "=0 1", 78, 90),
    // Rounding to nearest or to zero with relu, and packed pairs.
    form(Cvt, "rn|rz relu satfinite?", &["f16", "f32"], "=0 1", 70, 80),
    form(Cvt, "rn|rz satfinite", &["f16", "f32"], "=0 1", 81, 53),
    form(Cvt, "rn|rz relu? satfinite?", &["bf16", "f32"], "=0 1", 70, 80),
    form(Cvt, "rn|rz relu? satfinite?", &["f16x2 bf16x2", "f32"], "=0 1 1", 70, 80),
    form(Cvt, "rna satfinite?", &["tf32", "f32"], "=0 1", 70, 80),
    form(Cvt, "rn|rz relu?", &["tf32", "f32"], "=0 1", 78, 90),
    form(Cvt, "rn|rz relu? satfinite", &["tf32", "f32"], "=0 1", 86, 100),
    form(Cvt, "rn satfinite relu?", &[FP8, "f32"], "=0 1 1", 78, 89),
    form(Cvt, "rn satfinite relu?", &[FP8, "f16x2"], "=0 1", 78, 89),
    form(Cvt, "rn relu?", &["f16x2", FP8], "=0 1", 78, 89),
];
