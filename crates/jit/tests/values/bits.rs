//! Bit counting, fields, logic, shifts, permutations.

use crate::harness::{Code, Inputs, check, interesting};

type Model = fn(u64, u64, u64) -> u64;

fn all(rows: &[(&str, &str, &[&str], Model)]) {
    for (instruction, output, inputs, model) in rows {
        check(instruction, output, inputs, |[a, b, c, _]| model(a, b, c));
    }
}

/// Only the low bytes count for fields of 32 bits.
fn field(position: u64, length: u64, bits: u64) -> (u64, u64) {
    if bits == 64 { (position & 0xffff_ffff, length & 0xffff_ffff) } else { (position & 255, length & 255) }
}

/// PTX's own definition of `bfe`, bit by bit.
fn bfe(a: u64, position: u64, length: u64, bits: u64, signed: bool) -> u64 {
    let (position, length) = field(position, length, bits);
    let bit = |n: u64| a >> n & 1;
    let sign = if signed && length > 0 { bit((position + length - 1).min(bits - 1)) } else { 0 };
    (0..bits).map(|n| if n < length && position + n < bits { bit(position + n) << n } else { sign << n }).sum()
}

pub fn bfe_s32(a: u64, position: u64, length: u64) -> u64 {
    bfe(a, position, length, 32, true)
}

pub fn bfe_u64(a: u64, position: u64, length: u64) -> u64 {
    bfe(a, position, length, 64, false)
}

fn bfi(a: u64, b: u64, position: u64, length: u64, bits: u64) -> u64 {
    let (position, length) = field(position, length, bits);
    let mut result = b;
    for n in 0..length.min(bits) {
        if position + n < bits {
            let at = position + n;
            result = result & !(1 << at) | (a >> n & 1) << at;
        }
    }
    result
}

pub fn prmt(a: u64, b: u64, selector: u64) -> u64 {
    let bytes = (b << 32 | a).to_le_bytes();
    (0..4)
        .map(|n| {
            let choice = selector >> (4 * n) & 15;
            let byte = bytes[choice as usize & 7];
            let byte = if choice & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
            u64::from(byte) << (8 * n)
        })
        .sum()
}

pub fn dp4a_su(a: u64, b: u64, c: u64) -> u64 {
    let terms = (0..4).map(|n| i64::from((a >> (8 * n)) as i8) * i64::from((b >> (8 * n)) as u8));
    (c as i64 + terms.sum::<i64>()) as u64
}

fn dp2a(a: u64, b: u64, c: u64, from: u64) -> u64 {
    let terms = (0..2).map(|n| i64::from((a >> (16 * n)) as i16) * i64::from((b >> (8 * (n + from))) as i8));
    (c as i64 + terms.sum::<i64>()) as u64
}

fn shl(a: u64, by: u64, bits: u64) -> u64 {
    if by >= bits { 0 } else { a << by }
}

fn sshr(a: i64, by: u64) -> u64 {
    (a >> by.min(63)) as u64
}

#[test]
fn counts() {
    all(&[
        ("popc.b32 %d, %a;", "u32", &["u32"], |a, _, _| a.count_ones().into()),
        ("popc.b64 %d, %a;", "u32", &["u64"], |a, _, _| a.count_ones().into()),
        ("clz.b32 %d, %a;", "u32", &["u32"], |a, _, _| (a as u32).leading_zeros().into()),
        ("clz.b64 %d, %a;", "u32", &["u64"], |a, _, _| a.leading_zeros().into()),
        ("brev.b32 %d, %a;", "u32", &["u32"], |a, _, _| (a as u32).reverse_bits().into()),
        ("brev.b64 %d, %a;", "u64", &["u64"], |a, _, _| a.reverse_bits()),
        ("bfind.u32 %d, %a;", "u32", &["u32"], |a, _, _| a.checked_ilog2().map_or(u64::MAX, u64::from)),
        ("bfind.u64 %d, %a;", "u32", &["u64"], |a, _, _| a.checked_ilog2().map_or(u64::MAX, u64::from)),
        ("bfind.s32 %d, %a;", "u32", &["u32"], |a, _, _| {
            let a = a as i32;
            (if a < 0 { !a } else { a }).checked_ilog2().map_or(u64::MAX, u64::from)
        }),
        ("bfind.shiftamt.s64 %d, %a;", "u32", &["u64"], |a, _, _| {
            let a = a as i64;
            (if a < 0 { !a } else { a }).checked_ilog2().map_or(u64::MAX, |n| 63 - u64::from(n))
        }),
        ("bfind.shiftamt.u32 %d, %a;", "u32", &["u32"], |a, _, _| {
            a.checked_ilog2().map_or(u64::MAX, |n| 31 - u64::from(n))
        }),
        ("fns.b32 %d, %a, %b, %c;", "u32", &["u32", "shift", "shift"], |mask, base, offset| {
            // PTX's loop over the mask.
            let (base, offset) = (base as i64, offset as i32);
            let step = if offset < 0 { -1 } else { 1 };
            let (mut left, mut at) = (offset.abs(), base);
            if offset == 0 {
                return if base < 32 && mask >> base & 1 == 1 { base as u64 } else { u64::MAX };
            }
            while (0..32).contains(&at) {
                left -= (mask >> at & 1) as i32;
                if left == 0 {
                    return at as u64;
                }
                at += step;
            }
            u64::MAX
        }),
    ]);
}

#[test]
fn fields() {
    all(&[
        ("bfe.u32 %d, %a, %b, %c;", "u32", &["u32", "shift", "shift"], |a, b, c| bfe(a, b, c, 32, false)),
        ("bfe.s32 %d, %a, %b, %c;", "u32", &["u32", "shift", "shift"], bfe_s32),
        ("bfe.u64 %d, %a, %b, %c;", "u64", &["u64", "shift", "shift"], bfe_u64),
        ("bfe.s64 %d, %a, %b, %c;", "u64", &["u64", "shift", "shift"], |a, b, c| bfe(a, b, c, 64, true)),
        ("bfe.s32 %d, %a, 4, 8;", "u32", &["u32"], |a, _, _| bfe(a, 4, 8, 32, true)),
        ("szext.clamp.s32 %d, %a, %b;", "u32", &["u32", "shift"], |a, b, _| szext(a, b, true, true)),
        ("szext.wrap.s32 %d, %a, %b;", "u32", &["u32", "shift"], |a, b, _| szext(a, b, false, true)),
        ("szext.clamp.u32 %d, %a, %b;", "u32", &["u32", "shift"], |a, b, _| szext(a, b, true, false)),
        ("szext.wrap.u32 %d, %a, %b;", "u32", &["u32", "shift"], |a, b, _| szext(a, b, false, false)),
        ("bmsk.clamp.b32 %d, %a, %b;", "u32", &["shift", "shift"], |a, b, _| bmsk(a, b)),
        ("bmsk.wrap.b32 %d, %a, %b;", "u32", &["shift", "shift"], |a, b, _| bmsk(a & 31, b & 31)),
    ]);
    check("bfi.b32 %d, %a, %b, %c, %f;", "u32", &["u32", "u32", "shift", "shift"], |[a, b, c, f]| bfi(a, b, c, f, 32));
    check("bfi.b64 %d, %a, %b, %c, %f;", "u64", &["u64", "u64", "shift", "shift"], |[a, b, c, f]| bfi(a, b, c, f, 64));
}

fn szext(a: u64, b: u64, clamp: bool, signed: bool) -> u64 {
    if clamp && b >= 32 {
        return a;
    }
    let length = b & 31;
    let kept = a & ((1 << length) - 1);
    if signed && length > 0 && a >> (length - 1) & 1 == 1 { kept | u64::MAX << length } else { kept }
}

/// Ones from bit `a` on, `b` of them.
fn bmsk(a: u64, b: u64) -> u64 {
    (0..32).filter(|n| *n >= a && *n < a + b).map(|n| 1 << n).sum()
}

#[test]
fn shifts() {
    all(&[
        ("shl.b16 %d, %a, %b;", "u16", &["u16", "shift"], |a, b, _| shl(a, b, 16)),
        ("shl.b32 %d, %a, %b;", "u32", &["u32", "shift"], |a, b, _| shl(a, b, 32)),
        ("shl.b64 %d, %a, %b;", "u64", &["u64", "shift"], |a, b, _| shl(a, b, 64)),
        ("shl.b32 %d, %a, 5;", "u32", &["u32"], |a, _, _| a << 5),
        ("shl.b32 %d, %a, 40;", "u32", &["u32"], |_, _, _| 0),
        ("shr.u16 %d, %a, %b;", "u16", &["u16", "shift"], |a, b, _| if b > 15 { 0 } else { a >> b }),
        ("shr.u32 %d, %a, %b;", "u32", &["u32", "shift"], |a, b, _| if b > 31 { 0 } else { a >> b }),
        ("shr.b64 %d, %a, %b;", "u64", &["u64", "shift"], |a, b, _| if b > 63 { 0 } else { a >> b }),
        ("shr.s16 %d, %a, %b;", "s16", &["s16", "shift"], |a, b, _| sshr((a as i16).into(), b)),
        ("shr.s32 %d, %a, %b;", "s32", &["s32", "shift"], |a, b, _| sshr((a as i32).into(), b)),
        ("shr.s64 %d, %a, %b;", "s64", &["s64", "shift"], |a, b, _| sshr(a as i64, b)),
        ("shr.s32 %d, %a, 31;", "s32", &["s32"], |a, _, _| sshr((a as i32).into(), 31)),
        ("shf.l.clamp.b32 %d, %a, %b, %c;", "u32", &["u32", "u32", "shift"], |a, b, c| {
            (b << 32 | a) << c.min(32) >> 32
        }),
        ("shf.l.wrap.b32 %d, %a, %b, %c;", "u32", &["u32", "u32", "shift"], |a, b, c| (b << 32 | a) << (c & 31) >> 32),
        ("shf.r.clamp.b32 %d, %a, %b, %c;", "u32", &["u32", "u32", "shift"], |a, b, c| (b << 32 | a) >> c.min(32)),
        ("shf.r.wrap.b32 %d, %a, %b, %c;", "u32", &["u32", "u32", "shift"], |a, b, c| (b << 32 | a) >> (c & 31)),
    ]);
}

#[test]
fn logic() {
    all(&[
        ("and.b32 %d, %a, %b;", "u32", &["u32", "u32"], |a, b, _| a & b),
        ("or.b64 %d, %a, %b;", "u64", &["u64", "u64"], |a, b, _| a | b),
        ("xor.b16 %d, %a, %b;", "u16", &["u16", "u16"], |a, b, _| a ^ b),
        ("not.b32 %d, %a;", "u32", &["u32"], |a, _, _| !a),
        ("cnot.b32 %d, %a;", "u32", &["u32"], |a, _, _| (a == 0).into()),
        ("cnot.b64 %d, %a;", "u64", &["u64"], |a, _, _| (a == 0).into()),
        ("and.pred %d, %a, %b;", "pred", &["pred", "pred"], |a, b, _| a & b),
        ("or.pred %d, %a, %b;", "pred", &["pred", "pred"], |a, b, _| a | b),
        ("xor.pred %d, %a, %b;", "pred", &["pred", "pred"], |a, b, _| a ^ b),
        ("not.pred %d, %a;", "pred", &["pred"], |a, _, _| a ^ 1),
        ("dp4a.s32.u32 %d, %a, %b, %c;", "s32", &["u32"; 3], dp4a_su),
        ("dp4a.u32.u32 %d, %a, %b, %c;", "u32", &["u32"; 3], |a, b, c| {
            c + (0..4).map(|n| (a >> (8 * n) & 255) * (b >> (8 * n) & 255)).sum::<u64>()
        }),
        ("dp2a.lo.s32.s32 %d, %a, %b, %c;", "s32", &["u32"; 3], |a, b, c| dp2a(a, b, c, 0)),
        ("dp2a.hi.s32.s32 %d, %a, %b, %c;", "s32", &["u32"; 3], |a, b, c| dp2a(a, b, c, 2)),
    ]);
}

/// All 256 functions of three bits.
#[test]
fn lop3() {
    for table in 0..256u64 {
        let instruction = format!("lop3.b32 %d, %a, %b, %c, {table};");
        let code = Code::new(&instruction, &["u32"], &["u32"; 3]);
        let case: Inputs = [0xf0f0_1234, 0xcccc_9876, 0xaaaa_f00f, 0];
        let expected = (0..32).map(|n| {
            let at = (case[0] >> n & 1) << 2 | (case[1] >> n & 1) << 1 | case[2] >> n & 1;
            (table >> at & 1) << n
        });
        assert_eq!(code.run(&[case])[0][0], expected.sum::<u64>(), "{instruction}");
    }
}

#[test]
fn lop3_with_a_predicate() {
    for (name, of) in [("and", (|p, q| p && q) as fn(bool, bool) -> bool), ("or", |p, q| p || q)] {
        let instruction = format!("lop3.{name}.b32 %d|%e, %a, %b, %c, 0x80, %f;");
        let code = Code::new(&instruction, &["u32", "pred"], &["u32", "u32", "u32", "pred"]);
        for a in interesting("u32", 1) {
            for q in [0, 1] {
                let [value, p] = code.run(&[[a, 0xffff, 0xff, q]])[0];
                assert_eq!(value, a & 0xff);
                assert_eq!(p == 1, of(a & 0xff != 0, q == 1));
            }
        }
    }
}

#[test]
fn permutations() {
    check("prmt.b32 %d, %a, %b, %c;", "u32", &["u32"; 3], |[a, b, c, _]| prmt(a, b, c));
    for selector in
        [0x3210, 0x4321, 0x7654, 0x0123, 0x4567, 0x5410, 0x7632, 0x1032, 0x9180, 0xba98, 0x6543, 0xffff, 0x7773]
    {
        let instruction = format!("prmt.b32 %d, %a, %b, {selector};");
        check(&instruction, "u32", &["u32", "u32"], |[a, b, _, _]| prmt(a, b, selector));
    }
    // Selectors of each mode for c = 0 to 3, as the PTX ISA tabulates them.
    for (mode, table) in [
        ("f4e", [0x3210, 0x4321, 0x5432, 0x6543]),
        ("b4e", [0x5670, 0x6701, 0x7012, 0x0123]),
        ("rc8", [0x0000, 0x1111, 0x2222, 0x3333]),
        ("ecl", [0x3210, 0x3211, 0x3222, 0x3333]),
        ("ecr", [0x0000, 0x1110, 0x2210, 0x3210]),
        ("rc16", [0x1010, 0x3232, 0x1010, 0x3232]),
    ] {
        let instruction = format!("prmt.b32.{mode} %d, %a, %b, %c;");
        check(&instruction, "u32", &["u32"; 3], |[a, b, c, _]| prmt(a, b, table[c as usize & 3]));
    }
}
