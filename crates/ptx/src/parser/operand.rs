//! Operands (PTX ISA, section 6).

use super::body::Building;
use super::scope::Entity;
use super::special::special;
use super::{Parser, Result, error, integer, unexpected};
use crate::ast::{AddressBase, Operand, Reg, Symbol};
use crate::lexer::{Kind, Token};

/// Elements of a vector: `wmma` has eight.
const LONGEST_VECTOR: usize = 32;

impl<'t> Parser<'t> {
    pub(super) fn operand(&mut self, building: &mut Building<'t>) -> Result<Operand> {
        let first = self.single(building)?;
        if self.accept(Kind::Bar) {
            let second = self.single(building)?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    fn single(&mut self, building: &mut Building<'t>) -> Result<Operand> {
        match self.peek().kind {
            Kind::OpenBracket => {
                self.next();
                let address = self.address(building)?;
                if self.accept(Kind::Comma) {
                    return self.texel(address, building);
                }
                self.expect(Kind::CloseBracket, "`]`")?;
                Ok(address)
            }
            Kind::OpenBrace => self.vector(building).map(Operand::Vector),
            _ => self.scalar(building),
        }
    }

    fn vector(&mut self, building: &mut Building<'t>) -> Result<Vec<Operand>> {
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut elements = Vec::with_capacity(4);
        while !self.accept(Kind::CloseBrace) {
            if !elements.is_empty() {
                self.expect(Kind::Comma, "`,` or `}`")?;
            }
            let token = self.peek();
            if elements.len() == LONGEST_VECTOR {
                return Err(error(token, "the vector is too long"));
            }
            match self.scalar(building)? {
                Operand::Vector(_) => return Err(error(token, "a vector inside a vector")),
                element => elements.push(element),
            }
        }
        Ok(elements)
    }

    /// Behind `[object,`: `[sampler,] {x, y}]`.
    fn texel(&mut self, object: Operand, building: &mut Building<'t>) -> Result<Operand> {
        let mut sampler = None;
        if self.peek().kind != Kind::OpenBrace {
            sampler = Some(Box::new(self.address(building)?));
            self.expect(Kind::Comma, "`,`")?;
        }
        let coordinates = self.vector(building)?;
        self.expect(Kind::CloseBracket, "`]`")?;
        Ok(Operand::Texel { object: Box::new(object), sampler, coordinates })
    }

    fn scalar(&mut self, building: &mut Building<'t>) -> Result<Operand> {
        let token = self.peek();
        match token.kind {
            Kind::Identifier => {
                self.next();
                self.named(token, building)
            }
            Kind::Underscore => {
                self.next();
                Ok(Operand::Sink)
            }
            Kind::Not if self.peek_second().kind == Kind::Identifier => {
                self.next();
                let token = self.next();
                match building.find(token.text) {
                    Some(Entity::Register(register)) => Ok(Operand::NotRegister(register)),
                    _ => Err(error(token, format!("unknown predicate `{}`", token.text))),
                }
            }
            _ => self.constant_operand(),
        }
    }

    /// A float, or a constant expression.
    fn constant_operand(&mut self) -> Result<Operand> {
        let negative = self.peek().kind == Kind::Minus
            && matches!(self.peek_second().kind, Kind::Float32 | Kind::Float64 | Kind::Decimal)
            && self.accept(Kind::Minus);
        let token = self.peek();
        let operand = match token.kind {
            Kind::Float32 => u32::from_str_radix(&token.text[2..], 16)
                .map(|bits| Operand::Float32(bits ^ u32::from(negative) << 31))
                .ok(),
            Kind::Float64 => u64::from_str_radix(&token.text[2..], 16)
                .map(|bits| Operand::Float64(bits ^ u64::from(negative) << 63))
                .ok(),
            Kind::Decimal => {
                token.text.parse().map(|value: f64| Operand::Float64(value.to_bits() ^ u64::from(negative) << 63)).ok()
            }
            Kind::Integer | Kind::Minus | Kind::Plus | Kind::Tilde | Kind::Not | Kind::OpenParenthesis => {
                return self.expression().map(Operand::Integer);
            }
            _ => None,
        };
        let operand = operand.ok_or_else(|| unexpected(token, "an operand"))?;
        self.next();
        Ok(operand)
    }

    fn named(&mut self, token: Token<'t>, building: &mut Building<'t>) -> Result<Operand> {
        if let Some(entity) = building.find(token.text) {
            return Ok(match entity {
                Entity::Register(register) => Operand::Register(register),
                Entity::Registers(first, count) => {
                    let elements = (0..u32::from(count)).map(|index| Operand::Register(Reg(first.0 + index)));
                    Operand::Vector(elements.collect())
                }
                Entity::Label(label) => Operand::Label(label),
                Entity::Targets(index) => Operand::Targets(index),
                Entity::Variable(variable) => Operand::Symbol(Symbol::Local(variable), self.addend()?),
                Entity::Parameter(index) => Operand::Symbol(Symbol::Parameter(index), self.addend()?),
                Entity::Return(index) => Operand::Symbol(Symbol::Return(index), self.addend()?),
                Entity::Prototype(_) => return Err(error(token, "a prototype is no operand")),
            });
        }
        if token.text == "WARP_SZ" {
            return Ok(Operand::Integer(32));
        }
        if let Some(name) = token.text.strip_prefix('%') {
            return special(name)
                .map(Operand::Special)
                .ok_or_else(|| error(token, format!("unknown register `{}`", token.text)));
        }
        if token.text == "generic" && self.accept(Kind::OpenParenthesis) {
            let name = self.symbol_name()?;
            self.expect(Kind::CloseParenthesis, "`)`")?;
            return Ok(Operand::Symbol(Symbol::Global(name), self.addend()?));
        }
        if token.text.starts_with("$L") && !self.names.contains(token.text) {
            return Err(error(token, format!("unknown label `{}`", token.text)));
        }
        let name = self.intern(token.text);
        Ok(Operand::Symbol(Symbol::Global(name), self.addend()?))
    }

    /// Inside `[ ]`.
    fn address(&mut self, building: &mut Building<'t>) -> Result<Operand> {
        let token = self.next();
        let base = match token.kind {
            Kind::Integer => {
                let value = integer(token.text).ok_or_else(|| unexpected(token, "an address"))?;
                AddressBase::Absolute(value)
            }
            Kind::Identifier => match building.find(token.text) {
                Some(Entity::Register(register)) => AddressBase::Register(register),
                Some(Entity::Variable(variable)) => AddressBase::Symbol(Symbol::Local(variable)),
                Some(Entity::Parameter(index)) => AddressBase::Symbol(Symbol::Parameter(index)),
                Some(Entity::Return(index)) => AddressBase::Symbol(Symbol::Return(index)),
                Some(_) => return Err(error(token, format!("`{}` has no address", token.text))),
                None if token.text.starts_with('%') => {
                    return Err(error(token, format!("unknown register `{}`", token.text)));
                }
                None => AddressBase::Symbol(Symbol::Global(self.intern(token.text))),
            },
            _ => return Err(unexpected(token, "an address")),
        };
        Ok(Operand::Address(base, self.addend()?))
    }
}
