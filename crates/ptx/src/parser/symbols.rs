//! What can only be judged when the whole text has been read: that names exist, and that calls agree with what they call
//! (PTX ISA, section 7.1). A function that fails is broken; the others stand.

use crate::Diagnostic;
use crate::ast::{
    AddressBase, Body, Call, CallTarget, Function, Location, Module, Operand, Parameter, Statement, Symbol, Type,
};
use std::collections::{HashMap, HashSet};

/// Marks the functions that use undeclared names or call in the wrong way.
pub(super) fn check(module: &mut Module) {
    let errors = {
        let mut functions: HashMap<&str, &Function> = HashMap::with_capacity(module.functions.len());
        for function in &module.functions {
            functions.entry(&function.name).or_insert(function);
        }
        let variables: HashSet<&str> = module.variables.iter().map(|variable| &*variable.name).collect();
        let names = Names { functions, variables };
        let errors = module.functions.iter().map(|function| names.body(function.body.as_ref()?).err());
        errors.collect::<Vec<_>>()
    };
    for (function, error) in module.functions.iter_mut().zip(errors) {
        if let Some(error) = error {
            function.body = None;
            function.broken = Some(error);
        }
    }
}

struct Names<'m> {
    functions: HashMap<&'m str, &'m Function>,
    variables: HashSet<&'m str>,
}

impl Names<'_> {
    fn body(&self, body: &Body) -> Result<(), Diagnostic> {
        for statement in &body.statements {
            match statement {
                Statement::Label(_) => {}
                Statement::Instruction(instruction) => {
                    instruction.operands.iter().try_for_each(|operand| self.operand(operand, instruction.location))?;
                }
                Statement::Call(call) => self.call(call, body)?,
            }
        }
        Ok(())
    }

    fn operand(&self, operand: &Operand, location: Location) -> Result<(), Diagnostic> {
        match operand {
            Operand::Symbol(Symbol::Global(name), _)
            | Operand::Address(AddressBase::Symbol(Symbol::Global(name)), _) => {
                match self.variables.contains(&**name) || self.functions.contains_key(&**name) {
                    true => Ok(()),
                    false => Err(Diagnostic::new(location, format!("unknown name `{name}`"))),
                }
            }
            Operand::Vector(elements) => elements.iter().try_for_each(|element| self.operand(element, location)),
            Operand::Pair(first, second) => {
                self.operand(first, location)?;
                self.operand(second, location)
            }
            Operand::Texel { object, .. } => self.operand(object, location),
            _ => Ok(()),
        }
    }

    fn call(&self, call: &Call, body: &Body) -> Result<(), Diagnostic> {
        let error = |message| Err(Diagnostic::new(call.location, message));
        let (returns, parameters, name) = match &call.target {
            CallTarget::Direct(name) => match self.functions.get(&**name) {
                Some(callee) => (&callee.returns, &callee.parameters, &**name),
                None => return error(format!("call of unknown function `{name}`")),
            },
            CallTarget::Indirect(_) => match call.prototype.and_then(|index| body.prototypes.get(index as usize)) {
                Some(prototype) => (&prototype.returns, &prototype.parameters, "the prototype"),
                None => return error("an indirect call names no prototype".to_owned()),
            },
        };
        for (given, wanted, what) in [(&call.returns, returns, "results"), (&call.arguments, parameters, "arguments")] {
            if given.len() != wanted.len() {
                return error(format!("{} {what} for `{name}`, which has {}", given.len(), wanted.len()));
            }
            for (index, (operand, parameter)) in given.iter().zip(wanted).enumerate() {
                self.operand(operand, call.location)?;
                if !agrees(operand, parameter, body) {
                    return error(format!("{what} of `{name}`: number {} has another size", index + 1));
                }
            }
        }
        Ok(())
    }
}

/// Whether a value fits a parameter. Sizes decide: what the bits mean is the callee's business.
fn agrees(operand: &Operand, parameter: &Parameter, body: &Body) -> bool {
    match operand {
        Operand::Symbol(Symbol::Local(variable), 0) => {
            let variable = &body.variables[variable.0 as usize];
            variable.size == Some(u64::from(parameter.size))
        }
        Operand::Register(register) => {
            let register = &body.registers[register.0 as usize];
            register.ty.size() == parameter.size && (register.ty == Type::Pred) == (parameter.ty == Type::Pred)
        }
        _ => true,
    }
}
