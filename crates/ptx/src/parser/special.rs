//! Special registers (PTX ISA, section 10).

use crate::ast::Special;

/// A special register by its name without `%`.
pub(super) fn special(name: &str) -> Option<Special> {
    if let Some((name, component)) = name.split_once('.') {
        return vector(
            name,
            match component {
                "x" => 0,
                "y" => 1,
                "z" => 2,
                _ => return None,
            },
        );
    }
    let numbered = |prefix: &str, suffix: &str, limit: u8| {
        let digits = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
        // `%pm01` is none.
        let plain = digits.len() == 1 || !digits.starts_with('0');
        digits.parse().ok().filter(|&number| plain && number < limit)
    };
    Some(match name {
        "laneid" => Special::LaneId,
        "warpid" => Special::WarpId,
        "nwarpid" => Special::NWarpId,
        "smid" => Special::SmId,
        "nsmid" => Special::NSmId,
        "gridid" => Special::GridId,
        "lanemask_eq" => Special::LaneMaskEq,
        "lanemask_le" => Special::LaneMaskLe,
        "lanemask_lt" => Special::LaneMaskLt,
        "lanemask_ge" => Special::LaneMaskGe,
        "lanemask_gt" => Special::LaneMaskGt,
        "clock" => Special::Clock,
        "clock_hi" => Special::ClockHi,
        "clock64" => Special::Clock64,
        "globaltimer" => Special::GlobalTimer,
        "globaltimer_lo" => Special::GlobalTimerLo,
        "globaltimer_hi" => Special::GlobalTimerHi,
        "cluster_ctarank" => Special::ClusterCtaRank,
        "cluster_nctarank" => Special::ClusterNctaRank,
        "is_explicit_cluster" => Special::IsExplicitCluster,
        "dynamic_smem_size" => Special::DynamicSmemSize,
        "total_smem_size" => Special::TotalSmemSize,
        "aggr_smem_size" => Special::AggrSmemSize,
        "current_graph_exec" => Special::CurrentGraphExec,
        "reserved_smem_offset_0" => Special::ReservedSmemOffset(0),
        "reserved_smem_offset_1" => Special::ReservedSmemOffset(1),
        "reserved_smem_offset_begin" => Special::ReservedSmemOffset(2),
        "reserved_smem_offset_end" => Special::ReservedSmemOffset(3),
        "reserved_smem_offset_cap" => Special::ReservedSmemOffset(4),
        _ => {
            return numbered("envreg", "", 32)
                .map(Special::EnvReg)
                .or_else(|| numbered("pm", "", 8).map(Special::Pm))
                .or_else(|| numbered("pm", "_64", 8).map(Special::Pm64));
        }
    })
}

fn vector(name: &str, index: u8) -> Option<Special> {
    Some(match name {
        "tid" => Special::Tid(index),
        "ntid" => Special::Ntid(index),
        "ctaid" => Special::Ctaid(index),
        "nctaid" => Special::Nctaid(index),
        "clusterid" => Special::ClusterId(index),
        "nclusterid" => Special::NClusterId(index),
        "cluster_ctaid" => Special::ClusterCtaId(index),
        "cluster_nctaid" => Special::ClusterNctaId(index),
        _ => return None,
    })
}
