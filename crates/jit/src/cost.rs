//! What a basic block costs a thread: instructions, and cycles if the thread has the multiprocessor to itself.
//!
//! A simple machine: instructions issue in order, one a cycle, each as soon as its operands are there; a result is there after a time that
//! depends on the instruction. What a block leaves behind is waited for before the next one begins, so that work does not overlap
//! between the rounds of a loop (compilers unroll loops where that matters). Copies of registers, address casts and
//! parameters cost nothing: machine code has them as operands. A load from global memory is taken to come from the second-level cache.
//!
//! The numbers are cycles as published measurements of this generation have them, rounded; `litmus/chains.h200.txt` shows a dependent
//! multiply-add to take 4. See `docs/trace.md`.

use hotfire_ptx::Opcode as O;
use hotfire_ptx::ast::{AddressBase, Instruction, Operand, Reg, Space, Statement, Symbol, Type};
use std::collections::HashMap;

/// Of one run of statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub instructions: u32,
    pub cycles: u32,
}

/// Cycles to the result of most instructions.
const SIMPLE: u32 = 4;
/// Of the unit for special functions and conversions.
const SPECIAL: u32 = 18;
/// Of a round trip to shared memory, or to the lanes of the warp.
const SHARED: u32 = 26;
/// Of a load of global memory that the second-level cache has.
const GLOBAL: u32 = 280;
/// Of a branch that is taken, beyond the instruction itself.
const BRANCH: u32 = 4;
/// Of a call, with its return.
const CALL: u32 = 20;

/// Whether somebody looks at the time of a thread here: what comes before and behind is counted apart.
pub(crate) fn is_seam(statement: &Statement) -> bool {
    match statement {
        Statement::Call(_) => true,
        Statement::Instruction(i) => matches!(i.opcode, O::Griddepcontrol | O::Bar | O::Barrier),
        Statement::Label(_) => false,
    }
}

/// What a run of statements costs.
pub(crate) fn of(statements: &[Statement]) -> Cost {
    let mut ready: HashMap<Reg, u32> = HashMap::new();
    let (mut issue, mut last, mut instructions) = (0, 0, 0);
    for statement in statements {
        match statement {
            Statement::Label(_) => {}
            Statement::Call(_) => {
                issue = last.max(issue) + CALL;
                instructions += 2;
            }
            Statement::Instruction(i) => {
                let free = is_free(i);
                let writes = usize::from(has_result(i.opcode));
                let mut start = issue;
                let mut each = |register: Reg| start = start.max(ready.get(&register).copied().unwrap_or(0));
                i.operands.iter().skip(writes).for_each(|operand| registers(operand, &mut each));
                if let Some(guard) = i.guard {
                    each(guard.register);
                }
                if !free {
                    issue = start + 1;
                    instructions += 1;
                }
                let there = start + if free { 0 } else { latency(i) };
                last = last.max(there);
                if writes == 1
                    && let Some(result) = i.operands.first()
                {
                    registers(result, &mut |register| {
                        ready.insert(register, there);
                    });
                }
            }
        }
    }
    Cost { instructions, cycles: last.max(issue) }
}

fn registers(operand: &Operand, each: &mut dyn FnMut(Reg)) {
    match operand {
        Operand::Register(register) | Operand::NotRegister(register) => each(*register),
        Operand::Address(AddressBase::Register(register), _) => each(*register),
        Operand::Vector(parts) => parts.iter().for_each(|part| registers(part, each)),
        Operand::Pair(first, second) => {
            registers(first, each);
            registers(second, each);
        }
        _ => {}
    }
}

/// Whether the first operand is written, not read.
fn has_result(opcode: O) -> bool {
    !matches!(opcode, O::St | O::Red | O::Bra | O::Brx | O::Bar | O::Barrier | O::Membar | O::Fence | O::Griddepcontrol)
}

/// What machine code has no instruction for.
fn is_free(i: &Instruction) -> bool {
    let parameter = || {
        matches!(i.modifiers.space, Some(Space::Param))
            || matches!(i.operands.get(1), Some(Operand::Address(AddressBase::Symbol(Symbol::Parameter(_)), _)))
    };
    match i.opcode {
        O::Mov => !matches!(i.operands.get(1), Some(Operand::Special(_))),
        O::Cvta => true,
        O::Ld | O::St => parameter(),
        _ => false,
    }
}

fn latency(i: &Instruction) -> u32 {
    let double = matches!(i.types.first(), Some(Type::F64));
    let float = matches!(i.types.first(), Some(Type::F32 | Type::F64));
    match i.opcode {
        O::Ld | O::Ldu | O::Atom => match i.modifiers.space {
            Some(Space::Shared | Space::SharedCluster) => SHARED,
            Some(Space::Local | Space::Const) => SHARED,
            _ => GLOBAL,
        },
        O::St | O::Red | O::Membar | O::Fence => 1,
        O::Div | O::Rem if !float => 10 * SPECIAL,
        O::Div | O::Sqrt | O::Rcp | O::Rsqrt if double => 6 * SPECIAL,
        O::Div => 3 * SPECIAL,
        O::Sqrt => 2 * SPECIAL,
        O::Rcp | O::Rsqrt | O::Sin | O::Cos | O::Lg2 | O::Ex2 | O::Tanh | O::Cvt | O::Popc => SPECIAL,
        O::Mov => SPECIAL,
        O::Shfl | O::Vote | O::Match | O::Redux | O::Bar | O::Barrier => SHARED,
        O::Bra | O::Brx => BRANCH,
        _ if double => 2 * SIMPLE,
        _ => SIMPLE,
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, of};
    use hotfire_ptx::ast::Statement;

    fn statements(body: &str) -> Vec<Statement> {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
             .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n{body}\n}}"
        );
        let module = hotfire_ptx::parse(&text).expect("the text is PTX");
        module.functions[0].body.as_ref().expect("it has a body").statements.clone()
    }

    #[test]
    fn what_hangs_on_each_other_adds_up() {
        let chain = statements(&"fma.rn.f32 %f1, %f1, %f2, %f3;\n".repeat(10));
        assert_eq!(of(&chain), Cost { instructions: 10, cycles: 40 });
    }

    #[test]
    fn what_does_not_overlaps() {
        let apart: String = (1..9).map(|n| format!("ld.global.f32 %f{n}, [%rd1+{}];\n", 4 * n)).collect();
        assert_eq!(of(&statements(&apart)), Cost { instructions: 8, cycles: 7 + super::GLOBAL });
        let after = statements(&format!("{apart} st.global.f32 [%rd2], %f8;"));
        assert_eq!(of(&after).cycles, 7 + super::GLOBAL + 1);
    }

    #[test]
    fn parameters_and_casts_cost_nothing() {
        let free = statements("ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.b64 %rd3, %rd2;");
        assert_eq!(of(&free), Cost::default());
    }
}
