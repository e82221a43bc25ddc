//! Data movement and addresses (PTX ISA, section 9.7.9); asynchronous copies and textures have tables of their own.

use super::{Form, Opcode::*, form};

const NARROW: &str = "b8 b16 b32 u8 u16 u32 s8 s16 s32 f32";
const WIDE: &str = "b64 u64 s64 f64";

/// Accesses of scalars and vectors of up to 16 bytes.
macro_rules! accesses {
    ($($opcode:ident $words:expr, $operands:literal, $version:literal, $target:literal;)*) => {
        &[$(
            form($opcode, concat!($words, " v2|v4?"), &[NARROW], $operands, $version, $target),
            form($opcode, concat!($words, " v2?"), &[WIDE], $operands, $version, $target),
            form($opcode, $words, &["b128"], $operands, 83, 70),
        )*]
    };
}
/// What tells the caches of global memory how to treat an access, besides cache operators.
macro_rules! evict {
    () => {
        "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"
    };
}
macro_rules! evict_second {
    () => {
        " L2::evict_normal|L2::evict_first|L2::evict_last? L2::cache_hint?"
    };
}
macro_rules! prefetched {
    () => {
        " L2::64B|L2::128B|L2::256B?"
    };
}

pub(super) const ACCESSES: &[Form] = accesses! {
    Ld concat!("weak? global? ca|cg|cs|lu|cv|", evict!(), "? L2::cache_hint?", prefetched!()), "=v m c", 10, 10;
    Ld "weak? const|local|shared|param ca|cg|cs|lu|cv?", "=v m", 10, 10;
    Ld "weak? shared::cta|shared::cluster ca|cg|cs|lu|cv?", "=v m", 78, 30;
    Ld "weak? param::entry|param::func ca|cg|cs|lu|cv?", "=v m", 83, 30;
    Ld concat!("volatile global?", prefetched!()), "=v m", 10, 10;
    Ld "volatile shared|shared::cta|shared::cluster", "=v m", 10, 10;
    Ld concat!("relaxed|acquire cta|cluster|gpu|sys global? ", evict!(), "? L2::cache_hint?", prefetched!()), "=v m c", 60, 70;
    Ld "relaxed|acquire cta|cluster|gpu|sys shared|shared::cta|shared::cluster", "=v m", 60, 70;
    Ld concat!("global nc ca|cg|cs|", evict!(), "? L2::cache_hint?", prefetched!()), "=v m c", 31, 32;
    Ldu "global?", "=v m", 20, 20;
    St concat!("weak? global? wb|cg|cs|wt|", evict!(), "? L2::cache_hint?"), "m v c", 10, 10;
    St "weak? local|shared|param wb|cg|cs|wt?", "m v", 10, 10;
    St "weak? shared::cta|shared::cluster wb|cg|cs|wt?", "m v", 78, 30;
    St "weak? param::func wb|cg|cs|wt?", "m v", 83, 30;
    St "volatile global|shared|shared::cta|shared::cluster?", "m v", 10, 10;
    St concat!("relaxed|release cta|cluster|gpu|sys global? ", evict!(), "? L2::cache_hint?"), "m v c", 60, 70;
    St "relaxed|release cta|cluster|gpu|sys shared|shared::cta|shared::cluster", "m v", 60, 70;
};

/// 32 bytes at once.
macro_rules! load_long {
    ($vector:literal) => {
        concat!("weak? global? ", evict!(), "?", evict_second!(), prefetched!(), $vector)
    };
}
macro_rules! store_long {
    ($vector:literal) => {
        concat!("weak? global? ", evict!(), "?", evict_second!(), $vector)
    };
}
const LONG: &str = "b32 u32 s32 f32";

pub(super) const FORMS: &[Form] = &[
    form(Mov, "", &["pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"], "=0 0", 10, 10),
    form(Mov, "", &["b16 b32 b64"], "=0 u", 10, 10),
    form(Mov, "", &["b16 b32 b64"], "=u 0", 10, 10),
    form(Mov, "", &["b128"], "=0 0", 83, 70),
    form(Mov, "", &["b128"], "=0 u", 83, 70),
    form(Mov, "", &["b128"], "=u 0", 83, 70),
    form(Prmt, "f4e|b4e|rc8|ecl|ecr|rc16?", &["b32"], "=0 0 0 0", 20, 20),
    form(Ld, "mmio relaxed sys global?", &[NARROW], "=0 m", 82, 70),
    form(Ld, "mmio relaxed sys global?", &[WIDE], "=0 m", 82, 70),
    form(Ld, "mmio relaxed sys global?", &["b128"], "=0 m", 84, 70),
    form(Ld, load_long!(" v8"), &[LONG], "=v m c", 88, 100),
    form(Ld, load_long!(" v4"), &[WIDE], "=v m c", 88, 100),
    form(St, "mmio relaxed sys global?", &[NARROW], "m 0", 82, 70),
    form(St, "mmio relaxed sys global?", &[WIDE], "m 0", 82, 70),
    form(St, "mmio relaxed sys global?", &["b128"], "m 0", 84, 70),
    form(St, store_long!(" v8"), &[LONG], "m v c", 88, 100),
    form(St, store_long!(" v4"), &[WIDE], "m v c", 88, 100),
    form(Prefetch, "global|local? L1|L2", &[], "m", 20, 20),
    form(Prefetch, "global? L2::evict_last|L2::evict_normal", &[], "m", 74, 80),
    form(Prefetch, "const|param? tensormap", &[], "m", 80, 90),
    form(Prefetchu, "L1", &[], "m", 20, 20),
    form(Applypriority, "global? L2::evict_normal", &[], "m i", 74, 80),
    form(Discard, "global? L2", &[], "m i", 74, 80),
    form(Createpolicy, POLICY_FRACTION, &["b64"], "=q r?", 74, 80),
    form(Createpolicy, POLICY_RANGE, &["b64"], "=q m r r", 74, 80),
    form(Createpolicy, "cvt L2", &["b64"], "=q q", 74, 80),
    form(Isspacep, "global|local|shared", &[], "=p q", 20, 20),
    form(Isspacep, "const", &[], "=p q", 31, 20),
    form(Isspacep, "param|param::entry", &[], "=p q", 77, 70),
    form(Isspacep, "shared::cta|shared::cluster", &[], "=p q", 78, 30),
    form(Cvta, "to? global|local|shared|shared::cta|const", &["u32 u64"], "=0 0", 20, 20),
    form(Cvta, "to? param|param::entry", &["u32 u64"], "=0 0", 77, 70),
    form(Cvta, "to? shared::cluster", &["u32 u64"], "=0 0", 78, 90),
    form(Mapa, "shared::cluster?", &["u32 u64"], "=0 0 r", 78, 90),
    form(Getctarank, "shared::cluster?", &["u32 u64"], "=r 0", 78, 90),
];

const POLICY_FRACTION: &str = "fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged \
                               L2::evict_first|L2::evict_unchanged?";
const POLICY_RANGE: &str = "range global? L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged \
                            L2::evict_first|L2::evict_unchanged?";
