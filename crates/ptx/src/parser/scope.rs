//! Names inside a function: registers, variables and labels of nested `{ }` scopes (PTX ISA, section 4.4 and 10.1).

use crate::ast::{Label, Name, Reg, Var};
use std::collections::HashMap;

/// What a name means inside a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Register(Reg),
    Variable(Var),
    Label(Label),
    Parameter(u32),
    Return(u32),
    /// A `.callprototype`.
    Prototype(u32),
    /// A `.branchtargets` list.
    Targets(u32),
}

#[derive(Default)]
struct Scope<'t> {
    names: HashMap<&'t str, Entity>,
    /// `%r<100>`: prefix to first register and count.
    ranges: HashMap<&'t str, (u32, u32)>,
}

/// The scopes around a place, the outermost first.
#[derive(Default)]
pub(super) struct Scopes<'t>(Vec<Scope<'t>>);

impl<'t> Scopes<'t> {
    pub fn enter(&mut self) {
        self.0.push(Scope::default());
    }

    pub fn leave(&mut self) {
        self.0.pop();
    }

    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// False if the innermost scope has the name already.
    pub fn define(&mut self, name: &'t str, entity: Entity) -> bool {
        self.0.last_mut().is_some_and(|scope| scope.names.insert(name, entity).is_none())
    }

    pub fn define_range(&mut self, prefix: &'t str, first: u32, count: u32) -> bool {
        self.0.last_mut().is_some_and(|scope| scope.ranges.insert(prefix, (first, count)).is_none())
    }

    pub fn find(&self, name: &str) -> Option<Entity> {
        let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, number) = name.split_at(digits);
        // `%r01` is no register of `%r<2>`.
        let number: Option<u32> = if number.len() > 1 && number.starts_with('0') { None } else { number.parse().ok() };
        self.0.iter().rev().find_map(|scope| {
            scope.names.get(name).copied().or_else(|| {
                let &(first, count) = scope.ranges.get(prefix)?;
                number.filter(|&number| number < count).map(|number| Entity::Register(Reg(first + number)))
            })
        })
    }

    /// The label that a `name:` in the innermost scope defines.
    pub fn own_label(&self, name: &str) -> Option<Label> {
        match self.0.last()?.names.get(name)? {
            Entity::Label(label) => Some(*label),
            _ => None,
        }
    }
}

/// Numbered names of a register range.
pub(super) fn numbered(prefix: &str, number: u32) -> Name {
    Name::from(format!("{prefix}{number}"))
}
