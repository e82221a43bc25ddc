//! Refuses modules that synchronise with their children on the device (CDP1): an sm_90 device answers 500 when they are
//! loaded. launch-model.md section 7.

use super::LoadError;
use crate::checking::Checking;
use crate::status::Status;
use hotfire_ptx::ast::{
    AddressBase, Body, CallTarget, FunctionKind, Location, Module, Name, Operand, Statement, Symbol,
};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// `Err` if some kernel of the module can reach such a call; the log names kernels and places, and says what to do.
pub(super) fn refuse(text: &Module, checking: Option<&Checking>) -> Result<(), LoadError> {
    let bodies: HashMap<&str, &Body> =
        text.functions.iter().filter_map(|function| Some((&*function.name, function.body.as_ref()?))).collect();
    let mut calls: HashMap<Name, Vec<Location>> = HashMap::new();
    // A body of that name would be the module's own function.
    for call in hotfire_ptx::cdp1_calls(text) {
        if call.synchronises() && !bodies.contains_key(&*call.callee) {
            calls.entry(call.function).or_default().push(call.location);
        }
    }
    if calls.is_empty() {
        return Ok(());
    }
    let mut log = String::new();
    let mut found: Vec<(&str, Location, Vec<&str>)> = Vec::new();
    for kernel in text.functions.iter().filter(|function| function.kind == FunctionKind::Kernel) {
        for function in reachable(&kernel.name, &bodies) {
            for location in calls.get(function).into_iter().flatten() {
                match found.iter_mut().find(|(_, known, _)| known == location) {
                    Some((_, _, kernels)) => kernels.push(&kernel.name),
                    None => found.push((function, *location, vec![&kernel.name])),
                }
                let _ = write!(log, "kernel {} calls cudaDeviceSynchronize", kernel.name);
                if function != &*kernel.name {
                    let _ = write!(log, " in {function}");
                }
                let _ = write!(log, ", PTX line {}", location.line);
                if let Some(source) = location.source {
                    let file = text.files.get(source.file as usize).map_or("?", String::as_str);
                    let _ = write!(log, " ({file}:{})", source.line);
                }
                log.push('\n');
            }
        }
    }
    if log.is_empty() {
        return Ok(());
    }
    if let Some(checking) = checking {
        for (function, location, kernels) in found {
            checking.synchronises(text, function, location, &kernels, |function| reachable(function, &bodies));
        }
    }
    log.push_str(
        "device code of compute capability 9.0 cannot wait for its children: move what follows the call into a kernel of its own, \
         launched into cudaStreamTailLaunch, with the values that live across the call as its parameters; a call inside a loop needs \
         the loop on the host, or a tail that launches itself again\n",
    );
    Err(LoadError { status: Status::SYMBOL_NOT_FOUND, log })
}

/// Functions that a kernel may call, itself first, directly or by an address that it takes.
fn reachable<'a>(kernel: &'a str, bodies: &HashMap<&'a str, &'a Body>) -> Vec<&'a str> {
    let mut seen = HashSet::from([kernel]);
    let mut order = vec![kernel];
    let mut next = 0;
    while let Some(&name) = order.get(next) {
        next += 1;
        for callee in bodies.get(name).into_iter().flat_map(|body| named(body)) {
            if bodies.contains_key(&**callee) && seen.insert(callee) {
                order.push(callee);
            }
        }
    }
    order
}

fn named(body: &Body) -> impl Iterator<Item = &Name> {
    body.statements.iter().flat_map(|statement| -> Vec<&Name> {
        match statement {
            Statement::Call(call) => match &call.target {
                CallTarget::Direct(name) => vec![name],
                CallTarget::Indirect(_) => vec![],
            },
            Statement::Instruction(instruction) => instruction
                .operands
                .iter()
                .filter_map(|operand| match operand {
                    Operand::Symbol(Symbol::Global(name), _)
                    | Operand::Address(AddressBase::Symbol(Symbol::Global(name)), _) => Some(name),
                    _ => None,
                })
                .collect(),
            Statement::Label(_) => vec![],
        }
    })
}
