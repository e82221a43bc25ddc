//! Names inside a function: registers, variables and labels of nested `{ }` scopes (PTX ISA, sections 4.4 and 10.1).

use crate::ast::{Label, Name, Reg, Register, Type, Var};
use crate::hash::NameMap;

/// Digits of a register's number.
const LONGEST_NUMBER: usize = 10;

/// What a name means inside a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Register(Reg),
    /// `.reg .v4 .f32 %v`: its first element and their number.
    Registers(Reg, u8),
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
    names: NameMap<&'t str, Entity>,
    /// `%r<100>`: prefix to count and type. The registers come to be when they are used: a text can declare more of them than memory
    /// holds.
    ranges: NameMap<&'t str, (u32, Type)>,
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

    pub fn define_range(&mut self, prefix: &'t str, count: u32, ty: Type) -> bool {
        self.0.last_mut().is_some_and(|scope| scope.ranges.insert(prefix, (count, ty)).is_none())
    }

    /// What a name means here. A register of a range is added to `registers` the first time.
    pub fn find(&mut self, name: &'t str, registers: &mut Vec<Register>) -> Option<Entity> {
        self.0.iter_mut().rev().find_map(|scope| {
            if let Some(&entity) = scope.names.get(name) {
                return Some(entity);
            }
            if scope.ranges.is_empty() {
                return None;
            }
            let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
            // A prefix may itself end with digits (`%r1<4>` has `%r10`): every split is tried, the longest prefix first.
            let shortest = digits.max(name.len().saturating_sub(LONGEST_NUMBER));
            let ty = (shortest..name.len()).rev().find_map(|split| {
                let (prefix, number) = name.split_at(split);
                let &(count, ty) = scope.ranges.get(prefix)?;
                // `%r01` is no register of `%r<2>`.
                let plain = number.len() == 1 || !number.starts_with('0');
                (plain && number.parse::<u32>().is_ok_and(|number| number < count)).then_some(ty)
            })?;
            let register = Reg(registers.len() as u32);
            registers.push(Register { name: Name::from(name), ty });
            scope.names.insert(name, Entity::Register(register));
            Some(Entity::Register(register))
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
