//! Special registers (PTX ISA, section 10) and conversions between address spaces.

use super::{Emit, Result};
use crate::abi::{BlockContext, ThreadContext, space};
use crate::layout::RESERVED;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Space, Special, Type};
use std::mem::offset_of;

impl Emit<'_, '_> {
    pub(super) fn of_block(&mut self, ty: ir::Type, offset: usize) -> Value {
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.f.ins().load(ty, flags, self.block, offset as i32)
    }

    fn of_thread(&mut self, ty: ir::Type, offset: usize) -> Value {
        self.f.ins().load(ty, MemFlagsData::trusted(), self.context, offset as i32)
    }

    fn lane(&mut self) -> Value {
        let linear = self.of_thread(types::I32, offset_of!(ThreadContext, linear));
        self.f.ins().band_imm_s(linear, 31)
    }

    /// Start of the block's shared window.
    pub(super) fn window(&mut self) -> Value {
        self.of_block(types::I64, offset_of!(BlockContext, shared))
    }

    /// The value of a special register, in its own width.
    pub(super) fn special(&mut self, special: Special) -> Value {
        let word = |base: usize, index: u8| base + 4 * usize::from(index.min(2));
        match special {
            Special::Tid(n) => match self.tid {
                Some(tid) => self.f.use_var(tid[usize::from(n.min(2))]),
                None => self.of_thread(types::I32, word(offset_of!(ThreadContext, tid), n)),
            },
            Special::Ntid(n) => self.of_block(types::I32, word(offset_of!(BlockContext, ntid), n)),
            Special::Ctaid(n) => self.of_block(types::I32, word(offset_of!(BlockContext, ctaid), n)),
            Special::Nctaid(n) => self.of_block(types::I32, word(offset_of!(BlockContext, nctaid), n)),
            Special::LaneId => self.lane(),
            Special::WarpId => {
                let linear = self.of_thread(types::I32, offset_of!(ThreadContext, linear));
                self.f.ins().ushr_imm_u(linear, 5)
            }
            Special::NWarpId => {
                let mut threads = self.of_block(types::I32, offset_of!(BlockContext, ntid));
                for n in 1..3 {
                    let next = self.of_block(types::I32, offset_of!(BlockContext, ntid) + 4 * n);
                    threads = self.f.ins().imul(threads, next);
                }
                let rounded = self.f.ins().iadd_imm_s(threads, 31);
                self.f.ins().ushr_imm_u(rounded, 5)
            }
            Special::SmId => self.of_block(types::I32, offset_of!(BlockContext, smid)),
            Special::NSmId => self.of_block(types::I32, offset_of!(BlockContext, nsmid)),
            Special::GridId => {
                // Grids are numbered in the order of their launches.
                self.check_learn();
                self.of_block(types::I64, offset_of!(BlockContext, gridid))
            }
            Special::LaneMaskEq
            | Special::LaneMaskLe
            | Special::LaneMaskLt
            | Special::LaneMaskGe
            | Special::LaneMaskGt => {
                let lane = self.lane();
                let one = self.word(1);
                let equal = self.f.ins().ishl(one, lane);
                let less = self.f.ins().iadd_imm_s(equal, -1);
                match special {
                    Special::LaneMaskEq => equal,
                    Special::LaneMaskLt => less,
                    Special::LaneMaskLe => self.f.ins().bor(less, equal),
                    Special::LaneMaskGe => self.f.ins().bnot(less),
                    _ => {
                        let lower = self.f.ins().bor(less, equal);
                        self.f.ins().bnot(lower)
                    }
                }
            }
            Special::Clock | Special::Clock64 => self.counter(self.unit.options.runtime.clock as usize),
            Special::ClockHi => self.upper(self.unit.options.runtime.clock as usize),
            Special::GlobalTimer | Special::GlobalTimerLo => {
                self.counter(self.unit.options.runtime.global_timer as usize)
            }
            Special::GlobalTimerHi => self.upper(self.unit.options.runtime.global_timer as usize),
            Special::ClusterId(n) => {
                let block = self.of_block(types::I32, word(offset_of!(BlockContext, ctaid), n));
                let cluster = self.of_block(types::I32, word(offset_of!(BlockContext, cluster_nctaid), n));
                self.f.ins().udiv(block, cluster)
            }
            Special::NClusterId(n) => {
                let blocks = self.of_block(types::I32, word(offset_of!(BlockContext, nctaid), n));
                let cluster = self.of_block(types::I32, word(offset_of!(BlockContext, cluster_nctaid), n));
                self.f.ins().udiv(blocks, cluster)
            }
            Special::ClusterCtaId(n) => self.of_block(types::I32, word(offset_of!(BlockContext, cluster_ctaid), n)),
            Special::ClusterNctaId(n) => self.of_block(types::I32, word(offset_of!(BlockContext, cluster_nctaid), n)),
            Special::ClusterCtaRank => {
                let (at, of) = (offset_of!(BlockContext, cluster_ctaid), offset_of!(BlockContext, cluster_nctaid));
                let [x, y, z] = [0, 4, 8].map(|n| self.of_block(types::I32, at + n));
                let [width, height] = [0, 4].map(|n| self.of_block(types::I32, of + n));
                let rank = self.f.ins().imul(z, height);
                let rank = self.f.ins().iadd(rank, y);
                let rank = self.f.ins().imul(rank, width);
                self.f.ins().iadd(rank, x)
            }
            Special::ClusterNctaRank => {
                let of = offset_of!(BlockContext, cluster_nctaid);
                let [x, y, z] = [0, 4, 8].map(|n| self.of_block(types::I32, of + n));
                let product = self.f.ins().imul(x, y);
                self.f.ins().imul(product, z)
            }
            // A cluster of one block is as good as none.
            Special::IsExplicitCluster => {
                let blocks = self.special(Special::ClusterNctaRank);
                self.f.ins().icmp_imm_s(IntCC::NotEqual, blocks, 1)
            }
            Special::DynamicSmemSize => self.of_block(types::I32, offset_of!(BlockContext, dynamic_shared)),
            Special::TotalSmemSize => {
                let open = self.of_block(types::I32, offset_of!(BlockContext, total_shared));
                self.f.ins().iadd_imm_s(open, -i64::from(self.unit.shared.reserved_bytes()))
            }
            Special::AggrSmemSize => {
                let total = self.special(Special::TotalSmemSize);
                self.f.ins().iadd_imm_s(total, i64::from(RESERVED))
            }
            Special::CurrentGraphExec => self.of_block(types::I64, offset_of!(BlockContext, current_graph)),
            Special::WarpSize => self.word(32),
            Special::EnvReg(1) => self.of_block(types::I32, offset_of!(BlockContext, workspace) + 4),
            Special::EnvReg(2) => self.of_block(types::I32, offset_of!(BlockContext, workspace)),
            Special::ReservedSmemOffset(number) => self.word(self.unit.shared.reserved_offset(number)),
            Special::EnvReg(_) | Special::Pm(_) => self.word(0),
            Special::Pm64(_) => self.f.ins().iconst(types::I64, 0),
        }
    }

    fn counter(&mut self, function: usize) -> Value {
        let context = self.context;
        match self.runtime(function, Some(types::I64), &[context]) {
            Some(value) => value,
            None => self.f.ins().iconst(types::I64, 0),
        }
    }

    fn upper(&mut self, function: usize) -> Value {
        let whole = self.counter(function);
        self.f.ins().ushr_imm_u(whole, 32)
    }

    /// `cvta`, `isspacep`. Generic addresses are real addresses; only shared addresses differ from them.
    pub(super) fn spaces(&mut self, i: &Instruction) -> Result<()> {
        if i.opcode == Opcode::Isspacep {
            let address = self.source(i, 1, Type::U64)?;
            let which = match i.modifiers.space {
                Some(Space::Global) => space::GLOBAL,
                Some(Space::Shared) => space::SHARED,
                Some(Space::SharedCluster) => space::SHARED_CLUSTER,
                Some(Space::Local) => space::LOCAL,
                Some(Space::Const) => space::CONST,
                _ => space::PARAM,
            };
            let (which, context) = (self.word(which), self.context);
            let function = self.unit.options.runtime.is_space as usize;
            let Some(found) = self.runtime(function, Some(types::I32), &[context, address, which]) else {
                return self.unsupported(i, "the runtime answers nothing");
            };
            let found = self.f.ins().icmp_imm_s(IntCC::NotEqual, found, 0);
            return self.define(i, 0, Type::Pred, found);
        }
        let ty = i.types.first().copied().unwrap_or(Type::U64);
        let value = self.source(i, 1, Type::U64)?;
        let value = match i.modifiers.space {
            Some(Space::Shared) => {
                let window = self.window();
                if i.modifiers.to { self.f.ins().isub(value, window) } else { self.f.ins().iadd(value, window) }
            }
            Some(Space::SharedCluster) if i.modifiers.to => self.cluster_address(value),
            Some(Space::SharedCluster) => {
                let value = self.f.ins().ireduce(types::I32, value);
                self.in_cluster(value)
            }
            _ => value,
        };
        let value = self.fit(value, super::clif(ty), false);
        self.define(i, 0, ty, value)
    }
}
