//! Kernels in phases: where a thread goes on, and what it leaves in its frame.

use super::{Emit, Result};
use cranelift_codegen::ir::{Block, BlockCall, InstBuilder, JumpTableData, MemFlagsData, types};
use cranelift_frontend::Variable;
use hotfire_ptx::ast::Instruction;

/// What the code of a kernel in phases has besides.
pub(super) struct Phase {
    /// The present thread's frame.
    frame: Variable,
    /// Threads that wait.
    pub waiting: Variable,
    /// Where threads go on behind each barrier.
    behind: Vec<Block>,
    /// Where threads end that have reached a barrier.
    pub pause: Block,
}

impl Emit<'_, '_> {
    /// Before the first thread of a phase.
    pub(super) fn begin_phase(&mut self, pause: Block) {
        let Some(phases) = &self.unit.phases else { return };
        let frame = self.f.declare_var(types::I64);
        let waiting = self.f.declare_var(types::I32);
        let none = self.word(0);
        self.f.def_var(waiting, none);
        let behind = phases.barriers.iter().map(|_| self.f.create_block()).collect();
        self.phase = Some(Phase { frame, waiting, behind, pause });
    }

    /// A thread goes on where it is.
    pub(super) fn go_on(&mut self, frames: cranelift_codegen::ir::Value, linear: Variable, start: Block) {
        let (Some(phases), Some(phase)) = (&self.unit.phases, &self.phase) else { return };
        let linear = self.f.use_var(linear);
        let linear = self.f.ins().uextend(types::I64, linear);
        let offset = self.f.ins().imul_imm_s(linear, i64::from(phases.frame));
        let frame = self.f.ins().iadd(frames, offset);
        self.f.def_var(phase.frame, frame);
        let state = self.f.ins().load(types::I32, MemFlagsData::trusted(), frame, 0);
        let mut calls: Vec<BlockCall> = vec![self.f.func.dfg.block_call(start, &[])];
        calls.extend(phase.behind.iter().map(|block| self.f.func.dfg.block_call(*block, &[])));
        let ended = self.f.func.dfg.block_call(phase.pause, &[]);
        let table = self.f.create_jump_table(JumpTableData::new(ended, &calls));
        self.f.ins().br_table(state, table);
    }

    /// A thread ends.
    pub(super) fn end_in_phase(&mut self) {
        let Some(phase) = &self.phase else { return };
        let frame = self.f.use_var(phase.frame);
        let ended = self.f.ins().iconst(types::I32, phase.behind.len() as i64 + 1);
        self.f.ins().store(MemFlagsData::trusted(), ended, frame, 0);
    }

    /// A barrier of the whole block.
    pub(super) fn end_phase(&mut self, i: &Instruction) -> Result<()> {
        let (Some(phases), Some(phase)) = (&self.unit.phases, &self.phase) else {
            return self.unsupported(i, "the kernel has no phases");
        };
        let Some((number, live)) = phases.barriers.get(&self.statement) else {
            return self.unsupported(i, "nobody meets here");
        };
        let (frame, waiting, behind, pause) = (phase.frame, phase.waiting, phase.behind[*number], phase.pause);
        let flags = MemFlagsData::trusted();
        let at = self.f.use_var(frame);
        let state = self.f.ins().iconst(types::I32, *number as i64 + 1);
        self.f.ins().store(flags, state, at, 0);
        for register in live {
            let value = self.read(*register);
            self.f.ins().store(flags, value, at, phases.offsets[register] as i32);
        }
        let count = self.f.use_var(waiting);
        let count = self.f.ins().iadd_imm_s(count, 1);
        self.f.def_var(waiting, count);
        self.f.ins().jump(pause, &[]);

        self.f.switch_to_block(behind);
        self.aligned.clear();
        let at = self.f.use_var(frame);
        for register in live {
            let ty = super::clif(self.body.registers[register.0 as usize].ty);
            let value = self.f.ins().load(ty, flags, at, phases.offsets[register] as i32);
            self.f.def_var(self.registers[register.0 as usize], value);
        }
        Ok(())
    }
}
