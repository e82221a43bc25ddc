//! The strategies of `kernels/spmv.cu`, and how each may be told from its result.

/// How rows of very different length are shared out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Strategy {
    /// One thread per row, however long.
    Inline,
    /// A child grid per heavy row, added up by atomics; a tail launch applies the activation.
    Cdp,
    /// A child grid per heavy row leaves partial sums, which a tail launch adds in a fixed order.
    CdpDeterministic,
    /// Heavy rows into a list; one tail launch for the whole list.
    Worklist,
    /// Heavy rows into a list; the host waits and launches a second kernel for it.
    TwoPass,
}

impl Strategy {
    pub const ALL: [Self; 5] = [Self::Inline, Self::Cdp, Self::CdpDeterministic, Self::Worklist, Self::TwoPass];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Cdp => "cdp",
            Self::CdpDeterministic => "cdp-deterministic",
            Self::Worklist => "worklist",
            Self::TwoPass => "two-pass",
        }
    }

    /// The kernel that the host launches first.
    pub fn kernel(self) -> &'static str {
        match self {
            Self::Inline => "spmv_inline",
            Self::Cdp => "spmv_cdp",
            Self::CdpDeterministic => "spmv_cdp_deterministic",
            Self::Worklist => "spmv_worklist",
            Self::TwoPass => "spmv_light",
        }
    }

    /// Whether each heavy row is a launch of its own.
    pub fn has_children(self) -> bool {
        matches!(self, Self::Cdp | Self::CdpDeterministic)
    }

    /// Whether the kernel launches a tail.
    pub fn has_tail(self) -> bool {
        self.has_children() || self == Self::Worklist
    }
}
