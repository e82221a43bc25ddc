//! The strategies of `kernels/spmv.cu`, how each may be told from its result, and which one a matrix is given by `auto`.

use spmv::matrix::Matrix;

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
    /// Rows and entries in equal pieces, and a second kernel for what lies across pieces.
    Merge,
}

impl Strategy {
    pub const ALL: [Self; 6] =
        [Self::Inline, Self::Cdp, Self::CdpDeterministic, Self::Worklist, Self::TwoPass, Self::Merge];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Cdp => "cdp",
            Self::CdpDeterministic => "cdp-deterministic",
            Self::Worklist => "worklist",
            Self::TwoPass => "two-pass",
            Self::Merge => "merge",
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

    /// Whether rows above a threshold are treated in another way.
    pub fn has_threshold(self) -> bool {
        self.has_tail() || self == Self::TwoPass
    }

    /// Whether additions have one order, so that results are equal bit for bit.
    pub fn is_deterministic(self) -> bool {
        self != Self::Cdp
    }

    /// The strategy for a matrix, from the lengths of its rows alone.
    ///
    /// One thread a row wins only where rows are short and alike: then no lane waits for another, and reading a row's entries by one thread
    /// costs little. Everywhere else equal pieces win, also against device launches (measured: `docs/h200.md`).
    pub fn for_matrix(matrix: &Matrix) -> Self {
        let alike = steps_of_warps(matrix) as f64 <= 1.5 * matrix.entries() as f64;
        let short = matrix.lengths().max().unwrap_or(0) <= 16;
        if alike && short { Self::Inline } else { Self::Merge }
    }
}

/// Steps of all lanes if one thread takes a row: each lane of a warp waits for the longest of its 32 rows.
fn steps_of_warps(matrix: &Matrix) -> usize {
    let lengths: Vec<usize> = matrix.lengths().collect();
    lengths.chunks(32).map(|warp| 32 * warp.iter().max().copied().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use spmv::generate::{PowerLaw, uniform};

    #[test]
    fn short_rows_alike_are_taken_by_threads_and_others_in_pieces() {
        assert_eq!(Strategy::for_matrix(&uniform(1000, 4, 1).expect("it fits")), Strategy::Inline);
        assert_eq!(Strategy::for_matrix(&uniform(1000, 100, 1).expect("it fits")), Strategy::Merge);
        let law = PowerLaw { rows: 1000, exponent: 1.8, hubs: 0, seed: 1, hub_entries: None };
        assert_eq!(Strategy::for_matrix(&law.matrix().expect("it fits")), Strategy::Merge);
    }
}
