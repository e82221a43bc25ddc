//! Asynchronous copies and `mbarrier` (PTX ISA, sections 9.7.9.25 and 9.7.13.15). Tensor copies are not read.

use super::{Form, Opcode::*, form};

macro_rules! stored {
    ($vector:literal) => {
        concat!("async weak? shared::cluster? mbarrier::complete_tx::bytes ", $vector)
    };
}
macro_rules! reduce_shared {
    ($operation:literal) => {
        concat!("reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes ", $operation)
    };
}
macro_rules! reduce_global {
    ($operation:literal) => {
        concat!("reduce async bulk global shared::cta bulk_group L2::cache_hint? ", $operation)
    };
}

pub(super) const FORMS: &[Form] = &[
    form(
        Cp,
        "async ca shared|shared::cta global L2::cache_hint? L2::64B|L2::128B|L2::256B?",
        &[],
        "m m i x? c",
        70,
        80,
    ),
    form(
        Cp,
        "async cg shared|shared::cta global L2::cache_hint? L2::64B|L2::128B|L2::256B?",
        &[],
        "m m i x? c",
        70,
        80,
    ),
    form(Cp, "async commit_group", &[], "", 70, 80),
    form(Cp, "async wait_group", &[], "i", 70, 80),
    form(Cp, "async wait_all", &[], "", 70, 80),
    form(Cp, "async mbarrier arrive noinc? shared|shared::cta?", &["b64"], "m", 70, 80),
    form(
        Cp,
        "async bulk shared::cluster global mbarrier::complete_tx::bytes L2::cache_hint?",
        &[],
        "m m r m c",
        80,
        90,
    ),
    form(Cp, "async bulk shared::cta global mbarrier::complete_tx::bytes L2::cache_hint?", &[], "m m r m c", 86, 90),
    form(
        Cp,
        "async bulk shared::cluster global mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint?",
        &[],
        "m m r m h c",
        80,
        90,
    ),
    form(Cp, "async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes", &[], "m m r m", 80, 90),
    form(Cp, "async bulk global shared::cta bulk_group L2::cache_hint?", &[], "m m r c", 80, 90),
    form(Cp, "async bulk prefetch L2 global L2::cache_hint?", &[], "m r c", 80, 90),
    form(Cp, "async bulk commit_group", &[], "", 80, 90),
    form(Cp, "async bulk wait_group read?", &[], "i", 80, 90),
    form(Cp, reduce_shared!("and|or|xor"), &["b32"], "m m r m", 80, 90),
    form(Cp, reduce_shared!("add|min|max"), &["u32 s32"], "m m r m", 80, 90),
    form(Cp, reduce_shared!("inc|dec"), &["u32"], "m m r m", 80, 90),
    form(Cp, reduce_shared!("add"), &["u64"], "m m r m", 80, 90),
    form(Cp, reduce_global!("and|or|xor"), &["b32 b64"], "m m r c", 80, 90),
    form(Cp, reduce_global!("add|min|max"), &["u32 s32 u64"], "m m r c", 80, 90),
    form(Cp, reduce_global!("min|max"), &["s64"], "m m r c", 80, 90),
    form(Cp, reduce_global!("inc|dec"), &["u32"], "m m r c", 80, 90),
    form(Cp, reduce_global!("add"), &["f32 f64"], "m m r c", 80, 90),
    form(Cp, reduce_global!("min|max"), &["f16 bf16"], "m m r c", 80, 90),
    form(Cp, reduce_global!("add noftz"), &["f16 bf16"], "m m r c", 80, 90),
    form(St, stored!("v2|v4?"), &["b32 u32 s32 f32"], "m v m", 81, 90),
    form(St, stored!("v2?"), &["b64 u64 s64 f64"], "m v m", 81, 90),
    form(Red, "async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes inc|dec", &["u32"], "m 0 m", 81, 90),
    form(
        Red,
        "async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes min|max|add",
        &["u32 s32"],
        "m 0 m",
        81,
        90,
    ),
    form(Red, "async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes add", &["u64"], "m 0 m", 81, 90),
    form(
        Red,
        "async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes and|or|xor",
        &["b32"],
        "m 0 m",
        81,
        90,
    ),
    form(Mbarrier, "init shared|shared::cta?", &["b64"], "m r", 70, 80),
    form(Mbarrier, "inval shared|shared::cta?", &["b64"], "m", 70, 80),
    form(Mbarrier, "expect_tx|complete_tx shared|shared::cta|shared::cluster?", &["b64"], "m r", 80, 90),
    form(
        Mbarrier,
        "expect_tx|complete_tx relaxed cta|cluster shared|shared::cta|shared::cluster?",
        &["b64"],
        "m r",
        80,
        90,
    ),
    form(Mbarrier, "arrive|arrive_drop shared|shared::cta?", &["b64"], "=q m r?", 70, 80),
    form(Mbarrier, "arrive|arrive_drop shared::cluster", &["b64"], "=_ m r?", 80, 90),
    form(Mbarrier, "arrive|arrive_drop expect_tx shared|shared::cta?", &["b64"], "=q m r", 80, 90),
    form(Mbarrier, "arrive|arrive_drop expect_tx shared::cluster", &["b64"], "=_ m r", 80, 90),
    form(Mbarrier, "arrive|arrive_drop release|relaxed cta|cluster shared|shared::cta?", &["b64"], "=q m r?", 80, 80),
    form(Mbarrier, "arrive|arrive_drop release|relaxed cta|cluster shared::cluster", &["b64"], "=_ m r?", 80, 90),
    form(
        Mbarrier,
        "arrive|arrive_drop expect_tx release|relaxed cta|cluster shared|shared::cta?",
        &["b64"],
        "=q m r",
        80,
        90,
    ),
    form(
        Mbarrier,
        "arrive|arrive_drop expect_tx release|relaxed cta|cluster shared::cluster",
        &["b64"],
        "=_ m r",
        80,
        90,
    ),
    form(Mbarrier, "arrive|arrive_drop noComplete shared|shared::cta?", &["b64"], "=q m r", 70, 80),
    form(Mbarrier, "arrive|arrive_drop noComplete release cta shared|shared::cta?", &["b64"], "=q m r", 80, 80),
    form(Mbarrier, "test_wait shared|shared::cta?", &["b64"], "=p m q", 70, 80),
    form(Mbarrier, "test_wait parity shared|shared::cta?", &["b64"], "=p m r", 71, 80),
    form(Mbarrier, "try_wait shared|shared::cta?", &["b64"], "=p m q r?", 78, 90),
    form(Mbarrier, "try_wait parity shared|shared::cta?", &["b64"], "=p m r r?", 78, 90),
    form(Mbarrier, "test_wait acquire|relaxed cta|cluster shared|shared::cta?", &["b64"], "=p m q", 80, 80),
    form(Mbarrier, "test_wait parity acquire|relaxed cta|cluster shared|shared::cta?", &["b64"], "=p m r", 80, 80),
    form(Mbarrier, "try_wait acquire|relaxed cta|cluster shared|shared::cta?", &["b64"], "=p m q r?", 80, 90),
    form(Mbarrier, "try_wait parity acquire|relaxed cta|cluster shared|shared::cta?", &["b64"], "=p m r r?", 80, 90),
    form(Mbarrier, "pending_count", &["b64"], "=r q", 70, 80),
];
