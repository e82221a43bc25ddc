//! Function bodies: scopes, declarations, labels, and what is neither an instruction nor a call.

use super::scope::{Entity, Scopes, numbered};
use super::variable::space_of;
use super::{Parser, Result, error, unexpected};
use crate::ast::{Body, Function, Label, Linkage, Name, Prototype, Reg, Register, Statement, Var};
use crate::lexer::{Kind, Token};
use crate::words::type_of;

/// Registers of one function, over all its scopes.
const MOST_REGISTERS: u64 = 1 << 20;
const DEEPEST_SCOPE: usize = 64;

/// The function being parsed.
pub(super) struct Building<'t> {
    pub body: Body,
    pub scopes: Scopes<'t>,
}

impl<'t> Parser<'t> {
    /// Behind `{`: everything up to the matching `}`.
    pub(super) fn body(&mut self, function: &Function) -> Result<Body> {
        let mut building = Building { body: Body::default(), scopes: Scopes::default() };
        building.scopes.enter();
        let tokens = self.tokens;
        // The header's names live as long as the text: take them from its tokens.
        let header = &tokens[..self.at];
        let named = |name: &Name| header.iter().rev().find(|token| *token.text == **name).map(|token| token.text);
        for (list, entity) in [
            (&function.parameters, Entity::Parameter as fn(u32) -> Entity),
            (&function.returns, Entity::Return as fn(u32) -> Entity),
        ] {
            for (index, parameter) in list.iter().enumerate().filter(|(_, parameter)| !parameter.name.is_empty()) {
                let Some(text) = named(&parameter.name) else { continue };
                let defined = if parameter.register {
                    building.body.registers.push(Register { name: parameter.name.clone(), ty: parameter.ty });
                    Entity::Register(Reg(building.body.registers.len() as u32 - 1))
                } else {
                    entity(index as u32)
                };
                if !building.scopes.define(text, defined) {
                    return Err(error(self.peek(), format!("two parameters are named `{text}`")));
                }
            }
        }
        building.scopes.enter();
        self.labels(&mut building);
        while building.scopes.depth() > 1 {
            self.statement(&mut building)?;
        }
        building.body.inlines = std::mem::take(&mut self.sources.inlines);
        Ok(building.body)
    }

    /// Defines the labels of the scope that begins here: a branch may come before its label, and inner scopes may use the
    /// same names again (each inlined copy of an `asm` block does).
    fn labels(&mut self, building: &mut Building<'t>) {
        let mut depth = 0u32;
        for pair in self.tokens[self.at..].windows(2) {
            match pair[0].kind {
                Kind::OpenBrace => depth += 1,
                Kind::CloseBrace if depth == 0 => break,
                Kind::CloseBrace => depth -= 1,
                Kind::Identifier if depth == 0 && pair[1].kind == Kind::Colon => {
                    let label = Label(building.body.labels.len() as u32);
                    if building.scopes.define(pair[0].text, Entity::Label(label)) {
                        building.body.labels.push(Name::from(pair[0].text));
                    }
                }
                _ => {}
            }
        }
    }

    fn statement(&mut self, building: &mut Building<'t>) -> Result<()> {
        let token = self.peek();
        match token.kind {
            Kind::Semicolon => {
                self.next();
            }
            Kind::OpenBrace => {
                self.next();
                if building.scopes.depth() >= DEEPEST_SCOPE {
                    return Err(error(token, "scopes are nested too deeply"));
                }
                building.scopes.enter();
                self.labels(building);
            }
            Kind::CloseBrace => {
                self.next();
                building.scopes.leave();
            }
            Kind::Dot => {
                self.next();
                self.declaration(token, building)?;
            }
            Kind::Identifier if self.peek_second().kind == Kind::Colon => self.label(building)?,
            Kind::Identifier | Kind::At => self.instruction(building)?,
            _ => return Err(unexpected(token, "an instruction")),
        }
        Ok(())
    }

    fn declaration(&mut self, directive: Token<'t>, building: &mut Building<'t>) -> Result<()> {
        match directive.text {
            ".reg" => self.registers(building),
            ".loc" => self.loc(),
            ".file" => self.file(),
            ".pragma" => self.skip_statement(),
            ".section" => self.section(),
            text if space_of(text).is_some() => {
                let first = self.at;
                for variable in self.variables(directive, Linkage::Internal)? {
                    let text = self.tokens[first..self.at].iter().find(|token| *token.text == *variable.name);
                    let index = building.body.variables.len() as u32;
                    if let Some(token) = text
                        && !building.scopes.define(token.text, Entity::Variable(Var(index)))
                    {
                        return Err(error(*token, format!("`{}` is declared twice", token.text)));
                    }
                    building.body.variables.push(variable);
                }
                Ok(())
            }
            text => Err(error(directive, format!("unknown directive `{text}`"))),
        }
    }

    /// Behind `.reg`: `[.v4] .type %name[<count>] {, …};`
    fn registers(&mut self, building: &mut Building<'t>) -> Result<()> {
        let word = self.expect(Kind::Dot, "a type")?;
        let ty = type_of(&word.text[1..])
            .ok_or_else(|| error(word, format!("registers of type `{}` are not supported", word.text)))?;
        loop {
            let name = self.expect(Kind::Identifier, "a register name")?;
            let registers = &mut building.body.registers;
            let first = registers.len() as u32;
            let fresh = if self.peek().kind == Kind::Less {
                self.next();
                let count = self.unsigned(MOST_REGISTERS - u64::from(first).min(MOST_REGISTERS))? as u32;
                self.expect(Kind::Greater, "`>`")?;
                registers.extend((0..count).map(|number| Register { name: numbered(name.text, number), ty }));
                building.scopes.define_range(name.text, first, count)
            } else {
                if u64::from(first) >= MOST_REGISTERS {
                    return Err(error(name, "too many registers"));
                }
                registers.push(Register { name: Name::from(name.text), ty });
                building.scopes.define(name.text, Entity::Register(Reg(first)))
            };
            if !fresh {
                return Err(error(name, format!("`{}` is declared twice", name.text)));
            }
            if !self.accept(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Semicolon, "`;`").map(drop)
    }

    /// `name:`, or a named `.branchtargets` or `.callprototype` list.
    fn label(&mut self, building: &mut Building<'t>) -> Result<()> {
        let token = self.next();
        self.next();
        let label = building.scopes.own_label(token.text);
        let label = label.ok_or_else(|| error(token, format!("`{}` is declared twice", token.text)))?;
        if self.accept_word(".branchtargets") {
            let mut targets = Vec::new();
            loop {
                let name = self.expect(Kind::Identifier, "a label")?;
                match building.scopes.find(name.text) {
                    Some(Entity::Label(label)) => targets.push(label),
                    _ => return Err(error(name, format!("unknown label `{}`", name.text))),
                }
                if !self.accept(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::Semicolon, "`;`")?;
            let index = building.body.targets.len() as u32;
            building.body.targets.push(targets);
            building.scopes.define(token.text, Entity::Targets(index));
        } else if self.accept_word(".callprototype") {
            let returns = if self.peek().kind == Kind::OpenParenthesis { self.parameters()? } else { Vec::new() };
            self.expect(Kind::Underscore, "`_`")?;
            let parameters = if self.peek().kind == Kind::OpenParenthesis { self.parameters()? } else { Vec::new() };
            let no_return = self.accept_word(".noreturn");
            self.skip_statement()?;
            let index = building.body.prototypes.len() as u32;
            building.body.prototypes.push(Prototype { returns, parameters, no_return });
            building.scopes.define(token.text, Entity::Prototype(index));
        } else if self.accept_word(".calltargets") {
            return Err(error(token, "`.calltargets` lists are not supported"));
        } else {
            building.body.statements.push(Statement::Label(label));
        }
        Ok(())
    }
}
