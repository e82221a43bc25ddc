//! f16 and bf16 arithmetic, single and packed (PTX ISA, sections 9.7.4 and 9.7.5).
//!
//! Values travel as their bits. Sums and products are computed in f32 and rounded again, which for these formats gives the
//! same as rounding once: f32 has twice their digits and more. `fma` needs more care, see `soft::half`.

use super::{Emit, Result};
use crate::soft;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Type};

/// Bits of infinity.
fn infinity(ty: Type) -> i64 {
    if ty == Type::F16 { 0x7c00 } else { 0x7f80 }
}

/// The type of one element.
fn element(ty: Type) -> Type {
    match ty {
        Type::F16 | Type::F16x2 => Type::F16,
        _ => Type::Bf16,
    }
}

impl Emit<'_, '_> {
    /// `add`, `sub`, `mul`, `fma`, `neg`, `abs`, `min`, `max`, `ex2`, `tanh` of f16, f16x2, bf16, bf16x2.
    pub(super) fn half(&mut self, i: &Instruction) -> Result<()> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        let mut sources = Vec::with_capacity(3);
        for n in 1..i.operands.len() {
            sources.push(self.source(i, n, ty)?);
        }
        let value = self.half_operation(i, i.opcode, ty, &sources)?;
        self.define(i, 0, ty, value)
    }

    /// An operation on values of any half type, with the modifiers of the instruction. Atomics use it too.
    pub(super) fn half_operation(
        &mut self,
        i: &Instruction,
        opcode: Opcode,
        ty: Type,
        sources: &[Value],
    ) -> Result<Value> {
        if ty == element(ty) {
            return self.half_element(i, opcode, ty, sources);
        }
        let (mut low, mut high) = (Vec::with_capacity(3), Vec::with_capacity(3));
        for packed in sources {
            let parts = self.halves(*packed);
            low.push(parts[0]);
            high.push(parts[1]);
        }
        let low = self.half_element(i, opcode, element(ty), &low)?;
        let high = self.half_element(i, opcode, element(ty), &high)?;
        Ok(self.packed([low, high]))
    }

    fn half_element(&mut self, i: &Instruction, opcode: Opcode, ty: Type, sources: &[Value]) -> Result<Value> {
        let m = &i.modifiers;
        let ftz = m.ftz && ty == Type::F16;
        let mut sources = sources.to_vec();
        if ftz {
            for value in &mut sources {
                *value = self.flush_half(*value);
            }
        }
        let wide = match (opcode, sources.as_slice()) {
            (Opcode::Neg, &[a]) => return Ok(self.f.ins().bxor_imm_u(a, 0x8000)),
            (Opcode::Abs, &[a]) => return Ok(self.f.ins().band_imm_u(a, 0x7fff)),
            (Opcode::Min | Opcode::Max, &[a, b]) => return Ok(self.half_extreme(i, opcode, ty, a, b)),
            (Opcode::Fma, &[a, b, c]) => {
                let arguments = [self.widened(a, ty), self.widened(b, ty), self.widened(c, ty)];
                let function = if ty == Type::F16 { soft::f16_fma as *const u8 } else { soft::bf16_fma as *const u8 };
                let mut value = self.soft(function, &[types::F32; 3], types::I16, &arguments);
                if ftz {
                    value = self.flush_half(value);
                }
                if m.relu {
                    value = self.half_relu(value, ty);
                }
                if !m.sat {
                    return Ok(value);
                }
                self.widened(value, ty)
            }
            (_, values) => {
                let wide: Vec<Value> = values.iter().map(|value| self.widened(*value, ty)).collect();
                match (opcode, wide.as_slice()) {
                    (Opcode::Add, &[a, b]) => self.f.ins().fadd(a, b),
                    (Opcode::Sub, &[a, b]) => self.f.ins().fsub(a, b),
                    (Opcode::Mul, &[a, b]) => self.f.ins().fmul(a, b),
                    (Opcode::Ex2, &[a]) => {
                        // `ex2.approx.ftz.bf16`: bf16 has the exponents of f32.
                        let a = if m.ftz { self.flush(a) } else { a };
                        let value = self.soft(soft::power as *const u8, &[types::F32], types::F32, &[a]);
                        if m.ftz { self.flush(value) } else { value }
                    }
                    (Opcode::Tanh, &[a]) => self.soft(soft::tangent as *const u8, &[types::F32], types::F32, &[a]),
                    _ => return self.unsupported(i, "halves have no such operation"),
                }
            }
        };
        let wide = if m.sat { self.saturate(wide) } else { wide };
        let value = self.narrowed(wide, ty);
        Ok(if ftz { self.flush_half(value) } else { value })
    }

    /// Bits of an f16 or bf16 as an f32, exactly.
    pub(super) fn widened(&mut self, bits: Value, ty: Type) -> Value {
        let wide = self.f.ins().uextend(types::I32, bits);
        if ty == Type::Bf16 {
            let wide = self.f.ins().ishl_imm_u(wide, 16);
            return self.fit(wide, types::F32, false);
        }
        let sign = self.f.ins().band_imm_u(wide, 0x8000);
        let sign = self.f.ins().ishl_imm_u(sign, 16);
        let size = self.f.ins().band_imm_u(wide, 0x7fff);
        let size = self.f.ins().ishl_imm_u(size, 13);
        // The exponents differ by 112: a multiplication moves them, and makes normal numbers of subnormal ones.
        let float = self.fit(size, types::F32, false);
        let scale = self.f.ins().f32const(f32::from_bits((127 + 112) << 23));
        let float = self.f.ins().fmul(float, scale);
        let scaled = self.bits_of(float);
        // What had the largest exponent is an infinity or a NaN.
        let special = self.f.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, size, 0x7c00 << 13);
        let top = self.f.ins().bor_imm_u(size, 0x7f80_0000);
        let size = self.f.ins().select(special, top, scaled);
        let bits = self.f.ins().bor(size, sign);
        self.fit(bits, types::F32, false)
    }

    /// An f32 rounded to nearest as bits of f16 or bf16; NaN as the canonical one.
    pub(super) fn narrowed(&mut self, value: Value, ty: Type) -> Value {
        if ty == Type::F16 {
            return self.soft(soft::f16_of_f32 as *const u8, &[types::F32], types::I16, &[value]);
        }
        let number = self.f.ins().fcmp(FloatCC::Ordered, value, value);
        let bits = self.bits_of(value);
        let odd = self.f.ins().ushr_imm_u(bits, 16);
        let odd = self.f.ins().band_imm_u(odd, 1);
        let rounded = self.f.ins().iadd_imm_u(bits, 0x7fff);
        let rounded = self.f.ins().iadd(rounded, odd);
        let rounded = self.f.ins().ushr_imm_u(rounded, 16);
        let rounded = self.f.ins().ireduce(types::I16, rounded);
        let nan = self.constant(types::I16, 0x7fff);
        self.f.ins().select(number, rounded, nan)
    }

    /// A subnormal f16 as the zero of its sign.
    pub(super) fn flush_half(&mut self, bits: Value) -> Value {
        let exponent = self.f.ins().band_imm_u(bits, 0x7c00);
        let sign = self.f.ins().band_imm_u(bits, 0x8000);
        let none = self.f.ins().icmp_imm_s(IntCC::Equal, exponent, 0);
        self.f.ins().select(none, sign, bits)
    }

    fn half_nan(&mut self, bits: Value, ty: Type) -> Value {
        let size = self.f.ins().band_imm_u(bits, 0x7fff);
        self.f.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, size, infinity(ty))
    }

    /// Negative numbers as 0, NaN as the canonical one.
    pub(super) fn half_relu(&mut self, bits: Value, ty: Type) -> Value {
        let nan = self.half_nan(bits, ty);
        let zero = self.f.ins().iconst(types::I16, 0);
        let value = self.f.ins().smax(bits, zero);
        let canonical = self.constant(types::I16, 0x7fff);
        self.f.ins().select(nan, canonical, value)
    }

    fn half_extreme(&mut self, i: &Instruction, opcode: Opcode, ty: Type, a: Value, b: Value) -> Value {
        let m = &i.modifiers;
        let [x, y] = [a, b].map(|value| if m.abs { self.f.ins().band_imm_u(value, 0x7fff) } else { value });
        // Bits ordered as signed integers, -0 below +0.
        let [of_x, of_y] = [x, y].map(|bits| {
            let sign = self.f.ins().sshr_imm_u(bits, 15);
            let flip = self.f.ins().band_imm_u(sign, 0x7fff);
            self.f.ins().bxor(bits, flip)
        });
        let first = if opcode == Opcode::Max { IntCC::SignedGreaterThan } else { IntCC::SignedLessThan };
        let first = self.f.ins().icmp(first, of_x, of_y);
        let mut value = self.f.ins().select(first, x, y);
        let (x_nan, y_nan) = (self.half_nan(x, ty), self.half_nan(y, ty));
        if !m.nan {
            value = self.f.ins().select(x_nan, y, value);
            value = self.f.ins().select(y_nan, x, value);
        }
        if m.xorsign {
            let sign = self.f.ins().bxor(a, b);
            let sign = self.f.ins().band_imm_u(sign, 0x8000);
            let size = self.f.ins().band_imm_u(value, 0x7fff);
            value = self.f.ins().bor(size, sign);
        }
        let nan = if m.nan { self.f.ins().bor(x_nan, y_nan) } else { self.f.ins().band(x_nan, y_nan) };
        let canonical = self.constant(types::I16, 0x7fff);
        self.f.ins().select(nan, canonical, value)
    }
}
