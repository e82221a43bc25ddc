//! Data movement and addresses (PTX ISA, section 9.7.9); asynchronous copies and textures have tables of their own.

use super::{Form, Opcode::*, form};

pub(super) const MEMORY: &str = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64";

macro_rules! spaces {
    () => {
        "const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster"
    };
}
macro_rules! store_spaces {
    () => {
        "global|local|param|param::func|shared|shared::cta|shared::cluster"
    };
}
/// Eviction priorities, hint, prefetch size.
macro_rules! cache {
    () => {
        " L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate? \
         L2::evict_normal|L2::evict_first|L2::evict_last? L2::cache_hint?"
    };
}
macro_rules! prefetched {
    () => {
        " L2::64B|L2::128B|L2::256B?"
    };
}
macro_rules! vectors {
    () => {
        " v2|v4|v8?"
    };
}

const LOAD: &str = concat!("weak? ", spaces!(), "? ca|cg|cs|lu|cv?", cache!(), prefetched!(), vectors!());
const LOAD_VOLATILE: &str = concat!("volatile ", spaces!(), "?", prefetched!(), vectors!());
const LOAD_STRONG: &str =
    concat!("relaxed|acquire cta|cluster|gpu|sys ", spaces!(), "?", cache!(), prefetched!(), vectors!());
const LOAD_CONSTANT: &str = concat!("global nc ca|cg|cs?", cache!(), prefetched!(), vectors!());
const STORE: &str = concat!("weak? ", store_spaces!(), "? wb|cg|cs|wt?", cache!(), vectors!());
const STORE_VOLATILE: &str = concat!("volatile ", store_spaces!(), "?", vectors!());
const STORE_STRONG: &str = concat!("relaxed|release cta|cluster|gpu|sys ", store_spaces!(), "?", cache!(), vectors!());

pub(super) const FORMS: &[Form] = &[
    form(Mov, "", &["pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"], "=0 0", 10, 10),
    form(Mov, "", &["b16 b32 b64"], "=0 u", 10, 10),
    form(Mov, "", &["b16 b32 b64"], "=u 0", 10, 10),
    form(Mov, "", &["b128"], "=0 0", 83, 70),
    form(Mov, "", &["b128"], "=0 u", 83, 70),
    form(Mov, "", &["b128"], "=u 0", 83, 70),
    form(Prmt, "f4e|b4e|rc8|ecl|ecr|rc16?", &["b32"], "=0 0 0 r", 20, 20),
    form(Ld, LOAD, &[MEMORY], "=v m c", 10, 10),
    form(Ld, LOAD, &["b128"], "=0 m c", 83, 70),
    form(Ld, LOAD_VOLATILE, &[MEMORY], "=v m", 10, 10),
    form(Ld, LOAD_VOLATILE, &["b128"], "=0 m", 83, 70),
    form(Ld, LOAD_STRONG, &[MEMORY], "=v m c", 60, 70),
    form(Ld, LOAD_STRONG, &["b128"], "=0 m c", 83, 70),
    form(Ld, "mmio relaxed sys global?", &[MEMORY], "=0 m", 82, 70),
    form(Ld, LOAD_CONSTANT, &[MEMORY], "=v m c", 31, 32),
    form(Ld, LOAD_CONSTANT, &["b128"], "=0 m c", 83, 70),
    form(Ldu, "global? v2|v4?", &[MEMORY], "=v m", 20, 20),
    form(Ldu, "global?", &["b128"], "=0 m", 83, 70),
    form(St, STORE, &[MEMORY], "m v c", 10, 10),
    form(St, STORE, &["b128"], "m 0 c", 83, 70),
    form(St, STORE_VOLATILE, &[MEMORY], "m v", 10, 10),
    form(St, STORE_VOLATILE, &["b128"], "m 0", 83, 70),
    form(St, STORE_STRONG, &[MEMORY], "m v c", 60, 70),
    form(St, STORE_STRONG, &["b128"], "m 0 c", 83, 70),
    form(St, "mmio relaxed sys global?", &[MEMORY], "m 0", 82, 70),
    form(Prefetch, "global|local? L1|L2", &[], "m", 20, 20),
    form(Prefetch, "global L2::evict_last|L2::evict_normal", &[], "m", 74, 80),
    form(Prefetch, "const|param? tensormap", &[], "m", 80, 90),
    form(Prefetchu, "L1", &[], "m", 20, 20),
    form(Applypriority, "global? L2::evict_normal", &[], "m i", 74, 80),
    form(Discard, "global? L2", &[], "m i", 74, 80),
    form(
        Createpolicy,
        "fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged L2::evict_first|L2::evict_unchanged?",
        &["b64"],
        "=q r?",
        74,
        80,
    ),
    form(
        Createpolicy,
        "range global? L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged L2::evict_first|L2::evict_unchanged?",
        &["b64"],
        "=q m r r",
        74,
        80,
    ),
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
