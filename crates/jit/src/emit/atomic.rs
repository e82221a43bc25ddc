//! `atom`, `red` (PTX ISA, section 9.7.13): atomic operations of the machine, on real addresses; what the machine has no operation
//! for is a loop around compare-and-swap. All are sequentially consistent, which is stronger than any form asks for.

use super::{Emit, Result, clif};
use crate::abi::access;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AtomicRmwOp, InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Operand, Operation, Type};

impl Emit<'_, '_> {
    pub(super) fn atomic(&mut self, i: &Instruction) -> Result<()> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        let Some(operation) = i.modifiers.operation else { return self.unsupported(i, "it has no operation") };
        if i.modifiers.vector > 1 {
            return self.unsupported(i, "vector atomics are not built yet");
        }
        if clif(ty) == types::I128 {
            return self.unsupported(i, "128-bit atomics are not built yet");
        }
        let returns = i.opcode == Opcode::Atom;
        let first = if returns { 2 } else { 1 };
        let operand = self.source(i, first, ty)?;
        let kind = access::READ | access::WRITE | access::ATOMIC;
        let address = self.place(i, first - 1, ty.size(), kind)?;
        self.check_atomic(i, first - 1, address, ty.size());
        self.count_read(i, first - 1, ty.size());
        self.count_written(i, first - 1, ty.size());
        let flags = MemFlagsData::new();
        let bits = clif(ty).as_int();
        let simple = match (operation, ty) {
            (Operation::Add, Type::B32 | Type::U32 | Type::S32 | Type::B64 | Type::U64 | Type::S64) => {
                Some(AtomicRmwOp::Add)
            }
            (Operation::And, _) => Some(AtomicRmwOp::And),
            (Operation::Or, _) => Some(AtomicRmwOp::Or),
            (Operation::Xor, _) => Some(AtomicRmwOp::Xor),
            (Operation::Exch, _) => Some(AtomicRmwOp::Xchg),
            (Operation::Min, Type::U32 | Type::U64) => Some(AtomicRmwOp::Umin),
            (Operation::Max, Type::U32 | Type::U64) => Some(AtomicRmwOp::Umax),
            (Operation::Min, Type::S32 | Type::S64) => Some(AtomicRmwOp::Smin),
            (Operation::Max, Type::S32 | Type::S64) => Some(AtomicRmwOp::Smax),
            _ => None,
        };
        let old = match (simple, operation) {
            (Some(simple), _) => {
                let operand = self.fit(operand, bits, false);
                self.f.ins().atomic_rmw(bits, flags, simple, address, operand)
            }
            (None, Operation::Cas) => {
                if !matches!(i.operands.get(first + 1), Some(Operand::Register(_) | Operand::Integer(_))) {
                    return self.unsupported(i, "its new value is missing");
                }
                let new = self.source(i, first + 1, ty)?;
                let (expected, new) = (self.fit(operand, bits, false), self.fit(new, bits, false));
                self.f.ins().atomic_cas(flags, address, expected, new)
            }
            (None, _) => self.compare_and_swap(i, ty, operation, address, operand)?,
        };
        if returns {
            let old = self.fit(old, clif(ty), false);
            self.define(i, 0, ty, old)?;
        }
        Ok(())
    }

    /// Retries until nobody came between; answers the old bits.
    fn compare_and_swap(
        &mut self,
        i: &Instruction,
        ty: Type,
        operation: Operation,
        address: Value,
        operand: Value,
    ) -> Result<Value> {
        let bits = clif(ty).as_int();
        let expected = self.f.declare_var(bits);
        let start = self.f.ins().atomic_load(bits, MemFlagsData::new(), address);
        self.f.def_var(expected, start);
        let (retry, after) = (self.f.create_block(), self.f.create_block());
        self.f.ins().jump(retry, &[]);
        self.f.switch_to_block(retry);
        let old = self.f.use_var(expected);
        let new = self.combine(i, ty, operation, old, operand)?;
        let seen = self.f.ins().atomic_cas(MemFlagsData::new(), address, old, new);
        self.f.def_var(expected, seen);
        let same = self.f.ins().icmp(IntCC::Equal, seen, old);
        self.f.ins().brif(same, after, &[], retry, &[]);
        self.f.switch_to_block(after);
        Ok(old)
    }

    fn combine(
        &mut self,
        i: &Instruction,
        ty: Type,
        operation: Operation,
        old: Value,
        operand: Value,
    ) -> Result<Value> {
        let bits = clif(ty).as_int();
        Ok(match (operation, ty) {
            (Operation::Inc, Type::U32) => {
                // old >= operand ? 0 : old + 1
                let next = self.f.ins().iadd_imm_s(old, 1);
                let zero = self.word(0);
                let wraps = self.f.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, old, operand);
                self.f.ins().select(wraps, zero, next)
            }
            (Operation::Dec, Type::U32) => {
                // old == 0 || old > operand ? operand : old - 1
                let next = self.f.ins().iadd_imm_s(old, -1);
                let zero = self.f.ins().icmp_imm_s(IntCC::Equal, old, 0);
                let above = self.f.ins().icmp(IntCC::UnsignedGreaterThan, old, operand);
                let wraps = self.f.ins().bor(zero, above);
                self.f.ins().select(wraps, operand, next)
            }
            (Operation::Add, Type::F32 | Type::F64) => {
                let old = self.fit(old, clif(ty), false);
                let sum = self.f.ins().fadd(old, operand);
                self.fit(sum, bits, false)
            }
            (Operation::Add | Operation::Min | Operation::Max, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2) => {
                let which = match operation {
                    Operation::Add => Opcode::Add,
                    Operation::Min => Opcode::Min,
                    _ => Opcode::Max,
                };
                self.half_operation(i, which, ty, &[old, operand])?
            }
            _ => return self.unsupported(i, "this operation does not exist for this type"),
        })
    }
}
