//! Integer arithmetic (PTX ISA, section 9.7.1).
//!
//! Nothing here traps: division by zero gives all ones (so does the remainder, litmus/forms.cu), the smallest number divided by -1
//! wraps.

use super::{Emit, Result, clif};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Half, Instruction, Type};

/// True for signed integer types.
pub(super) fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::S8 | Type::S16 | Type::S32 | Type::S64 | Type::S16x2)
}

/// The type of twice the width.
fn doubled(ty: Type) -> Type {
    match ty {
        Type::U16 => Type::U32,
        Type::S16 => Type::S32,
        Type::U32 => Type::U64,
        Type::S32 => Type::S64,
        _ => Type::B128,
    }
}

impl Emit<'_, '_> {
    /// `add`, `sub`, `mul`, `mad`, `mul24`, `mad24`, `sad`, `div`, `rem`, `abs`, `neg`, `min`, `max` of integers.
    pub(super) fn integer(&mut self, i: &Instruction) -> Result<()> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        if matches!(ty, Type::U16x2 | Type::S16x2) {
            return self.integer_pair(i, ty);
        }
        let signed = is_signed(ty);
        let a = self.source(i, 1, ty)?;
        if matches!(i.opcode, Opcode::Abs | Opcode::Neg) {
            let value = if i.opcode == Opcode::Abs { self.f.ins().iabs(a) } else { self.f.ins().ineg(a) };
            return self.define(i, 0, ty, value);
        }
        let b = self.source(i, 2, ty)?;
        let value = match i.opcode {
            Opcode::Add if i.modifiers.sat => self.saturating(a, b, false),
            Opcode::Sub if i.modifiers.sat => self.saturating(a, b, true),
            Opcode::Add => self.f.ins().iadd(a, b),
            Opcode::Sub => self.f.ins().isub(a, b),
            Opcode::Min | Opcode::Max => {
                let value = self.extreme(a, b, signed, i.opcode == Opcode::Max);
                if i.modifiers.relu { self.not_negative(value) } else { value }
            }
            Opcode::Div => self.quotient(a, b, signed),
            Opcode::Rem => self.remainder(a, b, signed),
            Opcode::Sad => {
                let c = self.source(i, 3, ty)?;
                let above = self.extreme(a, b, signed, true);
                let below = self.extreme(a, b, signed, false);
                let distance = self.f.ins().isub(above, below);
                self.f.ins().iadd(c, distance)
            }
            Opcode::Mul | Opcode::Mad if i.modifiers.half == Some(Half::Wide) => {
                let wide = doubled(ty);
                let to = clif(wide);
                let (a, b) = (self.fit(a, to, signed), self.fit(b, to, signed));
                let mut value = self.f.ins().imul(a, b);
                if i.opcode == Opcode::Mad {
                    let c = self.source(i, 3, wide)?;
                    value = self.f.ins().iadd(value, c);
                }
                return self.define(i, 0, wide, value);
            }
            Opcode::Mul | Opcode::Mad => {
                let product = self.product(a, b, signed, i.modifiers.half);
                self.plus(i, ty, product)?
            }
            Opcode::Mul24 | Opcode::Mad24 => {
                let (a, b) = (self.low24(a, signed), self.low24(b, signed));
                let product = self.f.ins().imul(a, b);
                let product = match i.modifiers.half {
                    Some(Half::Hi) => self.f.ins().ushr_imm_u(product, 16),
                    _ => product,
                };
                let product = self.f.ins().ireduce(types::I32, product);
                self.plus(i, ty, product)?
            }
            _ => return self.unsupported(i, "it is no integer instruction"),
        };
        self.define(i, 0, ty, value)
    }

    /// Adds the third operand of the `mad` forms.
    fn plus(&mut self, i: &Instruction, ty: Type, product: Value) -> Result<Value> {
        if !matches!(i.opcode, Opcode::Mad | Opcode::Mad24) {
            return Ok(product);
        }
        let c = self.source(i, 3, ty)?;
        Ok(if i.modifiers.sat { self.saturating(product, c, false) } else { self.f.ins().iadd(product, c) })
    }

    /// The low or high half of a product.
    pub(super) fn product(&mut self, a: Value, b: Value, signed: bool, half: Option<Half>) -> Value {
        match half {
            Some(Half::Hi) if signed => self.f.ins().smulhi(a, b),
            Some(Half::Hi) => self.f.ins().umulhi(a, b),
            _ => self.f.ins().imul(a, b),
        }
    }

    fn low24(&mut self, value: Value, signed: bool) -> Value {
        let wide = self.f.ins().uextend(types::I64, value);
        let top = self.f.ins().ishl_imm_u(wide, 40);
        if signed { self.f.ins().sshr_imm_u(top, 40) } else { self.f.ins().ushr_imm_u(top, 40) }
    }

    /// The smaller or larger of two integers.
    pub(super) fn extreme(&mut self, a: Value, b: Value, signed: bool, larger: bool) -> Value {
        match (signed, larger) {
            (true, true) => self.f.ins().smax(a, b),
            (true, false) => self.f.ins().smin(a, b),
            (false, true) => self.f.ins().umax(a, b),
            (false, false) => self.f.ins().umin(a, b),
        }
    }

    fn not_negative(&mut self, value: Value) -> Value {
        let ty = self.f.func.dfg.value_type(value);
        let zero = self.f.ins().iconst(ty, 0);
        self.f.ins().smax(value, zero)
    }

    /// Sum or difference of two `.s32`, clamped to their range.
    fn saturating(&mut self, a: Value, b: Value, minus: bool) -> Value {
        let (a, b) = (self.f.ins().sextend(types::I64, a), self.f.ins().sextend(types::I64, b));
        let exact = if minus { self.f.ins().isub(a, b) } else { self.f.ins().iadd(a, b) };
        let low = self.f.ins().iconst(types::I64, i64::from(i32::MIN));
        let high = self.f.ins().iconst(types::I64, i64::from(i32::MAX));
        let value = self.f.ins().smax(exact, low);
        let value = self.f.ins().smin(value, high);
        self.f.ins().ireduce(types::I32, value)
    }

    /// A divisor that the processor accepts: 1 instead of 0, and for signed numbers instead of -1.
    fn divisor(&mut self, b: Value, signed: bool) -> (Value, Value, Value) {
        let ty = self.f.func.dfg.value_type(b);
        let one = self.f.ins().iconst(ty, 1);
        let zero = self.f.ins().icmp_imm_s(IntCC::Equal, b, 0);
        let minus = self.f.ins().icmp_imm_s(IntCC::Equal, b, -1);
        let safe = self.f.ins().select(zero, one, b);
        let safe = if signed { self.f.ins().select(minus, one, safe) } else { safe };
        (safe, zero, minus)
    }

    fn quotient(&mut self, a: Value, b: Value, signed: bool) -> Value {
        let ty = self.f.func.dfg.value_type(b);
        let (safe, zero, minus) = self.divisor(b, signed);
        let ones = self.constant(ty, u64::MAX);
        let value = if signed {
            let value = self.f.ins().sdiv(a, safe);
            let negated = self.f.ins().ineg(a);
            self.f.ins().select(minus, negated, value)
        } else {
            self.f.ins().udiv(a, safe)
        };
        self.f.ins().select(zero, ones, value)
    }

    fn remainder(&mut self, a: Value, b: Value, signed: bool) -> Value {
        let (safe, zero, _) = self.divisor(b, signed);
        let value = if signed { self.f.ins().srem(a, safe) } else { self.f.ins().urem(a, safe) };
        let ones = self.constant(self.f.func.dfg.value_type(b), u64::MAX);
        self.f.ins().select(zero, ones, value)
    }

    /// The two halves of a packed value, low one first.
    pub(super) fn halves(&mut self, packed: Value) -> [Value; 2] {
        let low = self.f.ins().ireduce(types::I16, packed);
        let high = self.f.ins().ushr_imm_u(packed, 16);
        [low, self.f.ins().ireduce(types::I16, high)]
    }

    /// A packed value of two 16-bit halves, low one first.
    pub(super) fn packed(&mut self, [low, high]: [Value; 2]) -> Value {
        let low = self.f.ins().uextend(types::I32, low);
        let high = self.f.ins().uextend(types::I32, high);
        let high = self.f.ins().ishl_imm_u(high, 16);
        self.f.ins().bor(low, high)
    }

    fn integer_pair(&mut self, i: &Instruction, ty: Type) -> Result<()> {
        let signed = is_signed(ty);
        let (a, b) = (self.source(i, 1, ty)?, self.source(i, 2, ty)?);
        let (a, b) = (self.halves(a), self.halves(b));
        let mut result = a;
        for n in 0..2 {
            result[n] = match i.opcode {
                Opcode::Add => self.f.ins().iadd(a[n], b[n]),
                Opcode::Sub => self.f.ins().isub(a[n], b[n]),
                Opcode::Min | Opcode::Max => self.extreme(a[n], b[n], signed, i.opcode == Opcode::Max),
                _ => return self.unsupported(i, "it has no packed form"),
            };
            if i.modifiers.relu {
                result[n] = self.not_negative(result[n]);
            }
        }
        let value = self.packed(result);
        self.define(i, 0, ty, value)
    }

    /// Integer bits of a machine value.
    pub(super) fn bits_of(&mut self, value: Value) -> Value {
        let ty: ir::Type = self.f.func.dfg.value_type(value).as_int();
        self.fit(value, ty, false)
    }
}
