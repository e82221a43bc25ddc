//! `ldmatrix`, `stmatrix`, `movmatrix`.

use super::{Bench, Random, vector};

/// Where row `row` of matrix `matrix` lies in shared memory, in bytes: scattered, at multiples of 16.
fn row_at(matrix: usize, row: usize) -> usize {
    (matrix * 8 + row) * 7 % 32 * 48 + 256
}

/// Address of the lane's row in `%u`, from a table behind the data.
const ADDRESS: &str =
    "mad.wide.u32 %x, %tid, 4, %at;\nld.global.b32 %u, [%x+8192];\nmov.u32 %t, tile;\nadd.u32 %u, %u, %t;\n";
/// Copies 8 KiB between global and shared memory.
fn copies(into_shared: bool) -> String {
    let (from, to) = if into_shared { ("global", "shared") } else { ("shared", "global") };
    let places = if into_shared { ("[%x]", "[%t]") } else { ("[%t]", "[%x]") };
    let mut text = String::from("bar.warp.sync 0xffffffff;\n");
    text += "mov.u32 %t, tile;\nmad.lo.u32 %t, %tid, 4, %t;\nmad.wide.u32 %x, %tid, 4, %at;\n.reg .b32 %v;\n";
    for _ in 0..64 {
        text += &format!(
            "ld.{from}.b32 %v, {};\nst.{to}.b32 {}, %v;\nadd.u32 %t, %t, 128;\nadd.u64 %x, %x, 128;\n",
            places.0, places.1
        );
    }
    text + "bar.warp.sync 0xffffffff;\n"
}

/// The elements of matrix `matrix` that a lane has in its register.
fn held(lane: usize, transposed: bool) -> [(usize, usize); 2] {
    let (row, column) = (lane / 4, lane % 4 * 2);
    [0, 1].map(|n| if transposed { (column + n, row) } else { (row, column + n) })
}

fn table(count: usize) -> Vec<u32> {
    // Lanes beyond the last row name nothing.
    let at = |lane: usize| if lane < count * 8 { row_at(lane / 8, lane % 8) as u32 } else { 0xffff_fff3 };
    (0..32).map(at).collect()
}

#[test]
fn matrices_come_and_go_by_rows() {
    let mut forms = Vec::new();
    for generic in [false, true] {
        for count in [1, 2, 4] {
            forms.extend([false, true].map(|transposed| (count, transposed, generic)));
        }
    }
    let mut bodies = Vec::new();
    for &(count, transposed, generic) in &forms {
        let trans = if transposed { ".trans" } else { "" };
        let (space, address) = if generic { ("", "%y") } else { (".shared", "%u") };
        let mut generic = String::new();
        if space.is_empty() {
            generic += "cvt.u64.u32 %y, %u;\ncvta.shared.u64 %y, %y;\n";
        }
        let registers = format!(".reg .b32 %d<{count}>;\n");
        let out = "mad.wide.u32 %x, %tid, 16, %at;\n";
        let vector = vector("d", count);
        let mut load = format!("{}{ADDRESS}{generic}{registers}", copies(true));
        load += &format!("ldmatrix.sync.aligned.m8n8.x{count}{trans}{space}.b16 {vector}, [{address}];\n{out}");
        (0..count).for_each(|n| load += &format!("st.global.b32 [%x+{}], %d{n};\n", 16384 + 4 * n));
        bodies.push(load);
        let mut store = format!("{ADDRESS}{generic}{registers}{out}");
        (0..count).for_each(|n| store += &format!("ld.global.b32 %d{n}, [%x+{}];\n", 4 * n));
        store += &format!("stmatrix.sync.aligned.m8n8.x{count}{trans}{space}.b16 [{address}], {vector};\n");
        // The results go where the loads put theirs.
        store += "add.u64 %at, %at, 16384;\n";
        bodies.push(store + &copies(false));
    }
    let bench = Bench::new(&bodies);
    let mut random = Random(3);
    for (n, &(count, transposed, _)) in forms.iter().enumerate() {
        let mut words: Vec<u32> = (0..2048).map(|_| random.next() as u32).collect();
        words.extend(table(count));
        let half = |words: &[u32], byte: usize| words[byte / 4] >> (byte % 4 * 8) & 0xffff;
        let loaded = bench.run(2 * n, &words, 4096, 128);
        let stored = bench.run(2 * n + 1, &words, 4096, 2048);
        for lane in 0..32 {
            for matrix in 0..count {
                for (element, (row, column)) in held(lane, transposed).into_iter().enumerate() {
                    let byte = row_at(matrix, row) + 2 * column;
                    let register = loaded[4 * lane + matrix];
                    assert_eq!(
                        register >> (16 * element) & 0xffff,
                        half(&words, byte),
                        "x{count}, {transposed}, lane {lane}"
                    );
                    let register = words[4 * lane + matrix];
                    assert_eq!(
                        half(&stored, byte),
                        register >> (16 * element) & 0xffff,
                        "x{count}, {transposed}, lane {lane}"
                    );
                }
            }
        }
    }
}

#[test]
fn matrices_turn_in_registers() {
    let body = "mad.wide.u32 %x, %tid, 4, %at;\nld.global.b32 %t, [%x];\nmovmatrix.sync.aligned.m8n8.trans.b16 %u, %t;\n\
                st.global.b32 [%x+128], %u;\n";
    let bench = Bench::new(&[body.to_string()]);
    let mut random = Random(4);
    let words: Vec<u32> = (0..32).map(|_| random.next() as u32).collect();
    let turned = bench.run(0, &words, 32, 32);
    let of = |words: &[u32], row: usize, column: usize| words[row * 4 + column / 2] >> (column % 2 * 16) & 0xffff;
    for row in 0..8 {
        for column in 0..8 {
            assert_eq!(of(&turned, row, column), of(&words, column, row));
        }
    }
}
