//! Sparse matrices in compressed rows.

/// One stored entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// From 0.
    pub row: u32,
    /// From 0.
    pub column: u32,
    /// What is stored there.
    pub value: f32,
}

/// A matrix in compressed rows. Indices are `i32`, as the kernels read them.
#[derive(Debug)]
pub struct Matrix {
    /// What reports call it.
    pub name: String,
    /// Number of columns.
    pub columns: usize,
    /// Where each row begins in the two arrays below, and one past the last.
    pub start: Vec<i32>,
    /// Of each entry, row after row.
    pub column: Vec<i32>,
    /// Of each entry, row after row.
    pub value: Vec<f32>,
}

/// The most entries that fit the kernels' indices with room to spare.
pub const MOST_ENTRIES: usize = 1 << 30;

impl Matrix {
    /// Sorts entries by row, keeping their order within a row. Entries of the same place stay apart: they add up in the product.
    ///
    /// Rows and columns must be within the given sizes, and no more than [`MOST_ENTRIES`].
    pub fn from_entries(name: String, rows: usize, columns: usize, entries: &[Entry]) -> Self {
        let mut start = vec![0; rows + 1];
        for entry in entries {
            start[entry.row as usize + 1] += 1;
        }
        for row in 0..rows {
            start[row + 1] += start[row];
        }
        let mut next = start.clone();
        let mut column = vec![0; entries.len()];
        let mut value = vec![0.0; entries.len()];
        for entry in entries {
            let at = &mut next[entry.row as usize];
            column[*at as usize] = entry.column as i32;
            value[*at as usize] = entry.value;
            *at += 1;
        }
        Self { name, columns, start, column, value }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.start.len() - 1
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.column.len()
    }

    /// Entries of one row.
    pub fn length(&self, row: usize) -> usize {
        (self.start[row + 1] - self.start[row]) as usize
    }

    /// Lengths of all rows.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        (0..self.rows()).map(|row| self.length(row))
    }

    /// Column and value of each entry of one row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f32)> {
        let range = self.start[row] as usize..self.start[row + 1] as usize;
        self.column[range.clone()].iter().map(|&column| column as usize).zip(self.value[range].iter().copied())
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine, and the same as in `programs/matrix.h`.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((self.next() >> 33) % u64::from(bound)) as u32
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In [-1, 1), exact in single precision.
    pub fn signed_unit(&mut self) -> f32 {
        ((self.next() >> 40) as i32 - (1 << 23)) as f32 / (1 << 23) as f32
    }
}
