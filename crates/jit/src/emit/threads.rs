//! The loop around one thread's code, of a loop kernel: `fn(context, first, count)`, and of a kernel in phases: `fn(context, frames, count)`.
//!
//! Threads of a row (`%tid.x`) are the inner loop, so that little is left to do between two of them.

use super::Emit;
use crate::abi::{BlockContext, ThreadContext};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::Variable;
use std::mem::offset_of;

impl Emit<'_, '_> {
    pub(super) fn threads(&mut self, entry: Block) {
        let (given, count) = (self.f.block_params(entry)[1], self.f.block_params(entry)[2]);
        let in_phases = self.unit.phases.is_some();
        let first = if in_phases { self.word(0) } else { given };
        let width = self.of_block(types::I32, offset_of!(BlockContext, ntid));
        let height = self.of_block(types::I32, offset_of!(BlockContext, ntid) + 4);
        let end = self.f.ins().iadd(first, count);
        let tid: [Variable; 3] = std::array::from_fn(|_| self.f.declare_var(types::I32));
        let [linear, row_end] = [(); 2].map(|()| self.f.declare_var(types::I32));
        let x = self.f.ins().urem(first, width);
        let rest = self.f.ins().udiv(first, width);
        let y = self.f.ins().urem(rest, height);
        let z = self.f.ins().udiv(rest, height);
        for (variable, value) in [(tid[0], x), (tid[1], y), (tid[2], z), (linear, first)] {
            self.f.def_var(variable, value);
        }
        self.tid = Some(tid);
        let [row, thread, latch, next_row, behind, done] = [(); 6].map(|()| self.f.create_block());
        self.begin_phase(latch);
        self.begin_pairs(tid[0], linear, latch);
        self.f.ins().brif(count, row, &[], done, &[]);

        self.f.switch_to_block(row);
        for (n, variable) in tid.iter().enumerate().skip(1) {
            let value = self.f.use_var(*variable);
            self.store_in_thread(value, offset_of!(ThreadContext, tid) + 4 * n);
        }
        let (at, x) = (self.f.use_var(linear), self.f.use_var(tid[0]));
        let left = self.f.ins().isub(width, x);
        let stop = self.f.ins().iadd(at, left);
        let stop = self.f.ins().umin(stop, end);
        self.f.def_var(row_end, stop);
        self.f.ins().jump(thread, &[]);

        self.f.switch_to_block(thread);
        let (at, x) = (self.f.use_var(linear), self.f.use_var(tid[0]));
        if self.pair.is_some() {
            let stop = self.f.use_var(row_end);
            let next = self.f.ins().iadd_imm_s(at, 1);
            let two = self.f.ins().icmp(IntCC::UnsignedLessThan, next, stop);
            let (pair, one) = (self.f.create_block(), self.f.create_block());
            self.f.ins().brif(two, pair, &[], one, &[]);
            self.f.switch_to_block(pair);
            self.start_pair();
            self.f.switch_to_block(one);
            self.nobody_waits();
        }
        self.now_runs(x, at);
        self.begin_segment();
        self.begin_count();
        let start = self.blocks[0];
        if in_phases {
            let fresh = self.f.create_block();
            self.go_on(given, linear, fresh);
            self.f.switch_to_block(fresh);
        }
        self.zero();
        self.f.ins().jump(start, &[]);
        let exit = if in_phases || self.pair.is_some() { self.f.create_block() } else { latch };
        if in_phases {
            self.f.switch_to_block(exit);
            self.end_in_phase();
            self.f.ins().jump(latch, &[]);
        }

        self.f.switch_to_block(latch);
        self.end_count();
        let next = self.step(linear);
        self.step(tid[0]);
        let stop = self.f.use_var(row_end);
        let more = self.f.ins().icmp(IntCC::UnsignedLessThan, next, stop);
        self.f.ins().brif(more, thread, &[], behind, &[]);

        self.f.switch_to_block(behind);
        let at = self.f.use_var(linear);
        let more = self.f.ins().icmp(IntCC::UnsignedLessThan, at, end);
        self.f.ins().brif(more, next_row, &[], done, &[]);

        self.f.switch_to_block(next_row);
        let zero = self.word(0);
        self.f.def_var(tid[0], zero);
        let y = self.step(tid[1]);
        let wrapped = self.f.ins().icmp(IntCC::Equal, y, height);
        let y = self.f.ins().select(wrapped, zero, y);
        self.f.def_var(tid[1], y);
        let carry = self.f.ins().uextend(types::I32, wrapped);
        let z = self.f.use_var(tid[2]);
        let z = self.f.ins().iadd(z, carry);
        self.f.def_var(tid[2], z);
        self.f.ins().jump(row, &[]);

        self.f.switch_to_block(done);
        let waiting = self.phase.as_ref().map(|phase| phase.waiting);
        let waiting = waiting.map(|waiting| self.f.use_var(waiting));
        self.f.ins().return_(waiting.as_slice());
        self.leave = Some(exit);
    }

    /// The thread that the device is told of.
    pub(super) fn now_runs(&mut self, x: Value, linear: Value) {
        self.store_in_thread(x, offset_of!(ThreadContext, tid));
        self.store_in_thread(linear, offset_of!(ThreadContext, linear));
    }

    pub(super) fn step(&mut self, variable: Variable) -> Value {
        let value = self.f.use_var(variable);
        let next = self.f.ins().iadd_imm_s(value, 1);
        self.f.def_var(variable, next);
        next
    }

    fn store_in_thread(&mut self, value: Value, offset: usize) {
        self.f.ins().store(MemFlagsData::trusted(), value, self.context, offset as i32);
    }
}
