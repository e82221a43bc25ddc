//! Extended-precision arithmetic through the carry flag CC.CF (PTX ISA, section 9.7.2).
//!
//! The flag holds the carry of an addition and the borrow of a subtraction.

use super::integer::is_signed;
use super::{Emit, Result};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::Instruction;

impl Emit<'_, '_> {
    /// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`.
    pub(super) fn carry(&mut self, i: &Instruction) -> Result<()> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        let (a, b) = (self.source(i, 1, ty)?, self.source(i, 2, ty)?);
        let takes = matches!(i.opcode, Opcode::Addc | Opcode::Subc | Opcode::Madc);
        let (value, carry) = match i.opcode {
            Opcode::Add | Opcode::Addc => self.sum(a, b, takes),
            Opcode::Sub | Opcode::Subc => self.difference(a, b, takes),
            Opcode::Mad | Opcode::Madc => {
                let product = self.product(a, b, is_signed(ty), i.modifiers.half);
                let c = self.source(i, 3, ty)?;
                self.sum(product, c, takes)
            }
            _ => return self.unsupported(i, "it has no carry"),
        };
        if i.modifiers.carry {
            self.f.def_var(self.carry, carry);
        }
        self.define(i, 0, ty, value)
    }

    fn carry_in(&mut self, like: Value) -> Value {
        let ty = self.f.func.dfg.value_type(like);
        let carry = self.f.use_var(self.carry);
        self.f.ins().uextend(ty, carry)
    }

    fn sum(&mut self, a: Value, b: Value, takes: bool) -> (Value, Value) {
        let sum = self.f.ins().iadd(a, b);
        let carry = self.f.ins().icmp(IntCC::UnsignedLessThan, sum, a);
        if !takes {
            return (sum, carry);
        }
        let before = self.carry_in(a);
        let total = self.f.ins().iadd(sum, before);
        let again = self.f.ins().icmp(IntCC::UnsignedLessThan, total, sum);
        (total, self.f.ins().bor(carry, again))
    }

    fn difference(&mut self, a: Value, b: Value, takes: bool) -> (Value, Value) {
        let difference = self.f.ins().isub(a, b);
        let borrow = self.f.ins().icmp(IntCC::UnsignedLessThan, a, b);
        if !takes {
            return (difference, borrow);
        }
        let before = self.carry_in(a);
        let total = self.f.ins().isub(difference, before);
        let again = self.f.ins().icmp(IntCC::UnsignedLessThan, difference, before);
        (total, self.f.ins().bor(borrow, again))
    }
}
