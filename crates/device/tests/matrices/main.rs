//! Matrix instructions, form by form: kernels of one instruction against models that are written here after the manual, with nothing
//! of the compiler's.

#[path = "../common/mod.rs"]
mod common;
mod mma;
mod model;
mod rows;
mod wmma;

use common::{Fixture, fixture_of};
use hotfire_device::Config;

/// Kernels on a device of their own.
struct Bench {
    fixture: Fixture,
    memory: u64,
}

/// Bytes of the memory that kernels get.
const MEMORY: u64 = 1 << 16;

impl Bench {
    /// Kernels named `k0`, `k1`, …, one for each body; `%at` points to the memory, `%tid` is the lane.
    fn new(bodies: &[String]) -> Bench {
        let mut text = String::from(".version 9.0\n.target sm_90\n.address_size 64\n");
        for (n, body) in bodies.iter().enumerate() {
            text += &format!(
                ".visible .entry k{n}(.param .u64 base)\n{{\n.reg .b64 %at, %x, %y, %z;\n.reg .b32 %tid, %t, %u;\n\
                 .shared .align 128 .b8 tile[16384];\nld.param.u64 %at, [base];\nmov.u32 %tid, %tid.x;\n{body}\nret;\n}}\n"
            );
        }
        let config = Config { workers: Some(1), memory: Some(1 << 30), ..Config::default() };
        let fixture = fixture_of(config, &text);
        let memory = fixture.device.malloc(MEMORY).expect("there is memory");
        Bench { fixture, memory }
    }

    /// Runs kernel number `n` by one warp on these words, and answers as many words from there on.
    fn run(&self, n: usize, words: &[u32], from: usize, count: usize) -> Vec<u32> {
        self.fixture.write(self.memory, words);
        self.fixture.run(&format!("k{n}"), 1, 32, &parameters![self.memory]);
        self.fixture.read(self.memory + 4 * from as u64, count)
    }
}

/// `{%a0, %a1}`
fn vector(name: &str, count: usize) -> String {
    let parts: Vec<String> = (0..count).map(|n| format!("%{name}{n}")).collect();
    format!("{{{}}}", parts.join(", "))
}

/// A deterministic source of bits.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}
