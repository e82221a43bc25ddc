//! What code does with the answer of a call: a test that no running program could tell us.
//!
//! Flow-insensitive: whatever the answer is copied into or computed into counts as the answer, anywhere in the function.

use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{AddressBase, Body, Location, Operand, Reg, Statement, Symbol};
use std::collections::HashSet;

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Uses {
    /// Anything reads it.
    pub read: bool,
    /// It is compared with something.
    pub compared: bool,
    /// It leaves the function as its result: others may compare it.
    pub returned: bool,
}

/// What `body` does with the answer of the call at `location`.
pub(super) fn uses(body: &Body, location: Location) -> Uses {
    let call = body.statements.iter().find_map(|statement| match statement {
        Statement::Call(call) if call.location == location => Some(call),
        _ => None,
    });
    let mut tainted = HashSet::new();
    let slot = match call.and_then(|call| call.returns.first()) {
        Some(Operand::Register(register)) => {
            tainted.insert(*register);
            None
        }
        Some(Operand::Symbol(Symbol::Local(slot), _)) => Some(*slot),
        _ => return Uses::default(),
    };
    let mut uses = Uses::default();
    loop {
        let before = tainted.len();
        for statement in &body.statements {
            match statement {
                Statement::Instruction(instruction) => {
                    let [first, rest @ ..] = &*instruction.operands else { continue };
                    let loads = |operand: &Operand| match operand {
                        Operand::Address(AddressBase::Symbol(Symbol::Local(from)), _) => Some(*from) == slot,
                        _ => false,
                    };
                    if instruction.opcode == Opcode::Ld && rest.iter().any(loads) {
                        registers(first, &mut |register| _ = tainted.insert(register));
                        continue;
                    }
                    let reads = rest.iter().any(|operand| mentions(operand, &tainted));
                    let stores = matches!(instruction.opcode, Opcode::St | Opcode::Red);
                    if stores {
                        uses.read |= reads || mentions(first, &tainted);
                        let result = matches!(first, Operand::Address(AddressBase::Symbol(Symbol::Return(_)), _));
                        uses.returned |= reads && result;
                    } else if reads {
                        uses.read = true;
                        uses.compared |= matches!(instruction.opcode, Opcode::Setp | Opcode::Set | Opcode::Slct);
                        registers(first, &mut |register| _ = tainted.insert(register));
                    }
                }
                Statement::Call(call) => uses.read |= call.arguments.iter().any(|a| mentions(a, &tainted)),
                Statement::Label(_) => {}
            }
        }
        if tainted.len() == before {
            return uses;
        }
    }
}

/// The registers that an operand is made of.
pub(super) fn registers(operand: &Operand, each: &mut impl FnMut(Reg)) {
    match operand {
        Operand::Register(register) | Operand::NotRegister(register) => each(*register),
        Operand::Address(AddressBase::Register(register), _) => each(*register),
        Operand::Vector(elements) => elements.iter().for_each(|element| registers(element, each)),
        Operand::Pair(first, second) => {
            registers(first, each);
            registers(second, each);
        }
        _ => {}
    }
}

fn mentions(operand: &Operand, tainted: &HashSet<Reg>) -> bool {
    let mut found = false;
    registers(operand, &mut |register| found |= tainted.contains(&register));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses_of(code: &str) -> Uses {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b64 r) malloc(.param .b64 size);\n\
             .func (.param .b64 result) f(.param .b64 n)\n{{\n.reg .b64 %a, %b;\n.reg .b32 %r;\n.reg .pred %p;\n{{\n.param .b64 size;\n\
             .param .b64 answer;\nst.param.b64 [size], 16;\ncall.uni (answer), malloc, (size);\nld.param.b64 %a, [answer];\n}}\n\
             {code}\nret;\n}}\n"
        );
        let module = hotfire_ptx::parse(&text).unwrap();
        let body = module.functions.iter().find_map(|function| function.body.as_ref()).unwrap();
        let call = body.statements.iter().find_map(|statement| match statement {
            Statement::Call(call) => Some(call.location),
            _ => None,
        });
        uses(body, call.unwrap())
    }

    #[test]
    fn answers_are_followed() {
        assert_eq!(uses_of("mov.b64 %b, 0;"), Uses::default());
        assert_eq!(uses_of("st.global.b32 [%a], 1;"), Uses { read: true, ..Uses::default() });
        let compared = Uses { read: true, compared: true, returned: false };
        assert_eq!(uses_of("setp.eq.s64 %p, %a, 0;"), compared);
        assert_eq!(uses_of("mov.b64 %b, %a;\nadd.s64 %b, %b, 8;\nsetp.eq.s64 %p, %b, 0;"), compared);
        let returned = Uses { read: true, compared: false, returned: true };
        assert_eq!(uses_of("st.param.b64 [result], %a;"), returned);
    }
}
