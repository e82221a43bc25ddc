//! `hotfire lint`: rules on PTX alone.
//!
//! Which kernels are launched programmatically stands in host code, which is not looked at. So `pdl/no-wait` is said here of kernels that
//! trigger, and so are made for a chain of programmatic launches, and in which no thread can ever wait; `hotfire check --lint` says it at the
//! launch, of any kernel. Calls of CDP1 that wait for children (`cdp1/synchronize`) are the other rule.

use crate::inspect::name::Names;
use crate::report;
use hotfire_image::container::{self, Code};
use hotfire_image::{Architecture, defines_device_runtime, select};
use hotfire_ptx::ast::{FunctionKind, Location, Mode, Module, Statement};
use hotfire_ptx::{Cdp1Call, Opcode, cdp1_calls, reach};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

/// Prints what there is to say of `file`.
pub fn lint(file: &Path) -> ExitCode {
    let fail = |message: String| {
        report(&format!("{}: {message}", file.display()));
        ExitCode::FAILURE
    };
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => return fail(error.to_string()),
    };
    let contents = match container::inspect(&bytes) {
        Ok(contents) => contents,
        Err(error) => return fail(error.to_string()),
    };
    let (mut text, mut kernels, mut found) = (String::new(), 0, 0);
    for image in &contents.images {
        let ptx = match &image.code {
            Code::Ptx(text) => Some(Ok(text.clone())),
            Code::Fatbin(entries) => select(entries, Architecture::DEVICE).map(|entry| entry.text()),
            Code::Cubin(_) | Code::Damaged(_) => None,
        };
        match ptx {
            Some(Ok(ptx)) if !defines_device_runtime(&ptx) => match hotfire_ptx::parse(&ptx) {
                Ok(module) => {
                    kernels += module.functions.iter().filter(|f| f.kind == FunctionKind::Kernel).count();
                    for line in findings(&module) {
                        found += 1;
                        let _ = writeln!(text, "{line}");
                    }
                }
                Err(error) => return fail(error.to_string()),
            },
            Some(Err(error)) => return fail(error.to_string()),
            _ => {}
        }
    }
    let _ = writeln!(text, "{}: {kernels} kernels, {found} findings", file.display());
    let printed = crate::print(&text);
    if found > 0 { ExitCode::FAILURE } else { printed }
}

/// One line for each.
fn findings(module: &Module) -> Vec<String> {
    let names = Names::new(false);
    let mut lines = Vec::new();
    for kernel in module.functions.iter().filter(|function| function.kind == FunctionKind::Kernel) {
        let (wait, trigger) = dependency(module, &kernel.name);
        if let (None, Some(trigger)) = (wait, trigger) {
            lines.push(format!(
                "warning[pdl/no-wait]: {} triggers ({}) and has no wait: launched programmatically itself, nothing orders it behind the kernel in front",
                names.show(&kernel.name),
                place(module, trigger)
            ));
        }
    }
    for call in cdp1_calls(module).iter().filter(|call| Cdp1Call::synchronises(call)) {
        lines.push(format!(
            "error[cdp1/synchronize]: {} waits for its children by {} ({}); compute capability 9.0 has no such call",
            names.show(&call.function),
            call.callee,
            place(module, call.location)
        ));
    }
    lines
}

/// Where the code that a kernel can reach waits and triggers, if it does; what cannot be seen may do both.
fn dependency(module: &Module, kernel: &str) -> (Option<Location>, Option<Location>) {
    let Some(reached) = reach(module, kernel) else { return (None, None) };
    let (mut wait, mut trigger) = (reached.indirect.then(Location::default), None);
    for function in reached.functions.iter().map(|&index| &module.functions[index]) {
        if function.broken.is_some() {
            wait = wait.or(Some(Location::default()));
        }
        for statement in function.body.iter().flat_map(|body| &body.statements) {
            let Statement::Instruction(i) = statement else { continue };
            if i.opcode == Opcode::Griddepcontrol {
                let is_wait = i.modifiers.mode != Some(Mode::LaunchDependents);
                let at = if is_wait { &mut wait } else { &mut trigger };
                at.get_or_insert(i.location);
            }
        }
    }
    (wait, trigger)
}

/// The CUDA line if there is one, else the line of the PTX text.
fn place(module: &Module, location: Location) -> String {
    let source = location.source.and_then(|source| Some((module.files.get(source.file as usize)?, source.line)));
    match source {
        Some((file, line)) => format!("{file}:{line}"),
        None => format!("PTX line {}", location.line),
    }
}

#[cfg(test)]
mod tests {
    use super::findings;

    fn lint(body: &str) -> Vec<String> {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.func helper() {{ griddepcontrol.wait; ret; }}\n.visible .entry k() {{\n{body}\nret;\n}}"
        );
        findings(&hotfire_ptx::parse(&text).expect("the text is PTX"))
    }

    #[test]
    fn a_kernel_that_triggers_and_cannot_wait_is_named() {
        let lines = lint("griddepcontrol.launch_dependents;");
        assert_eq!(lines.len(), 1);
        assert!(lines[0].starts_with("warning[pdl/no-wait]: k triggers (PTX line 6)"), "{lines:?}");
    }

    #[test]
    fn its_twins_are_not() {
        assert!(lint("griddepcontrol.launch_dependents; griddepcontrol.wait;").is_empty());
        assert!(lint("griddepcontrol.launch_dependents; call helper;").is_empty());
        assert!(lint("").is_empty());
    }
}
