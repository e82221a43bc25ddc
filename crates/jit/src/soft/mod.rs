//! Functions that generated code calls for what the processor does not do in one instruction: directed rounding,
//! transcendental functions, small float formats, odd bit operations. They depend on nothing but their arguments.

mod convert;
mod exact;
mod half;
mod math;
mod rounding;
mod video;
mod wide;

pub(crate) use convert::{SIGNED, Spec, UNSIGNED, convert, f16_of_f32};
pub(crate) use exact::fma as fused;
pub(crate) use half::{bf16_fma, f16_fma};
pub(crate) use math::*;
pub(crate) use rounding::{BF16, E4M3, E5M2, Exact, F16, F32, F64, Format, Mode, Number, TF32};

pub(crate) use video::{code as video_code, operation as video_operation, video};
pub(crate) use wide::{compare_and_swap_wide, exchange_wide, has_wide_atomics};

/// `fns`: position of the `|offset|`-th set bit of `mask` from bit `base`, upwards or downwards; all ones if there is none.
pub(crate) extern "C" fn find_nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let set = |bit: &u32| mask >> bit & 1 == 1;
    if base > 31 {
        return u32::MAX;
    }
    let nth = offset.unsigned_abs() as usize;
    match offset {
        0 if set(&base) => Some(base),
        0 => None,
        1.. => (base..32).filter(set).nth(nth - 1),
        _ => (0..=base).rev().filter(set).nth(nth - 1),
    }
    .unwrap_or(u32::MAX)
}

/// `prmt` with a mode: `f4e`, `b4e`, `rc8`, `ecl`, `ecr`, `rc16` are 0 to 5.
pub(crate) extern "C" fn permute(a: u32, b: u32, selector: u32, mode: u32) -> u32 {
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    let n = selector & 3;
    let byte = |i: u32| match mode {
        0 => n + i,
        1 => n.wrapping_sub(i) & 7,
        2 => n,
        3 => n.max(i),
        4 => n.min(i),
        _ => (n & 1) * 2 + (i & 1),
    };
    u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[byte(i) as usize & 7]))
}
