//! `cdp1/synchronize`: device code that waits for its children, found when its module is loaded (launch-model section 7).

use super::results::registers;
use super::{Checking, Stack};
use crate::module::places;
use hotfire_check::{Action, Finding, Rule};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Body, Location, Module, Operand, Reg, Statement};
use std::collections::HashSet;

impl Checking {
    /// A kernel can reach a call of the device-side synchronisation in `function`.
    pub fn synchronises(&self, text: &Module, kernel: &str, function: &str, location: Location) {
        let index = text.functions.iter().position(|known| &*known.name == function && known.body.is_some());
        let Some((index, body)) = index.and_then(|index| Some((index, text.functions[index].body.as_ref()?))) else {
            return;
        };
        let kernel_name = self.names.show(kernel);
        let by = if kernel == function { String::new() } else { format!(", through `{}`", self.names.show(function)) };
        let message = format!("kernel `{kernel_name}` waits for its children with cudaDeviceSynchronize(){by}");
        let mut finding = Finding::new(Rule::Cdp1Synchronize, message);
        let mut access = self.host(&Stack::here(), Action::Call);
        access.place = Some(places::in_text(text, location, index, |name| self.names.show(name)));
        finding.accesses = vec![access];
        finding.notes.push(
            "the module is refused with cudaErrorSymbolNotFound (500), as on every device of compute capability 9.0"
                .into(),
        );
        let Split { live, in_loop } = split(body, location);
        finding.help.push(format!(
            "split `{kernel_name}` here: move what follows the call into a kernel of its own, say {kernel_name}_rest, and put in the \
             call's place, in one thread: {kernel_name}_rest<<<grid, block, 0, cudaStreamTailLaunch>>>(…);"
        ));
        finding.help.push(match live {
            0 => "no value lives across the call: the new kernel needs no parameters of its own".into(),
            1 => "one value lives across the call: make it a parameter of the new kernel".into(),
            live => format!("{live} values live across the call: make them parameters of the new kernel"),
        });
        if in_loop {
            finding.help.push(
                "the call is inside a loop: move the loop to the host, to a conditional WHILE node of a graph, or to a tail launch \
                 that launches itself again with the next step as its parameter"
                    .into(),
            );
        }
        finding.hardware = Some("loading fails in the same way".into());
        self.collector.add(finding);
    }
}

/// What splitting a function at a call means.
struct Split {
    /// Registers that are set before the call in the text and read after it.
    live: usize,
    in_loop: bool,
}

fn split(body: &Body, location: Location) -> Split {
    let is_call = |statement: &Statement| matches!(statement, Statement::Call(call) if call.location == location);
    let at = body.statements.iter().position(is_call).unwrap_or(0);
    let (before, after) = body.statements.split_at(at);
    let mut set = HashSet::new();
    for statement in before {
        if let Statement::Instruction(instruction) = statement
            && !matches!(instruction.opcode, Opcode::St | Opcode::Red | Opcode::Bra)
            && let Some(destination) = instruction.operands.first()
        {
            registers(destination, &mut |register| _ = set.insert(register));
        }
    }
    let (mut live, mut again) = (HashSet::new(), HashSet::new());
    for statement in after {
        let Statement::Instruction(instruction) = statement else { continue };
        let stores = matches!(instruction.opcode, Opcode::St | Opcode::Red | Opcode::Bra);
        let (written, read) = instruction.operands.split_at(usize::from(!stores).min(instruction.operands.len()));
        let mut reads = |register: Reg| {
            if set.contains(&register) && !again.contains(&register) {
                live.insert(register);
            }
        };
        read.iter().for_each(|operand| registers(operand, &mut reads));
        instruction.guard.iter().for_each(|guard| reads(guard.register));
        written.iter().for_each(|operand| registers(operand, &mut |register| _ = again.insert(register)));
    }
    let label_before = |label| before.iter().any(|statement| matches!(statement, Statement::Label(l) if *l == label));
    let in_loop = after.iter().any(|statement| {
        let Statement::Instruction(instruction) = statement else { return false };
        instruction.opcode == Opcode::Bra
            && instruction
                .operands
                .iter()
                .any(|operand| matches!(operand, Operand::Label(label) if label_before(*label)))
    });
    Split { live: live.len(), in_loop }
}
