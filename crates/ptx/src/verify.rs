//! Judges an instruction by the table: words, types, number and kind of its operands, widths of its registers.

use crate::Opcode;
use crate::ast::{Body, Instruction, Operand, Reg, Symbol, Type};
use crate::lexer::Token;
use crate::table::{ROWS, Row};
use crate::words::type_of;
use std::sync::LazyLock;

/// A row, ready for comparison.
struct Form {
    /// Alternatives of each group, and whether the group may be absent.
    groups: Vec<(Vec<&'static str>, bool)>,
    types: Vec<u64>,
    operands: Vec<(&'static str, bool)>,
}

static FORMS: LazyLock<Vec<Vec<Form>>> = LazyLock::new(|| {
    let mut forms: Vec<Vec<Form>> = Opcode::ALL.iter().map(|_| Vec::new()).collect();
    for row in ROWS {
        forms[row.opcode as usize].push(Form::new(row));
    }
    forms
});

impl Form {
    fn new(row: &Row) -> Self {
        let optional = |text: &'static str| match text.strip_suffix('?') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let groups = row.words.split_whitespace().map(|group| {
            let (group, absent) = optional(group);
            (group.split('|').collect(), absent)
        });
        let types = row
            .types
            .iter()
            .map(|types| types.split_whitespace().filter_map(type_of).fold(0, |mask, ty| mask | 1 << ty as u32));
        Self {
            groups: groups.collect(),
            types: types.collect(),
            operands: row.operands.split_whitespace().map(optional).collect(),
        }
    }

    /// How far the instruction agrees with the form, and what stops it: the furthest complaint is the one to print.
    fn judge(&self, instruction: &Instruction, words: &[Token<'_>], body: &Body) -> Result<(), (u32, String)> {
        let memory = matches!(
            instruction.opcode,
            Opcode::Ld | Opcode::Ldu | Opcode::St | Opcode::Atom | Opcode::Red | Opcode::Prefetch | Opcode::Discard
        );
        let mut seen = 0u64;
        for word in words.iter().map(|word| &word.text[1..]).filter(|word| type_of(word).is_none()) {
            match self.groups.iter().position(|(group, _)| group.contains(&word)) {
                Some(group) => seen |= 1 << group,
                None if memory && instruction.modifiers.hints.iter().any(|hint| **hint == *word) => {}
                None => return Err((0, format!("`.{word}` does not belong here"))),
            }
        }
        if let Some((_, (group, _))) =
            self.groups.iter().enumerate().find(|(index, (_, absent))| !absent && seen & 1 << index == 0)
        {
            return Err((1, format!("one of `.{}` is missing", group.join("`, `."))));
        }
        if instruction.types.len() != self.types.len() {
            return Err((2, format!("{} types instead of {}", instruction.types.len(), self.types.len())));
        }
        for (ty, allowed) in instruction.types.iter().zip(&self.types) {
            if allowed & 1 << *ty as u32 == 0 {
                return Err((3, format!("not for `.{}`", ty.text())));
            }
        }
        let given = instruction.operands.len();
        let needed = self.operands.iter().filter(|(_, absent)| !absent).count();
        if given < needed || given > self.operands.len() {
            return Err((4, format!("{given} operands instead of {needed}")));
        }
        for (index, (operand, (kind, _))) in instruction.operands.iter().zip(&self.operands).enumerate() {
            fits(operand, kind, instruction, body)
                .map_err(|message| (5, format!("operand {}: {message}", index + 1)))?;
        }
        Ok(())
    }
}

/// Checks one instruction.
pub(crate) fn instruction(instruction: &Instruction, words: &[Token<'_>], body: &Body) -> Result<(), String> {
    let mut worst: Option<(u32, String)> = None;
    for form in &FORMS[instruction.opcode as usize] {
        match form.judge(instruction, words, body) {
            Ok(()) => return Ok(()),
            Err(complaint) => {
                if worst.as_ref().is_none_or(|worst| worst.0 < complaint.0) {
                    worst = Some(complaint);
                }
            }
        }
    }
    Err(worst.map_or_else(|| "no such form".to_owned(), |(_, message)| message))
}

fn fits(operand: &Operand, kind: &str, instruction: &Instruction, body: &Body) -> Result<(), String> {
    let ty = |position: usize| instruction.types.get(position).copied().unwrap_or(Type::B32);
    // `ld`, `st` and `cvt` take registers wider than the type.
    let wider = matches!(instruction.opcode, Opcode::Ld | Opcode::Ldu | Opcode::St | Opcode::Cvt);
    let (kind, pair) = match kind.strip_suffix("|p") {
        Some(kind) => (kind, true),
        None => (kind, false),
    };
    if let Operand::Pair(first, second) = operand {
        if !pair {
            return Err("no second destination is allowed".to_owned());
        }
        fits(first, kind, instruction, body)?;
        return fits(second, "p", instruction, body);
    }
    match kind {
        "0" | "1" | "2" => scalar(operand, ty(kind.as_bytes()[0] as usize - usize::from(b'0')), wider, body),
        "w" => scalar_of_size(operand, ty(0).size() * 2, false, body),
        "v" => match operand {
            Operand::Vector(elements) => {
                if elements.len() != usize::from(instruction.modifiers.vector) {
                    return Err(format!("{} elements instead of {}", elements.len(), instruction.modifiers.vector));
                }
                elements.iter().try_for_each(|element| scalar(element, ty(0), wider, body))
            }
            _ if instruction.modifiers.vector > 1 => Err("a vector is needed".to_owned()),
            _ => scalar(operand, ty(0), wider, body),
        },
        "p" => match operand {
            Operand::Register(register) => predicate(*register, body),
            Operand::Sink => Ok(()),
            _ => Err("a predicate is needed".to_owned()),
        },
        "n" => match operand {
            Operand::Register(register) | Operand::NotRegister(register) => predicate(*register, body),
            Operand::Integer(_) => Ok(()),
            _ => Err("a predicate is needed".to_owned()),
        },
        "r" => scalar_of_size(operand, 4, false, body),
        "q" => scalar_of_size(operand, 8, false, body),
        "m" => matches!(operand, Operand::Address(..)).then_some(()).ok_or_else(|| "an address is needed".to_owned()),
        "l" => matches!(operand, Operand::Label(_)).then_some(()).ok_or_else(|| "a label is needed".to_owned()),
        "t" => matches!(operand, Operand::Targets(_)).then_some(()).ok_or_else(|| "a target list is needed".to_owned()),
        _ => match operand {
            Operand::NotRegister(_) | Operand::Label(_) | Operand::Targets(_) | Operand::Address(..)
                if instruction.opcode == Opcode::Mov =>
            {
                Err("a register, constant or name is needed".to_owned())
            }
            _ => Ok(()),
        },
    }
}

fn predicate(register: Reg, body: &Body) -> Result<(), String> {
    let register = &body.registers[register.0 as usize];
    if register.ty == Type::Pred { Ok(()) } else { Err(format!("`{}` is no predicate", register.name)) }
}

fn scalar(operand: &Operand, ty: Type, wider: bool, body: &Body) -> Result<(), String> {
    if ty == Type::Pred {
        return match operand {
            Operand::Register(register) | Operand::NotRegister(register) => predicate(*register, body),
            Operand::Integer(_) | Operand::Sink => Ok(()),
            _ => Err("a predicate is needed".to_owned()),
        };
    }
    scalar_of_size(operand, ty.size(), wider, body)
}

fn scalar_of_size(operand: &Operand, size: u32, wider: bool, body: &Body) -> Result<(), String> {
    match operand {
        Operand::Register(register) => {
            let register = &body.registers[register.0 as usize];
            let found = register.ty.size();
            if register.ty == Type::Pred {
                Err(format!("`{}` is a predicate", register.name))
            } else if found == size || wider && found > size || size == 1 && found == 2 {
                Ok(())
            } else {
                Err(format!("`{}` has {} bits instead of {}", register.name, found * 8, size * 8))
            }
        }
        Operand::Integer(_) | Operand::Float32(_) | Operand::Float64(_) | Operand::Sink | Operand::Special(_) => Ok(()),
        Operand::Symbol(Symbol::Global(_) | Symbol::Local(_) | Symbol::Parameter(_) | Symbol::Return(_), _) => Ok(()),
        Operand::NotRegister(_) => Err("`!` belongs to predicates".to_owned()),
        _ => Err("a register or constant is needed".to_owned()),
    }
}
