//! Several units to one module: external names are resolved, weak definitions merged, and names that only their own unit
//! sees are kept apart.

use crate::Diagnostic;
use crate::ast::{
    AddressBase, Call, CallTarget, Function, Linkage, Module, Name, Operand, Parameter, Statement, Symbol, Variable,
};
use std::collections::{HashMap, HashSet};

/// Links units. Names that stay undefined remain declarations: the device may know them.
///
/// # Errors
/// Two strong definitions of one name, or declarations that contradict each other.
pub fn link(units: Vec<Module>) -> Result<Module, Diagnostic> {
    let mut linked = Module { address_size: 64, ..Module::default() };
    let mut taken: HashSet<Name> = units.iter().flat_map(external).collect();
    let mut functions: HashMap<Name, usize> = HashMap::new();
    let mut variables: HashMap<Name, usize> = HashMap::new();
    for (number, mut unit) in units.into_iter().enumerate() {
        linked.version = linked.version.max(unit.version);
        if linked.target < unit.target {
            linked.target.clone_from(&unit.target);
        }
        let renamed = renames(&unit, number, &mut taken);
        let first_file = linked.files.len() as u32;
        linked.files.append(&mut unit.files);
        for mut variable in unit.variables {
            rename_variable(&mut variable, &renamed);
            let strong = variable.linkage != Linkage::Extern;
            match variables.get(&variable.name).copied() {
                None => {
                    variables.insert(variable.name.clone(), linked.variables.len());
                    linked.variables.push(variable);
                }
                Some(known) => {
                    let known = &mut linked.variables[known];
                    if known.space != variable.space {
                        return Err(differs(&variable.name, &variable.location));
                    }
                    match (known.linkage, variable.linkage) {
                        (Linkage::Extern, _) if strong => *known = variable,
                        (Linkage::Weak | Linkage::Common, Linkage::Visible) => *known = variable,
                        (Linkage::Common, Linkage::Common) if known.size < variable.size => *known = variable,
                        (Linkage::Visible, Linkage::Visible) => return Err(twice(&variable.name, &variable.location)),
                        _ => {}
                    }
                }
            }
        }
        // Units without a text have an empty one, so that the numbers agree.
        linked.texts.push(unit.texts.pop().unwrap_or_default());
        for mut function in unit.functions {
            function.unit = number as u32;
            rename_function(&mut function, &renamed, first_file);
            let defines = function.body.is_some() || function.broken.is_some();
            match functions.get(&function.name).copied() {
                None => {
                    functions.insert(function.name.clone(), linked.functions.len());
                    linked.functions.push(function);
                }
                Some(known) => {
                    let known = &mut linked.functions[known];
                    // Calls were judged by the declaration that their own unit has.
                    if !agree(&known.parameters, &function.parameters) || !agree(&known.returns, &function.returns) {
                        return Err(differs(&function.name, &function.location));
                    }
                    let known_defines = known.body.is_some() || known.broken.is_some();
                    if !known_defines && defines
                        || known.linkage == Linkage::Weak && function.linkage == Linkage::Visible && defines
                    {
                        *known = function;
                    } else if defines && known.linkage == Linkage::Visible && function.linkage == Linkage::Visible {
                        return Err(twice(&function.name, &function.location));
                    }
                }
            }
        }
    }
    if linked.texts.iter().all(|text| text.is_empty()) {
        linked.texts.clear();
    }
    Ok(linked)
}

/// Whether two declarations lay their parameters out in one way.
fn agree(ours: &[Parameter], theirs: &[Parameter]) -> bool {
    let layout = |parameter: &Parameter| (parameter.size, parameter.offset, parameter.register);
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| layout(a) == layout(b))
}

fn differs(name: &str, location: &crate::ast::Location) -> Diagnostic {
    Diagnostic::new(*location, format!("`{name}` is declared in different ways"))
}

fn twice(name: &str, location: &crate::ast::Location) -> Diagnostic {
    Diagnostic::new(*location, format!("`{name}` is defined in two units"))
}

fn external(unit: &Module) -> impl Iterator<Item = Name> + '_ {
    let variables = unit.variables.iter().filter(|variable| variable.linkage != Linkage::Internal);
    let functions = unit.functions.iter().filter(|function| function.linkage != Linkage::Internal);
    variables.map(|variable| variable.name.clone()).chain(functions.map(|function| function.name.clone()))
}

/// New names for what only this unit sees, where another unit has the name too.
fn renames(unit: &Module, number: usize, taken: &mut HashSet<Name>) -> HashMap<Name, Name> {
    // A function may be declared without a linkage word and defined with one, or the other way round.
    let own: HashSet<Name> = external(unit).collect();
    let variables = unit.variables.iter().filter(|v| v.linkage == Linkage::Internal).map(|v| &v.name);
    let functions = unit.functions.iter().filter(|f| f.linkage == Linkage::Internal).map(|f| &f.name);
    let names: HashSet<&Name> = variables.chain(functions).filter(|name| !own.contains(*name)).collect();
    let mut renamed = HashMap::new();
    for name in names {
        if taken.insert(name.clone()) {
            continue;
        }
        let mut fresh = Name::from(format!("{name}$unit{number}"));
        while !taken.insert(fresh.clone()) {
            fresh = Name::from(format!("{fresh}$"));
        }
        renamed.insert(name.clone(), fresh);
    }
    renamed
}

fn rename(name: &mut Name, renamed: &HashMap<Name, Name>) {
    if let Some(fresh) = renamed.get(name) {
        *name = fresh.clone();
    }
}

fn rename_variable(variable: &mut Variable, renamed: &HashMap<Name, Name>) {
    rename(&mut variable.name, renamed);
    for relocation in &mut variable.init.relocations {
        rename(&mut relocation.symbol, renamed);
    }
}

fn rename_function(function: &mut Function, renamed: &HashMap<Name, Name>, first_file: u32) {
    rename(&mut function.name, renamed);
    let Some(body) = &mut function.body else { return };
    for inline in &mut body.inlines {
        inline.at.file += first_file;
    }
    for statement in &mut body.statements {
        let location = match statement {
            Statement::Label(_) => continue,
            Statement::Instruction(instruction) => {
                instruction.operands.iter_mut().for_each(|operand| rename_operand(operand, renamed));
                &mut instruction.location
            }
            Statement::Call(Call { target, arguments, location, .. }) => {
                if let CallTarget::Direct(name) = target {
                    rename(name, renamed);
                }
                arguments.iter_mut().for_each(|operand| rename_operand(operand, renamed));
                location
            }
        };
        if let Some(source) = &mut location.source {
            source.file += first_file;
        }
    }
}

fn rename_operand(operand: &mut Operand, renamed: &HashMap<Name, Name>) {
    match operand {
        Operand::Symbol(Symbol::Global(name), _) | Operand::Address(AddressBase::Symbol(Symbol::Global(name)), _) => {
            rename(name, renamed);
        }
        Operand::Texel { object, .. } => rename_operand(object, renamed),
        Operand::Vector(elements) => elements.iter_mut().for_each(|element| rename_operand(element, renamed)),
        Operand::Pair(first, second) => {
            rename_operand(first, renamed);
            rename_operand(second, renamed);
        }
        _ => {}
    }
}
