//! What a kernel can call.

use crate::ast::{AddressBase, CallTarget, Initializer, Module, Name, Operand, Statement, Symbol};
use std::collections::{HashMap, HashSet};

/// Functions that running one function can run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Indices into [`Module::functions`]: the function itself first, then others in the order in which they were met. Declarations
    /// without code are among them.
    pub functions: Vec<usize>,
    /// Names that are called and that the module does not even declare, in the order in which they were met.
    pub unknown: Vec<Name>,
    /// Some reachable code calls through a register.
    pub indirect: bool,
}

/// Everything reachable from the function named `name`: what it calls, functions whose address its code or a variable that its code
/// names holds, and so on. `None` if the module has no such function.
pub fn reach(module: &Module, name: &str) -> Option<Reach> {
    let mut functions: HashMap<&str, usize> = HashMap::with_capacity(module.functions.len());
    for (index, function) in module.functions.iter().enumerate() {
        let known = functions.entry(&*function.name).or_insert(index);
        // A declaration may come before the definition.
        if module.functions[*known].body.is_none() {
            *known = index;
        }
    }
    let variables = module.variables.iter().map(|variable| (&*variable.name, &variable.init)).collect();
    let first = *functions.get(name)?;
    let mut search = Search { functions, variables, seen: HashSet::new(), found: Reach::default() };
    search.name(&module.functions[first].name);
    let mut next = 0;
    while let Some(&index) = search.found.functions.get(next) {
        next += 1;
        for statement in module.functions[index].body.iter().flat_map(|body| &body.statements) {
            match statement {
                Statement::Label(_) => {}
                Statement::Instruction(instruction) => instruction.operands.iter().for_each(|o| search.operand(o)),
                Statement::Call(call) => {
                    match &call.target {
                        CallTarget::Direct(name) => {
                            if !search.name(name) {
                                search.found.unknown.push(name.clone());
                            }
                        }
                        CallTarget::Indirect(_) => search.found.indirect = true,
                    }
                    call.arguments.iter().for_each(|operand| search.operand(operand));
                }
            }
        }
    }
    Some(search.found)
}

struct Search<'m> {
    functions: HashMap<&'m str, usize>,
    variables: HashMap<&'m str, &'m Initializer>,
    seen: HashSet<&'m str>,
    found: Reach,
}

impl<'m> Search<'m> {
    /// Notes a name. False if it is new and nothing of the module.
    fn name(&mut self, name: &'m str) -> bool {
        let mut names = vec![name];
        let mut known = true;
        while let Some(name) = names.pop() {
            if !self.seen.insert(name) {
                continue;
            }
            match (self.functions.get(name), self.variables.get(name)) {
                (Some(&index), _) => self.found.functions.push(index),
                (None, Some(init)) => names.extend(init.relocations.iter().map(|relocation| &*relocation.symbol)),
                (None, None) => known = false,
            }
        }
        known
    }

    fn operand(&mut self, operand: &'m Operand) {
        match operand {
            Operand::Symbol(Symbol::Global(name), _)
            | Operand::Address(AddressBase::Symbol(Symbol::Global(name)), _) => {
                self.name(name);
            }
            Operand::Texel { object, .. } => self.operand(object),
            Operand::Vector(elements) => elements.iter().for_each(|element| self.operand(element)),
            Operand::Pair(first, second) => {
                self.operand(first);
                self.operand(second);
            }
            _ => {}
        }
    }
}
