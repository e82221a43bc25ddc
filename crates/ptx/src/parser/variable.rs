//! Variable declarations and their initial values (PTX ISA, section 5.4).

use super::{Parser, Result, error, integer, unexpected};
use crate::ast::{Initializer, Linkage, Name, Relocation, Space, Type, Variable};
use crate::lexer::{Kind, Token};
use crate::types::type_of;

/// No device has more memory than this: larger declarations are errors of the text.
const LARGEST: u64 = 1 << 38;
const MOST_DIMENSIONS: usize = 16;

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
    /// Behind the space directive: `[.align n] [.v4] .type name[n] [= …] {, name …};`. Each variable with the token of its name.
    pub(super) fn variables(&mut self, directive: Token<'t>, linkage: Linkage) -> Result<Vec<(Token<'t>, Variable)>> {
        let space = space_of(directive.text).ok_or_else(|| unexpected(directive, "a state space"))?;
        let (mut align, mut vector, mut ty, mut managed) = (None, 1u64, None, false);
        if self.accept(Kind::OpenBracket) {
            return Err(error(directive, "constant banks (`.const[n]`) are not supported"));
        }
        while self.peek().kind == Kind::Dot {
            let token = self.next();
            match token.text {
                ".align" => align = Some(self.alignment()?),
                ".v2" => vector = 2,
                ".v4" => vector = 4,
                ".attribute" => managed |= self.attributes()?,
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
            let (mut dimensions, unsized_dimension) = self.dimensions_of(token, element)?;
            let mut size = dimensions.iter().try_fold(element, |size, &count| size.checked_mul(count));
            if size.is_none_or(|size| size > LARGEST) {
                return Err(error(token, format!("`{}` is too large", token.text)));
            }
            if unsized_dimension {
                size = None;
            }
            let mut init = Initializer::default();
            if self.accept(Kind::Equal) {
                if vector > 1 {
                    dimensions.push(vector);
                }
                if unsized_dimension {
                    dimensions[0] =
                        LARGEST / dimensions[1..].iter().product::<u64>().saturating_mul(u64::from(ty.size())).max(1);
                }
                self.initializer(ty, &dimensions, &mut init)?;
                if unsized_dimension {
                    size = Some((init.bytes.len() as u64).next_multiple_of(element.max(1)));
                }
            }
            let variable = Variable {
                name: self.intern(token.text),
                linkage,
                space,
                managed,
                ty,
                align: align.unwrap_or((element as u32).max(1)),
                size,
                init,
                location: token.location(),
            };
            variables.push((token, variable));
            if !self.accept(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Semicolon, "`;`")?;
        Ok(variables)
    }

    /// `[4][]…`: the counts, and whether the first is left open (it counts as one).
    fn dimensions_of(&mut self, name: Token<'t>, element: u64) -> Result<(Vec<u64>, bool)> {
        let (mut dimensions, mut open) = (Vec::new(), false);
        while self.accept(Kind::OpenBracket) {
            if dimensions.len() == MOST_DIMENSIONS {
                return Err(error(name, format!("`{}` has too many dimensions", name.text)));
            }
            if self.peek().kind == Kind::CloseBracket && dimensions.is_empty() {
                open = true;
                dimensions.push(1);
            } else {
                let token = self.peek();
                let count = self.expression()?;
                let count = u64::try_from(count).ok().filter(|&count| count <= LARGEST / element.max(1));
                dimensions.push(count.ok_or_else(|| error(token, format!("`{}` is too large", name.text)))?);
            }
            self.expect(Kind::CloseBracket, "`]`")?;
        }
        Ok((dimensions, open))
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

    /// Behind `.attribute`: `(.managed, .unified(…))`. True if the variable is managed.
    fn attributes(&mut self) -> Result<bool> {
        let start = self.at;
        self.skip_parentheses()?;
        Ok((start..self.at).any(|index| self.tokens.get(index).text == ".managed"))
    }

    /// Values of an array with these dimensions. Braces that end early leave zeros.
    fn initializer(&mut self, ty: Type, dimensions: &[u64], init: &mut Initializer) -> Result<()> {
        let size = dimensions.iter().fold(u64::from(ty.size()), |size, &count| size.saturating_mul(count));
        let end = init.bytes.len() as u64 + size;
        if !self.accept(Kind::OpenBrace) {
            return self.initial_value(ty, end, init);
        }
        let Some((_, inner)) = dimensions.split_first() else {
            self.initial_value(ty, end, init)?;
            return self.expect(Kind::CloseBrace, "`}`").map(drop);
        };
        let stride = inner.iter().fold(u64::from(ty.size()), |size, &count| size.saturating_mul(count)).max(1);
        let start = init.bytes.len() as u64;
        while !self.accept(Kind::CloseBrace) {
            if self.peek().kind == Kind::OpenBrace {
                // Inner braces begin a new element.
                let at = start + (init.bytes.len() as u64 - start).next_multiple_of(stride);
                self.pad(at, init)?;
                if at + stride > end {
                    return Err(error(self.peek(), "more initial values than elements"));
                }
                self.initializer(ty, inner, init)?;
                if !inner.is_empty() {
                    // Rows that end early are filled only when another follows.
                    let filled = init.bytes.len() as u64;
                    if self.peek().kind == Kind::Comma && self.peek_second().kind != Kind::CloseBrace {
                        self.pad((at + stride).max(filled), init)?;
                    }
                }
            } else {
                self.initial_value(ty, end, init)?;
            }
            if !self.accept(Kind::Comma) {
                self.expect(Kind::CloseBrace, "`,` or `}`")?;
                break;
            }
        }
        Ok(())
    }

    fn pad(&mut self, to: u64, init: &mut Initializer) -> Result<()> {
        let bytes = usize::try_from(to).unwrap_or(usize::MAX).saturating_sub(init.bytes.len());
        let budget = self.budget.checked_sub(bytes);
        self.budget = budget.ok_or_else(|| error(self.peek(), "initial values leave out too much"))?;
        init.bytes.resize(init.bytes.len() + bytes, 0);
        Ok(())
    }

    fn initial_value(&mut self, ty: Type, end: u64, init: &mut Initializer) -> Result<()> {
        let token = self.peek();
        let size = ty.size() as usize;
        let offset = init.bytes.len() as u64;
        if offset + size as u64 > end {
            return Err(error(token, "more initial values than elements"));
        }
        let mask = token.kind == Kind::Integer && self.peek_second().kind == Kind::OpenParenthesis;
        if token.kind == Kind::Identifier || mask {
            let relocation = if mask { self.masked(offset, size)? } else { self.relocation(offset, size)? };
            init.relocations.push(relocation);
            init.bytes.resize(init.bytes.len() + size, 0);
            return Ok(());
        }
        let bytes = self.constant(ty)?;
        init.bytes.extend_from_slice(&bytes[..size]);
        Ok(())
    }

    /// `symbol+8` or `generic(symbol)+8`.
    fn relocation(&mut self, offset: u64, size: usize) -> Result<Relocation> {
        let token = self.expect(Kind::Identifier, "a symbol")?;
        let (symbol, generic) = self.generic(token)?;
        let addend = self.addend()?;
        if !matches!(size, 4 | 8) {
            return Err(error(token, "an address needs 4 or 8 bytes"));
        }
        Ok(Relocation { offset, width: size as u8, shift: 0, symbol, addend, generic })
    }

    /// `0xFF00(symbol)`: the byte of the address under the mask.
    fn masked(&mut self, offset: u64, size: usize) -> Result<Relocation> {
        let token = self.next();
        let mask = integer(token.text).ok_or_else(|| unexpected(token, "a mask"))?;
        self.expect(Kind::OpenParenthesis, "`(`")?;
        let name = self.expect(Kind::Identifier, "a symbol")?;
        let (symbol, generic) = self.generic(name)?;
        let addend = self.addend()?;
        self.expect(Kind::CloseParenthesis, "`)`")?;
        let shift = mask.trailing_zeros();
        if size != 1 || !shift.is_multiple_of(8) || mask.checked_shr(shift) != Some(0xff) {
            return Err(error(token, format!("the mask `{}` selects no byte", token.text)));
        }
        Ok(Relocation { offset, width: 1, shift: shift as u8, symbol, addend, generic })
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
        if !matches!(self.peek().kind, Kind::Plus | Kind::Minus) {
            return Ok(0);
        }
        // `+-8` is what compilers write.
        if self.peek().kind == Kind::Plus {
            self.next();
        }
        Ok(self.expression()? as i64)
    }

    /// The bytes of a numeric constant of type `ty`.
    fn constant(&mut self, ty: Type) -> Result<[u8; 16]> {
        let token = self.peek();
        let float = matches!(ty, Type::F32 | Type::F64);
        let negative = self.peek().kind == Kind::Minus
            && (float || !matches!(self.peek_second().kind, Kind::Integer | Kind::OpenParenthesis))
            && self.accept(Kind::Minus);
        let number = self.peek();
        let value = match number.kind {
            Kind::Float32 => {
                let bits = u32::from_str_radix(&number.text[2..], 16).unwrap_or(0) ^ u32::from(negative) << 31;
                // Through the bits where no conversion is needed: it would quiet a signalling NaN.
                if ty.size() == 4 {
                    self.next();
                    return Ok(u128::from(bits).to_le_bytes());
                }
                f64::from(f32::from_bits(bits))
            }
            Kind::Float64 => {
                f64::from_bits(u64::from_str_radix(&number.text[2..], 16).unwrap_or(0) ^ u64::from(negative) << 63)
            }
            Kind::Decimal => {
                let value: f64 = number.text.parse().map_err(|_| unexpected(number, "a constant"))?;
                if negative { -value } else { value }
            }
            _ => {
                let value = self.expression()?;
                if float {
                    let value = if negative { -value } else { value } as f64;
                    return float_bytes(ty, value).ok_or_else(|| unexpected(token, "a constant"));
                }
                return Ok(value.to_le_bytes());
            }
        };
        self.next();
        float_bytes(ty, value)
            .ok_or_else(|| error(number, format!("a float constant cannot initialise `.{}`", ty.text())))
    }
}

fn float_bytes(ty: Type, value: f64) -> Option<[u8; 16]> {
    Some(match ty {
        Type::F32 | Type::B32 => u128::from((value as f32).to_bits()).to_le_bytes(),
        Type::F64 | Type::B64 => u128::from(value.to_bits()).to_le_bytes(),
        Type::F16 | Type::B16 => u128::from(half::f16::from_f64(value).to_bits()).to_le_bytes(),
        Type::Bf16 => u128::from(half::bf16::from_f64(value).to_bits()).to_le_bytes(),
        _ => return None,
    })
}
