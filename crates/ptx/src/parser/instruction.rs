//! Instructions and calls.

use super::body::Building;
use super::scope::Entity;
use super::{Parser, Result, error, unexpected};
use crate::ast::{Call, CallTarget, Guard, Instruction, Modifiers, Operand, Statement};
use crate::lexer::{Kind, Token};
use crate::words::{apply, type_of};
use crate::{Opcode, verify};

/// Operands of one instruction or call: more than any form has, less than a text could ask for.
const MOST_OPERANDS: usize = 1024;

impl<'t> Parser<'t> {
    /// `[@p] mnemonic.words operands;`
    pub(super) fn instruction(&mut self, building: &mut Building<'t>) -> Result<()> {
        let guard = self.guard(building)?;
        let mnemonic = self.expect(Kind::Identifier, "an instruction")?;
        if mnemonic.text == "call" {
            return self.call(guard, mnemonic, building);
        }
        let location = self.place(mnemonic);
        let opcode = Opcode::from_text(mnemonic.text)
            .ok_or_else(|| error(mnemonic, format!("unknown instruction `{}`", self.spelled(mnemonic))))?;
        let mut modifiers = Modifiers { vector: 1, ..Modifiers::default() };
        let mut types = Vec::with_capacity(1);
        let words = self.at;
        while matches!(self.peek().kind, Kind::Dot | Kind::DotNumber) {
            let word = self.next();
            let text = &word.text[1..];
            if let Some(ty) = type_of(text) {
                types.push(ty);
            } else if !apply(opcode, text, &mut modifiers) {
                let spelled = self.spelled(mnemonic);
                return Err(error(word, format!("unknown word `{}` of `{spelled}`", word.text)));
            }
        }
        let words = &self.tokens[words..self.at];
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
        let instruction = Instruction { guard, opcode, modifiers, types, operands, location };
        verify::instruction(&instruction, words, &building.body)
            .map_err(|message| error(mnemonic, format!("`{}`: {message}", self.spelled(mnemonic))))?;
        building.body.statements.push(Statement::Instruction(instruction));
        Ok(())
    }

    fn guard(&mut self, building: &Building<'t>) -> Result<Option<Guard>> {
        if !self.accept(Kind::At) {
            return Ok(None);
        }
        let negated = self.accept(Kind::Not);
        let token = self.expect(Kind::Identifier, "a predicate")?;
        match building.scopes.find(token.text) {
            Some(Entity::Register(register)) => Ok(Some(Guard { register, negated })),
            _ => Err(error(token, format!("unknown predicate `{}`", token.text))),
        }
    }

    /// The instruction as the text spells it, up to its operands.
    fn spelled(&self, mnemonic: Token<'t>) -> String {
        let start = self.tokens[..self.at]
            .iter()
            .rposition(|token| (token.line, token.column) == (mnemonic.line, mnemonic.column))
            .unwrap_or(self.at);
        let words =
            self.tokens[start + 1..].iter().take_while(|token| matches!(token.kind, Kind::Dot | Kind::DotNumber));
        words.fold(mnemonic.text.to_owned(), |text, word| text + word.text)
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
        let target = match building.scopes.find(name.text) {
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
            match building.scopes.find(name.text) {
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
            if matches!(operand, Operand::Address(..) | Operand::Vector(_) | Operand::Pair(..) | Operand::Label(_)) {
                return Err(unexpected(token, "a parameter, a register or a constant"));
            }
            list.push(operand);
        }
        Ok(list)
    }
}
