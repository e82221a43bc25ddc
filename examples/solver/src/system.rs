//! The equations: a symmetric, diagonally dominant matrix made of any square one, and what a solution is worth.

use spmv::matrix::{Entry, Matrix, Random};

/// S x = b. S is kept without its diagonal.
pub struct System {
    pub off_diagonal: Matrix,
    pub diagonal: Vec<f32>,
    pub b: Vec<f32>,
}

impl System {
    /// S = D - (|A| + |A|') / 2 off the diagonal, with D a quarter larger than the sum of its row, and one: positive definite, and Jacobi's
    /// error falls by at least a fifth in every iteration.
    pub fn from_matrix(matrix: &Matrix) -> Result<Self, String> {
        if matrix.rows() != matrix.columns {
            return Err(format!("{}: the matrix is not square", matrix.name));
        }
        let mut entries = Vec::with_capacity(2 * matrix.entries());
        let mut sums = vec![0f64; matrix.rows()];
        for row in 0..matrix.rows() {
            for (column, value) in matrix.row(row).filter(|&(column, _)| column != row) {
                let half = value.abs() / 2.0;
                entries.push(Entry { row: row as u32, column: column as u32, value: -half });
                entries.push(Entry { row: column as u32, column: row as u32, value: -half });
                sums[row] += f64::from(half);
                sums[column] += f64::from(half);
            }
        }
        let off_diagonal = Matrix::from_entries(matrix.name.clone(), matrix.rows(), matrix.columns, &entries);
        let mut random = Random(2);
        let b = (0..matrix.rows()).map(|_| random.signed_unit()).collect();
        Ok(Self { off_diagonal, diagonal: sums.iter().map(|sum| (1.25 * sum + 1.0) as f32).collect(), b })
    }

    pub fn rows(&self) -> usize {
        self.b.len()
    }

    /// Squares of the right side, which are those of the residual of x = 0.
    pub fn squares_of_b(&self) -> f64 {
        self.b.iter().map(|&value| f64::from(value).powi(2)).sum()
    }

    /// |b - S x| / |b| in double precision.
    pub fn residual(&self, x: &[f32]) -> f64 {
        let squares: f64 = (0..self.rows())
            .map(|row| {
                let off: f64 =
                    self.off_diagonal.row(row).map(|(column, value)| f64::from(value) * f64::from(x[column])).sum();
                (f64::from(self.b[row]) - off - f64::from(self.diagonal[row]) * f64::from(x[row])).powi(2)
            })
            .sum();
        (squares / self.squares_of_b()).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_symmetric_and_dominant() {
        let law = spmv::generate::PowerLaw { rows: 300, exponent: 1.8, hubs: 3, seed: 5, hub_entries: None };
        let system = System::from_matrix(&law.matrix().expect("it fits")).expect("it is square");
        let dense = |row: usize, column: usize| -> f64 {
            system.off_diagonal.row(row).filter(|entry| entry.0 == column).map(|entry| f64::from(entry.1)).sum()
        };
        for row in 0..300 {
            let sum: f64 = system.off_diagonal.row(row).map(|entry| f64::from(entry.1.abs())).sum();
            assert!(f64::from(system.diagonal[row]) > 1.2 * sum);
            for column in (0..300).step_by(17) {
                assert!((dense(row, column) - dense(column, row)).abs() < 1e-6, "{row} {column}");
            }
        }
        assert!((system.residual(&vec![0.0; 300]) - 1.0).abs() < 1e-12);
    }
}
