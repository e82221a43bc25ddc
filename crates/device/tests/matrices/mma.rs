//! `mma` in all shapes and types.

use super::model::{bits, float_sum, is_integer, of_integer, value};
use super::{Bench, Random, vector};

/// Sides, types (of D, A, B, C), and what stands before the types.
struct Form {
    m: usize,
    n: usize,
    k: usize,
    types: [&'static str; 4],
    words: &'static str,
}

/// The manual's figures, element by element: row and column of element `i` of A.
fn place_a(form: &Form, lane: usize, i: usize) -> (usize, usize) {
    let (g, t) = (lane / 4, lane % 4);
    match (form.m, form.k, bits(form.types[1])) {
        (8, 4, 64) => (g, t),
        (8, 16, 8) => (g, t * 4 + i),
        (8, 32, 4) => (g, t * 8 + i),
        (8, 128, 1) => (g, t * 32 + i),
        (16, 8, 16) => (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1)),
        (16, 16, 16) => {
            (if i < 2 || (4..6).contains(&i) { g } else { g + 8 }, t * 2 + (i & 1) + if i < 4 { 0 } else { 8 })
        }
        (16, 4, 32 | 64) => (if i == 0 { g } else { g + 8 }, t),
        (16, 8, 32 | 64) => (if i == 0 || i == 2 { g } else { g + 8 }, if i < 2 { t } else { t + 4 }),
        (16, 16, 64) => (if i & 1 == 0 { g } else { g + 8 }, i / 2 * 4 + t),
        (16, 16, 8) => (if i < 4 { g } else { g + 8 }, t * 4 + (i & 3)),
        (16, 32, 8) => {
            (if i < 4 || (8..12).contains(&i) { g } else { g + 8 }, t * 4 + (i & 3) + if i < 8 { 0 } else { 16 })
        }
        (16, 32, 4) => (if i < 8 { g } else { g + 8 }, t * 8 + (i & 7)),
        (16, 64, 4) => {
            (if i < 8 || (16..24).contains(&i) { g } else { g + 8 }, t * 8 + (i & 7) + if i < 16 { 0 } else { 32 })
        }
        (16, 128, 1) => (if i < 32 { g } else { g + 8 }, t * 32 + (i & 31)),
        (16, 256, 1) => {
            (if i < 32 || (64..96).contains(&i) { g } else { g + 8 }, t * 32 + (i & 31) + if i < 64 { 0 } else { 128 })
        }
        other => panic!("no figure of {other:?}"),
    }
}

/// Row and column of element `i` of B.
fn place_b(form: &Form, lane: usize, i: usize) -> (usize, usize) {
    let (g, t) = (lane / 4, lane % 4);
    let row = match (form.k, bits(form.types[2])) {
        (4, _) => t,
        (8, 16) => t * 2 + i,
        (16, 16) => t * 2 + (i & 1) + if i < 2 { 0 } else { 8 },
        (8, 32 | 64) => t + i * 4,
        (16, 64) => t + i * 4,
        (16, 8) => t * 4 + i,
        (32, 8) => t * 4 + (i & 3) + if i < 4 { 0 } else { 16 },
        (32, 4) => t * 8 + i,
        (64, 4) => t * 8 + (i & 7) + if i < 8 { 0 } else { 32 },
        (128, 1) => t * 32 + i,
        (256, 1) => t * 32 + (i & 31) + if i < 32 { 0 } else { 128 },
        other => panic!("no figure of {other:?}"),
    };
    (row, g)
}

/// Row and column of element `i` of C and D.
fn place_c(lane: usize, i: usize) -> (usize, usize) {
    (lane / 4 + if i < 2 { 0 } else { 8 }, lane % 4 * 2 + (i & 1))
}

impl Form {
    /// Registers, and words in one, of operand `n` (D, A, B, C).
    fn registers(&self, n: usize) -> (usize, usize) {
        let elements = match n {
            1 => self.m * self.k,
            2 => self.k * self.n,
            _ => self.m * self.n,
        };
        let bits = bits(self.types[n]) as usize;
        (elements * bits / 32 / bits.max(32), bits.div_ceil(32))
    }

    fn text(&self) -> String {
        let Form { m, n, k, types: [d, a, b, c], words } = self;
        let (before, after) = words.split_once('/').unwrap_or((words, ""));
        format!("mma.sync.aligned.m{m}n{n}k{k}.row.col{before}.{d}.{a}.{b}.{c}{after}")
    }

    /// Words of a lane's A, B and C, and so where its D goes behind those of all lanes.
    fn words(&self) -> usize {
        (1..4).map(|n| self.registers(n).0 * self.registers(n).1).sum()
    }

    /// Loads registers, multiplies, stores registers.
    fn kernel(&self) -> String {
        let mut body = format!("mad.wide.u32 %x, %tid, {}, %at;\n", 4 * self.words());
        let mut at = 0;
        for (n, name) in [(1, "a"), (2, "b"), (3, "c"), (0, "d")] {
            let (count, words) = self.registers(n);
            let ty = if words == 2 { "b64" } else { "b32" };
            body += &format!(".reg .{ty} %{name}<{count}>;\n");
            if n == 0 {
                continue;
            }
            for register in 0..count {
                for word in 0..words {
                    let to = if words == 1 { format!("%{name}{register}") } else { ["%t", "%u"][word].to_string() };
                    body += &format!("ld.global.b32 {to}, [%x+{at}];\n");
                    at += 4;
                }
                if words == 2 {
                    body += &format!("mov.b64 %{name}{register}, {{%t, %u}};\n");
                }
            }
        }
        let operands: Vec<String> = [("d", 0), ("a", 1), ("b", 2), ("c", 3)]
            .iter()
            .map(|(name, n)| vector(name, self.registers(*n).0))
            .collect();
        body += &format!("{} {};\n", self.text(), operands.join(", "));
        let (count, words) = self.registers(0);
        body += &format!("mad.wide.u32 %y, %tid, {}, %at;\n", 4 * count * words);
        let from = 32 * 4 * self.words();
        for register in 0..count {
            let (ty, at) = (if words == 2 { "b64" } else { "b32" }, from + 4 * register * words);
            body += &format!("st.global.{ty} [%y+{at}], %d{register};\n");
        }
        body
    }

    /// Runs the kernel on matrices, row by row, of bits; answers D.
    fn run(&self, bench: &Bench, kernel: usize, matrices: [&[u64]; 3]) -> Vec<u64> {
        let mut words = vec![0u32; 32 * self.words()];
        let mut start = 0;
        for n in 1..4 {
            let (count, each) = self.registers(n);
            let width = bits(self.types[n]) as usize;
            for lane in 0..32 {
                for i in 0..count * each * 32 / width {
                    let (place, columns) = match n {
                        1 => (place_a(self, lane, i), self.k),
                        2 => (place_b(self, lane, i), self.n),
                        _ => (place_c(lane, i), self.n),
                    };
                    let element = matrices[n - 1][place.0 * columns + place.1];
                    let at = lane * self.words() + start + i * width / 32;
                    words[at] |= (element << (i * width % 32)) as u32;
                    if width == 64 {
                        words[at + 1] = (element >> 32) as u32;
                    }
                }
            }
            start += count * each;
        }
        let (count, each) = self.registers(0);
        let results = bench.run(kernel, &words, words.len(), 32 * count * each);
        let width = bits(self.types[0]) as usize;
        let mut result = vec![0; self.m * self.n];
        for (lane, words) in results.chunks(count * each).enumerate() {
            for i in 0..count * each * 32 / width {
                let (row, column) = place_c(lane, i);
                let at = i * width / 32;
                let low = u64::from(words[at] >> (i * width % 32));
                result[row * self.n + column] = match width {
                    64 => low | u64::from(words[at + 1]) << 32,
                    _ => low & ((1 << width) - 1),
                };
            }
        }
        result
    }

    fn terms(&self, a: &[u64], b: &[u64], row: usize, column: usize) -> Vec<(f64, f64)> {
        let of = |n: usize, bits: u64| value(self.types[n], bits);
        (0..self.k).map(|k| (of(1, a[row * self.k + k]), of(2, b[k * self.n + column]))).collect()
    }

    /// What D should be: bits of an element, given the terms and the summand.
    fn model(&self, terms: &[(f64, f64)], summand: f64) -> f64 {
        let [d, a, ..] = self.types;
        if a == "b1" {
            let and = self.words.contains("and");
            let count = terms.iter().filter(|(x, y)| if and { x * y == 1.0 } else { x != y }).count();
            return f64::from((summand as i32).wrapping_add(count as i32));
        }
        if is_integer(d) {
            let sum = summand as i64 + terms.iter().map(|(x, y)| (x * y) as i64).sum::<i64>();
            let sum = if self.words.contains("satfinite") {
                sum.clamp(i32::MIN.into(), i32::MAX.into())
            } else {
                (sum as i32).into()
            };
            return sum as f64;
        }
        if d == "f64" {
            return terms.iter().fold(summand, |sum, (x, y)| x.mul_add(*y, sum));
        }
        float_sum(self.types, terms, summand)
    }

    fn check(&self, result: &[u64], [a, b, c]: [&[u64]; 3]) {
        for (at, &bits) in result.iter().enumerate() {
            let terms = self.terms(a, b, at / self.n, at % self.n);
            let expected = self.model(&terms, value(self.types[3], c[at]));
            let found = value(self.types[0], bits);
            assert!(
                found == expected || found.is_nan() && expected.is_nan(),
                "{} element {at}: {found:e}, not {expected:e}\n{terms:?} + {:e}",
                self.text(),
                value(self.types[3], c[at])
            );
        }
    }
}

fn integers(m: usize, k: usize, types: [&'static str; 2]) -> [Form; 2] {
    let types = ["s32", types[0], types[1], "s32"];
    ["", ".satfinite"].map(|words| Form { m, n: 8, k, types, words })
}

fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (m, k, types) in [
        (16, 8, ["f16", "f16", "f16", "f16"]),
        (16, 8, ["f32", "f16", "f16", "f32"]),
        (16, 16, ["f16", "f16", "f16", "f16"]),
        (16, 16, ["f32", "f16", "f16", "f32"]),
        (16, 8, ["f32", "bf16", "bf16", "f32"]),
        (16, 16, ["f32", "bf16", "bf16", "f32"]),
        (16, 4, ["f32", "tf32", "tf32", "f32"]),
        (16, 8, ["f32", "tf32", "tf32", "f32"]),
        (16, 16, ["f16", "e4m3", "e5m2", "f16"]),
        (16, 16, ["f32", "e5m2", "e4m3", "f32"]),
        (16, 32, ["f16", "e4m3", "e4m3", "f16"]),
        (16, 32, ["f32", "e5m2", "e5m2", "f32"]),
        (8, 4, ["f64"; 4]),
        (16, 4, ["f64"; 4]),
        (16, 8, ["f64"; 4]),
        (16, 16, ["f64"; 4]),
    ] {
        forms.push(Form { m, n: 8, k, types, words: "" });
    }
    for types in [["s8", "s8"], ["u8", "s8"], ["s8", "u8"], ["u8", "u8"]] {
        forms.extend([(8, 16), (16, 16), (16, 32)].into_iter().flat_map(|(m, k)| integers(m, k, types)));
    }
    for types in [["s4", "s4"], ["u4", "s4"], ["s4", "u4"], ["u4", "u4"]] {
        forms.extend([(8, 32), (16, 32), (16, 64)].into_iter().flat_map(|(m, k)| integers(m, k, types)));
    }
    for (m, k) in [(8, 128), (16, 128), (16, 256)] {
        let types = ["s32", "b1", "b1", "s32"];
        forms.extend(["/.xor.popc", "/.and.popc"].map(|words| Form { m, n: 8, k, types, words }));
    }
    forms
}

/// A random element: of the middle of the type if it is a float, so that sums are of terms that meet.
fn element(ty: &str, random: &mut Random) -> u64 {
    let any = random.next();
    match ty {
        "f16" => any & 0x83ff | (11 + (any >> 20 & 7)) << 10,
        "bf16" => any & 0x807f | (120 + (any >> 20 & 15)) << 7,
        "tf32" | "f32" => any & 0x807f_ffff | (118 + (any >> 40 & 15)) << 23,
        "f64" => any & 0x800f_ffff_ffff_ffff | (1018 + (any >> 57 & 7)) << 52,
        "e4m3" if any & 0x7f == 0x7f => 0x7e,
        "e5m2" if any & 0x7c == 0x7c => 0x3c,
        _ => any & (u64::MAX >> (64 - bits(ty))),
    }
}

#[test]
fn every_form_multiplies() {
    let forms = forms();
    let bench = Bench::new(&forms.iter().map(Form::kernel).collect::<Vec<_>>());
    let mut random = Random(1);
    for (kernel, form) in forms.iter().enumerate() {
        let Form { m, n, k, types, .. } = *form;
        let mut matrix = |ty: &str, count: usize, small: bool| -> Vec<u64> {
            let of = |random: &mut Random| match small {
                // Integers whose sums are exact everywhere.
                true if bits(ty) > 1 => {
                    of_integer(ty, (random.next() % 7) as i64 - if ty.starts_with('u') { 0 } else { 3 })
                }
                _ => element(ty, random),
            };
            (0..count).map(|_| of(&mut random)).collect()
        };
        for round in 0..4 {
            let small = round == 0;
            let (a, b) = (matrix(types[1], m * k, small), matrix(types[2], k * n, small));
            let mut c = matrix(types[3], m * n, small);
            if types[3] == "s32" && round == 3 {
                // At the ends, where sums wrap or clamp.
                c.iter_mut().for_each(|c| *c = if *c & 1 == 0 { 0x7fff_ffff } else { 0x8000_0000 });
            }
            let result = form.run(&bench, kernel, [&a, &b, &c]);
            form.check(&result, [&a, &b, &c]);
        }
    }
}

#[test]
fn floats_at_the_ends() {
    let forms: Vec<Form> =
        forms().into_iter().filter(|form| !is_integer(form.types[0]) && form.types[0] != "f64").collect();
    let bench = Bench::new(&forms.iter().map(Form::kernel).collect::<Vec<_>>());
    let mut random = Random(2);
    for (kernel, form) in forms.iter().enumerate() {
        let Form { m, n, k, types, .. } = *form;
        for round in 0..6 {
            let mut any = |ty: &str, count: usize| -> Vec<u64> {
                let mask = u64::MAX >> (64 - bits(ty));
                let of = |random: &mut Random| match (random.next() % 8, round) {
                    (0..=1, _) => 0,
                    // Anything: infinities, subnormal numbers, none at all.
                    (2, 0..=3) => random.next() & mask,
                    (3, 0..=3) => random.next() & mask & !(0x78 << (bits(ty) - 8)),
                    _ => element(ty, random),
                };
                (0..count).map(|_| of(&mut random)).collect()
            };
            let (a, b, c) = (any(types[1], m * k), any(types[2], k * n), any(types[3], m * n));
            let result = form.run(&bench, kernel, [&a, &b, &c]);
            form.check(&result, [&a, &b, &c]);
        }
    }
}

#[test]
fn doubles_round_as_told() {
    let of = |words| Form { m: 8, n: 8, k: 4, types: ["f64"; 4], words };
    let forms = [".rn", ".rz", ".rm", ".rp"].map(of);
    let bench = Bench::new(&forms.each_ref().map(Form::kernel));
    // One, and in each row or column something too small to count, on one side or the other.
    let tiny = 2f64.powi(-60);
    let mut a = vec![0u64; 32];
    (0..8).for_each(|row| a[row * 4 + row % 4] = if row < 4 { tiny } else { -tiny }.to_bits());
    let b = vec![1f64.to_bits(); 32];
    let c = vec![1f64.to_bits(); 64];
    for (kernel, (form, [above, below])) in forms
        .iter()
        .zip([[1.0, 1.0], [1.0, 1f64.next_down()], [1.0, 1f64.next_down()], [1f64.next_up(), 1.0]])
        .enumerate()
    {
        let result = form.run(&bench, kernel, [&a, &b, &c]);
        for (at, bits) in result.into_iter().enumerate() {
            let expected = if at / 8 < 4 { above } else { below };
            assert_eq!(f64::from_bits(bits), expected, "{} element {at}", form.text());
        }
    }
}
