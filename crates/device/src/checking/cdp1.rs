//! `cdp1/synchronize`: device code that waits for its children, found when its module is loaded (launch-model section 7).

use super::results::registers;
use super::{Checking, Stack};
use crate::module::places;
use hotfire_check::{Action, Finding, Rule};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Body, Call, CallTarget, Location, Module, Operand, Reg, Statement};
use std::collections::HashSet;

impl Checking {
    /// Kernels can reach a call of the device-side synchronisation in `function`. `reachable` says what a function may call, itself
    /// first.
    pub fn synchronises<'a>(
        &self,
        text: &Module,
        function: &str,
        location: Location,
        kernels: &[&'a str],
        reachable: impl Fn(&'a str) -> Vec<&'a str>,
    ) {
        let body = |name: &str| {
            let index = text.functions.iter().position(|known| &*known.name == name && known.body.is_some())?;
            Some((index, text.functions[index].body.as_ref()?))
        };
        let (Some((index, _)), Some(&kernel)) = (body(function), kernels.first()) else { return };
        let names: Vec<String> = kernels.iter().map(|kernel| format!("`{}`", self.names.show(kernel))).collect();
        let by = if kernel == function { String::new() } else { format!(", through `{}`", self.names.show(function)) };
        let who = match &*names {
            [one] => format!("kernel {one} waits for its"),
            more => format!("kernels {} wait for their", more.join(", ")),
        };
        let message = format!("{who} children with cudaDeviceSynchronize(){by}");
        let mut finding = Finding::new(Rule::Cdp1Synchronize, message);
        let mut access = self.host(&Stack::here(), Action::Call);
        access.place = Some(places::in_text(text, location, index, |name| self.names.show(name)));
        finding.accesses = vec![access];
        finding.notes.push(
            "the module is refused with cudaErrorSymbolNotFound (500), as on every device of compute capability 9.0"
                .into(),
        );
        finding.hardware = Some("loading fails in the same way".into());
        for kernel in kernels {
            // Functions on the way from the kernel to the call, and what they call on it.
            let way: Vec<&str> = reachable(kernel).into_iter().filter(|name| reaches(text, name, function)).collect();
            let calls = |name: &str| -> Vec<Split> {
                let Some((_, body)) = body(name) else { return Vec::new() };
                let on_way = |call: &Call| match &call.target {
                    CallTarget::Direct(callee) if name == function && call.location == location => !callee.is_empty(),
                    CallTarget::Direct(callee) => way.contains(&&**callee),
                    CallTarget::Indirect(_) => false,
                };
                body.statements
                    .iter()
                    .filter_map(|statement| match statement {
                        Statement::Call(call) if on_way(call) => Some(split(body, call.location)),
                        _ => None,
                    })
                    .collect()
            };
            let name = self.names.show(kernel);
            let at = if *kernel == function {
                "here".into()
            } else {
                format!("where it calls `{}`", self.names.show(function))
            };
            finding.help.push(format!(
                "split `{name}` {at}: move what follows the call into a kernel of its own, say {name}_rest, and launch that in the call's \
                 place, from one thread: {name}_rest<<<grid, block, 0, cudaStreamTailLaunch>>>(…);"
            ));
            finding.help.push(match calls(kernel).iter().map(|split| split.live).max() {
                Some(1) => "one value lives across the call: make it a parameter of the new kernel".into(),
                Some(live) if live > 1 => {
                    format!("{live} values live across the call: make them parameters of the new kernel")
                }
                _ => "make the values that live across the call parameters of the new kernel".into(),
            });
            if way.iter().any(|name| calls(name).iter().any(|split| split.in_loop)) {
                finding.help.push(format!(
                    "the call is inside a loop of `{name}`: move the loop to the host, to a conditional WHILE node of a graph, or to a \
                     tail launch that launches itself again with the next step as its parameter"
                ));
            }
        }
        self.collector.add(finding);
    }
}

/// Whether direct calls lead from one function to another.
fn reaches(text: &Module, from: &str, to: &str) -> bool {
    let mut seen = HashSet::from([from]);
    let mut rest = vec![from];
    while let Some(name) = rest.pop() {
        if name == to {
            return true;
        }
        let bodies = text.functions.iter().filter(|known| &*known.name == name).filter_map(|known| known.body.as_ref());
        for statement in bodies.flat_map(|body| &body.statements) {
            if let Statement::Call(Call { target: CallTarget::Direct(callee), .. }) = statement
                && seen.insert(callee)
            {
                rest.push(callee);
            }
        }
    }
    false
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
