//! `pointer/private`: shared and local memory handed to another grid (launch-model 3.4.3).
//!
//! A pointer is known by its value: it lies where only shared windows and stacks of threads are, which no other number does by
//! chance. So it does not matter through which registers, structs or functions it came.

use super::{Checking, Who, params};
use crate::exec;
use crate::module::Function;
use hotfire_check::{Action, Finding, Rule};
use hotfire_ptx::ast::{Parameter, Type};

/// `shared` or `local`
fn space(address: u64) -> &'static str {
    if exec::shared_offset(address).is_some() { "shared" } else { "local" }
}

/// Offsets in the parameter block at which a parameter can hold a pointer.
fn slots(parameter: &Parameter) -> impl Iterator<Item = u64> {
    let start = u64::from(parameter.offset);
    let plausible = parameter.size >= 8 && !matches!(parameter.ty, Type::F64 | Type::F32x2);
    let end = if plausible { start + u64::from(parameter.size) } else { start };
    (start.next_multiple_of(8)..end).step_by(8).filter(move |at| at + 8 <= end)
}

impl Checking {
    /// Looks for private pointers in the parameters of a child that is about to be launched.
    pub(super) fn private_parameters(&self, who: Who, child: &Function, buffer: &[u8]) -> Option<usize> {
        let mut found = None;
        for (index, parameter) in child.parameters().iter().enumerate() {
            for at in slots(parameter) {
                let Some(value) = params::word(buffer, at) else { continue };
                if !exec::is_private(value) {
                    continue;
                }
                let space = space(value);
                let inside = if parameter.size > 8 { " (inside a struct)" } else { "" };
                let mut finding = Finding::new(
                    Rule::PointerPrivate,
                    format!(
                        "parameter {}{inside} of `{}` is a pointer to {space} memory of the launching {}",
                        index + 1,
                        self.kernel_name(child),
                        if space == "shared" { "block" } else { "thread" },
                    ),
                );
                let mut access = self.access(who, Action::Launch);
                access.bytes = self.bytes(value, 1);
                finding.accesses = vec![access];
                finding.help = help(space);
                finding.hardware = Some(
                    "following the pointer in the child ends with cudaErrorInvalidAddressSpace (717), sticky".into(),
                );
                found = Some(self.collector.add(finding));
            }
        }
        found
    }

    /// A device-side copy or set was refused: reports private memory among its operands.
    pub fn private_operand(&self, who: Who, call: &str, address: u64, bytes: u64, action: Action) {
        if !exec::is_private(address) {
            return;
        }
        let space = space(address);
        let side = if action == Action::CopyFrom { "source" } else { "target" };
        let mut finding = Finding::new(Rule::PointerPrivate, format!("the {side} of {call} is {space} memory"));
        let mut access = self.access(who, action);
        access.bytes = self.bytes(address, bytes);
        finding.accesses = vec![access];
        finding.notes.push(
            "a device-side copy or set runs as a grid of its own: the call fails with cudaErrorInvalidValue".into(),
        );
        finding.help = help(space);
        finding.hardware = Some("the call fails there too".into());
        self.collector.add(finding);
    }
}

fn help(space: &str) -> Vec<String> {
    vec![
        format!("copy the {space} data to global memory and pass that: for (i = …) global[i] = {space}_data[i];"),
        "or pass small data by value".into(),
    ]
}
