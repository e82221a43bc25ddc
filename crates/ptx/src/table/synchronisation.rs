//! Parallel synchronisation and communication, atomics (PTX ISA, section 9.7.13).

use super::{Form, Opcode::*, form};

macro_rules! atomic {
    ($operations:expr) => {
        concat!("relaxed|acquire|release|acq_rel? cta|cluster|gpu|sys? ", $operations)
    };
}
macro_rules! reduction {
    ($operations:expr) => {
        concat!("relaxed|release? cta|cluster|gpu|sys? ", $operations)
    };
}

/// Atomics on memory of any space; cache hints are for global memory.
macro_rules! atomics {
    ($($opcode:ident $order:ident $operations:literal, $types:literal, $operands:literal, $version:literal, $target:literal;)*) => {
        &[$(
            form($opcode, $order!(concat!("shared|shared::cta|shared::cluster ", $operations)), &[$types], $operands, $version, $target),
            form($opcode, $order!(concat!("global? L2::cache_hint? ", $operations)), &[$types], concat!($operands, " c"), $version, $target),
        )*]
    };
}

pub(super) const ATOMICS: &[Form] = atomics! {
    Atom atomic "and|or|xor|exch", "b32 b64", "=0 m 0", 11, 11;
    Atom atomic "add", "u32 s32 u64 f32", "=0 m 0", 11, 11;
    Atom atomic "add", "f64", "=0 m 0", 50, 60;
    Atom atomic "inc|dec", "u32", "=0 m 0", 11, 11;
    Atom atomic "min|max", "u32 s32 u64 s64", "=0 m 0", 11, 11;
    Atom atomic "add noftz", "f16x2", "=0 m 0", 62, 60;
    Atom atomic "add noftz", "f16", "=0 m 0", 63, 70;
    Atom atomic "add noftz", "bf16 bf16x2", "=0 m 0", 78, 90;
    Red reduction "and|or|xor", "b32 b64", "m 0", 12, 11;
    Red reduction "add", "u32 s32 u64 f32", "m 0", 12, 11;
    Red reduction "add", "f64", "m 0", 50, 60;
    Red reduction "inc|dec", "u32", "m 0", 12, 11;
    Red reduction "min|max", "u32 s32 u64 s64", "m 0", 12, 11;
    Red reduction "add noftz", "f16x2", "m 0", 62, 60;
    Red reduction "add noftz", "f16", "m 0", 63, 70;
    Red reduction "add noftz", "bf16 bf16x2", "m 0", 78, 90;
};

pub(super) const FORMS: &[Form] = &[
    form(Bar, "cta? sync", &[], "r r?", 10, 10),
    form(Bar, "cta? arrive", &[], "r r", 20, 20),
    form(Bar, "cta? red popc", &["u32"], "=r r n", 20, 20),
    form(Bar, "cta? red popc", &["u32"], "=r r r n", 20, 20),
    form(Bar, "cta? red and|or", &["pred"], "=p r n", 20, 20),
    form(Bar, "cta? red and|or", &["pred"], "=p r r n", 20, 20),
    form(Bar, "warp sync", &[], "r", 60, 30),
    form(Barrier, "cta? sync aligned?", &[], "r r?", 60, 30),
    form(Barrier, "cta? arrive aligned?", &[], "r r", 60, 30),
    form(Barrier, "cta? red popc aligned?", &["u32"], "=r r n", 60, 30),
    form(Barrier, "cta? red popc aligned?", &["u32"], "=r r r n", 60, 30),
    form(Barrier, "cta? red and|or aligned?", &["pred"], "=p r n", 60, 30),
    form(Barrier, "cta? red and|or aligned?", &["pred"], "=p r r n", 60, 30),
    form(Barrier, "cluster arrive release|relaxed? aligned?", &[], "", 78, 90),
    form(Barrier, "cluster wait acquire? aligned?", &[], "", 78, 90),
    form(Membar, "cta|gl|sys", &[], "", 14, 10),
    form(Membar, "proxy alias", &[], "", 75, 70),
    form(Fence, "sc|acq_rel|acquire|release? cta|cluster|gpu|sys", &[], "", 60, 70),
    form(Fence, "acquire sync_restrict::shared::cluster cluster", &[], "", 86, 90),
    form(Fence, "release sync_restrict::shared::cta cluster", &[], "", 86, 90),
    form(Fence, "mbarrier_init release cluster", &[], "", 80, 90),
    form(Fence, "proxy alias", &[], "", 75, 70),
    form(Fence, "proxy async global|shared::cta|shared::cluster?", &[], "", 80, 90),
    form(Fence, "proxy async::generic acquire sync_restrict::shared::cluster cluster", &[], "", 86, 90),
    form(Fence, "proxy async::generic release sync_restrict::shared::cta cluster", &[], "", 86, 90),
    form(Fence, "proxy tensormap::generic release cta|cluster|gpu|sys", &[], "", 83, 90),
    form(Fence, "proxy tensormap::generic acquire cta|cluster|gpu|sys", &[], "m i", 83, 90),
    form(Vote, "sync all|any|uni", &["pred"], "=p n r", 60, 30),
    form(Vote, "sync ballot", &["b32"], "=0 n r", 60, 30),
    form(Match, "any sync", &["b32 b64"], "=r 0 r", 60, 70),
    form(Match, "all sync", &["b32 b64"], "=r|p 0 r", 60, 70),
    form(Activemask, "", &["b32"], "=0", 62, 30),
    form(Redux, "sync add|min|max", &["u32 s32"], "=0 0 r", 70, 80),
    form(Redux, "sync and|or|xor", &["b32"], "=0 0 r", 70, 80),
    form(Shfl, "sync up|down|bfly|idx", &["b32"], "=0|p 0 r r r", 60, 30),
    form(Elect, "sync", &[], "=r|p! r", 80, 90),
    form(Griddepcontrol, "launch_dependents|wait", &[], "", 78, 90),
    form(Atom, CAS, &["b32 b64"], "=0 m 0 0", 11, 11),
    form(Atom, CAS, &["b16"], "=0 m 0 0", 63, 70),
    form(Atom, CAS, &["b128"], "=0 m 0 0", 83, 90),
    form(Atom, atomic!("global|shared|shared::cta|shared::cluster? exch"), &["b128"], "=0 m 0", 83, 90),
    form(Atom, atomic!("global? L2::cache_hint? add v2|v4"), &["f32"], "=v m v c", 81, 90),
    form(Atom, atomic!("global? L2::cache_hint? add|min|max noftz v2|v4|v8"), &["f16 bf16"], "=v m v c", 81, 90),
    form(Atom, atomic!("global? L2::cache_hint? add|min|max noftz v2|v4"), &["f16x2 bf16x2"], "=v m v c", 81, 90),
    form(Red, reduction!("global? L2::cache_hint? add v2|v4"), &["f32"], "m v c", 81, 90),
    form(Red, reduction!("global? L2::cache_hint? add|min|max noftz v2|v4|v8"), &["f16 bf16"], "m v c", 81, 90),
    form(Red, reduction!("global? L2::cache_hint? add|min|max noftz v2|v4"), &["f16x2 bf16x2"], "m v c", 81, 90),
];

const CAS: &str = atomic!("global|shared|shared::cta|shared::cluster? cas");
