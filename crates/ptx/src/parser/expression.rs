//! Constant expressions (PTX ISA, section 4.5): integers of 64 bits. Comparisons and `?:` are not read.

use super::{Parser, Result, error, integer, unexpected};
use crate::lexer::{Kind, Token};

const DEEPEST: u32 = 64;

/// How tightly an operator binds, and the tokens it has (`<<` is two).
fn operator(first: Kind, second: Kind) -> Option<(u32, usize)> {
    Some(match first {
        Kind::And => (1, 1),
        Kind::Caret => (1, 1),
        Kind::Less if second == Kind::Less => (2, 2),
        Kind::Greater if second == Kind::Greater => (2, 2),
        Kind::Plus | Kind::Minus => (3, 1),
        Kind::Star | Kind::Slash | Kind::Percent => (4, 1),
        _ => return None,
    })
}

impl<'t> Parser<'t> {
    /// An integer constant expression. What is computed is signed; a number by itself may need all 64 bits. `|` belongs to pairs of
    /// destinations, except in parentheses.
    pub(super) fn expression(&mut self) -> Result<i128> {
        let token = self.peek();
        if token.kind == Kind::Integer && operator(self.peek_second().kind, Kind::Less).is_none() {
            self.next();
            return Ok(value(token)?.into());
        }
        self.binary(1, 0).map(i128::from)
    }

    fn binary(&mut self, lowest: u32, depth: u32) -> Result<i64> {
        let mut left = self.unary(depth)?;
        while let Some((strength, tokens)) = operator(self.peek().kind, self.peek_second().kind) {
            if strength < lowest {
                break;
            }
            let token = self.peek();
            for _ in 0..tokens {
                self.next();
            }
            let right = self.binary(strength + 1, depth + 1)?;
            left = apply(token, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self, depth: u32) -> Result<i64> {
        let token = self.next();
        if depth >= DEEPEST {
            return Err(error(token, "the expression is nested too deeply"));
        }
        match token.kind {
            Kind::Integer => value(token).map(|value| value as i64),
            Kind::Minus => self.unary(depth + 1).map(i64::wrapping_neg),
            Kind::Plus => self.unary(depth + 1),
            Kind::Tilde => self.unary(depth + 1).map(|value| !value),
            Kind::Not => self.unary(depth + 1).map(|value| i64::from(value == 0)),
            Kind::OpenParenthesis => {
                let mut value = self.binary(1, depth + 1)?;
                while self.accept(Kind::Bar) {
                    value |= self.binary(1, depth + 1)?;
                }
                self.expect(Kind::CloseParenthesis, "`)`")?;
                Ok(value)
            }
            _ => Err(unexpected(token, "a number")),
        }
    }
}

fn value(token: Token<'_>) -> Result<u64> {
    integer(token.text).ok_or_else(|| unexpected(token, "a number of at most 64 bits"))
}

fn apply(token: Token<'_>, left: i64, right: i64) -> Result<i64> {
    let zero = || error(token, "division by zero");
    Ok(match token.kind {
        Kind::Plus => left.wrapping_add(right),
        Kind::Minus => left.wrapping_sub(right),
        Kind::Star => left.wrapping_mul(right),
        Kind::Slash => left.checked_div(right).ok_or_else(zero)?,
        Kind::Percent => left.checked_rem(right).ok_or_else(zero)?,
        Kind::And => left & right,
        Kind::Caret => left ^ right,
        // Shifts clamp, as the instructions do.
        Kind::Less => u32::try_from(right).ok().and_then(|by| left.checked_shl(by)).unwrap_or(0),
        Kind::Greater => left >> right.clamp(0, 63),
        _ => return Err(unexpected(token, "an operator")),
    })
}
