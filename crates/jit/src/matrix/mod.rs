//! Matrix instructions as warp collectives: what is computed once the registers of all lanes are there (PTX ISA, section 9.7.14).
//!
//! Generated code puts a lane's operands into a buffer, calls [`crate::abi::Runtime::matrix`] with the code of an [`Operation`], and finds the
//! results in the buffer. Memory is touched by the lanes themselves, so that checks see who does what: `ldmatrix` and `stmatrix`
//! exchange addresses here, `wmma.load` and `wmma.store` only meet.

mod double;
mod float;
mod fragment;
mod integer;
mod operation;

pub use fragment::{Fragment, Role, Shape, Steps};
pub use operation::{Element, Operation, Product};

/// Lanes of a warp.
const LANES: usize = 32;
/// Words of 32 bits in a lane's buffer. It is aligned to 8 bytes.
pub const WORDS: usize = 32;

/// Computes the results of an operation for all lanes.
///
/// # Safety
/// Each pointer that is not null is the buffer of the lane with that number, and nothing else uses it meanwhile.
pub unsafe fn compute(code: u32, lanes: &[*mut u32; LANES]) {
    let Some(operation) = Operation::of(code) else { return };
    let mut words = [[0u32; WORDS]; LANES];
    for (words, lane) in words.iter_mut().zip(lanes) {
        if !lane.is_null() {
            // SAFETY: the caller's promise.
            *words = unsafe { lane.cast::<[u32; WORDS]>().read() };
        }
    }
    match operation {
        Operation::Meet => return,
        Operation::Rows { count, transposed } => rows(&mut words, count, transposed),
        Operation::Transpose => transpose(&mut words),
        Operation::Product(product) => product.compute(&mut words),
    }
    for (words, lane) in words.iter().zip(lanes) {
        if !lane.is_null() {
            // SAFETY: the caller's promise.
            unsafe { lane.cast::<[u32; WORDS]>().write(*words) };
        }
    }
}

/// Lane `8 * n + i` has the address of row `i` of matrix `n`, of eight rows of eight 16-bit elements; each lane gets those of the rows
/// that its elements are in: for each matrix one, or when transposed two.
fn rows(words: &mut [[u32; WORDS]; LANES], count: u32, transposed: bool) {
    let address: [u64; LANES] = std::array::from_fn(|lane| pair(words[lane][0], words[lane][1]));
    for (lane, words) in words.iter_mut().enumerate() {
        let mut put = |at: usize, address: u64| {
            words[2 * at] = address as u32;
            words[2 * at + 1] = (address >> 32) as u32;
        };
        for matrix in 0..count as usize {
            let row = |row: usize| address[(8 * matrix + row) % LANES];
            if transposed {
                for element in 0..2 {
                    put(2 * matrix + element, row(lane % 4 * 2 + element));
                }
            } else {
                put(matrix, row(lane / 4));
            }
        }
    }
}

/// `movmatrix`: eight rows of eight 16-bit elements become columns.
fn transpose(words: &mut [[u32; WORDS]; LANES]) {
    let of: [u32; LANES] = std::array::from_fn(|lane| words[lane][0]);
    let element = |row: usize, column: usize| of[4 * row + column / 2] >> (column % 2 * 16) & 0xffff;
    for (lane, words) in words.iter_mut().enumerate() {
        let (row, column) = (lane / 4, lane % 4 * 2);
        words[0] = element(column, row) | element(column + 1, row) << 16;
    }
}

fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

impl Product {
    fn fragment(self, role: Role) -> Fragment {
        let bits = match role {
            Role::A => self.a.bits(),
            Role::B => self.b.bits(),
            Role::C => self.c.bits(),
        };
        Fragment { role, shape: self.shape, bits }
    }

    /// The buffers hold A, B and C, one after the other; then they hold D.
    fn compute(self, words: &mut [[u32; WORDS]; LANES]) {
        match self.a {
            Element::F64 => double::multiply(self, words),
            Element::S8 | Element::U8 | Element::S4 | Element::U4 => integer::multiply(self, words),
            Element::B1 => integer::multiply_bits(self, words),
            _ => float::multiply(self, words),
        }
    }

    /// Where the words of A, B and C begin.
    fn starts(self) -> [usize; 3] {
        let words = |role| {
            let fragment = self.fragment(role);
            (fragment.registers() * fragment.words()) as usize
        };
        let b = words(Role::A);
        [0, b, b + words(Role::B)]
    }

    /// Calls `each` with the place in the matrix, row by row, and the bits of every element of a factor or the summand.
    fn gather(self, role: Role, words: &[[u32; WORDS]; LANES], mut each: impl FnMut(usize, u64)) {
        let fragment = self.fragment(role);
        let start = self.starts()[role as usize];
        let bits = fragment.bits;
        let mask = u64::MAX >> (64 - bits);
        spread(fragment, |lane, register, element, place| {
            let at = start + register * fragment.words() as usize;
            let lane = &words[lane];
            let word = if bits == 64 { pair(lane[at], lane[at + 1]) } else { lane[at].into() };
            each(place, word >> (element * bits) & mask);
        });
    }

    /// Puts the result into the buffers: `of` has the bits of the element at a place.
    fn scatter(self, words: &mut [[u32; WORDS]; LANES], of: impl Fn(usize) -> u64) {
        let fragment = Fragment { role: Role::C, shape: self.shape, bits: self.d.bits() };
        spread(fragment, |lane, register, element, place| {
            let value = of(place);
            let at = register * fragment.words() as usize;
            let lane = &mut words[lane];
            match fragment.bits {
                64 => (lane[at], lane[at + 1]) = (value as u32, (value >> 32) as u32),
                32 => lane[at] = value as u32,
                bits if element == 0 => lane[at] = value as u32 & (u32::MAX >> bits),
                bits => lane[at] |= (value as u32) << (element * bits),
            }
        });
    }
}

/// All elements of a fragment: lane, register, element in it, and place in the matrix, row by row.
fn spread(fragment: Fragment, mut each: impl FnMut(usize, usize, u32, usize)) {
    let columns = fragment.sides().1 as usize;
    let Steps { group_is_row, member } = fragment.steps();
    let (group, along) = if group_is_row { (columns, member as usize) } else { (1, member as usize * columns) };
    for register in 0..fragment.registers() {
        for element in 0..fragment.packed() {
            let (row, column) = fragment.origin(register, element);
            let origin = row as usize * columns + column as usize;
            for lane in 0..LANES {
                each(lane, register as usize, element, origin + lane / 4 * group + lane % 4 * along);
            }
        }
    }
}
