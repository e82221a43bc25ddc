//! `atom`: the value before and the memory after, of every operation in its types.

use crate::harness::{Code, Inputs, interesting, width};

/// Old value and operand (and the new value of `cas`), to the new contents.
type Model = fn(u64, u64, u64) -> u64;

fn check(operation: &str, ty: &str, model: Model) {
    let operands = if operation == "cas" { "%b, %c" } else { "%b" };
    let text = format!("atom.global.{operation}.{ty} %d, [%at], {operands};\nld.b{} %e, [%at];", width(ty));
    let untyped = if width(ty) == 64 { "b64" } else { "b32" };
    let code = Code::new(&text, &[untyped, untyped], &[untyped, untyped, untyped]);
    let values = interesting(ty, 3);
    let mut cases: Vec<Inputs> = Vec::new();
    for a in &values {
        // The operand that equals the old value is what `cas` waits for.
        cases.extend(values.iter().chain([a]).enumerate().map(|(n, b)| [*a, *b, values[n % values.len()], 0]));
    }
    for (case, [old, new]) in cases.iter().zip(code.run(&cases)) {
        let mask = u64::MAX >> (64 - width(ty));
        let expected = model(case[0], case[1], case[2]) & mask;
        assert_eq!(old, case[0] & mask, "{operation}.{ty} of {case:x?} answers the old value");
        let nan = |bits: u64| match ty {
            "f32" => f32::from_bits(bits as u32).is_nan(),
            "f64" => f64::from_bits(bits).is_nan(),
            _ => false,
        };
        assert!(
            new == expected || nan(new) && nan(expected),
            "{operation}.{ty} of {case:x?}: {new:#x}, not {expected:#x}"
        );
    }
}

#[test]
fn integers() {
    let rows: [(&str, &str, Model); 19] = [
        ("add", "u32", |a, b, _| a.wrapping_add(b)),
        ("add", "s32", |a, b, _| a.wrapping_add(b)),
        ("add", "u64", |a, b, _| a.wrapping_add(b)),
        ("and", "b32", |a, b, _| a & b),
        ("or", "b32", |a, b, _| a | b),
        ("xor", "b32", |a, b, _| a ^ b),
        ("and", "b64", |a, b, _| a & b),
        ("or", "b64", |a, b, _| a | b),
        ("xor", "b64", |a, b, _| a ^ b),
        ("min", "u32", |a, b, _| a.min(b)),
        ("max", "u32", |a, b, _| a.max(b)),
        ("min", "s32", |a, b, _| (a as i32).min(b as i32) as u64),
        ("max", "s32", |a, b, _| (a as i32).max(b as i32) as u64),
        ("min", "u64", |a, b, _| a.min(b)),
        ("max", "s64", |a, b, _| (a as i64).max(b as i64) as u64),
        ("inc", "u32", |a, b, _| if a >= b { 0 } else { a + 1 }),
        ("dec", "u32", |a, b, _| if a == 0 || a > b { b } else { a - 1 }),
        ("exch", "b32", |_, b, _| b),
        ("exch", "b64", |_, b, _| b),
    ];
    for (operation, ty, model) in rows {
        check(operation, ty, model);
    }
}

#[test]
fn compare_and_swap() {
    check("cas", "b32", |a, b, c| if a == b { c } else { a });
    check("cas", "b64", |a, b, c| if a == b { c } else { a });
}

fn flushed(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { 0f32.copysign(x) } else { x }
}

/// A sum in global memory, where subnormal numbers are lost.
fn global_sum(a: u64, b: u64) -> u64 {
    let [a, b] = [a, b].map(|bits| flushed(f32::from_bits(bits as u32)));
    flushed(a + b).to_bits().into()
}

#[test]
fn floats() {
    check("add", "f32", |a, b, _| global_sum(a, b));
    check("add", "f64", |a, b, _| (f64::from_bits(a) + f64::from_bits(b)).to_bits());
}

/// One element of a vector in memory at 8 bytes each case: inputs are the old values and the operands, packed.
fn check_vector(ty: &str, operation: &str, count: usize, model: impl Fn(u64, u64) -> u64) {
    let bits = width(ty) as usize;
    let register = if bits == 16 { "b16" } else { "b32" };
    let names = |letter: &str| (0..count).map(|n| format!("%{letter}{n}")).collect::<Vec<_>>();
    let vector = |letter: &str| format!("{{{}}}", names(letter).join(", "));
    // Old values from the first input on, operands from the third, what was there to the results.
    let mut text = format!(".reg .{register} %old<{count}>, %new<{count}>;\n");
    for (n, name) in names("new").iter().enumerate() {
        text += &format!("ld.b{bits} {name}, [%at+{}];\n", 16 + n * bits / 8);
    }
    text += &format!("atom.global.{operation}.v{count}.{ty} {}, [%at], {};\n", vector("old"), vector("new"));
    for (n, name) in names("old").iter().enumerate() {
        text += &format!("st.b{bits} [%at+{}], {name};\n", 32 + n * bits / 8);
    }
    // The harness stores `%d` and `%e` where they lie.
    text += "ld.b64 %d, [%at+32];\nld.b64 %e, [%at+40];\n.reg .b64 %x, %y;\nld.b64 %x, [%at];\nld.b64 %y, [%at+8];\n";
    let keep = Code::new(&text, &["b64", "b64"], &["b64"; 4]);
    let change = Code::new(
        &text.replace("ld.b64 %d, [%at+32];\nld.b64 %e, [%at+40];", "ld.b64 %d, [%at];\nld.b64 %e, [%at+8];"),
        &["b64", "b64"],
        &["b64"; 4],
    );
    let values = interesting(ty, 2);
    let at = |n: usize| values[n % values.len()];
    let pack = |from: usize, step: usize| {
        let mut words = [0u64; 2];
        (0..count).for_each(|n| words[n * bits / 64] |= at(from + n * step) << (n * bits % 64));
        words
    };
    let cases: Vec<Inputs> = (0..200).map(|n| [pack(n, 3), pack(n * 7 + 1, 5)].concat().try_into().unwrap()).collect();
    let read = |words: [u64; 2], n: usize| words[n * bits / 64] >> (n * bits % 64) & (u64::MAX >> (64 - bits));
    for ((case, old), new) in cases.iter().zip(keep.run(&cases)).zip(change.run(&cases)) {
        for n in 0..count {
            let (a, b) = (read([case[0], case[1]], n), read([case[2], case[3]], n));
            assert_eq!(read(old, n), a, "{operation}.{ty} answers the old value");
            let (found, expected) = (read(new, n), model(a, b));
            let nan = |bits: u64| ty == "f32" && f32::from_bits(bits as u32).is_nan();
            assert!(found == expected || nan(found) && nan(expected), "{operation}.{ty} of {a:#x}, {b:#x}: {found:#x}");
        }
    }
}

#[test]
fn vectors() {
    use crate::halves::{write_bf16, write_f16};
    use half::{bf16, f16};
    let add_f16 =
        |a: u64, b: u64| u64::from(write_f16(f16::from_bits(a as u16).to_f64() + f16::from_bits(b as u16).to_f64()));
    let add_bf16 =
        |a: u64, b: u64| u64::from(write_bf16(bf16::from_bits(a as u16).to_f64() + bf16::from_bits(b as u16).to_f64()));
    let pair = |a: u64, b: u64, of: fn(u64, u64) -> u64| of(a & 0xffff, b & 0xffff) | of(a >> 16, b >> 16) << 16;
    for count in [2, 4] {
        check_vector("f32", "add", count, global_sum);
    }
    for count in [2, 4, 8] {
        check_vector("f16", "add.noftz", count, add_f16);
        check_vector("bf16", "add.noftz", count, add_bf16);
    }
    for count in [2, 4] {
        check_vector("f16x2", "add.noftz", count, move |a, b| pair(a, b, add_f16));
        check_vector("bf16x2", "add.noftz", count, move |a, b| pair(a, b, add_bf16));
    }
}

#[test]
fn wide_ones() {
    let load = ".reg .b128 %x, %y, %z;\nmov.b128 %y, {%a, %b};\nmov.b128 %z, {%c, %f};\n";
    let cases: Vec<Inputs> = (0..64).map(|n| [n, n << 60, n % 3, (n % 2) << 60]).collect();
    for (instruction, cas) in
        [("atom.exch.b128 %x, [%at], %z;", false), ("atom.global.cas.b128 %x, [%at], %z, %w;", true)]
    {
        let text = format!("{load}.reg .b128 %w;\nmov.b128 %w, {{%f, %c}};\n{instruction}\n");
        let old = Code::new(&format!("{text}mov.b128 {{%d, %e}}, %x;"), &["b64", "b64"], &["b64"; 4]);
        let new = Code::new(&format!("{text}ld.b64 %d, [%at];\nld.b64 %e, [%at+8];"), &["b64", "b64"], &["b64"; 4]);
        for ((case, old), new) in cases.iter().zip(old.run(&cases)).zip(new.run(&cases)) {
            let [a, b, c, f] = *case;
            assert_eq!(old, [a, b]);
            let expected = match cas {
                true if [a, b] == [c, f] => [f, c],
                true => [a, b],
                false => [c, f],
            };
            assert_eq!(new, expected, "{instruction} of {case:x?}");
        }
    }
}

#[test]
fn reductions_answer_nothing() {
    let code = Code::new("red.global.add.u32 [%at], %b;\nld.b32 %d, [%at];", &["b32"], &["b32", "b32"]);
    assert_eq!(code.run(&[[7, 5, 0, 0], [u64::from(u32::MAX), 1, 0, 0]]), [[12, 0], [0, 0]]);
}
