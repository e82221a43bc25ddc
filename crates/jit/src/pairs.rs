//! Kernels whose threads run in pairs: two neighbours at once, each instruction for both, as long as they take the same way.
//!
//! A loop that only computes waits for its own results most of the time, which leaves a core room for another thread's. Where the two
//! part they go on by themselves, one after the other, to their ends. Only for kernels with such loops: elsewhere it would be more code
//! for nothing.

use crate::analysis::Reached;
use crate::deciding::is_arithmetic;
use crate::emit::clif;
use crate::live::Liveness;
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Body, Instruction, Operand, Reg, Space, Special, Statement};

/// Statements of a kernel and of a loop, beyond which there is enough to do for one thread, or too much to keep for two.
const MOST_STATEMENTS: usize = 400;
const LONGEST_LOOP: usize = 24;
/// Registers that are live in such a loop.
const MOST_LIVE: usize = 12;

/// For each block, the registers that are live at its end.
pub(crate) struct Pairs {
    pub live: Vec<Vec<Reg>>,
}

impl Pairs {
    /// If the kernel's threads are to run in pairs.
    pub fn of(kernel: &Reached<'_>) -> Option<Self> {
        let (cfg, body) = (&kernel.cfg, kernel.body);
        let keeps = body.variables.iter().any(|variable| matches!(variable.space, Space::Local | Space::Param));
        if keeps || body.statements.len() > MOST_STATEMENTS || !body.statements.iter().all(goes_in_pairs) {
            return None;
        }
        let computes = |block: usize| {
            let at = &cfg.blocks[block];
            at.end - at.first <= LONGEST_LOOP
                && at.successors.contains(&block)
                && body.statements[at.first..at.end].iter().all(only_computes)
        };
        if !(0..cfg.blocks.len()).any(computes) {
            return None;
        }
        let liveness = Liveness::new(cfg, body);
        let live: Vec<_> = (0..cfg.blocks.len()).map(|block| liveness.behind(block).registers()).collect();
        (0..cfg.blocks.len()).any(|block| computes(block) && live[block].len() <= MOST_LIVE).then_some(Self { live })
    }
}

fn goes_in_pairs(statement: &Statement) -> bool {
    match statement {
        Statement::Label(_) => true,
        Statement::Call(_) => false,
        Statement::Instruction(i) => {
            !i.modifiers.carry && !matches!(i.opcode, Opcode::Brx | Opcode::Trap | Opcode::Alloca)
        }
    }
}

fn only_computes(statement: &Statement) -> bool {
    match statement {
        Statement::Label(_) => true,
        Statement::Call(_) => false,
        Statement::Instruction(i) => i.opcode == Opcode::Bra || !asks_who(i),
    }
}

/// May the device be asked, in this instruction, which thread is running? Of everything but arithmetic the answer is yes.
pub(crate) fn asks_who(i: &Instruction) -> bool {
    let known = |operand: &Operand| match operand {
        Operand::Special(special) => {
            matches!(special, Special::Tid(_) | Special::Ntid(_) | Special::Ctaid(_) | Special::Nctaid(_))
        }
        _ => true,
    };
    !is_arithmetic(i.opcode) || !i.operands.iter().all(known)
}

/// Where registers lie that one thread leaves while the other one goes on: offsets and bytes.
pub(crate) fn places(body: &Body, live: &[Vec<Reg>]) -> (Vec<Option<u32>>, u32) {
    let mut offsets = vec![None; body.registers.len()];
    let mut at = 8;
    for register in live.iter().flatten() {
        let slot = &mut offsets[register.0 as usize];
        if slot.is_none() {
            *slot = Some(at);
            at += clif(body.registers[register.0 as usize].ty).bytes().max(4);
        }
    }
    (offsets, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Reach, index};

    fn in_pairs(before: &str, inside: &str) -> bool {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n.reg .pred %p<4>;\n\
             .reg .b32 %r<40>;\n.reg .b64 %d<8>;\nld.param.u64 %d0, [a];\n{before}\nhead:\n{inside}\n\
             add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 9;\n@%p0 bra head;\nst.global.u32 [%d0], %r0;\nret;\n}}"
        );
        let module = hotfire_ptx::parse(&text).expect("it parses");
        let reach = Reach::new(&module, &index(&module), "k").expect("it is there");
        Pairs::of(&reach.functions[0]).is_some()
    }

    #[test]
    fn loops_that_only_compute_run_in_pairs() {
        assert!(in_pairs("", "xor.b32 %r0, %r0, %r1;"));
        assert!(in_pairs("ld.global.u32 %r1, [%d0];", "xor.b32 %r0, %r0, %r1;"));
    }

    #[test]
    fn others_do_not() {
        assert!(!in_pairs("", "ld.global.u32 %r1, [%d0];"));
        assert!(!in_pairs(".local .b32 x;", "xor.b32 %r0, %r0, %r1;"));
        assert!(!in_pairs("add.cc.u32 %r1, %r1, 1;\naddc.u32 %r2, %r2, 0;", ""));
        assert!(!in_pairs("", &"xor.b32 %r0, %r0, %r1;\n".repeat(30)));
        let many: String = (1..20).map(|n| format!("add.u32 %r{n}, %r{n}, 1;\n")).collect();
        assert!(!in_pairs("", &many));
    }
}
