//! Where the elements of a matrix lie in the registers of a warp (PTX ISA, section 9.7.14, "Matrix fragments").
//!
//! The lanes of a warp are eight groups of four. In every fragment the group counts along one side of the matrix and the lane within
//! its group along the other, so that a place is that of lane 0 plus a step for each. Fragments of `wmma` are nobody's business but
//! ours; they are tiles of those of `mma`, which is how current hardware has them too. `m8n32` is `m32n8` with its sides exchanged.

/// Sides of the product: `m` rows, `n` columns, sums of `k` products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of A, C and D.
    pub m: u32,
    /// Columns of B, C and D.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
}

/// What a matrix is to the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// The summand or the result.
    C,
}

/// One matrix as the registers of a warp hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// What it is.
    pub role: Role,
    /// Of the product that it belongs to.
    pub shape: Shape,
    /// Bits of an element.
    pub bits: u32,
}

/// How places move with the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// True if the group counts rows, and the lane in its group columns.
    pub group_is_row: bool,
    /// Elements from one lane of a group to the next.
    pub member: u32,
}

impl Fragment {
    /// Rows and columns of the matrix.
    #[must_use]
    pub fn sides(self) -> (u32, u32) {
        let Shape { m, n, k } = self.shape;
        match self.role {
            Role::A => (m, k),
            Role::B => (k, n),
            Role::C => (m, n),
        }
    }

    /// Elements in a register.
    #[must_use]
    pub fn packed(self) -> u32 {
        (32 / self.bits).max(1)
    }

    /// Words of 32 bits in a register.
    #[must_use]
    pub fn words(self) -> u32 {
        self.bits.div_ceil(32)
    }

    /// Registers of a lane that hold elements of their own. (`wmma` with `.f16` has more, which hold them again.)
    #[must_use]
    pub fn registers(self) -> u32 {
        let (rows, columns) = self.sides();
        rows * columns / 32 / self.packed()
    }

    /// The same matrix with its sides exchanged, if that is how it is laid out.
    fn turned(self) -> Option<Fragment> {
        let Shape { m, n, k } = self.shape;
        let role = match self.role {
            Role::A => Role::B,
            Role::B => Role::A,
            Role::C => Role::C,
        };
        (m == 8 && n > 8).then_some(Fragment { role, shape: Shape { m: n, n: m, k }, ..self })
    }

    /// Row and column of element `element` of register `register` in lane 0.
    #[must_use]
    pub fn origin(self, register: u32, element: u32) -> (u32, u32) {
        if let Some(turned) = self.turned() {
            let (row, column) = turned.origin(register, element);
            return (column, row);
        }
        let packed = self.packed();
        // Registers go through the halves of a tile of 16 rows first.
        let halves = if self.shape.m >= 16 { 2 } else { 1 };
        match self.role {
            Role::A => {
                let tile = halves * self.shape.k / (4 * packed);
                let within = register % tile;
                (register / tile * 16 + within % halves * 8, within / halves * 4 * packed + element)
            }
            Role::B => {
                let tile = self.shape.k / (4 * packed);
                (register % tile * 4 * packed + element, register / tile * 8)
            }
            Role::C => {
                let at = register * packed + element;
                let tile = at / (2 * halves);
                let (row, column) = (at / 2 % halves * 8, at % 2);
                if self.shape.m > 16 { (row + tile * 16, column) } else { (row, column + tile * 8) }
            }
        }
    }

    /// What the lane adds to that.
    #[must_use]
    pub fn steps(self) -> Steps {
        if let Some(turned) = self.turned() {
            let steps = turned.steps();
            return Steps { group_is_row: !steps.group_is_row, ..steps };
        }
        match self.role {
            Role::A => Steps { group_is_row: true, member: self.packed() },
            Role::B => Steps { group_is_row: false, member: self.packed() },
            Role::C => Steps { group_is_row: true, member: 2 },
        }
    }

    /// Row and column of an element in a lane.
    #[must_use]
    pub fn place(self, lane: u32, register: u32, element: u32) -> (u32, u32) {
        let (row, column) = self.origin(register, element);
        let Steps { group_is_row, member } = self.steps();
        let (group, along) = (lane / 4, lane % 4 * member);
        if group_is_row { (row + group, column + along) } else { (row + along, column + group) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element has exactly one place.
    #[test]
    fn fragments_cover_their_matrices() {
        let mut count = 0;
        for (m, n) in [(8, 8), (16, 8), (16, 16), (32, 8), (8, 32)] {
            for (k, bits) in
                [(4, 64), (8, 64), (16, 64), (4, 32), (8, 32), (8, 16), (16, 16), (16, 8), (32, 8), (64, 4)]
            {
                for (role, bits) in [(Role::A, bits), (Role::B, bits), (Role::C, 32), (Role::C, 16)] {
                    let fragment = Fragment { role, shape: Shape { m, n, k }, bits };
                    let (rows, columns) = fragment.sides();
                    let mut seen = vec![0; (rows * columns) as usize];
                    for lane in 0..32 {
                        for register in 0..fragment.registers() {
                            for element in 0..fragment.packed() {
                                let (row, column) = fragment.place(lane, register, element);
                                seen[(row * columns + column) as usize] += 1;
                            }
                        }
                    }
                    assert!(seen.iter().all(|&n| n == 1), "{fragment:?}");
                    count += 1;
                }
            }
        }
        assert_eq!(count, 200);
    }
}
