//! Arithmetic in every rounding mode, and the approximate functions (PTX ISA, section 9.7.3), which here are good to about one
//! unit in the last place.

use super::exact;
use super::rounding::{F32, F64, Mode};

macro_rules! directed {
    ($($name:ident $exact:ident $format:ident $float:ident ($($x:ident)*);)*) => {$(
        #[doc = concat!("`", stringify!($exact), "` of `", stringify!($float), "` in a rounding [`Mode`].")]
        pub(crate) extern "C" fn $name($($x: $float,)* mode: u32) -> $float {
            $float::from_bits(exact::$exact($format, $($x.to_bits().into(),)* Mode::of(mode)) as _)
        }
    )*};
}

directed! {
    f32_add add F32 f32 (a b);
    f32_multiply multiply F32 f32 (a b);
    f32_divide divide F32 f32 (a b);
    f32_fma fma F32 f32 (a b c);
    f32_square_root square_root F32 f32 (a);
    f64_add add F64 f64 (a b);
    f64_multiply multiply F64 f64 (a b);
    f64_divide divide F64 f64 (a b);
    f64_fma fma F64 f64 (a b c);
    f64_square_root square_root F64 f64 (a);
}

/// `fma.rn.f32` without the instruction.
pub(crate) extern "C" fn f32_fused(a: f32, b: f32, c: f32) -> f32 {
    libm::fmaf(a, b, c)
}

/// `fma.rn.f64` without the instruction.
pub(crate) extern "C" fn f64_fused(a: f64, b: f64, c: f64) -> f64 {
    libm::fma(a, b, c)
}

macro_rules! approximate {
    ($($name:ident $of:ident;)*) => {$(
        #[doc = concat!("`", stringify!($of), "`.")]
        pub(crate) extern "C" fn $name(a: f32) -> f32 {
            let value = libm::$of(a);
            if value.is_nan() { f32::from_bits(0x7fff_ffff) } else { value }
        }
    )*};
}

approximate! {
    sine sinf;
    cosine cosf;
    logarithm log2f;
    power exp2f;
    tangent tanhf;
}
