//! Function bodies: scopes, declarations, labels, and what is neither an instruction nor a call.

use super::scope::{Entity, Scopes};
use super::variable::space_of;
use super::{Parser, Result, error, unexpected};
use crate::ast::{Body, Function, Label, Linkage, Name, Prototype, Reg, Register, Statement, Var};
use crate::lexer::{Kind, Token};
use crate::types::type_of;
use std::collections::{HashMap, HashSet};

/// Registers of one declaration.
const MOST_REGISTERS: u64 = u32::MAX as u64;
const DEEPEST_SCOPE: usize = 64;

/// The function being parsed.
pub(super) struct Building<'t> {
    pub body: Body,
    scopes: Scopes<'t>,
    /// Labels that have their place.
    placed: HashSet<Label>,
}

impl<'t> Building<'t> {
    /// What a name means here.
    pub fn find(&mut self, name: &'t str) -> Option<Entity> {
        if let Some(entity) = self.scopes.find(name, &mut self.body.registers) {
            return Some(entity);
        }
        // `%v.x`, an element of a vector register.
        let (vector, element) = name.split_once('.')?;
        let index = "xyzw".find(element).or_else(|| "rgba".find(element)).filter(|_| element.len() == 1)? as u8;
        match self.scopes.find(vector, &mut self.body.registers)? {
            Entity::Registers(first, count) if index < count => Some(Entity::Register(Reg(first.0 + u32::from(index)))),
            _ => None,
        }
    }
}

impl<'t> Parser<'t> {
    /// Behind `{`: everything up to the matching `}`. The tokens of the header began at `header`.
    pub(super) fn body(&mut self, function: &Function, header: usize) -> Result<Body> {
        let mut building = Building { body: Body::default(), scopes: Scopes::default(), placed: HashSet::new() };
        building.scopes.enter();
        self.define_parameters(function, header, &mut building)?;
        building.scopes.enter();
        self.labels(&mut building);
        while building.scopes.depth() > 1 {
            self.statement(&mut building)?;
        }
        building.body.inlines = self.sources.take_inlines();
        Ok(building.body)
    }

    fn define_parameters(&mut self, function: &Function, header: usize, building: &mut Building<'t>) -> Result<()> {
        // Names of the scope live as long as the text: take them from the header's tokens.
        let tokens = self.tokens;
        let texts: HashMap<&str, &'t str> =
            (header..self.at).map(|index| tokens.get(index).text).map(|text| (text, text)).collect();
        let kinds = [
            (&function.parameters, Entity::Parameter as fn(u32) -> Entity),
            (&function.returns, Entity::Return as fn(u32) -> Entity),
        ];
        for (list, entity) in kinds {
            for (index, parameter) in list.iter().enumerate() {
                let Some(text) = texts.get(&*parameter.name).copied() else { continue };
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
        Ok(())
    }

    /// Defines the labels of the scope that begins here: a branch may come before its label, and inner scopes may use the
    /// same names again (each inlined copy of an `asm` block does).
    fn labels(&mut self, building: &mut Building<'t>) {
        let mut depth = 0u32;
        for index in self.at..self.tokens.len() {
            match self.tokens.kind(index) {
                Kind::OpenBrace => depth += 1,
                Kind::CloseBrace if depth == 0 => break,
                Kind::CloseBrace => depth -= 1,
                Kind::Colon if depth == 0 && index > self.at && self.tokens.kind(index - 1) == Kind::Identifier => {
                    let label = Label(building.body.labels.len() as u32);
                    let text = self.tokens.get(index - 1).text;
                    if building.scopes.define(text, Entity::Label(label)) {
                        building.body.labels.push(Name::from(text));
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
                for (token, variable) in self.variables(directive, Linkage::Internal)? {
                    let index = building.body.variables.len() as u32;
                    if !building.scopes.define(token.text, Entity::Variable(Var(index))) {
                        return Err(error(token, format!("`{}` is declared twice", token.text)));
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
        let mut elements = 1u8;
        let mut word = self.expect(Kind::Dot, "a type")?;
        if matches!(word.text, ".v2" | ".v4" | ".v8") {
            elements = word.text.as_bytes()[2] - b'0';
            word = self.expect(Kind::Dot, "a type")?;
        }
        let ty = type_of(&word.text[1..])
            .ok_or_else(|| error(word, format!("registers of type `{}` are not supported", word.text)))?;
        loop {
            let name = self.expect(Kind::Identifier, "a register name")?;
            let fresh = if self.accept(Kind::Less) {
                let count = self.unsigned(MOST_REGISTERS)? as u32;
                self.expect(Kind::Greater, "`>`")?;
                if elements > 1 {
                    return Err(error(name, "numbered vector registers are not supported"));
                }
                building.scopes.define_range(name.text, count, ty)
            } else {
                let registers = &mut building.body.registers;
                let first = Reg(registers.len() as u32);
                if elements == 1 {
                    registers.push(Register { name: Name::from(name.text), ty });
                    building.scopes.define(name.text, Entity::Register(first))
                } else {
                    let element = |element: u8| {
                        Name::from(format!("{}.{}", name.text, char::from(b"xyzwabcd"[usize::from(element)])))
                    };
                    registers.extend((0..elements).map(|index| Register { name: element(index), ty }));
                    building.scopes.define(name.text, Entity::Registers(first, elements))
                }
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
        let entity = if self.accept_word(".branchtargets") {
            let mut targets = Vec::new();
            loop {
                let name = self.expect(Kind::Identifier, "a label")?;
                match building.find(name.text) {
                    Some(Entity::Label(label)) => targets.push(label),
                    _ => return Err(error(name, format!("unknown label `{}`", name.text))),
                }
                if !self.accept(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::Semicolon, "`;`")?;
            building.body.targets.push(targets);
            Entity::Targets(building.body.targets.len() as u32 - 1)
        } else if self.accept_word(".callprototype") {
            let prototype = self.prototype()?;
            building.body.prototypes.push(prototype);
            Entity::Prototype(building.body.prototypes.len() as u32 - 1)
        } else if self.accept_word(".calltargets") {
            return Err(error(token, "`.calltargets` lists are not supported"));
        } else {
            if !building.placed.insert(label) {
                return Err(error(token, format!("`{}` is declared twice", token.text)));
            }
            building.body.statements.push(Statement::Label(label));
            return Ok(());
        };
        building.scopes.define(token.text, entity);
        Ok(())
    }

    /// Behind `.callprototype`: `[(results)] _ [(parameters)] [.noreturn];`
    fn prototype(&mut self) -> Result<Prototype> {
        let returns = if self.peek().kind == Kind::OpenParenthesis { self.parameters()? } else { Vec::new() };
        self.expect(Kind::Underscore, "`_`")?;
        let parameters = if self.peek().kind == Kind::OpenParenthesis { self.parameters()? } else { Vec::new() };
        let no_return = self.accept_word(".noreturn");
        self.skip_statement()?;
        Ok(Prototype { returns, parameters, no_return })
    }
}
