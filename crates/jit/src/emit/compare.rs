//! Comparison and selection (PTX ISA, sections 9.7.6 and 9.7.7).

use super::integer::is_signed;
use super::{Emit, Result, clif};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Compare, Instruction, Operation, Type};

fn float_condition(compare: Compare) -> Option<FloatCC> {
    Some(match compare {
        Compare::Eq => FloatCC::Equal,
        Compare::Ne => FloatCC::OrderedNotEqual,
        Compare::Lt => FloatCC::LessThan,
        Compare::Le => FloatCC::LessThanOrEqual,
        Compare::Gt => FloatCC::GreaterThan,
        Compare::Ge => FloatCC::GreaterThanOrEqual,
        Compare::Equ => FloatCC::UnorderedOrEqual,
        Compare::Neu => FloatCC::NotEqual,
        Compare::Ltu => FloatCC::UnorderedOrLessThan,
        Compare::Leu => FloatCC::UnorderedOrLessThanOrEqual,
        Compare::Gtu => FloatCC::UnorderedOrGreaterThan,
        Compare::Geu => FloatCC::UnorderedOrGreaterThanOrEqual,
        Compare::Num => FloatCC::Ordered,
        Compare::Nan => FloatCC::Unordered,
        Compare::Lo | Compare::Ls | Compare::Hi | Compare::Hs => return None,
    })
}

fn integer_condition(compare: Compare, signed: bool) -> Option<IntCC> {
    Some(match (compare, signed) {
        (Compare::Eq, _) => IntCC::Equal,
        (Compare::Ne, _) => IntCC::NotEqual,
        (Compare::Lt, true) => IntCC::SignedLessThan,
        (Compare::Le, true) => IntCC::SignedLessThanOrEqual,
        (Compare::Gt, true) => IntCC::SignedGreaterThan,
        (Compare::Ge, true) => IntCC::SignedGreaterThanOrEqual,
        (Compare::Lt, false) | (Compare::Lo, _) => IntCC::UnsignedLessThan,
        (Compare::Le, false) | (Compare::Ls, _) => IntCC::UnsignedLessThanOrEqual,
        (Compare::Gt, false) | (Compare::Hi, _) => IntCC::UnsignedGreaterThan,
        (Compare::Ge, false) | (Compare::Hs, _) => IntCC::UnsignedGreaterThanOrEqual,
        _ => return None,
    })
}

impl Emit<'_, '_> {
    /// `set`, `setp`, `selp`, `slct`.
    pub(super) fn compare(&mut self, i: &Instruction) -> Result<()> {
        match (i.opcode, i.types.as_slice()) {
            (Opcode::Selp, &[ty]) => {
                let (a, b) = (self.source(i, 1, ty)?, self.source(i, 2, ty)?);
                let p = self.source(i, 3, Type::Pred)?;
                let value = self.f.ins().select(p, a, b);
                self.define(i, 0, ty, value)
            }
            (Opcode::Slct, &[ty, by]) => {
                let (a, b, c) = (self.source(i, 1, ty)?, self.source(i, 2, ty)?, self.source(i, 3, by)?);
                let first = if by == Type::F32 {
                    let c = if i.modifiers.ftz { self.flush(c) } else { c };
                    let zero = self.f.ins().f32const(0.0);
                    self.f.ins().fcmp(FloatCC::GreaterThanOrEqual, c, zero)
                } else {
                    self.f.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, c, 0)
                };
                let value = self.f.ins().select(first, a, b);
                self.define(i, 0, ty, value)
            }
            (Opcode::Setp, &[ty]) => {
                let found = self.compared(i, ty)?;
                let p = self.combined(i, found[0])?;
                // Packed: one predicate an element. Otherwise the second one takes the opposite.
                let second = match found.get(1) {
                    Some(second) => *second,
                    None => self.f.ins().bxor_imm_u(found[0], 1),
                };
                let q = self.combined(i, second)?;
                self.define(i, 0, Type::Pred, p)?;
                self.define_second(i, 0, q)
            }
            (Opcode::Set, &[to, ty]) => {
                let mut found = self.compared(i, ty)?;
                for value in &mut found {
                    *value = self.combined(i, *value)?;
                }
                let value = match *found.as_slice() {
                    [low, high] => {
                        let element = match to {
                            Type::F16x2 => Type::F16,
                            Type::Bf16x2 => Type::Bf16,
                            _ => Type::U16,
                        };
                        let parts = [self.truth_as(element, low), self.truth_as(element, high)];
                        self.packed(parts)
                    }
                    _ => self.truth_as(to, found[0]),
                };
                self.define(i, 0, to, value)
            }
            _ => self.unsupported(i, "it has the wrong types"),
        }
    }

    /// What `set` writes: 1.0 or all ones, or zero.
    fn truth_as(&mut self, to: Type, truth: Value) -> Value {
        let yes = match to {
            Type::F32 => u64::from(1f32.to_bits()),
            Type::F16 => 0x3c00,
            Type::Bf16 => 0x3f80,
            _ => u64::MAX,
        };
        let (yes, no) = (self.constant(clif(to), yes), self.constant(clif(to), 0));
        self.f.ins().select(truth, yes, no)
    }

    /// The comparison combined with the third operand, if there is one.
    fn combined(&mut self, i: &Instruction, found: Value) -> Result<Value> {
        let Some(operation) = i.modifiers.operation else { return Ok(found) };
        let c = self.source(i, 3, Type::Pred)?;
        Ok(match operation {
            Operation::And => self.f.ins().band(found, c),
            Operation::Or => self.f.ins().bor(found, c),
            Operation::Xor => self.f.ins().bxor(found, c),
            _ => return self.unsupported(i, "it combines by and, or, xor"),
        })
    }

    /// Operands 1 and 2 compared: one truth, or one an element.
    fn compared(&mut self, i: &Instruction, ty: Type) -> Result<Vec<Value>> {
        let Some(compare) = i.modifiers.compare else { return self.unsupported(i, "it compares nothing") };
        let (a, b) = (self.source(i, 1, ty)?, self.source(i, 2, ty)?);
        let pairs = match ty {
            Type::F32 | Type::F64 => vec![(a, b)],
            Type::F16 | Type::Bf16 => vec![(self.widened(a, ty), self.widened(b, ty))],
            Type::F16x2 | Type::Bf16x2 => {
                let element = if ty == Type::F16x2 { Type::F16 } else { Type::Bf16 };
                let (a, b) = (self.halves(a), self.halves(b));
                let mut pairs = Vec::with_capacity(2);
                for n in 0..2 {
                    let (mut a, mut b) = (a[n], b[n]);
                    if i.modifiers.ftz {
                        (a, b) = (self.flush_half(a), self.flush_half(b));
                    }
                    pairs.push((self.widened(a, element), self.widened(b, element)));
                }
                pairs
            }
            _ => {
                let Some(condition) = integer_condition(compare, is_signed(ty)) else {
                    return self.unsupported(i, "integers have no such comparison");
                };
                let truth = self.f.ins().icmp(condition, a, b);
                return Ok(vec![truth]);
            }
        };
        let Some(condition) = float_condition(compare) else {
            return self.unsupported(i, "floats have no such comparison");
        };
        let mut found = Vec::with_capacity(pairs.len());
        for (mut a, mut b) in pairs {
            if i.modifiers.ftz && ty == Type::F32 {
                (a, b) = (self.flush(a), self.flush(b));
            }
            if i.modifiers.ftz && ty == Type::F16 {
                (a, b) = (self.flush_widened(a), self.flush_widened(b));
            }
            found.push(self.f.ins().fcmp(condition, a, b));
        }
        Ok(found)
    }

    /// Flushes an f32 that holds an f16 below f16's normal range.
    fn flush_widened(&mut self, value: Value) -> Value {
        let size = self.f.ins().fabs(value);
        let limit = self.f.ins().f32const(f32::from_bits(0x3880_0000));
        let zero = self.constant(types::F32, 0);
        let small = self.f.ins().fcmp(FloatCC::LessThan, size, limit);
        self.f.ins().select(small, zero, value)
    }
}
