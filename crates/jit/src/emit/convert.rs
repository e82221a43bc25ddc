//! `cvt` between any two types (PTX ISA, section 9.7.9.21).
//!
//! What the processor converts in one or a few instructions is inline; everything else goes through [`crate::soft`], which
//! rounds exact values.

use super::float::directed;
use super::integer::is_signed;
use super::{Emit, Result, clif};
use crate::soft::{self, Mode, Spec};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self, InstBuilder, Value, types};
use hotfire_ptx::ast::{Instruction, Rounding, Type};

/// The format of a float type, or of its elements.
fn format(ty: Type) -> Option<soft::Format> {
    Some(match ty {
        Type::F16 | Type::F16x2 => soft::F16,
        Type::Bf16 | Type::Bf16x2 => soft::BF16,
        Type::F32 => soft::F32,
        Type::F64 => soft::F64,
        Type::Tf32 => soft::TF32,
        Type::E4m3x2 => soft::E4M3,
        Type::E5m2x2 => soft::E5M2,
        _ => return None,
    })
}

fn is_packed(ty: Type) -> bool {
    matches!(ty, Type::F16x2 | Type::Bf16x2 | Type::E4m3x2 | Type::E5m2x2)
}

fn mode(rounding: Option<Rounding>) -> Mode {
    directed(rounding).unwrap_or(Mode::Nearest)
}

impl Emit<'_, '_> {
    /// `cvt`
    pub(super) fn convert(&mut self, i: &Instruction) -> Result<()> {
        let &[to, from] = i.types.as_slice() else { return self.unsupported(i, "it takes two types") };
        if i.modifiers.rounding == Some(Rounding::Rs) {
            return self.unsupported(i, "stochastic rounding");
        }
        if is_packed(to) {
            return self.convert_pair(i, to, from);
        }
        let value = self.source(i, 1, from)?;
        let value = match (format(from).is_some(), format(to).is_some()) {
            (false, false) => self.integer_to_integer(i, value, from, to),
            (false, true) => self.integer_to_float(i, value, from, to),
            (true, false) => self.float_to_integer(i, value, from, to),
            (true, true) => self.float_to_float(i, value, from, to),
        };
        self.define(i, 0, to, value)
    }

    fn integer_to_integer(&mut self, i: &Instruction, value: Value, from: Type, to: Type) -> Value {
        let signed = is_signed(from);
        if !i.modifiers.sat {
            return self.fit(value, clif(to), signed);
        }
        let wide = self.fit(value, types::I64, signed);
        let wide = self.clamp(wide, signed, to);
        self.fit(wide, clif(to), false)
    }

    /// A 64-bit integer clamped to the range of a type.
    fn clamp(&mut self, mut wide: Value, signed: bool, to: Type) -> Value {
        let bits = clif(to).bits();
        let largest = u64::MAX >> (64 - bits) >> u32::from(is_signed(to));
        if signed {
            let lowest = if is_signed(to) { -1 << (bits - 1) } else { 0 };
            let lowest = self.f.ins().iconst(types::I64, lowest);
            wide = self.f.ins().smax(wide, lowest);
            if largest > i64::MAX as u64 {
                return wide;
            }
        }
        let largest = self.f.ins().iconst(types::I64, largest as i64);
        if signed { self.f.ins().smin(wide, largest) } else { self.f.ins().umin(wide, largest) }
    }

    fn integer_to_float(&mut self, i: &Instruction, value: Value, from: Type, to: Type) -> Value {
        let signed = is_signed(from);
        let ty = clif(to);
        // Doubles hold all 32-bit integers, floats all 16-bit ones.
        let exact = clif(from).bits() < if to == Type::F64 { 64 } else { 32 };
        if ty.is_float() && (exact || mode(i.modifiers.rounding) == Mode::Nearest) {
            let value = if clif(from).bits() < 32 { self.fit(value, types::I32, signed) } else { value };
            let value =
                if signed { self.f.ins().fcvt_from_sint(ty, value) } else { self.f.ins().fcvt_from_uint(ty, value) };
            return if i.modifiers.sat { self.saturate(value) } else { value };
        }
        let wide = self.fit(value, types::I64, signed);
        let from = if signed { soft::SIGNED } else { soft::UNSIGNED };
        self.through_soft(i, wide, from, to)
    }

    /// The general conversion. `wide`: the source's bits as an i64, or a 64-bit integer.
    fn through_soft(&mut self, i: &Instruction, wide: Value, from: u32, to: Type) -> Value {
        let m = &i.modifiers;
        let spec = Spec {
            from,
            to: format(to).map_or(0, Spec::index),
            mode: mode(m.rounding) as u32,
            sat: m.sat,
            relu: m.relu,
            satfinite: m.satfinite,
        };
        let spec = self.f.ins().iconst(types::I32, i64::from(spec.word()));
        let bits = self.soft(soft::convert as *const u8, &[types::I64, types::I32], types::I64, &[wide, spec]);
        let bits = self.fit(bits, clif(to).as_int(), false);
        self.fit(bits, clif(to), false)
    }

    /// A value of a float type as f32 or f64, exactly.
    fn as_machine_float(&mut self, value: Value, ty: Type) -> Value {
        match ty {
            Type::F16 | Type::Bf16 => self.widened(value, ty),
            Type::Tf32 => self.fit(value, types::F32, false),
            _ => value,
        }
    }

    fn integer_value(&mut self, value: Value, rounding: Option<Rounding>) -> Value {
        match rounding {
            Some(Rounding::Rni) => self.f.ins().nearest(value),
            Some(Rounding::Rmi) => self.f.ins().floor(value),
            Some(Rounding::Rpi) => self.f.ins().ceil(value),
            _ => self.f.ins().trunc(value),
        }
    }

    fn float_to_integer(&mut self, i: &Instruction, value: Value, from: Type, to: Type) -> Value {
        let value = match from {
            Type::F32 if i.modifiers.ftz => self.flush(value),
            Type::F16 if i.modifiers.ftz => self.flush_half(value),
            _ => value,
        };
        let value = self.as_machine_float(value, from);
        // The conversion itself truncates.
        let value = match i.modifiers.rounding {
            Some(Rounding::Rzi) | None => value,
            rounding => self.integer_value(value, rounding),
        };
        let (ty, signed) = (clif(to), is_signed(to));
        let machine: ir::Type = if ty.bits() == 64 { types::I64 } else { types::I32 };
        let mut result = match signed {
            true => self.f.ins().fcvt_to_sint_sat(machine, value),
            false => self.f.ins().fcvt_to_uint_sat(machine, value),
        };
        if ty.bits() < 32 {
            let largest = (1 << (ty.bits() - u32::from(signed))) - 1;
            let largest = self.f.ins().iconst(types::I32, largest);
            result = self.extreme(result, largest, signed, false);
            if signed {
                let lowest = self.constant(types::I32, (-1i64 << (ty.bits() - 1)) as u64);
                result = self.f.ins().smax(result, lowest);
            }
            result = self.f.ins().ireduce(ty, result);
        }
        // NaN is 0, except where a 64-bit type takes part: there it is the top bit alone.
        if from == Type::F64 || ty.bits() == 64 {
            let number = self.f.ins().fcmp(FloatCC::Ordered, value, value);
            let top = self.constant(ty, 1 << (ty.bits() - 1));
            result = self.f.ins().select(number, result, top);
        }
        result
    }

    fn float_to_float(&mut self, i: &Instruction, value: Value, from: Type, to: Type) -> Value {
        let m = &i.modifiers;
        let ftz = m.ftz;
        let value = match from {
            Type::F32 if ftz => self.flush(value),
            Type::F16 if ftz && to == Type::F16 => self.flush_half(value),
            _ => value,
        };
        if from == to {
            return self.same_float(i, value, to);
        }
        let nearest = mode(m.rounding) == Mode::Nearest;
        match (from, to) {
            // Widening is exact.
            (Type::F16 | Type::Bf16 | Type::F32, Type::F32 | Type::F64) => {
                let wide = self.as_machine_float(value, from);
                let wide = if to == Type::F64 { self.f.ins().fpromote(types::F64, wide) } else { wide };
                let wide = if ftz && to == Type::F32 { self.flush(wide) } else { wide };
                if m.sat { self.saturate(wide) } else { wide }
            }
            (Type::F64, Type::F32) => {
                let narrow = if nearest {
                    self.f.ins().fdemote(types::F32, value)
                } else {
                    let wide = self.bits_of(value);
                    let source = Spec::index(soft::F64);
                    self.through_soft(i, wide, source, to)
                };
                let narrow = if ftz { self.flush(narrow) } else { narrow };
                if m.sat { self.saturate(narrow) } else { narrow }
            }
            (Type::F32, Type::F16 | Type::Bf16) if nearest && !m.satfinite => {
                let value = if m.sat { self.saturate(value) } else { value };
                let half = self.narrowed(value, to);
                if m.relu { self.half_relu(half, to) } else { half }
            }
            _ => {
                let bits = self.bits_of(value);
                let wide = self.fit(bits, types::I64, false);
                let source = format(from).map_or(0, Spec::index);
                self.through_soft(i, wide, source, to)
            }
        }
    }

    /// Source and destination are of the same type: rounds to an integer, saturates.
    fn same_float(&mut self, i: &Instruction, value: Value, ty: Type) -> Value {
        let m = &i.modifiers;
        if m.rounding.is_none() && !m.sat {
            return value;
        }
        let mut wide = self.as_machine_float(value, ty);
        if m.rounding.is_some() {
            wide = self.integer_value(wide, m.rounding);
        }
        if m.sat {
            wide = self.saturate(wide);
        }
        if matches!(ty, Type::F16 | Type::Bf16) { self.narrowed(wide, ty) } else { wide }
    }

    /// Destinations of two elements: of two sources, the first becomes the upper element.
    fn convert_pair(&mut self, i: &Instruction, to: Type, from: Type) -> Result<()> {
        let [low, high] = match from {
            Type::F32 => {
                let (high, low) = (self.source(i, 1, from)?, self.source(i, 2, from)?);
                [low, high]
            }
            Type::F16x2 | Type::Bf16x2 => {
                let packed = self.source(i, 1, from)?;
                self.halves(packed)
            }
            Type::E4m3x2 | Type::E5m2x2 => {
                let packed = self.source(i, 1, from)?;
                let high = self.f.ins().ushr_imm_u(packed, 8);
                [packed, high].map(|byte| self.f.ins().ireduce(types::I8, byte))
            }
            _ => return self.unsupported(i, "no pair of this type"),
        };
        let element = match to {
            Type::F16x2 => Type::F16,
            Type::Bf16x2 => Type::Bf16,
            other => other,
        };
        let parts = [low, high].map(|value| {
            if from == Type::F32 && element != to {
                return self.float_to_float(i, value, from, element);
            }
            let bits = self.bits_of(value);
            let wide = self.fit(bits, types::I64, false);
            let source = format(from).map_or(0, Spec::index);
            self.through_soft(i, wide, source, element)
        });
        let value = if element != to {
            self.packed(parts)
        } else {
            let high = self.f.ins().ishl_imm_u(parts[1], 8);
            let low = self.f.ins().band_imm_u(parts[0], 0xff);
            self.f.ins().bor(low, high)
        };
        self.define(i, 0, to, value)
    }
}
