//! Video instructions (PTX ISA, section 9.7.18): scalars, and two or four parts of a word, in more bits than they have.

use hotfire_ptx::Opcode;

/// How a video instruction is described to [`video`].
pub(crate) mod code {
    /// Bits of a part: 32, 16 or 8.
    pub const WIDTH: u32 = 0xff;
    /// Where the operation begins, as [`super::operation`] numbers them.
    pub const OPERATION: u32 = 8;
    /// The first, the second source, and the result are signed.
    pub const SIGNED: [u32; 3] = [1 << 12, 1 << 13, 1 << 14];
    /// `.sat`
    pub const SATURATES: u32 = 1 << 15;
    /// Where what is done with the third source begins: nothing, `.add`, `.min`, `.max`.
    pub const THEN: u32 = 16;
}

/// Bits of a part, and the number of what is done with the first two sources.
pub(crate) fn operation(opcode: Opcode) -> Option<(u32, u32)> {
    use Opcode as O;
    Some(match opcode {
        O::Vadd => (32, 0),
        O::Vsub => (32, 1),
        O::Vabsdiff => (32, 2),
        O::Vmin => (32, 3),
        O::Vmax => (32, 4),
        O::Vadd2 => (16, 0),
        O::Vsub2 => (16, 1),
        O::Vabsdiff2 => (16, 2),
        O::Vmin2 => (16, 3),
        O::Vmax2 => (16, 4),
        O::Vavrg2 => (16, 5),
        O::Vadd4 => (8, 0),
        O::Vsub4 => (8, 1),
        O::Vabsdiff4 => (8, 2),
        O::Vmin4 => (8, 3),
        O::Vmax4 => (8, 4),
        O::Vavrg4 => (8, 5),
        _ => return None,
    })
}

/// The result of a video instruction.
pub(crate) extern "C" fn video(code: u32, a: u32, b: u32, c: u32) -> u32 {
    let width = code & code::WIDTH;
    let [signed_a, signed_b, signed] = code::SIGNED.map(|bit| code & bit != 0);
    let (saturates, then) = (code & code::SATURATES != 0, code >> code::THEN & 3);
    let part = |word: u32, n: u32, signed: bool| {
        let bits = i64::from(word >> (n * width)) & ((1 << width) - 1);
        if signed { bits << (64 - width) >> (64 - width) } else { bits }
    };
    let (least, most) = if signed { (-1 << (width - 1), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) };
    let mut result = 0;
    let mut total = 0i64;
    for n in 0..32 / width {
        let (x, y) = (part(a, n, signed_a), part(b, n, signed_b));
        let value = match code >> code::OPERATION & 15 {
            0 => x + y,
            1 => x - y,
            2 => (x - y).abs(),
            3 => x.min(y),
            4 => x.max(y),
            // Rounded away from zero where both are equally near.
            _ => (x + y + i64::from(x + y >= 0)) >> 1,
        };
        let value = if saturates { value.clamp(least, most) } else { value };
        if width == 32 {
            return scalar(value, c, then, signed);
        }
        total += value;
        result |= (value as u32 & (u32::MAX >> (32 - width))) << (n * width);
    }
    if then == 0 { result } else { c.wrapping_add(total as u32) }
}

fn scalar(value: i64, c: u32, then: u32, signed: bool) -> u32 {
    let value = value as u32;
    match (then, signed) {
        (1, _) => value.wrapping_add(c),
        (2, true) => (value as i32).min(c as i32) as u32,
        (3, true) => (value as i32).max(c as i32) as u32,
        (2, false) => value.min(c),
        (3, false) => value.max(c),
        _ => value,
    }
}
