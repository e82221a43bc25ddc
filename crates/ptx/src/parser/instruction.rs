//! Instructions and calls.

use super::body::Building;
use super::scope::Entity;
use super::{Parser, Result, error, unexpected};
use crate::ast::{Call, CallTarget, Guard, Instruction, Operand, Statement};
use crate::form::Spelling;
use crate::lexer::{Kind, Token};
use crate::{Diagnostic, verify};
use std::rc::Rc;

/// Operands of one instruction or call: more than any form has, less than a text could ask for.
const MOST_OPERANDS: usize = 1024;

impl<'t> Parser<'t> {
    /// `[@p] mnemonic.words operands;`
    pub(super) fn instruction(&mut self, building: &mut Building<'t>) -> Result<()> {
        let guard = self.guard(building)?;
        let mnemonic = self.expect(Kind::Identifier, "an instruction")?;
        if matches!(mnemonic.text, "call" | "call.uni") {
            return self.call(guard, mnemonic, building);
        }
        let spelling = self.spelling(mnemonic)?;
        let location = self.place(mnemonic);
        let mut operands = Vec::with_capacity(3);
        while self.peek().kind != Kind::Semicolon {
            if !operands.is_empty() {
                self.expect(Kind::Comma, "`,` or `;`")?;
            }
            if operands.len() == MOST_OPERANDS {
                return Err(error(self.peek(), "too many operands"));
            }
            operands.push(self.operand(building)?);
        }
        self.next();
        verify::operands(&spelling, &mut operands, &building.body)
            .map_err(|message| error(mnemonic, format!("`{}`: {message}", mnemonic.text)))?;
        let Spelling { opcode, modifiers, types, .. } = &*spelling;
        let (modifiers, types) = (modifiers.clone(), types.clone());
        building.body.statements.push(Statement::Instruction(Instruction {
            guard,
            opcode: *opcode,
            modifiers,
            types,
            operands,
            location,
        }));
        Ok(())
    }

    /// What the instruction says up to its operands. Texts repeat themselves: each spelling is read once.
    fn spelling(&mut self, mnemonic: Token<'t>) -> Result<Rc<Spelling>> {
        let wrong = |(at, message): (usize, String)| {
            let mut diagnostic: Diagnostic = error(mnemonic, message);
            diagnostic.location.column = diagnostic.location.column.saturating_add(at as u32);
            diagnostic
        };
        if matches!(self.peek().kind, Kind::Dot | Kind::DotNumber) {
            // Blanks before a dot: rare enough to be read each time.
            let mut text = mnemonic.text.to_owned();
            while matches!(self.peek().kind, Kind::Dot | Kind::DotNumber) {
                text.push_str(self.next().text);
            }
            return Spelling::new(&text).map(Rc::new).map_err(wrong);
        }
        if let Some(known) = self.spellings.get(mnemonic.text) {
            return Ok(Rc::clone(known));
        }
        let spelling = Rc::new(Spelling::new(mnemonic.text).map_err(wrong)?);
        self.spellings.insert(mnemonic.text, Rc::clone(&spelling));
        Ok(spelling)
    }

    fn guard(&mut self, building: &mut Building<'t>) -> Result<Option<Guard>> {
        if !self.accept(Kind::At) {
            return Ok(None);
        }
        let negated = self.accept(Kind::Not);
        let token = self.expect(Kind::Identifier, "a predicate")?;
        match building.find(token.text) {
            Some(Entity::Register(register)) if building.body.registers[register.0 as usize].ty.is_predicate() => {
                Ok(Some(Guard { register, negated }))
            }
            Some(_) => Err(error(token, format!("`{}` is no predicate", token.text))),
            None => Err(error(token, format!("unknown predicate `{}`", token.text))),
        }
    }

    /// Behind `call`: `[.uni] [(results),] target [, (arguments)] [, prototype];`
    fn call(&mut self, guard: Option<Guard>, mnemonic: Token<'t>, building: &mut Building<'t>) -> Result<()> {
        let location = self.place(mnemonic);
        self.accept_word(".uni");
        let mut returns = Vec::new();
        if self.peek().kind == Kind::OpenParenthesis {
            returns = self.call_list(building)?;
            self.expect(Kind::Comma, "`,`")?;
        }
        let name = self.expect(Kind::Identifier, "a function")?;
        let target = match building.find(name.text) {
            Some(Entity::Register(register)) => CallTarget::Indirect(register),
            None => CallTarget::Direct(self.intern(name.text)),
            Some(_) => return Err(error(name, format!("`{}` is no function", name.text))),
        };
        let (mut arguments, mut prototype) = (Vec::new(), None);
        while self.accept(Kind::Comma) {
            if self.peek().kind == Kind::OpenParenthesis {
                arguments = self.call_list(building)?;
                continue;
            }
            let name = self.expect(Kind::Identifier, "a prototype")?;
            match building.find(name.text) {
                Some(Entity::Prototype(index)) => prototype = Some(index),
                _ => return Err(error(name, format!("unknown prototype `{}`", name.text))),
            }
        }
        self.expect(Kind::Semicolon, "`;`")?;
        if matches!(target, CallTarget::Indirect(_)) && prototype.is_none() {
            return Err(error(mnemonic, "an indirect call names no prototype"));
        }
        building.body.statements.push(Statement::Call(Call { guard, target, returns, arguments, prototype, location }));
        Ok(())
    }

    fn call_list(&mut self, building: &mut Building<'t>) -> Result<Vec<Operand>> {
        self.expect(Kind::OpenParenthesis, "`(`")?;
        let mut list = Vec::new();
        while !self.accept(Kind::CloseParenthesis) {
            if !list.is_empty() {
                self.expect(Kind::Comma, "`,` or `)`")?;
            }
            let token = self.peek();
            if list.len() == MOST_OPERANDS {
                return Err(error(token, "too many arguments"));
            }
            let operand = self.operand(building)?;
            if !matches!(
                operand,
                Operand::Register(_)
                    | Operand::Integer(_)
                    | Operand::Float32(_)
                    | Operand::Float64(_)
                    | Operand::Special(_)
                    | Operand::Symbol(..)
                    | Operand::Sink
            ) {
                return Err(unexpected(token, "a parameter, a register or a constant"));
            }
            list.push(operand);
        }
        Ok(list)
    }
}
