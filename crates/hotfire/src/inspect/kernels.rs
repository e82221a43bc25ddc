//! What the kernels of a module take, launch, and cannot do.
//!
//! Device launches are calls of the device runtime (launch-model.md section 3.7). The kernel that is launched and its stream are read off the
//! parameters of the call where they are constants, by following registers through `mov`, `cvta` and `st.param` in textual order, which is how
//! nvcc writes them.

use hotfire_ptx::ast::*;
use hotfire_ptx::{Cdp1Call, Opcode, cdp1_calls};
use std::collections::{HashMap, HashSet};

/// One kernel.
#[derive(Debug, PartialEq, Eq)]
pub struct Summary {
    /// Mangled.
    pub name: Name,
    /// Type or size of each parameter.
    pub parameters: Vec<String>,
    /// `.maxntid`, `.reqntid`.
    pub limits: Option<String>,
    /// Launches from its code and from the device functions that it calls.
    pub launches: Vec<Launch>,
    /// Why it cannot run.
    pub faults: Vec<String>,
}

/// One place that launches a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The kernel, if the code names it.
    pub kernel: Option<Name>,
    /// Into which stream.
    pub stream: &'static str,
    /// CUDA or PTX line.
    pub place: String,
}

/// The kernels of a module in textual order.
pub fn summarise(module: &Module) -> Vec<Summary> {
    let bodies: HashMap<&str, &Function> = module
        .functions
        .iter()
        .filter(|function| function.body.is_some() || function.broken.is_some())
        .map(|function| (&*function.name, function))
        .collect();
    let kernels = module.functions.iter().filter(|f| f.kind == FunctionKind::Kernel && bodies.contains_key(&*f.name));
    let mut synchronisations = cdp1_calls(module);
    synchronisations.retain(Cdp1Call::synchronises);
    kernels.map(|kernel| summary(module, &bodies, &synchronisations, kernel)).collect()
}

fn summary(
    module: &Module,
    bodies: &HashMap<&str, &Function>,
    synchronisations: &[Cdp1Call],
    kernel: &Function,
) -> Summary {
    let mut result = Summary {
        name: kernel.name.clone(),
        parameters: kernel.parameters.iter().map(parameter).collect(),
        limits: limits(&kernel.directives),
        launches: Vec::new(),
        faults: Vec::new(),
    };
    // The kernel and every device function that it calls by name, each once.
    let mut reached: Vec<&Name> = vec![&kernel.name];
    let mut seen: HashSet<&str> = HashSet::from([&*kernel.name]);
    let mut next = 0;
    while let Some(&name) = reached.get(next) {
        next += 1;
        let Some(function) = bodies.get(&**name) else { continue };
        if let Some(error) = &function.broken {
            let within = if next == 1 { String::new() } else { format!("in {name}: ") };
            result.faults.push(format!("{within}{error}"));
        }
        for call in synchronisations.iter().filter(|call| call.function == *name) {
            let (callee, place) = (&call.callee, place(module, call.location));
            result.faults.push(format!("waits for its children by {callee} (CDP1), {place}"));
        }
        let Some(body) = &function.body else { continue };
        let mut constants = Constants::default();
        for statement in &body.statements {
            match statement {
                Statement::Label(_) => {}
                Statement::Instruction(instruction) => constants.follow(instruction),
                Statement::Call(call) => {
                    let CallTarget::Direct(target) = &call.target else { continue };
                    if call_of_device_runtime(module, call, target, &mut constants, &mut result) {
                        continue;
                    }
                    if seen.insert(target) {
                        reached.push(target);
                    }
                }
            }
        }
    }
    result
}

/// Notes what a call of the device runtime does; false if it is another call.
fn call_of_device_runtime(
    module: &Module,
    call: &Call,
    target: &str,
    constants: &mut Constants,
    result: &mut Summary,
) -> bool {
    let place = || place(module, call.location);
    let Some(function) = target.strip_prefix("__cudaCDP2").or_else(|| target.strip_prefix("cuda")) else {
        return false;
    };
    let function = function.strip_suffix("_ptsz").unwrap_or(function);
    match function {
        // Its first parameter is the kernel; the launch that follows has only the buffer.
        "GetParameterBufferV2" => constants.buffered = constants.name(call.arguments.first()),
        "LaunchDeviceV2" => {
            let kernel = constants.buffered.take();
            result.launches.push(Launch { kernel, stream: constants.stream(call.arguments.get(1)), place: place() });
        }
        "LaunchDevice" => {
            let kernel = constants.name(call.arguments.first());
            result.launches.push(Launch { kernel, stream: constants.stream(call.arguments.last()), place: place() });
        }
        _ => {}
    }
    true
}

/// What registers and `.param` variables hold where that is constant.
#[derive(Default)]
struct Constants {
    registers: HashMap<Reg, Constant>,
    variables: HashMap<Var, Constant>,
    /// The kernel for which a parameter buffer was asked last.
    buffered: Option<Name>,
}

#[derive(Clone)]
enum Constant {
    Name(Name),
    Number(i128),
}

impl Constants {
    fn follow(&mut self, instruction: &Instruction) {
        match (instruction.opcode, &instruction.operands[..]) {
            (Opcode::Mov | Opcode::Cvta, [Operand::Register(to), from]) => match self.value(from) {
                Some(value) => drop(self.registers.insert(*to, value)),
                None => drop(self.registers.remove(to)),
            },
            (Opcode::St, [Operand::Address(AddressBase::Symbol(Symbol::Local(to)), 0), from]) => match self.value(from)
            {
                Some(value) => drop(self.variables.insert(*to, value)),
                None => drop(self.variables.remove(to)),
            },
            (_, [Operand::Register(to), ..]) => drop(self.registers.remove(to)),
            _ => {}
        }
    }

    fn value(&self, operand: &Operand) -> Option<Constant> {
        match operand {
            Operand::Register(register) => self.registers.get(register).cloned(),
            Operand::Integer(number) => Some(Constant::Number(*number)),
            Operand::Symbol(Symbol::Global(name), 0) => Some(Constant::Name(name.clone())),
            Operand::Symbol(Symbol::Local(variable), 0) => self.variables.get(variable).cloned(),
            _ => None,
        }
    }

    fn name(&self, operand: Option<&Operand>) -> Option<Name> {
        match self.value(operand?)? {
            Constant::Name(name) => Some(name),
            Constant::Number(_) => None,
        }
    }

    /// Stream handles as in launch-model.md section 3.2.
    fn stream(&self, operand: Option<&Operand>) -> &'static str {
        match operand.and_then(|operand| self.value(operand)) {
            Some(Constant::Number(0)) => "NULL stream of the block",
            Some(Constant::Number(3)) => "tail",
            Some(Constant::Number(4)) => "fire and forget",
            _ => "a stream known at run time",
        }
    }
}

fn parameter(parameter: &Parameter) -> String {
    let natural = size_of_type(parameter.ty);
    if natural == parameter.size {
        format!("{:?}", parameter.ty).to_lowercase()
    } else {
        format!("{} bytes", parameter.size)
    }
}

fn size_of_type(ty: Type) -> u32 {
    match ty {
        Type::B8 | Type::U8 | Type::S8 => 1,
        Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 => 2,
        Type::B64 | Type::U64 | Type::S64 | Type::F64 => 8,
        Type::B128 => 16,
        _ => 4,
    }
}

fn limits(directives: &Directives) -> Option<String> {
    let shape = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    match (directives.required_threads, directives.max_threads) {
        (Some(threads), _) => Some(format!("exactly {} a block", shape(threads))),
        (None, Some(threads)) => Some(format!("at most {} a block", shape(threads))),
        (None, None) => None,
    }
}

/// The CUDA line if there is one, else the line of the PTX text.
fn place(module: &Module, location: Location) -> String {
    let source = location.source.and_then(|source| Some((module.files.get(source.file as usize)?, source.line)));
    match source {
        Some((file, line)) => format!("{file}:{line}"),
        None => format!("PTX line {}", location.line),
    }
}
