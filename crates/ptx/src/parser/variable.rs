//! Variable declarations and their initial values (PTX ISA, section 5.4).

use super::{Parser, Result, error, integer, unexpected};
use crate::ast::{Initializer, Linkage, Name, Relocation, Space, Type, Variable};
use crate::lexer::{Kind, Token};
use crate::words::type_of;

/// No device has more memory than this: larger declarations are errors of the text.
const LARGEST: u64 = 1 << 38;
/// Bytes that a text may spell out are bounded by its own length; nesting of braces by this.
const DEEPEST: u32 = 16;

pub(super) fn space_of(directive: &str) -> Option<Space> {
    Some(match directive {
        ".global" => Space::Global,
        ".shared" | ".shared::cta" => Space::Shared,
        ".local" => Space::Local,
        ".const" => Space::Const,
        ".param" => Space::Param,
        ".tex" => Space::Global,
        _ => return None,
    })
}

impl<'t> Parser<'t> {
    /// Behind the space directive: `[.align n] [.v4] .type name[n] [= …] {, name …};`
    pub(super) fn variables(&mut self, directive: Token<'t>, linkage: Linkage) -> Result<Vec<Variable>> {
        let space = space_of(directive.text).ok_or_else(|| unexpected(directive, "a state space"))?;
        let (mut align, mut vector, mut ty) = (None, 1u64, None);
        if self.accept(Kind::OpenBracket) {
            return Err(error(directive, "constant banks (`.const[n]`) are not supported"));
        }
        while self.peek().kind == Kind::Dot {
            let token = self.next();
            match token.text {
                ".align" => align = Some(self.alignment()?),
                ".v2" => vector = 2,
                ".v4" => vector = 4,
                ".attribute" => self.skip_parentheses()?,
                text => {
                    ty = type_of(&text[1..]);
                    if ty.is_none() {
                        return Err(error(token, format!("unknown word `{text}` in a declaration")));
                    }
                }
            }
        }
        let ty = ty.ok_or_else(|| unexpected(self.peek(), "a type"))?;
        let element = u64::from(ty.size()) * vector;
        let mut variables = Vec::new();
        loop {
            let token = self.expect(Kind::Identifier, "a name")?;
            let mut size = Some(element);
            let mut unsized_dimension = false;
            while self.accept(Kind::OpenBracket) {
                if self.accept(Kind::CloseBracket) {
                    unsized_dimension = true;
                    continue;
                }
                let count = self.unsigned(LARGEST)?;
                self.expect(Kind::CloseBracket, "`]`")?;
                size = size.and_then(|size| size.checked_mul(count)).filter(|&size| size <= LARGEST);
                if size.is_none() {
                    return Err(error(token, format!("`{}` is too large", token.text)));
                }
            }
            let mut init = Initializer::default();
            if self.accept(Kind::Equal) {
                let limit = if unsized_dimension { LARGEST } else { size.unwrap_or(0) };
                self.initializer(ty, limit, &mut init, 0)?;
                if unsized_dimension {
                    size = Some(init.bytes.len() as u64);
                    unsized_dimension = false;
                }
            }
            variables.push(Variable {
                name: self.intern(token.text),
                linkage,
                space,
                ty,
                align: align.unwrap_or((element as u32).max(1)),
                size: if unsized_dimension { None } else { size },
                init,
                location: token.location(),
            });
            if !self.accept(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Semicolon, "`;`")?;
        Ok(variables)
    }

    pub(super) fn alignment(&mut self) -> Result<u32> {
        let token = self.peek();
        let align = self.unsigned(1 << 20)? as u32;
        if align.is_power_of_two() {
            Ok(align)
        } else {
            Err(error(token, format!("alignment {align} is no power of two")))
        }
    }

    fn initializer(&mut self, ty: Type, limit: u64, init: &mut Initializer, depth: u32) -> Result<()> {
        if !self.accept(Kind::OpenBrace) {
            return self.initial_value(ty, limit, init);
        }
        if depth == DEEPEST {
            return Err(error(self.peek(), "initial values are nested too deeply"));
        }
        while !self.accept(Kind::CloseBrace) {
            self.initializer(ty, limit, init, depth + 1)?;
            if !self.accept(Kind::Comma) {
                self.expect(Kind::CloseBrace, "`,` or `}`")?;
                break;
            }
        }
        Ok(())
    }

    fn initial_value(&mut self, ty: Type, limit: u64, init: &mut Initializer) -> Result<()> {
        let token = self.peek();
        let size = ty.size() as usize;
        let offset = init.bytes.len() as u64;
        if offset + size as u64 > limit {
            return Err(error(token, "more initial values than elements"));
        }
        if token.kind == Kind::Identifier {
            self.next();
            let (symbol, generic) = self.generic(token)?;
            let addend = self.addend()?;
            let width = (size as u8).min(8);
            init.relocations.push(Relocation { offset, width, shift: 0, symbol, addend, generic });
            init.bytes.resize(init.bytes.len() + size, 0);
            return Ok(());
        }
        if token.kind == Kind::Integer && self.peek_second().kind == Kind::OpenParenthesis {
            // `0xFF00(symbol)`: the byte of the address under the mask.
            self.next();
            self.next();
            let mask = integer(token.text).ok_or_else(|| unexpected(token, "a mask"))?;
            let name = self.expect(Kind::Identifier, "a symbol")?;
            let (symbol, generic) = self.generic(name)?;
            let addend = self.addend()?;
            self.expect(Kind::CloseParenthesis, "`)`")?;
            let shift = if mask == 0 { 0 } else { (mask.trailing_zeros() / 8 * 8) as u8 };
            init.relocations.push(Relocation { offset, width: size as u8, shift, symbol, addend, generic });
            init.bytes.resize(init.bytes.len() + size, 0);
            return Ok(());
        }
        let bytes = self.constant(ty)?;
        init.bytes.extend_from_slice(&bytes[..size]);
        Ok(())
    }

    /// Behind an identifier: `generic(symbol)` or the symbol itself.
    fn generic(&mut self, token: Token<'t>) -> Result<(Name, bool)> {
        if token.text == "generic" && self.accept(Kind::OpenParenthesis) {
            let symbol = self.symbol_name()?;
            self.expect(Kind::CloseParenthesis, "`)`")?;
            return Ok((symbol, true));
        }
        Ok((self.intern(token.text), false))
    }

    /// `+n` or `-n`, if there.
    pub(super) fn addend(&mut self) -> Result<i64> {
        let mut negative = match self.peek().kind {
            Kind::Plus => false,
            Kind::Minus => true,
            _ => return Ok(0),
        };
        self.next();
        negative ^= self.accept(Kind::Minus);
        let value = self.unsigned(u64::MAX)? as i64;
        Ok(if negative { value.wrapping_neg() } else { value })
    }

    /// The bytes of a numeric constant of type `ty`.
    fn constant(&mut self, ty: Type) -> Result<[u8; 16]> {
        let negative = self.accept(Kind::Minus);
        let token = self.next();
        let float = matches!(ty, Type::F32 | Type::F64);
        let bits = match token.kind {
            Kind::Integer if !float => {
                let value = integer(token.text).ok_or_else(|| error(token, "the number has more than 64 bits"))?;
                let value = i128::from(value);
                return Ok((if negative { -value } else { value }).to_le_bytes());
            }
            Kind::Float32 => u32::from_str_radix(&token.text[2..], 16).ok().map(|bits| f64::from(f32::from_bits(bits))),
            Kind::Float64 => u64::from_str_radix(&token.text[2..], 16).ok().map(f64::from_bits),
            Kind::Decimal | Kind::Integer => token.text.parse().ok(),
            _ => None,
        };
        let value: f64 = bits.ok_or_else(|| unexpected(token, "a constant"))?;
        let value = if negative { -value } else { value };
        let mut bytes = [0; 16];
        match ty {
            // Through the bits: a signalling NaN written as `0f…` must not be quieted by a conversion.
            Type::F32 | Type::B32 if token.kind == Kind::Float32 => {
                let bits = u32::from_str_radix(&token.text[2..], 16).unwrap_or(0) ^ (u32::from(negative) << 31);
                bytes[..4].copy_from_slice(&bits.to_le_bytes());
            }
            Type::F32 | Type::B32 => bytes[..4].copy_from_slice(&(value as f32).to_le_bytes()),
            Type::F64 | Type::B64 => bytes[..8].copy_from_slice(&value.to_le_bytes()),
            _ => return Err(error(token, format!("a float constant cannot initialise `.{}`", ty.text()))),
        }
        Ok(bytes)
    }
}
