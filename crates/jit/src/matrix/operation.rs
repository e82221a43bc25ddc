//! What a matrix instruction does, as a number that lanes compare to find out whether they do the same.

use super::fragment::Shape;

/// A type of elements.
#[expect(missing_docs, reason = "named as PTX names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Element {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
    S8,
    U8,
    S4,
    U4,
    B1,
    F32,
    S32,
    F64,
}

impl Element {
    const ALL: [Element; 13] = {
        use Element as E;
        [E::F16, E::Bf16, E::Tf32, E::E4m3, E::E5m2, E::S8, E::U8, E::S4, E::U4, E::B1, E::F32, E::S32, E::F64]
    };

    /// Bits of an element in a register.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Element::F16 | Element::Bf16 => 16,
            Element::E4m3 | Element::E5m2 | Element::S8 | Element::U8 => 8,
            Element::S4 | Element::U4 => 4,
            Element::B1 => 1,
            Element::Tf32 | Element::F32 | Element::S32 => 32,
            Element::F64 => 64,
        }
    }
}

/// `mma`, `wmma.mma`: `D = A * B + C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// The sides.
    pub shape: Shape,
    /// Elements of A.
    pub a: Element,
    /// Elements of B.
    pub b: Element,
    /// Elements of C.
    pub c: Element,
    /// Elements of D.
    pub d: Element,
    /// `.satfinite`: integers clamp instead of wrapping around.
    pub clamps: bool,
    /// `.and` instead of `.xor`, for single bits.
    pub and: bool,
    /// Rounding of doubles: to nearest, to zero, down, up.
    pub rounding: u32,
}

/// What the lanes of a warp do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Nothing but wait for each other.
    Meet,
    /// Exchange addresses of rows.
    Rows {
        /// Of so many matrices.
        count: u32,
        /// Elements of columns are wanted.
        transposed: bool,
    },
    /// Exchange elements so that rows become columns.
    Transpose,
    /// Multiply.
    Product(Product),
}

/// Where the kind begins.
const KIND: u32 = 28;

impl Operation {
    /// A number below 2^30.
    #[must_use]
    pub fn code(self) -> u32 {
        match self {
            Operation::Meet => 0,
            Operation::Rows { count, transposed } => 1 << KIND | count << 1 | u32::from(transposed),
            Operation::Transpose => 2 << KIND,
            Operation::Product(p) => {
                let Shape { m, n, k } = p.shape;
                let shape = (m.ilog2() - 3) | (n.ilog2() - 3) << 2 | (k.ilog2() - 2) << 4;
                let elements = p.a as u32 | (p.b as u32) << 4 | (p.c as u32) << 8 | (p.d as u32) << 12;
                let rest = u32::from(p.clamps) | u32::from(p.and) << 1 | (p.rounding & 3) << 2;
                3 << KIND | shape << 20 | elements << 4 | rest
            }
        }
    }

    /// The operation of such a number.
    pub(super) fn of(code: u32) -> Option<Operation> {
        let element = |at: u32| Element::ALL.get((code >> at & 15) as usize).copied();
        Some(match code >> KIND {
            0 => Operation::Meet,
            1 => Operation::Rows { count: code >> 1 & 7, transposed: code & 1 == 1 },
            2 => Operation::Transpose,
            3 => {
                let shape = code >> 20;
                Operation::Product(Product {
                    shape: Shape { m: 8 << (shape & 3), n: 8 << (shape >> 2 & 3), k: 4 << (shape >> 4 & 7) },
                    a: element(4)?,
                    b: element(8)?,
                    c: element(12)?,
                    d: element(16)?,
                    clamps: code & 1 == 1,
                    and: code >> 1 & 1 == 1,
                    rounding: code >> 2 & 3,
                })
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_keep_everything() {
        let product = Product {
            shape: Shape { m: 32, n: 8, k: 256 },
            a: Element::U4,
            b: Element::S4,
            c: Element::F64,
            d: Element::S32,
            clamps: true,
            and: false,
            rounding: 3,
        };
        let other = Product { shape: Shape { m: 8, n: 32, k: 4 }, clamps: false, and: true, rounding: 0, ..product };
        for operation in [
            Operation::Meet,
            Operation::Rows { count: 4, transposed: true },
            Operation::Rows { count: 1, transposed: false },
            Operation::Transpose,
            Operation::Product(product),
            Operation::Product(other),
        ] {
            assert_eq!(Operation::of(operation.code()), Some(operation));
            assert!(operation.code() < 1 << 30);
        }
    }
}
