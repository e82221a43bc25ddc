//! Counting, with [`crate::Options::costs`]: what each thread does, added up in the [`BlockContext`] and the [`ThreadContext`] as it goes.
//!
//! Once for each basic block, from what [`crate::cost`] makes of its text; bytes of memory at each access, since a guard may skip it.

use super::Emit;
use crate::abi::{BlockContext, BlockCosts, ThreadContext};
use crate::cost;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::ast::{Instruction, Space, Statement};
use std::mem::offset_of;

const CYCLES: i32 = offset_of!(ThreadContext, cycles) as i32;
const COSTS: usize = offset_of!(BlockContext, costs);

impl Emit<'_, '_> {
    /// The thread of a loop kernel begins.
    pub(super) fn begin_count(&mut self) {
        if self.unit.options.costs {
            let zero = self.f.ins().iconst(types::I64, 0);
            self.f.ins().store(MemFlagsData::trusted(), zero, self.context, CYCLES);
        }
    }

    /// The thread of a loop kernel is over.
    pub(super) fn end_count(&mut self) {
        if !self.unit.options.costs {
            return;
        }
        let (flags, at) = (MemFlagsData::trusted(), (COSTS + offset_of!(BlockCosts, cycles)) as i32);
        let own = self.f.ins().load(types::I64, flags, self.context, CYCLES);
        let most = self.f.ins().load(types::I64, flags, self.block, at);
        let longer = self.f.ins().icmp(IntCC::UnsignedGreaterThan, own, most);
        let most = self.f.ins().select(longer, own, most);
        self.f.ins().store(flags, most, self.block, at);
    }

    /// These statements come next; counts up to the first that somebody else may take the time at.
    pub(super) fn count(&mut self, statements: &[Statement]) {
        if !self.unit.options.costs {
            return;
        }
        let end = statements.iter().position(cost::is_seam).map_or(statements.len(), |at| at + 1);
        let cost = cost::of(&statements[..end]);
        if cost.instructions > 0 {
            self.add(self.block, COSTS + offset_of!(BlockCosts, instructions), cost.instructions);
        }
        if cost.cycles > 0 {
            self.add(self.context, CYCLES as usize, cost.cycles);
        }
    }

    /// So many bytes are read.
    pub(super) fn count_read(&mut self, i: &Instruction, operand: usize, bytes: u32) {
        if self.is_counted(i, operand) {
            self.add(self.block, COSTS + offset_of!(BlockCosts, read), bytes);
        }
    }

    /// So many bytes are written.
    pub(super) fn count_written(&mut self, i: &Instruction, operand: usize, bytes: u32) {
        if self.is_counted(i, operand) {
            self.add(self.block, COSTS + offset_of!(BlockCosts, written), bytes);
        }
    }

    /// Whether an access goes to global memory, as far as the text says.
    fn is_counted(&self, i: &Instruction, operand: usize) -> bool {
        let constant = matches!(i.modifiers.space, Some(Space::Const));
        self.unit.options.costs && !constant && self.visible(i, operand) == Some(0)
    }

    fn add(&mut self, base: Value, offset: usize, amount: u32) {
        let flags = MemFlagsData::trusted();
        let before = self.f.ins().load(types::I64, flags, base, offset as i32);
        let after = self.f.ins().iadd_imm_s(before, i64::from(amount));
        self.f.ins().store(flags, after, base, offset as i32);
    }
}
