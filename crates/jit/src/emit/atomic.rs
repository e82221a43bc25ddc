//! `atom`, `red` (PTX ISA, section 9.7.13): atomic operations of the machine, on real addresses; what the machine has no operation
//! for is a loop around compare-and-swap. All are sequentially consistent, which is stronger than any form asks for. The elements
//! of a vector are changed one by one, which is all that PTX promises.

use super::{Emit, Result, clif};
use crate::abi::access;
use crate::soft;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AtomicRmwOp, InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Mode, Operand, Operation, Space, Type};

impl Emit<'_, '_> {
    pub(super) fn atomic(&mut self, i: &Instruction) -> Result<()> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        let returns = i.opcode == Opcode::Atom;
        let place = usize::from(returns);
        let count = u32::from(i.modifiers.vector.max(1));
        let mut operands = Vec::new();
        for part in super::matrix::registers(i, place + 1) {
            operands.push(self.value(&part, ty, i.location)?);
        }
        let new = match (i.modifiers.operation, i.operands.get(place + 2)) {
            (Some(Operation::Cas), Some(Operand::Register(_) | Operand::Integer(_))) => {
                Some(self.source(i, place + 2, ty)?)
            }
            (Some(Operation::Cas), _) => return self.unsupported(i, "its new value is missing"),
            _ => None,
        };
        let kind = access::READ | access::WRITE | access::ATOMIC;
        let address = self.place(i, place, ty.size() * count, kind)?;
        let mut results = Vec::new();
        for (n, operand) in (0..).zip(operands) {
            let address = self.f.ins().iadd_imm_u(address, i64::from(n * ty.size()));
            results.push(self.atomic_at(i, place, address, operand, new)?);
        }
        if i.modifiers.mode == Some(Mode::Async) {
            return self.complete(i, place + 2, ty.size() * count);
        }
        if !returns {
            return Ok(());
        }
        for (part, old) in super::matrix::registers(i, 0).iter().zip(results) {
            let old = self.fit(old, clif(ty), false);
            self.take_in(i, part, old)?;
        }
        Ok(())
    }

    /// One operation on a legal address, which operand `place` names; answers the old bits.
    pub(super) fn atomic_at(
        &mut self,
        i: &Instruction,
        place: usize,
        address: Value,
        operand: Value,
        new: Option<Value>,
    ) -> Result<Value> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        let Some(operation) = i.modifiers.operation else { return self.unsupported(i, "it has no operation") };
        self.check_atomic(i, place, address, ty.size());
        self.count_read(i, place, ty.size());
        self.count_written(i, place, ty.size());
        if clif(ty) == types::I128 {
            return self.atomic_wide(i, address, operand, new);
        }
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
        Ok(match (simple, operation, new) {
            (Some(simple), ..) => {
                let operand = self.fit(operand, bits, false);
                self.f.ins().atomic_rmw(bits, flags, simple, address, operand)
            }
            (None, Operation::Cas, Some(new)) => {
                let (expected, new) = (self.fit(operand, bits, false), self.fit(new, bits, false));
                self.f.ins().atomic_cas(flags, address, expected, new)
            }
            (None, ..) => self.compare_and_swap(i, ty, operation, address, operand)?,
        })
    }

    /// `atom.cas.b128`, `atom.exch.b128`: by a function, for code generation has no such operation.
    fn atomic_wide(&mut self, i: &Instruction, address: Value, operand: Value, new: Option<Value>) -> Result<Value> {
        if !soft::has_wide_atomics() {
            return self.unsupported(i, "this processor has no atomics of 128 bits");
        }
        // Faults here if nothing is there, not in the function.
        let before = self.f.ins().load(types::I128, MemFlagsData::new(), address, 0);
        let (low, high) = self.f.ins().isplit(before);
        self.put_word(0, low);
        self.put_word(2, high);
        let result = self.words_address();
        let (low, high) = self.f.ins().isplit(operand);
        let function = match new {
            Some(new) => {
                let (new_low, new_high) = self.f.ins().isplit(new);
                let arguments = [address, result, low, high, new_low, new_high];
                self.soft(soft::compare_and_swap_wide as *const u8, &[types::I64; 6], types::I64, &arguments)
            }
            None => {
                let arguments = [address, result, low, high];
                self.soft(soft::exchange_wide as *const u8, &[types::I64; 4], types::I64, &arguments)
            }
        };
        let _ = function;
        let (low, high) = (self.take(0, Type::B64), self.take(2, Type::B64));
        Ok(self.f.ins().iconcat(low, high))
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
        let new = self.combine(i, ty, operation, address, old, operand)?;
        let seen = self.f.ins().atomic_cas(MemFlagsData::new(), address, old, new);
        self.f.def_var(expected, seen);
        let same = self.f.ins().icmp(IntCC::Equal, seen, old);
        self.f.ins().brif(same, after, &[], retry, &[]);
        self.f.switch_to_block(after);
        Ok(old)
    }

    /// The new bits. Sums of `.f32` in global memory lose subnormal numbers, those in shared memory do not.
    fn combine(
        &mut self,
        i: &Instruction,
        ty: Type,
        operation: Operation,
        address: Value,
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
            (Operation::Add, Type::F32) => {
                let old = self.fit(old, types::F32, false);
                let exact = self.f.ins().fadd(old, operand);
                let (first, second) = (self.flush(old), self.flush(operand));
                let flushed = self.f.ins().fadd(first, second);
                let flushed = self.flush(flushed);
                let (exact, flushed) = (self.fit(exact, bits, false), self.fit(flushed, bits, false));
                match i.modifiers.space {
                    Some(Space::Shared | Space::SharedCluster) => exact,
                    Some(_) => flushed,
                    None => {
                        let in_arena = self.in_arena(address);
                        self.f.ins().select(in_arena, flushed, exact)
                    }
                }
            }
            (Operation::Add, Type::F64) => {
                let old = self.fit(old, types::F64, false);
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
