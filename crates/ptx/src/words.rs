//! What the words between the dots of an instruction mean (PTX ISA, section 9). Which words may stand where is the table's
//! business; a word that no instruction has is an error before the table is asked.

use crate::Opcode;
use crate::ast::{
    Boundary, Compare, Geometry, Half, Layout, Matrix, Mode, Modifiers, Name, Operation, Query, Rounding, Scope,
    Semantics, Shape, Space,
};

/// Applies one word of an instruction to its modifiers. False if no instruction has such a word.
pub(crate) fn apply(opcode: Opcode, word: &str, m: &mut Modifiers) -> bool {
    if of_opcode(opcode, word, m) {
        return true;
    }
    if let Some(shape) = shape(word) {
        m.shape = Some(shape);
        return true;
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
        "hi" => m.half = Some(Half::Hi),
        "lo" => m.half = Some(Half::Lo),
        "wide" => m.half = Some(Half::Wide),
        "add" => m.operation = Some(Operation::Add),
        "min" => m.operation = Some(Operation::Min),
        "max" => m.operation = Some(Operation::Max),
        "and" => m.operation = Some(Operation::And),
        "or" => m.operation = Some(Operation::Or),
        "xor" => m.operation = Some(Operation::Xor),
        "exch" => m.operation = Some(Operation::Exch),
        "cas" => m.operation = Some(Operation::Cas),
        "inc" => m.operation = Some(Operation::Inc),
        "dec" => m.operation = Some(Operation::Dec),
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
        "gpu" | "gl" => m.scope = Some(Scope::Gpu),
        "sys" => m.scope = Some(Scope::Sys),
        "v2" => m.vector = 2,
        "v4" => m.vector = 4,
        "v8" => m.vector = 8,
        "x1" => m.count = 1,
        "x2" => m.count = 2,
        "x4" => m.count = 4,
        "row" => layout(m, Layout::Row),
        "col" => layout(m, Layout::Col),
        "trans" => m.trans = true,
        "to" => m.to = true,
        "ftz" => m.ftz = true,
        "sat" => m.sat = true,
        "satfinite" => m.satfinite = true,
        "relu" => m.relu = true,
        "approx" => m.approx = true,
        "full" => m.full = true,
        "NaN" => m.nan = true,
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
        "parity" => m.parity = true,
        "noComplete" => m.no_complete = true,
        "noinc" => m.no_increment = true,
        "read" => m.read = true,
        "popc" => m.popc = true,
        _ => match space(word) {
            // The second space of a copy is where it reads.
            Some(space) if m.space.is_some() => m.source_space = Some(space),
            Some(space) => m.space = Some(space),
            None if is_hint(word) => m.hints.push(Name::from(word)),
            None => return false,
        },
    }
    true
}

/// Words whose meaning hangs on the instruction.
fn of_opcode(opcode: Opcode, word: &str, m: &mut Modifiers) -> bool {
    if let Some(mode) = mode(opcode, word, m.mode) {
        m.mode = Some(mode);
        m.sync |= word == "sync";
        return true;
    }
    match (opcode, word) {
        (Opcode::Set | Opcode::Setp, _) => match compare(word) {
            Some(compare) => m.compare = Some(compare),
            None => return false,
        },
        (Opcode::Bar | Opcode::Barrier, "cta") => {}
        (Opcode::Bar | Opcode::Barrier, "sync") => m.sync = true,
        (Opcode::Bar | Opcode::Barrier, "popc") => m.operation = Some(Operation::Popc),
        (Opcode::Wmma, "a") => m.matrix = Some(Matrix::A),
        (Opcode::Wmma, "b") => m.matrix = Some(Matrix::B),
        (Opcode::Wmma, "c") => m.matrix = Some(Matrix::C),
        (Opcode::Wmma, "d") => m.matrix = Some(Matrix::D),
        (Opcode::Suld | Opcode::Sust | Opcode::Sured, "trap") => m.boundary = Some(Boundary::Trap),
        (Opcode::Suld | Opcode::Sust | Opcode::Sured, "clamp") => m.boundary = Some(Boundary::Clamp),
        (Opcode::Suld | Opcode::Sust | Opcode::Sured, "zero") => m.boundary = Some(Boundary::Zero),
        (Opcode::Tex | Opcode::Tld4 | Opcode::Suld | Opcode::Sust | Opcode::Sured, _) => match geometry(word) {
            Some(geometry) => m.geometry = Some(geometry),
            None => return false,
        },
        (Opcode::Txq | Opcode::Suq, _) => match query(word) {
            Some(query) => m.query = Some(query),
            None => return false,
        },
        _ => return false,
    }
    true
}

/// The word that selects what an instruction does. `before` is what an earlier word of the same instruction selected.
fn mode(opcode: Opcode, word: &str, before: Option<Mode>) -> Option<Mode> {
    Some(match (opcode, word) {
        (Opcode::Shfl, "up") => Mode::Up,
        (Opcode::Shfl, "down") => Mode::Down,
        (Opcode::Shfl, "bfly") => Mode::Bfly,
        (Opcode::Shfl, "idx") => Mode::Idx,
        (Opcode::Vote | Opcode::Match, "all") => Mode::All,
        (Opcode::Vote | Opcode::Match, "any") => Mode::Any,
        (Opcode::Vote, "uni") => Mode::Uni,
        (Opcode::Vote, "ballot") => Mode::Ballot,
        (Opcode::Bar | Opcode::Barrier, "sync") if before.is_none() => Mode::Sync,
        (Opcode::Bar | Opcode::Barrier, "arrive") => Mode::Arrive,
        (Opcode::Bar | Opcode::Barrier, "red") => Mode::Red,
        (Opcode::Bar, "warp") => Mode::Warp,
        (Opcode::Barrier | Opcode::Griddepcontrol, "wait") => Mode::Wait,
        (Opcode::Griddepcontrol, "launch_dependents") => Mode::LaunchDependents,
        (Opcode::Shf, "l") => Mode::Left,
        (Opcode::Shf, "r") => Mode::Right,
        (Opcode::Prmt, "f4e") => Mode::F4e,
        (Opcode::Prmt, "b4e") => Mode::B4e,
        (Opcode::Prmt, "rc8") => Mode::Rc8,
        (Opcode::Prmt, "ecl") => Mode::Ecl,
        (Opcode::Prmt, "ecr") => Mode::Ecr,
        (Opcode::Prmt, "rc16") => Mode::Rc16,
        (Opcode::Testp, "finite") => Mode::Finite,
        (Opcode::Testp, "infinite") => Mode::Infinite,
        (Opcode::Testp, "number") => Mode::Number,
        (Opcode::Testp, "notanumber") => Mode::NotANumber,
        (Opcode::Testp, "normal") => Mode::Normal,
        (Opcode::Testp, "subnormal") => Mode::Subnormal,
        (Opcode::Fence | Opcode::Membar, "proxy") => Mode::Proxy,
        (Opcode::Fence, "mbarrier_init") => Mode::MbarrierInit,
        (Opcode::Cp, "async") if before == Some(Mode::BulkReduce) => Mode::BulkReduce,
        (Opcode::St | Opcode::Red | Opcode::Cp, "async") => Mode::Async,
        (Opcode::Cp, "bulk") if before == Some(Mode::BulkReduce) => Mode::BulkReduce,
        (Opcode::Cp, "bulk") => Mode::Bulk,
        (Opcode::Cp, "reduce") => Mode::BulkReduce,
        (Opcode::Cp, "prefetch") => Mode::BulkPrefetch,
        (Opcode::Cp, "mbarrier") => Mode::AsyncMbarrierArrive,
        (Opcode::Cp, "commit_group") if before == Some(Mode::Bulk) => Mode::BulkCommitGroup,
        (Opcode::Cp, "commit_group") => Mode::CommitGroup,
        (Opcode::Cp, "wait_group") if before == Some(Mode::Bulk) => Mode::BulkWaitGroup,
        (Opcode::Cp, "wait_group") => Mode::WaitGroup,
        (Opcode::Cp, "wait_all") => Mode::WaitAll,
        (Opcode::Mbarrier, "init") => Mode::Init,
        (Opcode::Mbarrier, "inval") => Mode::Inval,
        (Opcode::Mbarrier, "arrive") => Mode::Arrive,
        (Opcode::Mbarrier, "arrive_drop") => Mode::ArriveDrop,
        (Opcode::Mbarrier, "expect_tx") => match before {
            Some(Mode::Arrive) => Mode::ArriveExpectTx,
            Some(Mode::ArriveDrop) => Mode::ArriveDropExpectTx,
            _ => Mode::ExpectTx,
        },
        (Opcode::Mbarrier, "complete_tx") => Mode::CompleteTx,
        (Opcode::Mbarrier, "test_wait") => Mode::TestWait,
        (Opcode::Mbarrier, "try_wait") => Mode::TryWait,
        (Opcode::Mbarrier, "pending_count") => Mode::PendingCount,
        (Opcode::Wmma, "load") => Mode::Load,
        (Opcode::Wmma, "store") => Mode::Store,
        (Opcode::Wmma, "mma") => Mode::Mma,
        (Opcode::Tex, "base") => Mode::Base,
        (Opcode::Tex, "level") => Mode::Level,
        (Opcode::Tex, "grad") => Mode::Grad,
        (Opcode::Txq, "level") => Mode::Level,
        (Opcode::Tld4, "r") => Mode::ComponentR,
        (Opcode::Tld4, "g") => Mode::ComponentG,
        (Opcode::Tld4, "b") => Mode::ComponentB,
        (Opcode::Tld4, "a") => Mode::ComponentA,
        (Opcode::Suld | Opcode::Sust | Opcode::Sured, "b") => Mode::Unformatted,
        (Opcode::Suld | Opcode::Sust | Opcode::Sured, "p") => Mode::Formatted,
        (Opcode::Createpolicy, "fractional") => Mode::Fractional,
        (Opcode::Createpolicy, "range") => Mode::Range,
        (Opcode::Createpolicy, "cvt") => Mode::Cvt,
        _ => return None,
    })
}

fn compare(word: &str) -> Option<Compare> {
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

fn space(word: &str) -> Option<Space> {
    Some(match word {
        "global" => Space::Global,
        "shared" | "shared::cta" => Space::Shared,
        "shared::cluster" => Space::SharedCluster,
        "local" => Space::Local,
        "const" => Space::Const,
        "param" | "param::entry" | "param::func" => Space::Param,
        _ => return None,
    })
}

fn geometry(word: &str) -> Option<Geometry> {
    Some(match word {
        "1d" => Geometry::D1,
        "2d" => Geometry::D2,
        "3d" => Geometry::D3,
        "a1d" => Geometry::A1d,
        "a2d" => Geometry::A2d,
        "cube" => Geometry::Cube,
        "acube" => Geometry::Acube,
        "2dms" => Geometry::D2ms,
        "a2dms" => Geometry::A2dms,
        _ => return None,
    })
}

fn query(word: &str) -> Option<Query> {
    Some(match word {
        "width" => Query::Width,
        "height" => Query::Height,
        "depth" => Query::Depth,
        "channel_data_type" => Query::ChannelDataType,
        "channel_order" => Query::ChannelOrder,
        "normalized_coords" => Query::NormalizedCoords,
        "force_unnormalized_coords" => Query::ForceUnnormalizedCoords,
        "filter_mode" => Query::FilterMode,
        "addr_mode_0" => Query::AddrMode(0),
        "addr_mode_1" => Query::AddrMode(1),
        "addr_mode_2" => Query::AddrMode(2),
        "array_size" => Query::ArraySize,
        "num_mipmap_levels" => Query::NumMipmapLevels,
        "num_samples" => Query::NumSamples,
        "memory_layout" => Query::MemoryLayout,
        _ => return None,
    })
}

/// `m16n8k16`, `m8n8`.
fn shape(word: &str) -> Option<Shape> {
    let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k').unwrap_or((rest, "0"));
    Some(Shape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
}

fn layout(m: &mut Modifiers, layout: Layout) {
    let place = if m.layouts[0].is_none() { 0 } else { 1 };
    m.layouts[place] = Some(layout);
}

/// Words that change nothing here, or that the mode and the table already account for.
fn is_hint(word: &str) -> bool {
    CACHE.contains(&word)
        || matches!(
            word,
            "L2::cache_hint"
                | "level::cache_hint"
                | "alias"
                | "async"
                | "async::global"
                | "async::shared::cta"
                | "async::shared::cluster"
                | "async::generic"
                | "tensormap"
                | "tensormap::generic"
                | "generic"
                | "sync_restrict::shared::cta"
                | "sync_restrict::shared::cluster"
                | "idx"
                | "b64"
                | "arrive"
                | "bulk"
                | "bulk_group"
                | "mbarrier::complete_tx::bytes"
                | "multicast::cluster"
                | "L2"
                | "global"
                | "mask"
        )
}

/// Cache operators, eviction priorities and prefetch sizes of loads, stores and copies.
pub(crate) const CACHE: &[&str] = &[
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "wb",
    "wt",
    "L1",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::evict_normal",
    "L2::evict_first",
    "L2::evict_last",
    "L2::evict_unchanged",
    "L2::64B",
    "L2::128B",
    "L2::256B",
];
