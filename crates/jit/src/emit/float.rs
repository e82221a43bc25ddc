//! `f32` and `f64` arithmetic (PTX ISA, sections 9.7.3 to 9.7.5).

use super::{Emit, Result, clif};
use crate::soft::{self, Mode};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Mode as Test, Rounding, Type};

/// A directed rounding mode; `None` for the nearest.
pub(super) fn directed(rounding: Option<Rounding>) -> Option<Mode> {
    match rounding {
        Some(Rounding::Rz | Rounding::Rzi) => Some(Mode::Zero),
        Some(Rounding::Rm | Rounding::Rmi) => Some(Mode::Down),
        Some(Rounding::Rp | Rounding::Rpi) => Some(Mode::Up),
        Some(Rounding::Rna) => Some(Mode::Away),
        _ => None,
    }
}

impl Emit<'_, '_> {
    pub(super) fn float(&mut self, i: &Instruction) -> Result<()> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        if ty == Type::F32x2 {
            return self.float_pair(i);
        }
        let flush = i.modifiers.ftz && ty == Type::F32;
        let count = match i.opcode {
            Opcode::Fma | Opcode::Mad => 3,
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Div | Opcode::Min | Opcode::Max | Opcode::Copysign => {
                i.operands.len() - 1
            }
            _ => 1,
        };
        let mut inputs = Vec::with_capacity(3);
        for n in 0..count {
            let mut value = self.source(i, n + 1, ty)?;
            if flush {
                value = self.flush(value);
            }
            inputs.push(value);
        }
        if i.opcode == Opcode::Testp {
            let found = self.tested(i, ty, inputs[0])?;
            return self.define(i, 0, Type::Pred, found);
        }
        let mut value = self.operate(i, ty, &inputs)?;
        if flush {
            value = self.flush(value);
        }
        if i.modifiers.sat {
            value = self.saturate(value);
        }
        self.define(i, 0, ty, value)
    }

    fn float_pair(&mut self, i: &Instruction) -> Result<()> {
        let mut parts = [Vec::new(), Vec::new()];
        for n in 1..i.operands.len() {
            let both = self.source(i, n, Type::F32x2)?;
            for (half, part) in parts.iter_mut().enumerate() {
                let bits = self.f.ins().ushr_imm_u(both, 32 * half as i64);
                let bits = self.f.ins().ireduce(types::I32, bits);
                let mut value = self.fit(bits, types::F32, false);
                if i.modifiers.ftz {
                    value = self.flush(value);
                }
                part.push(value);
            }
        }
        let mut whole = self.f.ins().iconst(types::I64, 0);
        for (half, part) in parts.iter().enumerate() {
            let mut value = self.operate(i, Type::F32, part)?;
            if i.modifiers.ftz {
                value = self.flush(value);
            }
            let bits = self.fit(value, types::I64, false);
            let bits = self.f.ins().ishl_imm_u(bits, 32 * half as i64);
            whole = self.f.ins().bor(whole, bits);
        }
        self.define(i, 0, Type::F32x2, whole)
    }

    fn operate(&mut self, i: &Instruction, ty: Type, inputs: &[Value]) -> Result<Value> {
        let a = inputs[0];
        let b = inputs.get(1).copied().unwrap_or(a);
        if let Some(mode) = directed(i.modifiers.rounding) {
            let one = self.constant(clif(ty), if ty == Type::F32 { u64::from(1f32.to_bits()) } else { 1f64.to_bits() });
            let single = ty == Type::F32;
            let pick = |one: *const u8, two: *const u8| if single { one } else { two };
            let (function, mut arguments) = match i.opcode {
                Opcode::Add => (pick(soft::f32_add as *const u8, soft::f64_add as *const u8), vec![a, b]),
                Opcode::Sub => {
                    let b = self.f.ins().fneg(b);
                    (pick(soft::f32_add as *const u8, soft::f64_add as *const u8), vec![a, b])
                }
                Opcode::Mul => (pick(soft::f32_multiply as *const u8, soft::f64_multiply as *const u8), vec![a, b]),
                Opcode::Fma | Opcode::Mad => {
                    (pick(soft::f32_fma as *const u8, soft::f64_fma as *const u8), vec![a, b, inputs[2]])
                }
                Opcode::Div => (pick(soft::f32_divide as *const u8, soft::f64_divide as *const u8), vec![a, b]),
                Opcode::Rcp => (pick(soft::f32_divide as *const u8, soft::f64_divide as *const u8), vec![one, a]),
                Opcode::Sqrt => (pick(soft::f32_square_root as *const u8, soft::f64_square_root as *const u8), vec![a]),
                _ => return self.unsupported(i, "it has no directed rounding"),
            };
            let machine = clif(ty);
            let mut parameters = vec![machine; arguments.len()];
            parameters.push(types::I32);
            arguments.push(self.word(mode as u32));
            return Ok(self.soft(function, &parameters, machine, &arguments));
        }
        Ok(match i.opcode {
            Opcode::Add => self.f.ins().fadd(a, b),
            Opcode::Sub => self.f.ins().fsub(a, b),
            Opcode::Mul => self.f.ins().fmul(a, b),
            Opcode::Div => self.divided(a, b),
            Opcode::Fma | Opcode::Mad => self.fused(ty, a, b, inputs[2]),
            Opcode::Abs => self.f.ins().fabs(a),
            Opcode::Neg => self.f.ins().fneg(a),
            // PTX: the sign of the first operand on the size of the second.
            Opcode::Copysign => self.f.ins().fcopysign(b, a),
            Opcode::Min | Opcode::Max => {
                let mut value = self.extreme_float(i, a, b);
                for c in &inputs[2..] {
                    value = self.extreme_float(i, value, *c);
                }
                value
            }
            Opcode::Sqrt => {
                let root = self.f.ins().sqrt(a);
                self.canonical(root)
            }
            Opcode::Rcp | Opcode::Rsqrt => {
                // The only doubles with `.ftz` are the coarse approximations.
                let coarse = ty == Type::F64 && i.modifiers.ftz;
                let a = if coarse { self.flush_double(a) } else { a };
                let wide = if i.opcode == Opcode::Rcp {
                    a
                } else {
                    let wide = self.fit_float(a, types::F64);
                    self.f.ins().sqrt(wide)
                };
                let machine = self.f.func.dfg.value_type(wide);
                let bits = if machine == types::F32 { u64::from(1f32.to_bits()) } else { 1f64.to_bits() };
                let one = self.constant(machine, bits);
                let value = self.divided(one, wide);
                let value = self.fit_float(value, clif(ty));
                if coarse {
                    let value = self.flush_double(value);
                    let bits = self.bits_of(value);
                    let bits = self.f.ins().band_imm_s(bits, !0xffff_ffff);
                    return Ok(self.fit(bits, types::F64, false));
                }
                self.canonical(value)
            }
            Opcode::Sin => self.unary(soft::sine, a),
            Opcode::Cos => self.unary(soft::cosine, a),
            Opcode::Lg2 => self.unary(soft::logarithm, a),
            Opcode::Ex2 => self.unary(soft::power, a),
            Opcode::Tanh => self.unary(soft::tangent, a),
            _ => return self.unsupported(i, "not for floats"),
        })
    }

    /// A float in another float type, to nearest.
    pub(super) fn fit_float(&mut self, value: Value, to: cranelift_codegen::ir::Type) -> Value {
        match (self.f.func.dfg.value_type(value), to) {
            (types::F32, types::F64) => self.f.ins().fpromote(types::F64, value),
            (types::F64, types::F32) => self.f.ins().fdemote(types::F32, value),
            _ => value,
        }
    }

    fn unary(&mut self, function: extern "C" fn(f32) -> f32, a: Value) -> Value {
        self.soft(function as *const u8, &[types::F32], types::F32, &[a])
    }

    fn fused(&mut self, ty: Type, a: Value, b: Value, c: Value) -> Value {
        if self.unit.fma {
            return self.f.ins().fma(a, b, c);
        }
        let machine = clif(ty);
        let function = if ty == Type::F32 { soft::f32_fused as *const u8 } else { soft::f64_fused as *const u8 };
        self.soft(function, &[machine; 3], machine, &[a, b, c])
    }

    fn divided(&mut self, a: Value, b: Value) -> Value {
        let value = self.f.ins().fdiv(a, b);
        self.canonical(value)
    }

    /// PTX's one f32 NaN for the processor's, whose sign would show when printed. Doubles keep theirs, and so do sums and
    /// products, for speed: there PTX leaves the payload open.
    fn canonical(&mut self, value: Value) -> Value {
        if self.f.func.dfg.value_type(value) != types::F32 {
            return value;
        }
        let nan = self.constant(types::F32, 0x7fff_ffff);
        let number = self.f.ins().fcmp(FloatCC::Ordered, value, value);
        self.f.ins().select(number, value, nan)
    }

    /// The lesser or greater; a number wins over NaN unless `.NaN`, and -0 is less than +0.
    fn extreme_float(&mut self, i: &Instruction, a: Value, b: Value) -> Value {
        let m = &i.modifiers;
        let (x, y) = if m.abs { (self.f.ins().fabs(a), self.f.ins().fabs(b)) } else { (a, b) };
        let mut value = if i.opcode == Opcode::Min { self.f.ins().fmin(x, y) } else { self.f.ins().fmax(x, y) };
        if !m.nan {
            let x_number = self.f.ins().fcmp(FloatCC::Ordered, x, x);
            let y_number = self.f.ins().fcmp(FloatCC::Ordered, y, y);
            value = self.f.ins().select(x_number, value, y);
            value = self.f.ins().select(y_number, value, x);
        }
        if m.xorsign {
            let (a, b) = (self.bits_of(a), self.bits_of(b));
            let signs = self.f.ins().bxor(a, b);
            let machine = self.f.func.dfg.value_type(value);
            let signs = self.fit(signs, machine, false);
            value = self.f.ins().fcopysign(value, signs);
        }
        self.canonical(value)
    }

    /// A subnormal f32 as the zero of its sign. On bits: comparing subnormal floats is slow on some processors.
    pub(super) fn flush(&mut self, value: Value) -> Value {
        let bits = self.bits_of(value);
        let exponent = self.f.ins().band_imm_u(bits, 0x7f80_0000);
        let sign = self.f.ins().band_imm_u(bits, 0x8000_0000);
        let none = self.f.ins().icmp_imm_s(IntCC::Equal, exponent, 0);
        let bits = self.f.ins().select(none, sign, bits);
        self.fit(bits, types::F32, false)
    }

    fn flush_double(&mut self, value: Value) -> Value {
        let bits = self.bits_of(value);
        let exponent = self.f.ins().band_imm_s(bits, 0x7ff0_0000_0000_0000);
        let sign = self.f.ins().band_imm_s(bits, i64::MIN);
        let none = self.f.ins().icmp_imm_s(IntCC::Equal, exponent, 0);
        let bits = self.f.ins().select(none, sign, bits);
        self.fit(bits, types::F64, false)
    }

    /// Clamped to 0 to 1; NaN becomes +0.
    pub(super) fn saturate(&mut self, value: Value) -> Value {
        let machine = self.f.func.dfg.value_type(value);
        let one = if machine == types::F32 { u64::from(1f32.to_bits()) } else { 1f64.to_bits() };
        let (zero, one) = (self.constant(machine, 0), self.constant(machine, one));
        let positive = self.f.ins().fcmp(FloatCC::GreaterThan, value, zero);
        let value = self.f.ins().select(positive, value, zero);
        let above = self.f.ins().fcmp(FloatCC::GreaterThan, value, one);
        self.f.ins().select(above, one, value)
    }

    fn tested(&mut self, i: &Instruction, ty: Type, a: Value) -> Result<Value> {
        let bits = self.bits_of(a);
        let (sign, infinity, least) = if ty == Type::F32 {
            (1u64 << 31, u64::from(f32::INFINITY.to_bits()), u64::from(f32::MIN_POSITIVE.to_bits()))
        } else {
            (1 << 63, f64::INFINITY.to_bits(), f64::MIN_POSITIVE.to_bits())
        };
        let integer = clif(ty).as_int();
        let mask = self.constant(integer, sign - 1);
        let size = self.f.ins().band(bits, mask);
        let infinity = self.constant(integer, infinity);
        let least = self.constant(integer, least);
        let zero = self.constant(integer, 0);
        Ok(match i.modifiers.mode {
            Some(Test::Finite) => self.f.ins().icmp(IntCC::UnsignedLessThan, size, infinity),
            Some(Test::Infinite) => self.f.ins().icmp(IntCC::Equal, size, infinity),
            Some(Test::Number) => self.f.ins().icmp(IntCC::UnsignedLessThanOrEqual, size, infinity),
            Some(Test::NotANumber) => self.f.ins().icmp(IntCC::UnsignedGreaterThan, size, infinity),
            Some(Test::Normal) => {
                let finite = self.f.ins().icmp(IntCC::UnsignedLessThan, size, infinity);
                let large = self.f.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, size, least);
                self.f.ins().band(finite, large)
            }
            Some(Test::Subnormal) => {
                let some = self.f.ins().icmp(IntCC::NotEqual, size, zero);
                let small = self.f.ins().icmp(IntCC::UnsignedLessThan, size, least);
                self.f.ins().band(some, small)
            }
            _ => return self.unsupported(i, "it tests nothing"),
        })
    }
}
