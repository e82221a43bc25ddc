//! `wmma`: what is loaded, multiplied and stored, in all shapes, layouts and spaces. Where elements lie in registers is nobody's business.

use super::model::{bits, float_sum, is_integer, of_integer, value};
use super::{Bench, Random, vector};

#[derive(Clone, Copy)]
struct Form {
    sides: [usize; 3],
    /// Of D, A, B, C.
    types: [&'static str; 4],
    /// Registers of D, A, B, C.
    registers: [usize; 4],
    /// Layouts of A, B, C and D.
    layouts: [&'static str; 4],
    shared: bool,
    words: &'static str,
}

impl Form {
    fn matrix_sides(&self, n: usize) -> (usize, usize) {
        let [m, columns, k] = self.sides;
        match n {
            1 => (m, k),
            2 => (k, columns),
            _ => (m, columns),
        }
    }

    fn layout(&self, n: usize) -> &'static str {
        [self.layouts[3], self.layouts[0], self.layouts[1], self.layouts[2]][n]
    }

    /// Elements from one line to the next: more than the line has, a multiple of 16 bytes.
    fn stride(&self, n: usize) -> usize {
        let (rows, columns) = self.matrix_sides(n);
        let line = if self.layout(n) == "row" { columns } else { rows };
        line + 128 / bits(self.types[n]) as usize
    }

    /// Bytes from the start of memory.
    fn start(n: usize) -> usize {
        n * 4096
    }

    fn kernel(&self) -> String {
        let [m, n, k] = self.sides;
        let shape = format!("m{m}n{n}k{k}");
        let mut body = String::from(".reg .b32 %v;\n");
        let space = if self.shared {
            body += "mov.u32 %t, tile;\nmad.lo.u32 %t, %tid, 4, %t;\nmad.wide.u32 %x, %tid, 4, %at;\n";
            for at in (4096..16384).step_by(128) {
                body += &format!("ld.global.b32 %v, [%x+{at}];\nst.shared.b32 [%t+{}], %v;\n", at % 16384);
            }
            body += "bar.warp.sync 0xffffffff;\nmov.u32 %t, tile;\ncvt.u64.u32 %y, %t;\n";
            ".shared"
        } else {
            body += "mov.u64 %y, %at;\n";
            if self.layouts[0] == "row" { "" } else { ".global" }
        };
        for (n, name) in [(1, "a"), (2, "b"), (3, "c"), (0, "d")] {
            let ty = if self.types[n] == "f64" { "b64" } else { "b32" };
            body += &format!(".reg .{ty} %{name}<{}>;\n", self.registers[n]);
            let stride = format!("mov.u32 %u, {};\nadd.u64 %x, %y, {};\n", self.stride(n), Self::start(n));
            if n > 0 {
                body += &format!(
                    "{stride}wmma.load.{name}.sync.aligned.{}.{shape}{space}.{} {}, [%x], %u;\n",
                    self.layout(n),
                    self.types[n],
                    vector(name, self.registers[n])
                );
            }
        }
        let types = match self.types {
            [d, "f16", _, c] => format!("{d}.{c}"),
            types => types.join("."),
        };
        let (before, after) = self.words.split_once('/').unwrap_or(("", self.words));
        body +=
            &format!("wmma.mma{before}.sync.aligned.{}.{}.{shape}.{types}{after}", self.layouts[0], self.layouts[1]);
        for (n, name) in ["d", "a", "b", "c"].iter().enumerate() {
            body += &format!("{} {}", if n == 0 { "" } else { "," }, vector(name, self.registers[n]));
        }
        body += &format!(
            ";\nmov.u32 %u, {};\nwmma.store.d.sync.aligned.{}.{shape}{space}.{} [%y], {}, %u;\n",
            self.stride(0),
            self.layout(0),
            self.types[0],
            vector("d", self.registers[0])
        );
        if self.shared {
            body += "bar.warp.sync 0xffffffff;\nmov.u32 %t, tile;\nmad.lo.u32 %t, %tid, 4, %t;\nmad.wide.u32 %x, %tid, 4, %at;\n";
            for at in (0..4096).step_by(128) {
                body += &format!("ld.shared.b32 %v, [%t+{at}];\nst.global.b32 [%x+{at}], %v;\n");
            }
        }
        body
    }

    fn place(&self, n: usize, row: usize, column: usize) -> usize {
        let stride = self.stride(n);
        if self.layout(n) == "row" { row * stride + column } else { column * stride + row }
    }

    fn check(&self, bench: &Bench, kernel: usize, random: &mut Random) {
        let mut words = vec![0u32; 4096];
        let mut matrices = Vec::new();
        for n in 1..4 {
            let (rows, columns) = self.matrix_sides(n);
            let (ty, width) = (self.types[n], bits(self.types[n]) as usize);
            let mut matrix = Vec::new();
            for at in 0..rows * columns {
                let element = match (ty, width) {
                    (_, 1) => random.next() & 1,
                    ("f64", _) => (random.next() as i32 as f64 / 65536.0).to_bits(),
                    _ => of_integer(ty, (random.next() % 8) as i64 - if ty.starts_with('u') { 0 } else { 4 }),
                };
                matrix.push(value(ty, element));
                let bit = Self::start(n) * 8 + self.place(n, at / columns, at % columns) * width;
                words[bit / 32] |= (element << (bit % 32)) as u32;
                if width == 64 {
                    words[bit / 32 + 1] = (element >> 32) as u32;
                }
            }
            matrices.push(matrix);
        }
        let result = bench.run(kernel, &words, 0, 1024);
        let [m, columns, k] = self.sides;
        let (ty, width) = (self.types[0], bits(self.types[0]) as usize);
        let mut inside = vec![false; 32768 / width];
        for at in 0..m * columns {
            let (row, column) = (at / columns, at % columns);
            let terms: Vec<(f64, f64)> =
                (0..k).map(|k_at| (matrices[0][row * k + k_at], matrices[1][k_at * columns + column])).collect();
            let c = matrices[2][at];
            let expected = match self.types[1] {
                "b1" if self.words.contains("and") => c + terms.iter().map(|(x, y)| x * y).sum::<f64>(),
                "b1" => c + terms.iter().map(|(x, y)| (x - y).abs()).sum::<f64>(),
                "f64" => terms.iter().fold(c, |sum, (x, y)| x.mul_add(*y, sum)),
                _ if is_integer(ty) => c + terms.iter().map(|(x, y)| x * y).sum::<f64>(),
                _ => float_sum(self.types, &terms, c),
            };
            let place = self.place(0, row, column);
            inside[place] = true;
            let bit = place * width;
            let mut found = u64::from(result[bit / 32] >> (bit % 32));
            if width == 64 {
                found |= u64::from(result[bit / 32 + 1]) << 32;
            }
            let found = value(ty, found & (u64::MAX >> (64 - width)));
            assert_eq!(found, expected, "kernel {kernel}, {}, row {row}, column {column}", self.kernel());
        }
        // Nothing was written beside the lines. (Shared memory held nothing known there.)
        if !self.shared {
            let written = |place: usize| {
                result[place * width / 32] >> (place * width % 32) & (u32::MAX >> (32 - width.min(32))) != 0
            };
            assert!((0..inside.len()).all(|place| inside[place] || !written(place)));
        }
    }
}

fn forms() -> Vec<Form> {
    let mut bases = Vec::new();
    for sides in [[16, 16, 16], [8, 32, 16], [32, 8, 16]] {
        let [m, n, _] = sides;
        for d in ["f16", "f32"] {
            for c in ["f16", "f32"] {
                let count = |ty: &str| if ty == "f16" { 4 } else { 8 };
                bases.push((sides, [d, "f16", "f16", c], [count(d), 8, 8, count(c)], ""));
            }
        }
        let by_side = |of_16: usize, side: usize| of_16 * side / 16;
        bases.push((sides, ["f32", "bf16", "bf16", "f32"], [8, by_side(4, m), by_side(4, n), 8], ""));
        for ty in ["s8", "u8"] {
            for words in ["", ".satfinite"] {
                bases.push((sides, ["s32", ty, ty, "s32"], [8, by_side(2, m), by_side(2, n), 8], words));
            }
        }
    }
    bases.push(([16, 16, 8], ["f32", "tf32", "tf32", "f32"], [8, 4, 4, 8], ""));
    bases.push(([8, 8, 4], ["f64"; 4], [2, 1, 1, 2], ""));
    let mut forms = Vec::new();
    for (sides, types, registers, words) in bases {
        for choice in 0..16 {
            let layouts = [1, 2, 4, 8].map(|bit| if choice & bit == 0 { "row" } else { "col" });
            forms.push(Form { sides, types, registers, layouts, shared: choice % 3 == 1, words });
        }
    }
    for shared in [false, true] {
        let layouts = ["row", "col", "row", "col"];
        for ty in ["s4", "u4"] {
            let types = ["s32", ty, ty, "s32"];
            forms.push(Form {
                sides: [8, 8, 32],
                types,
                registers: [2, 1, 1, 2],
                layouts,
                shared,
                words: ".satfinite",
            });
        }
        for words in [".xor.popc/", ".and.popc/"] {
            let types = ["s32", "b1", "b1", "s32"];
            forms.push(Form { sides: [8, 8, 128], types, registers: [2, 1, 1, 2], layouts, shared, words });
        }
    }
    forms
}

#[test]
fn every_form_loads_multiplies_and_stores() {
    let forms = forms();
    let bench = Bench::new(&forms.iter().map(Form::kernel).collect::<Vec<_>>());
    let mut random = Random(5);
    for (kernel, form) in forms.iter().enumerate() {
        form.check(&bench, kernel, &mut random);
    }
}
