//! Bit counting, bit fields, dot products, logic and shifts (PTX ISA, sections 9.7.1 and 9.7.8; `prmt`: 9.7.9).
//!
//! Shift amounts beyond the width clamp; Cranelift's wrap, hence the selects. Constant amounts fold.

use super::integer::is_signed;
use super::{Emit, Result, clif};
use crate::soft;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Half, Instruction, Mode, Operand, Operation, Type};

impl Emit<'_, '_> {
    /// Everything that works on bits.
    pub(super) fn bits(&mut self, i: &Instruction) -> Result<()> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        let value = match i.opcode {
            Opcode::And | Opcode::Or | Opcode::Xor => {
                let (a, b) = (self.source(i, 1, ty)?, self.source(i, 2, ty)?);
                match i.opcode {
                    Opcode::And => self.f.ins().band(a, b),
                    Opcode::Or => self.f.ins().bor(a, b),
                    _ => self.f.ins().bxor(a, b),
                }
            }
            Opcode::Not => {
                let a = self.source(i, 1, ty)?;
                if ty == Type::Pred { self.f.ins().bxor_imm_u(a, 1) } else { self.f.ins().bnot(a) }
            }
            Opcode::Cnot => {
                let a = self.source(i, 1, ty)?;
                let zero = self.f.ins().icmp_imm_s(IntCC::Equal, a, 0);
                self.f.ins().uextend(clif(ty), zero)
            }
            Opcode::Shl | Opcode::Shr => {
                let (a, by) = (self.source(i, 1, ty)?, self.source(i, 2, Type::U32)?);
                match i.opcode {
                    Opcode::Shl => self.shift_left(a, by),
                    _ => self.shift_right(a, by, is_signed(ty)),
                }
            }
            Opcode::Shf => self.funnel(i)?,
            Opcode::Brev => {
                let a = self.source(i, 1, ty)?;
                self.f.ins().bitrev(a)
            }
            Opcode::Popc | Opcode::Clz | Opcode::Bfind => {
                let a = self.source(i, 1, ty)?;
                let count = match i.opcode {
                    Opcode::Popc => self.f.ins().popcnt(a),
                    Opcode::Clz => self.f.ins().clz(a),
                    _ => self.find(i, a, is_signed(ty)),
                };
                let count = self.fit(count, types::I32, true);
                return self.define(i, 0, Type::U32, count);
            }
            Opcode::Fns => {
                let (mask, base) = (self.source(i, 1, Type::B32)?, self.source(i, 2, Type::B32)?);
                let offset = self.source(i, 3, Type::S32)?;
                let function = soft::find_nth_set as *const u8;
                self.soft(function, &[types::I32; 3], types::I32, &[mask, base, offset])
            }
            Opcode::Bfe => self.extract(i, ty)?,
            Opcode::Bfi => self.insert(i, ty)?,
            Opcode::Szext => self.extend_from(i, ty)?,
            Opcode::Bmsk => self.mask(i)?,
            Opcode::Dp4a | Opcode::Dp2a => return self.dot(i),
            Opcode::Lop3 => return self.lop3(i),
            Opcode::Prmt => self.permute(i)?,
            _ => return self.unsupported(i, "it does not work on bits"),
        };
        self.define(i, 0, ty, value)
    }

    fn width(&self, value: Value) -> i64 {
        i64::from(self.f.func.dfg.value_type(value).bits())
    }

    /// `a << by`; zero from the width on. `by` is an i32.
    pub(super) fn shift_left(&mut self, a: Value, by: Value) -> Value {
        let ty = self.f.func.dfg.value_type(a);
        let shifted = self.f.ins().ishl(a, by);
        let width = self.width(a);
        let inside = self.f.ins().icmp_imm_u(IntCC::UnsignedLessThan, by, width);
        let zero = self.f.ins().iconst(ty, 0);
        self.f.ins().select(inside, shifted, zero)
    }

    /// `a >> by`; zero or the sign from the width on.
    pub(super) fn shift_right(&mut self, a: Value, by: Value, signed: bool) -> Value {
        if signed {
            let last = self.width(a) - 1;
            let last = self.f.ins().iconst(types::I32, last);
            let by = self.f.ins().umin(by, last);
            return self.f.ins().sshr(a, by);
        }
        let ty = self.f.func.dfg.value_type(a);
        let shifted = self.f.ins().ushr(a, by);
        let width = self.width(a);
        let inside = self.f.ins().icmp_imm_u(IntCC::UnsignedLessThan, by, width);
        let zero = self.f.ins().iconst(ty, 0);
        self.f.ins().select(inside, shifted, zero)
    }

    /// `shf`: 32 bits out of the 64 of `b:a`.
    fn funnel(&mut self, i: &Instruction) -> Result<Value> {
        let (low, high) = (self.source(i, 1, Type::B32)?, self.source(i, 2, Type::B32)?);
        let by = self.source(i, 3, Type::U32)?;
        let both = self.both(low, high);
        let by = if i.modifiers.clamp {
            let limit = self.f.ins().iconst(types::I32, 32);
            self.f.ins().umin(by, limit)
        } else {
            self.f.ins().band_imm_u(by, 31)
        };
        let value = if i.modifiers.mode == Some(Mode::Left) {
            let value = self.f.ins().ishl(both, by);
            self.f.ins().ushr_imm_u(value, 32)
        } else {
            self.f.ins().ushr(both, by)
        };
        Ok(self.f.ins().ireduce(types::I32, value))
    }

    fn both(&mut self, low: Value, high: Value) -> Value {
        let low = self.f.ins().uextend(types::I64, low);
        let high = self.f.ins().uextend(types::I64, high);
        let high = self.f.ins().ishl_imm_u(high, 32);
        self.f.ins().bor(low, high)
    }

    /// `bfind`: position of the highest bit that is not a copy of the sign, all ones if there is none.
    fn find(&mut self, i: &Instruction, a: Value, signed: bool) -> Value {
        let width = self.width(a);
        let a = if signed {
            let sign = self.f.ins().sshr_imm_u(a, width - 1);
            self.f.ins().bxor(a, sign)
        } else {
            a
        };
        let zeros = self.f.ins().clz(a);
        let zeros = self.fit(zeros, types::I32, false);
        if i.modifiers.shiftamt {
            let none = self.f.ins().icmp_imm_s(IntCC::Equal, a, 0);
            let ones = self.constant(types::I32, u64::MAX);
            return self.f.ins().select(none, ones, zeros);
        }
        // No bit: width leading zeros, and so -1.
        let last = self.f.ins().iconst(types::I32, width - 1);
        self.f.ins().isub(last, zeros)
    }

    /// Position and length of a bit field: the low bytes of two operands; for fields of 64 bits the operands as they are (litmus/forms.cu).
    fn field(&mut self, i: &Instruction, first: usize, ty: Type) -> Result<(Value, Value)> {
        let (position, length) = (self.source(i, first, Type::U32)?, self.source(i, first + 1, Type::U32)?);
        if clif(ty).bits() == 64 {
            return Ok((position, length));
        }
        Ok((self.f.ins().band_imm_u(position, 255), self.f.ins().band_imm_u(length, 255)))
    }

    fn extract(&mut self, i: &Instruction, ty: Type) -> Result<Value> {
        let a = self.source(i, 1, ty)?;
        let (position, length) = self.field(i, 2, ty)?;
        let (width, signed) = (self.width(a), is_signed(ty));
        let shifted = self.shift_right(a, position, signed);
        // Up to the top and down again, which cuts and extends; a length of zero leaves nothing.
        let whole = self.f.ins().iconst(types::I32, width);
        let length = self.f.ins().umin(length, whole);
        let up = self.f.ins().isub(whole, length);
        let top = self.f.ins().ishl(shifted, up);
        let value = if signed { self.f.ins().sshr(top, up) } else { self.f.ins().ushr(top, up) };
        let empty = self.f.ins().icmp_imm_s(IntCC::Equal, length, 0);
        let zero = self.f.ins().iconst(clif(ty), 0);
        Ok(self.f.ins().select(empty, zero, value))
    }

    fn insert(&mut self, i: &Instruction, ty: Type) -> Result<Value> {
        let (a, b) = (self.source(i, 1, ty)?, self.source(i, 2, ty)?);
        let (position, length) = self.field(i, 3, ty)?;
        let ones = self.constant(clif(ty), u64::MAX);
        let above = self.shift_left(ones, length);
        let mask = self.f.ins().bnot(above);
        let mask = self.shift_left(mask, position);
        let moved = self.shift_left(a, position);
        let inserted = self.f.ins().band(moved, mask);
        let kept = self.f.ins().band_not(b, mask);
        Ok(self.f.ins().bor(inserted, kept))
    }

    fn extend_from(&mut self, i: &Instruction, ty: Type) -> Result<Value> {
        let (a, b) = (self.source(i, 1, ty)?, self.source(i, 2, Type::U32)?);
        let length = self.f.ins().band_imm_u(b, 31);
        let whole = self.f.ins().iconst(types::I32, 32);
        let up = self.f.ins().isub(whole, length);
        let top = self.f.ins().ishl(a, up);
        let value = if is_signed(ty) { self.f.ins().sshr(top, up) } else { self.f.ins().ushr(top, up) };
        let empty = self.f.ins().icmp_imm_s(IntCC::Equal, length, 0);
        let zero = self.f.ins().iconst(types::I32, 0);
        let value = self.f.ins().select(empty, zero, value);
        if i.modifiers.wrap {
            return Ok(value);
        }
        let all = self.f.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, b, 32);
        Ok(self.f.ins().select(all, a, value))
    }

    fn mask(&mut self, i: &Instruction) -> Result<Value> {
        let (mut position, mut length) = (self.source(i, 1, Type::U32)?, self.source(i, 2, Type::U32)?);
        if i.modifiers.wrap {
            position = self.f.ins().band_imm_u(position, 31);
            length = self.f.ins().band_imm_u(length, 31);
        }
        let ones = self.constant(types::I32, u64::MAX);
        let above = self.shift_left(ones, length);
        let mask = self.f.ins().bnot(above);
        Ok(self.shift_left(mask, position))
    }

    fn dot(&mut self, i: &Instruction) -> Result<()> {
        let &[first, second] = i.types.as_slice() else { return self.unsupported(i, "it takes two types") };
        let (a, b) = (self.source(i, 1, Type::B32)?, self.source(i, 2, Type::B32)?);
        let mut total = self.source(i, 3, Type::B32)?;
        let four = i.opcode == Opcode::Dp4a;
        let offset = if i.modifiers.half == Some(Half::Hi) { 2 } else { 0 };
        for n in 0..if four { 4 } else { 2 } {
            let (x, y) = if four {
                (self.part(a, n, 8, is_signed(first)), self.part(b, n, 8, is_signed(second)))
            } else {
                (self.part(a, n, 16, is_signed(first)), self.part(b, n + offset, 8, is_signed(second)))
            };
            let product = self.f.ins().imul(x, y);
            total = self.f.ins().iadd(total, product);
        }
        let ty = if is_signed(first) || is_signed(second) { Type::S32 } else { Type::U32 };
        self.define(i, 0, ty, total)
    }

    /// Element `n` of a packed i32.
    fn part(&mut self, packed: Value, n: i64, width: i64, signed: bool) -> Value {
        let top = self.f.ins().ishl_imm_u(packed, 32 - width - n * width);
        if signed { self.f.ins().sshr_imm_u(top, 32 - width) } else { self.f.ins().ushr_imm_u(top, 32 - width) }
    }

    fn lop3(&mut self, i: &Instruction) -> Result<()> {
        let Some(Operand::Integer(table)) = i.operands.get(4) else {
            return self.unsupported(i, "its table is no constant");
        };
        let table = *table as u8;
        let [a, b, c] = [self.source(i, 1, Type::B32)?, self.source(i, 2, Type::B32)?, self.source(i, 3, Type::B32)?];
        // Bit 4a + 2b + c of the table is the result: one function of b and c for each value of a.
        let (if_clear, if_set) = (table & 15, table >> 4);
        let value = match (if_clear, if_set) {
            (same, also) if same == also => self.of_two(same, b, c),
            (0, set) => {
                let set = self.of_two(set, b, c);
                self.f.ins().band(a, set)
            }
            (clear, 15) => {
                let clear = self.of_two(clear, b, c);
                self.f.ins().bor(a, clear)
            }
            (clear, set) if clear == set ^ 15 => {
                let clear = self.of_two(clear, b, c);
                self.f.ins().bxor(a, clear)
            }
            (clear, 0) => {
                let clear = self.of_two(clear, b, c);
                self.f.ins().band_not(clear, a)
            }
            (clear, set) => {
                let (clear, set) = (self.of_two(clear, b, c), self.of_two(set, b, c));
                // (clear ^ set) & a ^ clear
                let differ = self.f.ins().bxor(clear, set);
                let differ = self.f.ins().band(differ, a);
                self.f.ins().bxor(differ, clear)
            }
        };
        self.define(i, 0, Type::B32, value)?;
        if let Some(operation) = i.modifiers.operation {
            let q = self.source(i, 5, Type::Pred)?;
            let some = self.f.ins().icmp_imm_s(IntCC::NotEqual, value, 0);
            let p = match operation {
                Operation::And => self.f.ins().band(some, q),
                Operation::Or => self.f.ins().bor(some, q),
                _ => self.f.ins().bxor(some, q),
            };
            self.define_second(i, 0, p)?;
        }
        Ok(())
    }

    /// A function of two bits: bit 2b + c of the table is the result.
    fn of_two(&mut self, table: u8, b: Value, c: Value) -> Value {
        if table & 1 == 1 {
            let inverse = self.of_two(!table & 15, b, c);
            return self.f.ins().bnot(inverse);
        }
        match table {
            2 => self.f.ins().band_not(c, b),
            4 => self.f.ins().band_not(b, c),
            6 => self.f.ins().bxor(b, c),
            8 => self.f.ins().band(b, c),
            10 => c,
            12 => b,
            14 => self.f.ins().bor(b, c),
            _ => self.f.ins().iconst(types::I32, 0),
        }
    }

    fn permute(&mut self, i: &Instruction) -> Result<Value> {
        let (a, b) = (self.source(i, 1, Type::B32)?, self.source(i, 2, Type::B32)?);
        let selector = self.source(i, 3, Type::B32)?;
        if let Some(mode) = i.modifiers.mode {
            let mode = match mode {
                Mode::F4e => 0,
                Mode::B4e => 1,
                Mode::Rc8 => 2,
                Mode::Ecl => 3,
                Mode::Ecr => 4,
                Mode::Rc16 => 5,
                _ => return self.unsupported(i, "unknown mode"),
            };
            let mode = self.f.ins().iconst(types::I32, mode);
            let function = soft::permute as *const u8;
            return Ok(self.soft(function, &[types::I32; 4], types::I32, &[a, b, selector, mode]));
        }
        let both = self.both(a, b);
        let constant = match i.operands.get(3) {
            Some(Operand::Integer(value)) => Some(*value as u32),
            _ => None,
        };
        if let Some(constant) = constant
            && let Some(value) = self.known_permutation(a, b, both, constant & 0xffff)
        {
            return Ok(value);
        }
        let mut result = None;
        for n in 0..4 {
            let byte = match constant {
                Some(constant) => {
                    let choice = constant >> (4 * n) & 15;
                    let byte = self.f.ins().ushr_imm_u(both, i64::from(choice & 7) * 8);
                    let byte = self.f.ins().ireduce(types::I8, byte);
                    if choice & 8 == 0 { byte } else { self.f.ins().sshr_imm_u(byte, 7) }
                }
                None => {
                    let choice = self.f.ins().ushr_imm_u(selector, 4 * n);
                    let by = self.f.ins().band_imm_u(choice, 7);
                    let by = self.f.ins().ishl_imm_u(by, 3);
                    let byte = self.f.ins().ushr(both, by);
                    let byte = self.f.ins().ireduce(types::I8, byte);
                    let sign = self.f.ins().sshr_imm_u(byte, 7);
                    let replicate = self.f.ins().band_imm_u(choice, 8);
                    self.f.ins().select(replicate, sign, byte)
                }
            };
            let byte = self.f.ins().uextend(types::I32, byte);
            let byte = self.f.ins().ishl_imm_u(byte, 8 * n);
            result = Some(match result {
                Some(result) => self.f.ins().bor(result, byte),
                None => byte,
            });
        }
        result.map_or_else(|| self.unsupported(i, "no bytes"), Ok)
    }

    /// Selectors that compilers use a lot and that are one or two instructions.
    fn known_permutation(&mut self, a: Value, b: Value, both: Value, selector: u32) -> Option<Value> {
        let start = selector & 15;
        // Four bytes in a row are a funnel shift.
        if start <= 4 && selector == 0x3210 + 0x1111 * start {
            let shifted = self.f.ins().ushr_imm_u(both, i64::from(start) * 8);
            return Some(self.f.ins().ireduce(types::I32, shifted));
        }
        match selector {
            0x0123 => Some(self.f.ins().bswap(a)),
            0x4567 => Some(self.f.ins().bswap(b)),
            0x1032 => Some(self.f.ins().rotl_imm_u(a, 16)),
            0x5410 => {
                let low = self.f.ins().band_imm_u(a, 0xffff);
                let high = self.f.ins().ishl_imm_u(b, 16);
                Some(self.f.ins().bor(low, high))
            }
            0x7632 => {
                let low = self.f.ins().ushr_imm_u(a, 16);
                let high = self.constant(types::I32, 0xffff_0000);
                let high = self.f.ins().band(b, high);
                Some(self.f.ins().bor(low, high))
            }
            _ => None,
        }
    }
}
