//! `f16`, `bf16` and their pairs (PTX ISA, section 9.7.4), through functions that round once.

use super::{Emit, Result};
use crate::soft::{self, Spec};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Type};

impl Emit<'_, '_> {
    pub(super) fn half(&mut self, i: &Instruction) -> Result<()> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        if i.modifiers.xorsign || i.modifiers.abs || i.modifiers.nan {
            return self.unsupported(i, "these words are not built yet for half precision");
        }
        let pair = matches!(ty, Type::F16x2 | Type::Bf16x2);
        let mut inputs = Vec::new();
        for n in 1..i.operands.len() {
            let value = self.source(i, n, ty)?;
            inputs.push(if pair { self.halves(value) } else { [value; 2] });
        }
        let mut results = inputs[0];
        for n in 0..if pair { 2 } else { 1 } {
            let mut values: Vec<Value> = inputs.iter().map(|input| input[n]).collect();
            if i.modifiers.ftz {
                values = values.into_iter().map(|value| self.flush_half(value)).collect();
            }
            let mut value = self.half_value(i, ty, &values)?;
            if i.modifiers.ftz {
                value = self.flush_half(value);
            }
            if i.modifiers.sat || i.modifiers.relu {
                value = self.clamped(i, ty, value)?;
            }
            results[n] = value;
        }
        let value = if pair { self.packed(results) } else { results[0] };
        self.define(i, 0, ty, value)
    }

    fn half_value(&mut self, i: &Instruction, ty: Type, inputs: &[Value]) -> Result<Value> {
        match i.opcode {
            Opcode::Abs => return Ok(self.f.ins().band_imm_s(inputs[0], 0x7fff)),
            Opcode::Neg => {
                let sign = self.constant(types::I16, 0x8000);
                return Ok(self.f.ins().bxor(inputs[0], sign));
            }
            _ => {}
        }
        self.half_call(i, i.opcode, ty, inputs)
    }

    /// Sums and products of halves in f32 round to the same half as the exact ones: f32 has more than twice their digits.
    fn half_call(&mut self, i: &Instruction, opcode: Opcode, ty: Type, inputs: &[Value]) -> Result<Value> {
        let wide: Vec<Value> = inputs.iter().map(|input| self.widened(*input, ty)).collect();
        let a = wide[0];
        let b = wide.get(1).copied().unwrap_or(a);
        let f16 = matches!(ty, Type::F16 | Type::F16x2);
        let value = match opcode {
            Opcode::Add => self.f.ins().fadd(a, b),
            Opcode::Sub => self.f.ins().fsub(a, b),
            Opcode::Mul => self.f.ins().fmul(a, b),
            Opcode::Min | Opcode::Max => self.extreme_of(opcode == Opcode::Min, a, b),
            Opcode::Ex2 => self.soft(soft::power as *const u8, &[types::F32], types::F32, &[a]),
            Opcode::Tanh => self.soft(soft::tangent as *const u8, &[types::F32], types::F32, &[a]),
            Opcode::Fma => {
                let function = if f16 { soft::f16_fma as *const u8 } else { soft::bf16_fma as *const u8 };
                return Ok(self.soft(function, &[types::F32; 3], types::I16, &[a, b, wide[2]]));
            }
            _ => return self.unsupported(i, "not for half precision"),
        };
        Ok(self.narrowed(value, ty))
    }

    /// An f32 as a half, to nearest.
    pub(super) fn narrowed(&mut self, value: Value, ty: Type) -> Value {
        let f16 = matches!(ty, Type::F16 | Type::F16x2);
        if f16 {
            return self.soft(soft::f16_of_f32 as *const u8, &[types::F32], types::I16, &[value]);
        }
        let spec = Spec { from: Spec::index(soft::F32), to: Spec::index(soft::BF16), ..Spec::default() };
        let bits = self.fit(value, types::I64, false);
        let spec = self.word(spec.word());
        let bits = self.soft(soft::convert as *const u8, &[types::I64, types::I32], types::I64, &[bits, spec]);
        self.f.ins().ireduce(types::I16, bits)
    }

    fn clamped(&mut self, i: &Instruction, ty: Type, value: Value) -> Result<Value> {
        let zero = self.constant(types::I16, 0);
        let value = self.half_call(i, Opcode::Max, ty, &[value, zero])?;
        if !i.modifiers.sat {
            return Ok(value);
        }
        let one = self.constant(types::I16, if matches!(ty, Type::F16 | Type::F16x2) { 0x3c00 } else { 0x3f80 });
        self.half_call(i, Opcode::Min, ty, &[value, one])
    }

    /// One step of an atomic: the operation on bits of any half type.
    pub(super) fn half_operation(
        &mut self,
        i: &Instruction,
        opcode: Opcode,
        ty: Type,
        a: Value,
        b: Value,
    ) -> Result<Value> {
        if !matches!(ty, Type::F16x2 | Type::Bf16x2) {
            return self.half_call(i, opcode, ty, &[a, b]);
        }
        let (a, b) = (self.halves(a), self.halves(b));
        let low = self.half_call(i, opcode, ty, &[a[0], b[0]])?;
        let high = self.half_call(i, opcode, ty, &[a[1], b[1]])?;
        Ok(self.packed([low, high]))
    }

    /// Negative halves become zero.
    pub(super) fn half_relu(&mut self, value: Value, _: Type) -> Value {
        let zero = self.constant(types::I16, 0);
        let negative = self.f.ins().icmp_imm_s(IntCC::SignedLessThan, value, 0);
        self.f.ins().select(negative, zero, value)
    }

    /// A half as f32: exact.
    pub(super) fn widened(&mut self, value: Value, ty: Type) -> Value {
        if matches!(ty, Type::F16 | Type::F16x2) {
            let spec = Spec { from: Spec::index(soft::F16), to: Spec::index(soft::F32), ..Spec::default() };
            let bits = self.f.ins().uextend(types::I64, value);
            let spec = self.word(spec.word());
            let bits = self.soft(soft::convert as *const u8, &[types::I64, types::I32], types::I64, &[bits, spec]);
            return self.fit(bits, types::F32, false);
        }
        let word = self.f.ins().uextend(types::I32, value);
        let bits = self.f.ins().ishl_imm_u(word, 16);
        self.fit(bits, types::F32, false)
    }

    /// Subnormal f16 becomes zero of the same sign.
    pub(super) fn flush_half(&mut self, value: Value) -> Value {
        let size = self.f.ins().band_imm_s(value, 0x7fff);
        let sign = self.constant(types::I16, 0x8000);
        let zero = self.f.ins().band(value, sign);
        let small = self.f.ins().icmp_imm_s(IntCC::UnsignedLessThan, size, 0x0400);
        self.f.ins().select(small, zero, value)
    }
}
