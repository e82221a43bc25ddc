//! Clusters: their barrier, and addresses in the shared memory of their blocks (PTX ISA, sections 5.1.6, 9.7.9.23 and 9.7.13.4).
//!
//! A 32-bit address in `shared::cluster` has the block's rank plus one above its offset; an address in the block's own window is also one
//! in the cluster's. Generic addresses are the real ones.

use super::{Emit, Result, clif};
use crate::abi::{BlockContext, cluster};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Mode, Semantics, Space, Type};
use std::mem::offset_of;

/// The bits of an offset in a window.
const OFFSET: i64 = (1 << cluster::RANK) - 1;

impl Emit<'_, '_> {
    /// `barrier.cluster.arrive` and `.wait`
    pub(super) fn cluster_barrier(&mut self, i: &Instruction) -> Result<()> {
        let kind = match i.modifiers.mode {
            Some(Mode::Arrive) if i.modifiers.semantics == Some(Semantics::Relaxed) => {
                cluster::ARRIVE | cluster::RELAXED
            }
            Some(Mode::Arrive) => cluster::ARRIVE,
            Some(Mode::Wait) => cluster::WAIT,
            _ => return self.unsupported(i, "this mode does not exist"),
        };
        let (context, kind, site) = (self.context, self.word(kind), self.site_value());
        self.runtime(self.unit.options.runtime.cluster_barrier as usize, None, &[context, kind, site]);
        Ok(())
    }

    /// `mapa`, `getctarank`
    pub(super) fn ranks(&mut self, i: &Instruction) -> Result<()> {
        let ty = i.types.first().copied().unwrap_or(Type::U64);
        let generic = i.modifiers.space != Some(Space::SharedCluster);
        let address = self.source(i, 1, Type::U64)?;
        if i.opcode == Opcode::Getctarank {
            let rank = if generic {
                self.rank_of(address)
            } else {
                let place = self.f.ins().ushr_imm_u(address, i64::from(cluster::RANK));
                let place = self.f.ins().ireduce(types::I32, place);
                let rank = self.f.ins().iadd_imm_s(place, -1);
                let own = self.special(hotfire_ptx::ast::Special::ClusterCtaRank);
                let is_own = self.f.ins().icmp_imm_s(IntCC::Equal, place, 0);
                self.f.ins().select(is_own, own, rank)
            };
            return self.define(i, 0, Type::U32, rank);
        }
        let rank = self.source(i, 2, Type::U32)?;
        let place = self.f.ins().iadd_imm_s(rank, 1);
        let mapped = if generic {
            let window = self.window_at(place);
            let offset = self.f.ins().band_imm_u(address, i64::from(u32::MAX));
            self.f.ins().iadd(window, offset)
        } else {
            let place = self.f.ins().uextend(types::I64, place);
            let above = self.f.ins().ishl_imm_u(place, i64::from(cluster::RANK));
            let offset = self.f.ins().band_imm_u(address, OFFSET);
            self.f.ins().bor(above, offset)
        };
        let mapped = self.fit(mapped, clif(ty), false);
        self.define(i, 0, ty, mapped)
    }

    /// The real address of one in `shared::cluster`.
    pub(super) fn in_cluster(&mut self, at: Value) -> Value {
        let place = self.f.ins().ushr_imm_u(at, i64::from(cluster::RANK));
        let window = self.window_at(place);
        let offset = self.f.ins().band_imm_u(at, OFFSET);
        let offset = self.f.ins().uextend(types::I64, offset);
        self.f.ins().iadd(window, offset)
    }

    /// The address in `shared::cluster` of a generic one.
    pub(super) fn cluster_address(&mut self, address: Value) -> Value {
        let window = self.window();
        let offset = self.f.ins().isub(address, window);
        let own = self.f.ins().icmp_imm_u(IntCC::UnsignedLessThan, offset, 1 << 32);
        let rank = self.rank_of(address);
        let place = self.f.ins().iadd_imm_s(rank, 1);
        let place = self.f.ins().uextend(types::I64, place);
        let above = self.f.ins().ishl_imm_u(place, i64::from(cluster::RANK));
        let low = self.f.ins().band_imm_u(address, OFFSET);
        let other = self.f.ins().bor(above, low);
        self.f.ins().select(own, offset, other)
    }

    fn rank_of(&mut self, address: Value) -> Value {
        let context = self.context;
        let function = self.unit.options.runtime.cluster_rank as usize;
        self.runtime(function, Some(types::I32), &[context, address]).unwrap_or(address)
    }

    /// The start of a window by its place in the table: the block's own, or that of a rank.
    pub(super) fn window_at(&mut self, place: Value) -> Value {
        let table = self.of_block(types::I64, offset_of!(BlockContext, windows));
        let place = self.f.ins().band_imm_u(place, cluster::WINDOWS as i64 - 1);
        let place = self.f.ins().uextend(types::I64, place);
        let distance = self.f.ins().ishl_imm_u(place, 3);
        let entry = self.f.ins().iadd(table, distance);
        self.f.ins().load(types::I64, MemFlagsData::trusted().with_readonly().with_can_move(), entry, 0)
    }
}
