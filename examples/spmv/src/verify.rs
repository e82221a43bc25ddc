//! What must come out: a double precision reference, and how far single precision may be from it.

use crate::device::Outcome;
use crate::strategy::Strategy;
use spmv::matrix::Matrix;

/// The product before the activation, with the bound |y - y_ref| <= (row length + 1) * 2^-24 * sum |a x| per row, which holds for any
/// order of the additions.
pub struct Reference {
    sum: Vec<f64>,
    bound: Vec<f64>,
}

impl Reference {
    pub fn new(matrix: &Matrix, x: &[f32]) -> Self {
        let (sum, bound) = (0..matrix.rows())
            .map(|row| {
                let products = || matrix.row(row).map(|(column, value)| f64::from(value) * f64::from(x[column]));
                let magnitude: f64 = products().map(f64::abs).sum();
                let roundings = (matrix.length(row) + 1) as f64;
                (products().sum::<f64>(), roundings / (1u32 << 24) as f64 * magnitude)
            })
            .unzip();
        Self { sum, bound }
    }

    /// Each row's sum and bound.
    pub fn rows(&self) -> impl Iterator<Item = (f64, f64)> {
        self.sum.iter().copied().zip(self.bound.iter().copied())
    }

    /// The largest error of a row as a fraction of its bound, or what is wrong.
    ///
    /// A refused launch is no error of the device: a row whose launch was lost must be reported, and hold exactly zero. Without its tail, cdp
    /// must leave the sums as they are, and the other strategies leave zero in every heavy row.
    pub fn check(&self, matrix: &Matrix, heavy: usize, strategy: Strategy, outcome: &Outcome) -> Result<f64, String> {
        let launches = &outcome.launches;
        let heavy_rows = matrix.lengths().filter(|&length| length > heavy).count();
        let expected_children = if strategy.has_children() { heavy_rows } else { 0 };
        if (launches.children + launches.lost) as usize != expected_children {
            return Err(format!("{expected_children} heavy rows, but {launches:?}"));
        }
        if launches.tails + launches.lost_tails != i32::from(strategy.has_tail()) {
            return Err(format!("not exactly one tail launch: {launches:?}"));
        }
        if launches.pending != launches.tails {
            return Err("a child grid has not ended".to_owned());
        }
        let mut lost = vec![false; matrix.rows()];
        for &row in &outcome.lost_rows {
            let row = row as usize;
            if row >= lost.len() || lost[row] || matrix.length(row) <= heavy {
                return Err(format!("row {row} is reported as lost"));
            }
            lost[row] = true;
        }

        let no_tail = launches.lost_tails > 0;
        let mut worst: f64 = 0.0;
        for (row, &y) in outcome.y.iter().enumerate() {
            let (mut expected, mut bound) = (self.sum[row], self.bound[row]);
            if !(no_tail && strategy == Strategy::Cdp) {
                expected = expected.max(0.0);
            }
            if lost[row] || no_tail && strategy != Strategy::Cdp && matrix.length(row) > heavy {
                (expected, bound) = (0.0, 0.0);
            }
            let error = (f64::from(y) - expected).abs();
            if error.is_nan() || error > bound {
                let length = matrix.length(row);
                return Err(format!("row {row} of {length} entries is {y}, expected {expected} within {bound:e}"));
            }
            if bound > 0.0 {
                worst = worst.max(error / bound);
            }
        }
        Ok(worst)
    }
}
