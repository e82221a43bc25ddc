//! Operands (PTX ISA, section 6).

use super::body::Building;
use super::scope::Entity;
use super::{Parser, Result, error, integer, unexpected};
use crate::ast::{AddressBase, Operand, Special, Symbol};
use crate::lexer::{Kind, Token};

impl<'t> Parser<'t> {
    pub(super) fn operand(&mut self, building: &Building<'t>) -> Result<Operand> {
        let first = self.single(building)?;
        if self.accept(Kind::Bar) {
            let second = self.single(building)?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    fn single(&mut self, building: &Building<'t>) -> Result<Operand> {
        let token = self.peek();
        match token.kind {
            Kind::OpenBracket => {
                self.next();
                let address = self.address(building)?;
                self.expect(Kind::CloseBracket, "`]`")?;
                Ok(address)
            }
            Kind::OpenBrace => {
                self.next();
                let mut elements = Vec::with_capacity(4);
                while !self.accept(Kind::CloseBrace) {
                    if !elements.is_empty() {
                        self.expect(Kind::Comma, "`,` or `}`")?;
                    }
                    if elements.len() == 8 {
                        return Err(error(self.peek(), "a vector has at most eight elements"));
                    }
                    elements.push(self.scalar(building)?);
                }
                Ok(Operand::Vector(elements))
            }
            _ => self.scalar(building),
        }
    }

    fn scalar(&mut self, building: &Building<'t>) -> Result<Operand> {
        let token = self.next();
        match token.kind {
            Kind::Underscore => Ok(Operand::Sink),
            Kind::Not => {
                let token = self.expect(Kind::Identifier, "a predicate")?;
                match building.scopes.find(token.text) {
                    Some(Entity::Register(register)) => Ok(Operand::NotRegister(register)),
                    _ => Err(error(token, format!("unknown predicate `{}`", token.text))),
                }
            }
            Kind::Minus => match (self.number()?, self.peek()) {
                (Operand::Integer(value), _) => Ok(Operand::Integer(-value)),
                (Operand::Float32(bits), _) => Ok(Operand::Float32(bits ^ 1 << 31)),
                (Operand::Float64(bits), _) => Ok(Operand::Float64(bits ^ 1 << 63)),
                (_, token) => Err(unexpected(token, "a number")),
            },
            Kind::Integer | Kind::Float32 | Kind::Float64 | Kind::Decimal => {
                self.at -= 1;
                self.number()
            }
            Kind::Identifier => self.named(token, building),
            _ => Err(unexpected(token, "an operand")),
        }
    }

    /// The number that comes next.
    fn number(&mut self) -> Result<Operand> {
        let token = self.next();
        let operand = match token.kind {
            Kind::Integer => integer(token.text).map(|value| Operand::Integer(value.into())),
            Kind::Float32 => u32::from_str_radix(&token.text[2..], 16).ok().map(Operand::Float32),
            Kind::Float64 => u64::from_str_radix(&token.text[2..], 16).ok().map(Operand::Float64),
            Kind::Decimal => token.text.parse().ok().map(|value: f64| Operand::Float64(value.to_bits())),
            _ => None,
        };
        operand.ok_or_else(|| unexpected(token, "a number of at most 64 bits"))
    }

    fn named(&mut self, token: Token<'t>, building: &Building<'t>) -> Result<Operand> {
        if let Some(entity) = building.scopes.find(token.text) {
            return Ok(match entity {
                Entity::Register(register) => Operand::Register(register),
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
        if token.text.starts_with('%') {
            let component = match self.peek().text {
                ".x" | ".y" | ".z" | ".w" if self.peek().kind == Kind::Dot => Some(self.next().text.as_bytes()[1]),
                _ => None,
            };
            let special = special(&token.text[1..], component);
            return special
                .map(Operand::Special)
                .ok_or_else(|| error(token, format!("unknown register `{}`", token.text)));
        }
        if token.text == "generic" && self.accept(Kind::OpenParenthesis) {
            let name = self.symbol_name()?;
            self.expect(Kind::CloseParenthesis, "`)`")?;
            return Ok(Operand::Symbol(Symbol::Global(name), self.addend()?));
        }
        if token.text.starts_with('$') && !self.names.contains(token.text) {
            return Err(error(token, format!("unknown label `{}`", token.text)));
        }
        let name = self.intern(token.text);
        Ok(Operand::Symbol(Symbol::Global(name), self.addend()?))
    }

    /// Inside `[ ]`.
    fn address(&mut self, building: &Building<'t>) -> Result<Operand> {
        let token = self.next();
        let base = match token.kind {
            Kind::Integer => {
                let value = integer(token.text).ok_or_else(|| unexpected(token, "an address"))?;
                AddressBase::Absolute(value)
            }
            Kind::Identifier => match building.scopes.find(token.text) {
                Some(Entity::Register(register)) => AddressBase::Register(register),
                Some(Entity::Variable(variable)) => AddressBase::Symbol(Symbol::Local(variable)),
                Some(Entity::Parameter(index)) => AddressBase::Symbol(Symbol::Parameter(index)),
                Some(Entity::Return(index)) => AddressBase::Symbol(Symbol::Return(index)),
                Some(_) => return Err(error(token, format!("`{}` has no address", token.text))),
                None if token.text.starts_with(['%', '$']) && !self.names.contains(token.text) => {
                    return Err(error(token, format!("unknown register `{}`", token.text)));
                }
                None => AddressBase::Symbol(Symbol::Global(self.intern(token.text))),
            },
            _ => return Err(unexpected(token, "an address")),
        };
        Ok(Operand::Address(base, self.addend()?))
    }
}

/// A special register (PTX ISA, section 10) by its name without `%`.
fn special(name: &str, component: Option<u8>) -> Option<Special> {
    if let Some(component) = component {
        let index = match component {
            b'x' => 0,
            b'y' => 1,
            b'z' => 2,
            _ => return None,
        };
        return Some(match name {
            "tid" => Special::Tid(index),
            "ntid" => Special::Ntid(index),
            "ctaid" => Special::Ctaid(index),
            "nctaid" => Special::Nctaid(index),
            "clusterid" => Special::ClusterId(index),
            "nclusterid" => Special::NClusterId(index),
            "cluster_ctaid" => Special::ClusterCtaId(index),
            "cluster_nctaid" => Special::ClusterNctaId(index),
            _ => return None,
        });
    }
    let numbered = |prefix: &str, limit: u8| name.strip_prefix(prefix)?.parse().ok().filter(|&number| number < limit);
    Some(match name {
        "laneid" => Special::LaneId,
        "warpid" => Special::WarpId,
        "nwarpid" => Special::NWarpId,
        "smid" => Special::SmId,
        "nsmid" => Special::NSmId,
        "gridid" => Special::GridId,
        "lanemask_eq" => Special::LaneMaskEq,
        "lanemask_le" => Special::LaneMaskLe,
        "lanemask_lt" => Special::LaneMaskLt,
        "lanemask_ge" => Special::LaneMaskGe,
        "lanemask_gt" => Special::LaneMaskGt,
        "clock" => Special::Clock,
        "clock_hi" => Special::ClockHi,
        "clock64" => Special::Clock64,
        "globaltimer" => Special::GlobalTimer,
        "globaltimer_lo" => Special::GlobalTimerLo,
        "globaltimer_hi" => Special::GlobalTimerHi,
        "cluster_ctarank" => Special::ClusterCtaRank,
        "cluster_nctarank" => Special::ClusterNctaRank,
        "is_explicit_cluster" => Special::IsExplicitCluster,
        "dynamic_smem_size" => Special::DynamicSmemSize,
        "total_smem_size" => Special::TotalSmemSize,
        "aggr_smem_size" => Special::AggrSmemSize,
        "current_graph_exec" => Special::CurrentGraphExec,
        _ => {
            return numbered("envreg", 32).map(Special::EnvReg).or_else(|| numbered("pm", 8).map(Special::Pm));
        }
    })
}
