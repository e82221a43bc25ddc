//! `alloca`, `stacksave`, `stackrestore` (PTX ISA, section 9.7.17).
//!
//! A frame cannot grow while it runs. What is allocated lies at the other end of the thread's stack instead and grows towards the
//! frames: the limit that frames respect moves up, and with it the room below the limit that the device's own functions need.

use super::{Emit, Result};
use crate::abi::{Fault, STACK_SLACK, ThreadContext};
use crate::unit::UNREACHABLE;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Operand, Statement, Type};
use std::mem::offset_of;

/// Alignment of what says nothing of it.
const ALIGN: u64 = 8;

impl Emit<'_, '_> {
    pub(super) fn stack(&mut self, i: &Instruction) -> Result<()> {
        if i.types.first() != Some(&Type::U64) {
            return self.unsupported(i, "addresses have 64 bits here");
        }
        match i.opcode {
            Opcode::Stacksave => {
                let limit = self.limit();
                self.define(i, 0, Type::U64, limit)
            }
            Opcode::Stackrestore => {
                let limit = self.source(i, 0, Type::U64)?;
                self.set_limit(limit);
                Ok(())
            }
            _ => self.allocate(i),
        }
    }

    /// `alloca pointer, size {, align}`
    fn allocate(&mut self, i: &Instruction) -> Result<()> {
        let align = match i.operands.get(2) {
            Some(&Operand::Integer(align)) => u64::try_from(align).ok().filter(|align| align.is_power_of_two()),
            _ => Some(ALIGN),
        };
        let Some(align) = align else { return self.unsupported(i, "its alignment is no power of two") };
        let align = align.max(ALIGN) as i64;
        let size = self.source(i, 1, Type::U64)?;
        let limit = self.limit();
        let free = self.f.ins().iadd_imm_s(limit, align - 1 - STACK_SLACK as i64);
        let start = self.f.ins().band_imm_s(free, -align);
        let here = self.f.ins().get_stack_pointer(types::I64);
        // What is left between, with room for the device's functions. Anything larger, or below zero, is too much.
        let most = self.f.ins().isub(here, start);
        let most = self.f.ins().iadd_imm_s(most, -(STACK_SLACK as i64));
        let zero = self.f.ins().iconst(types::I64, 0);
        let most = self.f.ins().smax(most, zero);
        let fits = self.f.ins().icmp(IntCC::UnsignedLessThanOrEqual, size, most);
        let (bad, after) = (self.f.create_block(), self.f.create_block());
        self.f.ins().brif(fits, after, &[], bad, &[]);
        self.f.set_cold_block(bad);
        self.f.switch_to_block(bad);
        self.fault(Fault::StackError);
        self.f.ins().trap(UNREACHABLE);
        self.f.switch_to_block(after);
        let end = self.f.ins().iadd(start, size);
        let limit = self.f.ins().iadd_imm_s(end, STACK_SLACK as i64 + ALIGN as i64 - 1);
        let limit = self.f.ins().band_imm_s(limit, -(ALIGN as i64));
        self.set_limit(limit);
        self.define(i, 0, Type::U64, start)
    }

    /// What the thread or function allocates ends with it.
    pub(super) fn begin_stack(&mut self) {
        if allocates(&self.body.statements) {
            let before = self.f.declare_var(types::I64);
            let limit = self.limit();
            self.f.def_var(before, limit);
            self.stack_before = Some(before);
        }
    }

    pub(super) fn end_stack(&mut self) {
        if let Some(before) = self.stack_before {
            let limit = self.f.use_var(before);
            self.set_limit(limit);
        }
    }

    fn limit(&mut self) -> Value {
        let at = offset_of!(ThreadContext, stack_limit) as i32;
        self.f.ins().load(types::I64, MemFlagsData::trusted(), self.context, at)
    }

    fn set_limit(&mut self, limit: Value) {
        let at = offset_of!(ThreadContext, stack_limit) as i32;
        self.f.ins().store(MemFlagsData::trusted(), limit, self.context, at);
    }
}

/// Whether code allocates on the stack.
pub(crate) fn allocates(statements: &[Statement]) -> bool {
    let grows = |i: &Instruction| matches!(i.opcode, Opcode::Alloca | Opcode::Stackrestore);
    statements.iter().any(|statement| matches!(statement, Statement::Instruction(i) if grows(i)))
}
