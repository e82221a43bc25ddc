//! Branches, returns, and the fuel of loops that wait for others.

use super::{Emit, Result};
use crate::abi::{Fault, ThreadContext};
use crate::unit::{Shape, UNREACHABLE};
use cranelift_codegen::ir::{self, Block, BlockCall, InstBuilder, JumpTableData, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Label, Operand, Type};
use std::mem::offset_of;

impl Emit<'_, '_> {
    fn target(&self, i: &Instruction, label: Label) -> Result<Block> {
        match self.reached.cfg.of_label.get(label.0 as usize) {
            Some(&block) if block != usize::MAX => Ok(self.blocks[block]),
            _ => self.unsupported(i, "its label stands nowhere"),
        }
    }

    /// An instruction that ends basic block `block`.
    pub(super) fn control(&mut self, i: &Instruction, block: usize) -> Result<()> {
        let Some(guard) = i.guard else {
            return self.jump(i);
        };
        let condition = self.read(guard.register);
        let next = self.blocks.get(block + 1).copied();
        let after = next.unwrap_or_else(|| self.f.create_block());
        let then = match (i.opcode, i.operands.first()) {
            (Opcode::Bra, Some(Operand::Label(label))) => self.target(i, *label)?,
            _ => self.f.create_block(),
        };
        let (yes, no) = if guard.negated { (after, then) } else { (then, after) };
        self.f.ins().brif(condition, yes, &[], no, &[]);
        if i.opcode != Opcode::Bra {
            self.f.switch_to_block(then);
            self.jump(i)?;
        }
        if next.is_none() {
            self.f.switch_to_block(after);
            self.end();
        }
        Ok(())
    }

    pub(super) fn fall_through(&mut self, block: usize) {
        match self.blocks.get(block + 1) {
            Some(next) => {
                let next = *next;
                self.f.ins().jump(next, &[]);
            }
            None => self.end(),
        }
    }

    fn jump(&mut self, i: &Instruction) -> Result<()> {
        match (i.opcode, i.operands.as_slice()) {
            (Opcode::Bra, [Operand::Label(label)]) => {
                let target = self.target(i, *label)?;
                self.f.ins().jump(target, &[]);
            }
            (Opcode::Brx, [_, Operand::Targets(list)]) => {
                let index = self.source(i, 0, Type::B32)?;
                let labels = self.body.targets[*list as usize].clone();
                let mut calls: Vec<BlockCall> = Vec::with_capacity(labels.len());
                for label in &labels {
                    let block = self.target(i, *label)?;
                    calls.push(self.f.func.dfg.block_call(block, &[]));
                }
                // An index beyond the list is undefined; the last target keeps the thread in known code. Each edge has arguments of its
                // own, so that the two to one block must not be one.
                let Some(last) = labels.last() else {
                    return self.unsupported(i, "its list of targets is empty");
                };
                let last = self.target(i, *last)?;
                let default = self.f.func.dfg.block_call(last, &[]);
                let table = self.f.create_jump_table(JumpTableData::new(default, &calls));
                self.f.ins().br_table(index, table);
            }
            (Opcode::Ret, _) => self.end(),
            (Opcode::Exit, _) => {
                if self.shape == Shape::Function {
                    let context = self.context;
                    self.runtime(self.unit.options.runtime.exit as usize, None, &[context]);
                    self.f.ins().trap(UNREACHABLE);
                } else {
                    self.end();
                }
            }
            (Opcode::Trap, _) => {
                self.fault(Fault::LaunchFailure);
                self.f.ins().trap(UNREACHABLE);
            }
            _ => return self.unsupported(i, "its operands are wrong"),
        }
        Ok(())
    }

    /// Ends the thread with a fault.
    pub(super) fn fault(&mut self, fault: Fault) {
        let (context, site) = (self.context, self.site_value());
        let (fault, address) = (self.word(fault as u32), self.f.ins().iconst(types::I64, 0));
        self.runtime(self.unit.options.runtime.fault as usize, None, &[context, fault, address, site]);
    }

    /// Leaves the function, or the thread of a loop kernel.
    pub(super) fn end(&mut self) {
        self.end_stack();
        // `.reg` results come behind the `.reg` parameters.
        if let Some(result) = self.result {
            let first = self.function.parameters.iter().filter(|parameter| parameter.register).count();
            let returns = self.function.returns.iter().filter(|parameter| parameter.register);
            for (index, parameter) in returns.enumerate() {
                let value = self.f.use_var(self.registers[first + index]);
                self.f.ins().store(ir::MemFlagsData::trusted(), value, result, parameter.offset as i32);
            }
        }
        match self.leave {
            Some(latch) => self.f.ins().jump(latch, &[]),
            None => self.f.ins().return_(&[]),
        };
    }

    /// At the head of a loop that may wait: counts down, and lets others run at zero.
    pub(super) fn burn(&mut self) {
        let fuel = self.f.use_var(self.fuel);
        let left = self.f.ins().iadd_imm_s(fuel, -1);
        self.f.def_var(self.fuel, left);
        let (empty, after) = (self.f.create_block(), self.f.create_block());
        self.f.ins().brif(left, after, &[], empty, &[]);
        self.f.set_cold_block(empty);
        self.f.switch_to_block(empty);
        self.let_others_run();
        self.f.ins().jump(after, &[]);
        self.f.switch_to_block(after);
    }

    /// Lets others run, and says what the loops around hang on.
    pub(super) fn let_others_run(&mut self) {
        let context = self.context;
        if let Some(deciding) = self.deciding.clone() {
            let mut look = self.f.ins().iconst(types::I64, i64::from(self.site) + 1);
            for &register in deciding.iter() {
                let value = self.read(register);
                let parts = match self.f.func.dfg.value_type(value) {
                    types::I128 => self.f.ins().isplit(value).into(),
                    _ => [value; 2],
                };
                for part in parts {
                    let part = self.fit(part, types::I64, false);
                    let turned = self.f.ins().rotl_imm_u(look, 5);
                    let mixed = self.f.ins().bxor(turned, part);
                    look = self.f.ins().imul_imm_s(mixed, 0x517c_c1b7_2722_0a95);
                }
            }
            let look = self.f.ins().bor_imm_u(look, 1);
            self.f.ins().store(ir::MemFlagsData::trusted(), look, context, offset_of!(ThreadContext, look) as i32);
        }
        self.runtime(self.unit.options.runtime.yield_now as usize, None, &[context]);
        // Others just ran: the loop around it, if any, looks the same each time.
        self.refuel();
    }

    /// The thread may go on for a while before it lets others run again.
    pub(super) fn refuel(&mut self) {
        let full = self.full_fuel();
        self.f.def_var(self.fuel, full);
    }
}
