//! What decides how a loop goes on.
//!
//! A thread that waits in a loop may count its looks or note the time without ever acting on it. Such a loop goes round for ever although
//! the thread's registers change. Whether it does is decided by fewer of them: those that flow into a branch, an address or anything
//! else that has an effect, in the part of the code that can be reached from the loop and leads back to it (a strongly connected
//! component, so that outer loops count too). If those are as before, and memory is, the next round will be like the last one.
//!
//! Not for components that call functions or store to what may be the thread's own memory: their state is more than registers.

use crate::cfg::{BasicBlock, Cfg, definitions, no_destination, registers};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Body, Instruction, Reg, Space, Statement};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Components of a body that are looked at.
const MOST: usize = 64;
/// Registers that are compared.
const MOST_REGISTERS: usize = 64;

/// For each block, the registers that decide whether the loops around it end; none for blocks where that is not known.
pub(crate) fn deciding(cfg: &Cfg, body: &Body) -> Vec<Option<Rc<[Reg]>>> {
    let mut found = vec![None; cfg.blocks.len()];
    let predecessors = cfg.predecessors();
    let mut done = vec![false; cfg.blocks.len()];
    let mut components = 0;
    for head in 0..cfg.blocks.len() {
        if done[head] || !cfg.blocks[head].fuel || components == MOST {
            continue;
        }
        components += 1;
        let forwards = reached(head, |block| &cfg.blocks[block].successors, done.len());
        let backwards = reached(head, |block| &predecessors[block], done.len());
        let inside: Vec<usize> = (0..done.len()).filter(|&block| forwards[block] && backwards[block]).collect();
        inside.iter().for_each(|&block| done[block] = true);
        if let Some(registers) = of_component(inside.iter().map(|&block| &cfg.blocks[block]), body) {
            inside.iter().for_each(|&block| found[block] = Some(registers.clone()));
        }
    }
    found
}

fn reached<'a>(from: usize, next: impl Fn(usize) -> &'a Vec<usize>, count: usize) -> Vec<bool> {
    let mut seen = vec![false; count];
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut seen[block], true) {
            work.extend(next(block));
        }
    }
    seen
}

fn of_component<'a>(blocks: impl Iterator<Item = &'a BasicBlock>, body: &Body) -> Option<Rc<[Reg]>> {
    let mut sources: HashMap<Reg, Vec<Reg>> = HashMap::new();
    let mut work = Vec::new();
    for statement in blocks.flat_map(|block| &body.statements[block.first..block.end]) {
        let i = match statement {
            Statement::Label(_) => continue,
            Statement::Call(_) => return None,
            // How long it sleeps changes nothing.
            Statement::Instruction(Instruction { opcode: Opcode::Nanosleep, .. }) => continue,
            Statement::Instruction(i) if changes_itself(i) => return None,
            Statement::Instruction(i) => i,
        };
        let mut read = Vec::new();
        let first = usize::from(!no_destination(i));
        i.operands.iter().skip(first).for_each(|operand| registers(operand, &mut |r| read.push(r)));
        read.extend(i.guard.map(|guard| guard.register));
        if is_arithmetic(i.opcode) {
            definitions(statement, &mut |r| sources.entry(r).or_default().extend(&read));
        } else {
            work.extend(read);
        }
    }
    let mut deciding = HashSet::new();
    while let Some(register) = work.pop() {
        if deciding.insert(register) {
            work.extend(sources.get(&register).into_iter().flatten());
        }
    }
    let mut deciding: Vec<Reg> = deciding.into_iter().collect();
    deciding.sort_unstable_by_key(|register| register.0);
    (deciding.len() <= MOST_REGISTERS).then(|| deciding.into())
}

/// Does the instruction change what is neither a register nor memory that others see?
fn changes_itself(i: &Instruction) -> bool {
    use Opcode as O;
    let stores = matches!(i.opcode, O::St) && !is_visible(i.modifiers.space);
    stores || i.modifiers.carry || matches!(i.opcode, O::Alloca | O::Stackrestore | O::Stacksave)
}

fn is_visible(space: Option<Space>) -> bool {
    matches!(space, Some(Space::Global | Space::Shared | Space::SharedCluster))
}

/// Does the instruction only compute its result, from its operands alone?
pub(crate) fn is_arithmetic(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::Mov
            | O::Add
            | O::Sub
            | O::Mul
            | O::Mad
            | O::Fma
            | O::Min
            | O::Max
            | O::And
            | O::Or
            | O::Xor
            | O::Not
            | O::Shl
            | O::Shr
            | O::Setp
            | O::Set
            | O::Selp
            | O::Cvt
            | O::Cvta
            | O::Abs
            | O::Neg
            | O::Lop3
            | O::Div
            | O::Rem
            | O::Popc
            | O::Clz
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(loop_body: &str) -> Option<Vec<u32>> {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n\
             .reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n\
             ld.param.u64 %d0, [a];\nmov.u32 %r0, 0;\nhead:\n{loop_body}\n@%p0 bra head;\nst.global.u32 [%d0], %r0;\nret;\n}}"
        );
        let module = hotfire_ptx::parse(&text).expect("it parses");
        let body = module.functions[0].body.as_ref().expect("it has a body");
        let mut cfg = Cfg::new(body);
        cfg.blocks.iter_mut().skip(1).take(1).for_each(|block| block.fuel = true);
        let found = deciding(&cfg, body)[1].clone();
        let name = |register: &Reg| body.registers[register.0 as usize].name.to_string();
        found.map(|registers| {
            let mut numbers: Vec<u32> = registers.iter().map(|register| number(&name(register))).collect();
            numbers.sort_unstable();
            numbers
        })
    }

    /// `%p0` is 0, `%r3` 13, `%d4` 24.
    fn number(name: &str) -> u32 {
        let kind = match &name[1..2] {
            "p" => 0,
            "r" => 10,
            _ => 20,
        };
        kind + name[2..].parse::<u32>().expect("a number")
    }

    #[test]
    fn counters_that_nobody_asks_decide_nothing() {
        let look = "ld.volatile.global.u32 %r1, [%d0];\nsetp.eq.u32 %p0, %r1, 0;";
        assert_eq!(of(look), Some(vec![0, 11, 20]));
        assert_eq!(of(&format!("{look}\nadd.u32 %r0, %r0, 1;")), Some(vec![0, 11, 20]));
        // One that bounds the loop does, and all that it is made of.
        let bounded = "add.u32 %r0, %r0, %r2;\nsetp.lt.u32 %p1, %r0, 100;\nand.pred %p0, %p0, %p1;";
        assert_eq!(of(&format!("{look}\n{bounded}")), Some(vec![0, 1, 10, 11, 12, 20]));
        // So does one that is stored, or an address.
        assert_eq!(
            of(&format!("{look}\nadd.u32 %r0, %r0, 1;\nst.global.u32 [%d1], %r0;")),
            Some(vec![0, 10, 11, 20, 21])
        );
    }

    #[test]
    fn components_with_state_of_their_own_are_left_alone() {
        let look = "ld.volatile.global.u32 %r1, [%d0];\nsetp.eq.u32 %p0, %r1, 0;";
        assert_eq!(of(&format!("{look}\nst.u32 [%d1], %r1;")), None);
        assert_eq!(of(&format!("{look}\nadd.cc.u32 %r0, %r0, 1;\naddc.u32 %r2, %r2, 0;")), None);
    }
}
