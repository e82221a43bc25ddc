//! `mbarrier` and `cp.async` (PTX ISA, sections 9.7.13.15 and 9.7.9.25), but for what moves more than words. The device keeps the objects.
//!
//! A copy that need not be done before its wait is done at once, which no program can tell from one that was quick: the waits for groups
//! of copies are no instructions here.

use super::{Emit, Result};
use crate::abi::{access, mbarrier, what};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::ast::{AddressBase, Instruction, Mode, Operand, Semantics, Space, Type};

/// Bytes of the widest copy of `cp.async`, and what bulk copies are aligned to.
pub(super) const WIDEST: u32 = 16;

/// The integer of so many bytes.
fn integer(bytes: u32) -> ir::Type {
    ir::Type::int_with_byte_size(bytes as u16).unwrap_or(types::I128)
}

impl Emit<'_, '_> {
    pub(super) fn mbarrier(&mut self, i: &Instruction) -> Result<()> {
        let mode = i.modifiers.mode;
        if mode == Some(Mode::PendingCount) {
            let state = self.source(i, 1, Type::B64)?;
            let count = self.f.ins().band_imm_s(state, mbarrier::PENDING as i64);
            let count = self.f.ins().ireduce(types::I32, count);
            return self.define(i, 0, Type::U32, count);
        }
        let parity = i.modifiers.parity;
        let (code, answers) = match mode {
            Some(Mode::Init) => (mbarrier::INIT, false),
            Some(Mode::Inval) => (mbarrier::INVALIDATE, false),
            Some(Mode::ExpectTx) => (mbarrier::EXPECT, false),
            Some(Mode::CompleteTx) => (mbarrier::COMPLETE, false),
            Some(Mode::Arrive) => (mbarrier::ARRIVE, true),
            Some(Mode::ArriveDrop) => (mbarrier::ARRIVE_DROP, true),
            Some(Mode::ArriveExpectTx) => (mbarrier::ARRIVE_EXPECT, true),
            Some(Mode::ArriveDropExpectTx) => (mbarrier::ARRIVE_DROP_EXPECT, true),
            Some(Mode::TestWait) if parity => (mbarrier::TEST_PARITY, true),
            Some(Mode::TestWait) => (mbarrier::TEST, true),
            Some(Mode::TryWait) if parity => (mbarrier::TRY_PARITY, true),
            Some(Mode::TryWait) => (mbarrier::TRY, true),
            _ => return self.unsupported(i, "this mode does not exist"),
        };
        let waits = code >= mbarrier::TEST;
        let object = usize::from(answers);
        let operand = match (i.operands.get(object + 1), waits) {
            (None, _) => self.f.ins().iconst(types::I64, 1),
            // A state has 64 bits, a parity and a count 32.
            (Some(_), true) if !parity => self.source(i, object + 1, Type::B64)?,
            (Some(_), _) => {
                let count = self.source(i, object + 1, Type::U32)?;
                self.f.ins().uextend(types::I64, count)
            }
        };
        let kind = access::READ | access::WRITE | access::ATOMIC;
        let address = self.place(i, object, 8, kind)?;
        self.check_mbarrier(i, object, address, code);
        let relaxed = i.modifiers.semantics == Some(Semantics::Relaxed)
            || matches!(code, mbarrier::EXPECT | mbarrier::COMPLETE | mbarrier::INIT | mbarrier::INVALIDATE);
        let result = self.on_object(address, if relaxed { code | mbarrier::RELAXED } else { code }, operand);
        match (result, answers) {
            (Some(over), true) if waits => {
                let over = self.f.ins().icmp_imm_s(IntCC::NotEqual, over, 0);
                self.define(i, 0, Type::Pred, over)
            }
            (Some(state), true) => self.define(i, 0, Type::B64, state),
            _ => Ok(()),
        }
    }

    /// Carries out an operation; what it answers.
    pub(super) fn on_object(&mut self, address: Value, code: u32, operand: Value) -> Option<Value> {
        let (context, code, site) = (self.context, self.word(code), self.site_value());
        let function = self.unit.options.runtime.mbarrier as usize;
        self.runtime(function, Some(types::I64), &[context, address, code, operand, site])
    }

    /// `cp.async` in all forms but tensor copies.
    pub(super) fn copy_async(&mut self, i: &Instruction) -> Result<()> {
        match i.modifiers.mode {
            // All copies before are done.
            Some(Mode::CommitGroup | Mode::WaitGroup | Mode::WaitAll) => Ok(()),
            Some(Mode::BulkCommitGroup | Mode::BulkWaitGroup | Mode::BulkPrefetch) => Ok(()),
            Some(Mode::AsyncMbarrierArrive) if !i.modifiers.no_increment => Ok(()),
            Some(Mode::AsyncMbarrierArrive) => {
                let address = self.place(i, 0, 8, access::READ | access::WRITE | access::ATOMIC)?;
                self.check_mbarrier(i, 0, address, mbarrier::ARRIVE);
                let one = self.f.ins().iconst(types::I64, 1);
                self.on_object(address, mbarrier::ARRIVE, one);
                Ok(())
            }
            Some(Mode::Async) => self.copy_words(i),
            Some(Mode::Bulk) => self.copy_bulk(i),
            Some(Mode::BulkReduce) => self.reduce_bulk(i),
            _ => self.unsupported(i, "it is not built yet"),
        }
    }

    /// `cp.async.ca [to], [from], size {, bytes | ignored}`
    fn copy_words(&mut self, i: &Instruction) -> Result<()> {
        let size = match i.operands.get(2) {
            Some(&Operand::Integer(size)) if [4, 8, WIDEST.into()].contains(&size) => size as u32,
            _ => return self.unsupported(i, "it copies 4, 8 or 16 bytes"),
        };
        let to = self.place(i, 0, size, access::WRITE)?;
        let Some(fourth) = i.operands.get(3) else {
            let from = self.place_in(i, 1, size, access::READ, Some(Space::Global))?;
            self.check_copy(to, from, size);
            let ty = integer(size);
            let value = self.f.ins().load(ty, MemFlagsData::new(), from, 0);
            self.f.ins().store(MemFlagsData::new(), value, to, 0);
            return Ok(());
        };
        // Fewer bytes are read, the rest is zero.
        let ignores = match fourth {
            Operand::Register(register) | Operand::NotRegister(register) => {
                self.body.registers[register.0 as usize].ty == Type::Pred
            }
            _ => false,
        };
        let count = if ignores {
            let ignored = self.source(i, 3, Type::Pred)?;
            let (none, all) = (self.word(0), self.word(size));
            self.f.ins().select(ignored, none, all)
        } else {
            let count = self.source(i, 3, Type::U32)?;
            let all = self.word(size);
            self.f.ins().umin(count, all)
        };
        // Nothing may be read there: the address is looked at when it is known how much.
        let from = match self.address_operand(i, 1)? {
            (AddressBase::Register(register), offset) => {
                let from = self.read(register);
                let from = self.fit(from, types::I64, false);
                self.f.ins().iadd_imm_s(from, offset)
            }
            _ => self.place_in(i, 1, 1, access::READ, Some(Space::Global))?,
        };
        let (context, site) = (self.context, self.site_value());
        let (size, number) = (self.word(size), self.check_site());
        let function = self.unit.options.runtime.copy_part as usize;
        self.runtime(function, None, &[context, to, from, count, size, site, number]);
        Ok(())
    }

    /// The checker hears of an operation on an object.
    fn check_mbarrier(&mut self, i: &Instruction, operand: usize, address: Value, code: u32) {
        let Some(checks) = self.unit.options.checks else { return };
        let Some(space) = self.visible(i, operand) else { return };
        let strong =
            if i.modifiers.space == Some(Space::SharedCluster) { what::GPU } else { what::CTA } << what::STRENGTH;
        let (context, site) = (self.context, self.check_site());
        let zero = self.f.ins().iconst(types::I64, 0);
        match code {
            mbarrier::INIT | mbarrier::INVALIDATE => {
                let bits = self.word(8 | space);
                self.runtime(checks.write as usize, None, &[context, address, bits, site, zero, zero]);
            }
            mbarrier::TEST.. => {
                let bits = self.word(8 | space | strong);
                self.runtime(checks.read as usize, None, &[context, address, bits, site]);
            }
            _ => {
                let bits = self.word(8 | space | strong | what::ATOMIC);
                self.runtime(checks.write as usize, None, &[context, address, bits, site, zero, zero]);
            }
        }
    }

    /// The checker hears of a copy of `size` bytes.
    fn check_copy(&mut self, to: Value, from: Value, size: u32) {
        let Some(checks) = self.unit.options.checks else { return };
        let (context, site) = (self.context, self.check_site());
        let bits = self.word(size);
        self.runtime(checks.read as usize, None, &[context, from, bits, site]);
        let half = size.min(8);
        let load = |e: &mut Self, at: u32| {
            let ty = integer(half);
            let value = e.f.ins().load(ty, MemFlagsData::new(), from, at as i32);
            e.fit(value, types::I64, false)
        };
        let low = load(self, 0);
        let high = if size > half { load(self, half) } else { self.f.ins().iconst(types::I64, 0) };
        let bits = self.word(size | what::SHARED);
        self.runtime(checks.write as usize, None, &[context, to, bits, site, low, high]);
    }
}
