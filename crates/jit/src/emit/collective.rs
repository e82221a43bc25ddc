//! Barriers, warp collectives, and what else lets others run (PTX ISA, section 9.7.13). The device does them.

use super::{Emit, Result};
use crate::abi::{Fault, barrier, redux, shuffle, vote};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Mode, Operation, Scope, Type};

impl Emit<'_, '_> {
    pub(super) fn collective(&mut self, i: &Instruction) -> Result<()> {
        let runtime = &self.unit.options.runtime;
        let (context, site) = (self.context, self.site_value());
        let mode = i.modifiers.mode;
        match i.opcode {
            Opcode::Bar | Opcode::Barrier if mode == Some(Mode::Warp) => {
                let mask = self.source(i, 0, Type::U32)?;
                self.runtime(runtime.warp_sync as usize, None, &[context, mask, site]);
                Ok(())
            }
            Opcode::Bar | Opcode::Barrier => self.barrier(i),
            Opcode::Shfl => {
                let code = match mode {
                    Some(Mode::Up) => shuffle::UP,
                    Some(Mode::Down) => shuffle::DOWN,
                    Some(Mode::Bfly) => shuffle::BFLY,
                    Some(Mode::Idx) => shuffle::IDX,
                    _ => return self.unsupported(i, "this mode does not exist"),
                };
                let code = self.word(code);
                let mut operands = [code; 4];
                for (n, operand) in operands.iter_mut().enumerate() {
                    *operand = self.source(i, n + 1, Type::B32)?;
                }
                let [value, b, c, mask] = operands;
                let both = self.call64(i, runtime.shuffle as usize, &[context, code, value, b, c, mask, site])?;
                self.define_both(i, both)
            }
            Opcode::Vote => {
                let code = match mode {
                    Some(Mode::All) => vote::ALL,
                    Some(Mode::Any) => vote::ANY,
                    Some(Mode::Uni) => vote::UNI,
                    Some(Mode::Ballot) => vote::BALLOT,
                    _ => return self.unsupported(i, "this mode does not exist"),
                };
                let code = self.word(code);
                let predicate = self.source(i, 1, Type::Pred)?;
                let predicate = self.f.ins().uextend(types::I32, predicate);
                let mask = self.source(i, 2, Type::U32)?;
                let result = self.call32(i, runtime.vote as usize, &[context, code, predicate, mask, site])?;
                if mode == Some(Mode::Ballot) {
                    return self.define(i, 0, Type::B32, result);
                }
                let result = self.f.ins().icmp_imm_s(IntCC::NotEqual, result, 0);
                self.define(i, 0, Type::Pred, result)
            }
            Opcode::Match => {
                let all = self.word(u32::from(mode == Some(Mode::All)));
                let ty = i.types.first().copied().unwrap_or(Type::B32);
                let value = self.source(i, 1, ty)?;
                let value = self.fit(value, types::I64, false);
                let mask = self.source(i, 2, Type::U32)?;
                let both = self.call64(i, runtime.match_sync as usize, &[context, all, value, mask, site])?;
                self.define_both(i, both)
            }
            Opcode::Redux => {
                let ty = i.types.first().copied().unwrap_or(Type::U32);
                let code = match (i.modifiers.operation, ty) {
                    (Some(Operation::Add), _) => redux::ADD,
                    (Some(Operation::Min), Type::S32) => redux::MIN_S32,
                    (Some(Operation::Max), Type::S32) => redux::MAX_S32,
                    (Some(Operation::Min), _) => redux::MIN_U32,
                    (Some(Operation::Max), _) => redux::MAX_U32,
                    (Some(Operation::And), _) => redux::AND,
                    (Some(Operation::Or), _) => redux::OR,
                    (Some(Operation::Xor), _) => redux::XOR,
                    _ => return self.unsupported(i, "this operation does not exist"),
                };
                let code = self.word(code);
                let value = self.source(i, 1, Type::B32)?;
                let mask = self.source(i, 2, Type::U32)?;
                let result = self.call32(i, runtime.redux as usize, &[context, code, value, mask, site])?;
                self.define(i, 0, Type::B32, result)
            }
            Opcode::Activemask => {
                let result = self.call32(i, runtime.active_mask as usize, &[context])?;
                self.define(i, 0, Type::B32, result)
            }
            Opcode::Elect => {
                let mask = self.source(i, 1, Type::U32)?;
                let both = self.call64(i, runtime.elect as usize, &[context, mask, site])?;
                self.define_both(i, both)
            }
            Opcode::Griddepcontrol => {
                let which = self.word(u32::from(mode == Some(Mode::LaunchDependents)));
                self.runtime(runtime.grid_dependency as usize, None, &[context, which, site]);
                Ok(())
            }
            Opcode::Nanosleep => {
                self.let_others_run();
                Ok(())
            }
            Opcode::Brkpt => {
                self.fault(Fault::LaunchFailure);
                Ok(())
            }
            _ => self.unsupported(i, "it is no collective"),
        }
    }

    /// `bar{rier}.{sync,arrive,red}`: `[d,] id [, threads] [, predicate]`.
    fn barrier(&mut self, i: &Instruction) -> Result<()> {
        if i.modifiers.scope == Some(Scope::Cluster) {
            return self.cluster_barrier(i);
        }
        if self.phase.is_some() {
            return self.end_phase(i);
        }
        let (context, site) = (self.context, self.site_value());
        let kind = match (i.modifiers.mode, i.modifiers.operation) {
            (Some(Mode::Sync), _) => barrier::SYNC,
            (Some(Mode::Arrive), _) => barrier::ARRIVE,
            (Some(Mode::Red), Some(Operation::Popc)) => barrier::RED_POPC,
            (Some(Mode::Red), Some(Operation::And)) => barrier::RED_AND,
            (Some(Mode::Red), Some(Operation::Or)) => barrier::RED_OR,
            _ => return self.unsupported(i, "this mode does not exist"),
        };
        let reduces = kind >= barrier::RED_POPC;
        let first = usize::from(reduces);
        let last = i.operands.len() - first;
        let id = self.source(i, first, Type::U32)?;
        let counted = i.operands.len() > first + if reduces { 2 } else { 1 };
        let threads = if counted { self.source(i, first + 1, Type::U32)? } else { self.word(0) };
        let predicate = if reduces {
            let predicate = self.source(i, last, Type::Pred)?;
            self.f.ins().uextend(types::I32, predicate)
        } else {
            self.word(0)
        };
        let aligned = i.opcode == Opcode::Bar || i.modifiers.aligned;
        let code = self.word(if aligned { kind | barrier::ALIGNED } else { kind });
        let function = self.unit.options.runtime.barrier as usize;
        let result = self.call32(i, function, &[context, id, threads, code, predicate, site])?;
        match kind {
            barrier::RED_POPC => self.define(i, 0, Type::U32, result),
            barrier::RED_AND | barrier::RED_OR => {
                let result = self.f.ins().icmp_imm_s(IntCC::NotEqual, result, 0);
                self.define(i, 0, Type::Pred, result)
            }
            _ => Ok(()),
        }
    }

    fn call32(&mut self, i: &Instruction, function: usize, arguments: &[Value]) -> Result<Value> {
        match self.runtime(function, Some(types::I32), arguments) {
            Some(value) => Ok(value),
            None => self.unsupported(i, "the runtime answers nothing"),
        }
    }

    fn call64(&mut self, i: &Instruction, function: usize, arguments: &[Value]) -> Result<Value> {
        match self.runtime(function, Some(types::I64), arguments) {
            Some(value) => Ok(value),
            None => self.unsupported(i, "the runtime answers nothing"),
        }
    }

    /// A value in the low half and a predicate in bit 32.
    fn define_both(&mut self, i: &Instruction, both: Value) -> Result<()> {
        let value = self.f.ins().ireduce(types::I32, both);
        self.define(i, 0, Type::B32, value)?;
        let upper = self.f.ins().ushr_imm_u(both, 32);
        let predicate = self.f.ins().ireduce(types::I8, upper);
        self.define_second(i, 0, predicate)
    }
}
