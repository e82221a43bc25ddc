//! Reads of shared memory that teach the checker nothing, seen without calling it.
//!
//! Tiles are read many times between two barriers, and the shadow keeps two readers of a word. If both read it since the last barrier
//! they stand for every other thread of the block that does; if the thread itself is one of them, there is nothing to add. Either way
//! its writer must be one that the barrier made known to all. The same as `BlockOrder::fast_shared` of the checker says.

use super::Emit;
use crate::abi::{BlockContext, ThreadContext, stamp};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use std::mem::offset_of;

impl Emit<'_, '_> {
    /// Code that follows is for weak reads of the aligned word at `address`, in the block's shared window, that the checker must
    /// see. The others go on at the block that is returned.
    pub(super) fn unless_read_before(&mut self, address: Value) -> Block {
        let (look, slow, after) = (self.f.create_block(), self.f.create_block(), self.f.create_block());
        self.f.set_cold_block(slow);
        let window = self.window();
        let offset = self.f.ins().isub(address, window);
        let bytes = self.of_block(types::I32, offset_of!(BlockContext, total_shared));
        let bytes = self.f.ins().uextend(types::I64, bytes);
        let shadow = self.of_block(types::I64, offset_of!(BlockContext, shadow));
        // The last word may be cut off: the shadow has a cell for it all the same, and the checker looks at what lies outside.
        let end = self.f.ins().iadd_imm_s(offset, 4);
        let inside = self.f.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, bytes);
        let known = self.f.ins().icmp_imm_u(IntCC::NotEqual, shadow, 0);
        let both = self.f.ins().band(inside, known);
        self.f.ins().brif(both, look, &[], slow, &[]);

        self.f.switch_to_block(look);
        // Three stamps for four bytes.
        let distance = self.f.ins().imul_imm_u(offset, 6);
        let cell = self.f.ins().iadd(shadow, distance);
        let flags = MemFlagsData::trusted();
        let [writer, reader, second] = [0, 8, 16].map(|at| self.f.ins().load(types::I64, flags, cell, at));
        let met = self.f.ins().load(types::I32, flags, self.block, offset_of!(BlockContext, met) as i32);
        let met = self.f.ins().uextend(types::I64, met);
        let segment = self.f.ins().load(types::I32, flags, self.context, offset_of!(ThreadContext, segment) as i32);
        let segment = self.f.ins().uextend(types::I64, segment);
        let thread = self.f.ins().load(types::I32, flags, self.context, offset_of!(ThreadContext, linear) as i32);
        let thread = self.f.ins().uextend(types::I64, thread);

        let [written, read, read_too] =
            [writer, reader, second].map(|s| self.f.ins().ushr_imm_u(s, i64::from(stamp::TIME)));
        let ordered = self.f.ins().icmp(IntCC::UnsignedLessThan, written, met);
        let bits = self.f.ins().band_imm_u(writer, stamp::WHOLE as i64);
        let whole = self.f.ins().icmp_imm_u(IntCC::Equal, bits, stamp::WHOLE as i64);
        let first = self.f.ins().icmp(IntCC::Equal, read, segment);
        let too = self.f.ins().icmp(IntCC::Equal, read_too, segment);
        let two = self.f.ins().band(first, too);
        let now = self.f.ins().ishl_imm_u(segment, i64::from(stamp::TIME - stamp::THREAD));
        let now = self.f.ins().bor(now, thread);
        let before = self.f.ins().ushr_imm_u(reader, i64::from(stamp::THREAD));
        let again = self.f.ins().icmp(IntCC::Equal, before, now);
        let nothing_new = self.f.ins().bor(two, again);
        // Strong readers do not stand for weak ones.
        let readers = self.f.ins().bor(reader, second);
        let strength = self.f.ins().band_imm_u(readers, stamp::STRENGTH as i64);
        let weak = self.f.ins().icmp_imm_u(IntCC::Equal, strength, 0);
        let nothing_new = self.f.ins().band(nothing_new, weak);
        let good = self.f.ins().band(ordered, whole);
        let good = self.f.ins().band(good, nothing_new);
        self.f.ins().brif(good, after, &[], slow, &[]);

        self.f.switch_to_block(slow);
        after
    }
}
