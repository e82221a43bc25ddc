//! Two threads at once, and where they part.

use super::{Emit, Result, clif};
use crate::pairs;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    Block, BlockCall, InstBuilder, JumpTableData, StackSlot, StackSlotData, StackSlotKind, Value, types,
};
use cranelift_frontend::Variable;
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Operand, Statement};

/// What the code of a kernel in pairs has besides.
pub(super) struct Pair {
    /// The second thread's registers; the first one's are those of a thread by itself.
    second: Vec<Variable>,
    /// `%tid.x` of the two.
    x: [Variable; 2],
    /// Linear index of the first.
    linear: Variable,
    /// The code for both.
    blocks: Vec<Block>,
    /// Where both end.
    end: Block,
    /// Where the next thread comes, the present one being [`Pair::x`] and [`Pair::linear`].
    latch: Block,
    /// What the second thread leaves while the first one goes on by itself: at 0 one more than the number of the place where they
    /// parted, or 0; then at 4 whether it takes the branch there; then its registers.
    slot: StackSlot,
    offsets: Vec<Option<u32>>,
    /// Where the second thread goes on, by place.
    apart: Vec<Block>,
}

impl Emit<'_, '_> {
    /// Before the first thread, if threads run in pairs.
    pub(super) fn begin_pairs(&mut self, x: Variable, linear: Variable, latch: Block) {
        let Some(pairs) = &self.unit.pairs else { return };
        let (offsets, bytes) = pairs::places(self.body, &pairs.live);
        let second = self.body.registers.iter().map(|register| self.f.declare_var(clif(register.ty))).collect();
        let blocks = self.blocks.iter().map(|_| self.f.create_block()).collect();
        let x = [x, self.f.declare_var(types::I32)];
        let slot = self.f.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 4));
        let end = self.f.create_block();
        self.pair = Some(Pair { second, x, linear, blocks, end, latch, slot, offsets, apart: Vec::new() });
    }

    /// Nobody waits for the other.
    pub(super) fn nobody_waits(&mut self) {
        let Some(slot) = self.pair.as_ref().map(|pair| pair.slot) else { return };
        let none = self.word(0);
        self.f.ins().stack_store(types::I64, none, slot, 0);
    }

    /// The next two threads start.
    pub(super) fn start_pair(&mut self) {
        let Some((x, first)) = self.pair.as_ref().map(|pair| (pair.x, pair.blocks[0])) else { return };
        self.nobody_waits();
        let own = self.f.use_var(x[0]);
        let other = self.f.ins().iadd_imm_s(own, 1);
        self.f.def_var(x[1], other);
        for lane in 0..2 {
            self.in_lane(lane, |this| this.zero());
        }
        self.f.ins().jump(first, &[]);
    }

    /// The code for both, and what comes behind the last instruction of a thread.
    pub(super) fn end_threads(&mut self) -> Result<()> {
        let Some((end, latch)) = self.pair.as_ref().map(|pair| (pair.end, pair.latch)) else { return Ok(()) };
        self.pair_statements()?;
        self.f.switch_to_block(end);
        self.second_is_present();
        self.f.ins().jump(latch, &[]);
        self.end_of_one();
        Ok(())
    }

    /// A thread by itself has ended: the one that waits for it goes on, or the next one comes.
    fn end_of_one(&mut self) {
        let (Some(pair), Some(leave)) = (&self.pair, self.leave) else { return };
        let (slot, latch, apart) = (pair.slot, pair.latch, pair.apart.clone());
        self.f.switch_to_block(leave);
        let place = self.f.ins().stack_load(types::I64, types::I32, slot, 0);
        let other = self.f.create_block();
        self.f.ins().brif(place, other, &[], latch, &[]);
        self.f.switch_to_block(other);
        self.nobody_waits();
        if let Some((x, linear)) = self.second_is_present() {
            self.now_runs(x, linear);
        }
        let nobody = self.f.func.dfg.block_call(latch, &[]);
        let beyond = self.f.func.dfg.block_call(latch, &[]);
        let mut calls: Vec<BlockCall> = vec![nobody];
        calls.extend(apart.iter().map(|block| self.f.func.dfg.block_call(*block, &[])));
        let table = self.f.create_jump_table(JumpTableData::new(beyond, &calls));
        self.f.ins().br_table(place, table);
    }

    /// The second thread is the present one: its `%tid.x` and linear index.
    fn second_is_present(&mut self) -> Option<(Value, Value)> {
        let (x, linear) = self.pair.as_ref().map(|pair| (pair.x[0], pair.linear))?;
        Some((self.step(x), self.step(linear)))
    }

    /// Code of one of the two threads.
    fn in_lane<T>(&mut self, lane: usize, code: impl FnOnce(&mut Self) -> T) -> T {
        let own = self.tid;
        self.swap(lane);
        if let (Some(pair), Some([_, y, z])) = (&self.pair, own) {
            self.tid = Some([pair.x[lane], y, z]);
        }
        let result = code(self);
        self.swap(lane);
        self.tid = own;
        result
    }

    fn swap(&mut self, lane: usize) {
        if let (1, Some(pair)) = (lane, &mut self.pair) {
            std::mem::swap(&mut self.registers, &mut pair.second);
        }
    }

    /// Says that a thread of the pair runs.
    fn lane_runs(&mut self, lane: usize) {
        let Some((x, linear)) = self.pair.as_ref().map(|pair| (pair.x[lane], pair.linear)) else { return };
        let x = self.f.use_var(x);
        let linear = self.f.use_var(linear);
        let linear = self.f.ins().iadd_imm_s(linear, lane as i64);
        self.now_runs(x, linear);
    }

    /// The code for both.
    pub(super) fn pair_statements(&mut self) -> Result<()> {
        let Some(blocks) = self.pair.as_ref().map(|pair| pair.blocks.clone()) else { return Ok(()) };
        for (index, block) in self.reached.cfg.blocks.iter().enumerate() {
            self.f.switch_to_block(blocks[index]);
            self.aligned.clear();
            let mut open = true;
            for statement in &self.body.statements[block.first..block.end] {
                let Statement::Instruction(i) = statement else { continue };
                self.at(i.location);
                if crate::cfg::ends_block(i) {
                    self.pair_control(i, index)?;
                    open = false;
                    break;
                }
                for lane in 0..2 {
                    if pairs::asks_who(i) {
                        self.lane_runs(lane);
                    }
                    self.in_lane(lane, |this| this.guarded(i.guard, |this| this.straight(i)))?;
                }
            }
            if open {
                let next = self.pair_next(index);
                self.f.ins().jump(next, &[]);
            }
        }
        Ok(())
    }

    fn pair_next(&self, block: usize) -> Block {
        let pair = self.pair.as_ref();
        pair.map_or(self.blocks[0], |pair| pair.blocks.get(block + 1).copied().unwrap_or(pair.end))
    }

    /// Where a branch leads: both, and a thread by itself.
    fn pair_target(&self, i: &Instruction) -> Result<(Block, Block)> {
        let (Some(pair), Some(leave)) = (&self.pair, self.leave) else { return self.unsupported(i, "no pair runs") };
        match (i.opcode, i.operands.first()) {
            (Opcode::Bra, Some(Operand::Label(label))) => match self.reached.cfg.of_label.get(label.0 as usize) {
                Some(&at) if at != usize::MAX => Ok((pair.blocks[at], self.blocks[at])),
                _ => self.unsupported(i, "its label stands nowhere"),
            },
            _ => Ok((pair.end, leave)),
        }
    }

    fn pair_control(&mut self, i: &Instruction, block: usize) -> Result<()> {
        let (both, alone) = self.pair_target(i)?;
        let Some(guard) = i.guard else {
            self.f.ins().jump(both, &[]);
            return Ok(());
        };
        let [first, second] = [0, 1].map(|lane| {
            self.in_lane(lane, |this| {
                let value = this.read(guard.register);
                if guard.negated { this.f.ins().bxor_imm_s(value, 1) } else { value }
            })
        });
        let (together, part) = (self.f.create_block(), self.f.create_block());
        let same = self.f.ins().icmp(IntCC::Equal, first, second);
        self.f.ins().brif(same, together, &[], part, &[]);
        self.f.seal_block(together);
        self.f.seal_block(part);
        self.f.switch_to_block(together);
        let next = self.pair_next(block);
        self.f.ins().brif(first, both, &[], next, &[]);

        self.f.switch_to_block(part);
        self.f.set_cold_block(part);
        let behind = match self.blocks.get(block + 1) {
            Some(next) => *next,
            None => self.leave.unwrap_or(self.blocks[0]),
        };
        self.leave_second(block, second);
        self.f.ins().brif(first, alone, &[], behind, &[]);

        let apart = self.f.create_block();
        self.f.switch_to_block(apart);
        let takes = self.take_up_second(block, apart);
        self.f.ins().brif(takes, alone, &[], behind, &[]);
        Ok(())
    }

    /// The second thread leaves what it needs behind a block and whether it takes the branch there.
    fn leave_second(&mut self, block: usize, takes: Value) {
        let Some(pair) = &self.pair else { return };
        let (slot, number) = (pair.slot, pair.apart.len() as u32 + 1);
        self.lane_runs(0);
        let number = self.word(number);
        self.f.ins().stack_store(types::I64, number, slot, 0);
        self.f.ins().stack_store(types::I64, takes, slot, 4);
        for (register, offset) in self.kept(block) {
            let value = self.in_lane(1, |this| this.read(register));
            self.f.ins().stack_store(types::I64, value, slot, offset);
        }
    }

    /// The second thread takes it up again.
    fn take_up_second(&mut self, block: usize, apart: Block) -> Value {
        let kept = self.kept(block);
        let Some(pair) = &mut self.pair else { return self.word(0) };
        pair.apart.push(apart);
        let slot = pair.slot;
        for (register, offset) in kept {
            let ty = clif(self.body.registers[register.0 as usize].ty);
            let value = self.f.ins().stack_load(types::I64, ty, slot, offset);
            self.f.def_var(self.registers[register.0 as usize], value);
        }
        self.f.ins().stack_load(types::I64, types::I8, slot, 4)
    }

    fn kept(&self, block: usize) -> Vec<(hotfire_ptx::ast::Reg, i32)> {
        let (Some(pairs), Some(pair)) = (&self.unit.pairs, &self.pair) else { return Vec::new() };
        let place = |register: &hotfire_ptx::ast::Reg| Some((*register, pair.offsets[register.0 as usize]? as i32));
        pairs.live[block].iter().filter_map(place).collect()
    }
}
