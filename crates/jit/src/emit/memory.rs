//! `ld`, `ldu`, `st` (PTX ISA, section 9.7.9).
//!
//! A weak access is a plain one. A strong load is an atomic load, so that the compiler neither merges nor moves it; a store
//! needs an atomic one only where it orders earlier accesses.

use super::{Emit, Result, clif};
use crate::abi::access;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::ast::{Instruction, Operand, Semantics, Space, Type};

impl Emit<'_, '_> {
    fn element(&self, i: &Instruction) -> Result<(Type, u32, u32)> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        let count = u32::from(i.modifiers.vector.max(1));
        Ok((ty, ty.size(), count))
    }

    pub(super) fn load(&mut self, i: &Instruction) -> Result<()> {
        let (ty, size, count) = self.element(i)?;
        let address = self.place(i, 1, size * count, access::READ)?;
        self.check_read(i, 1, address, size * count);
        self.count_read(i, 1, size * count);
        let strong = !matches!(i.modifiers.semantics, None | Some(Semantics::Weak));
        let parts = match &i.operands[0] {
            Operand::Vector(parts) => parts.clone(),
            operand => vec![operand.clone()],
        };
        for (n, part) in parts.iter().enumerate() {
            let offset = size as i32 * n as i32;
            let value = if strong && clif(ty) != types::I128 {
                let at = self.f.ins().iadd_imm_s(address, i64::from(offset));
                let bits = self.f.ins().atomic_load(clif(ty).as_int(), MemFlagsData::new(), at);
                self.fit(bits, clif(ty), false)
            } else {
                let flags = self.flags(i);
                self.f.ins().load(clif(ty), flags, address, offset)
            };
            match part {
                Operand::Register(register) => {
                    let sign = matches!(ty, Type::S8 | Type::S16 | Type::S32);
                    self.write(*register, value, sign);
                }
                Operand::Sink => {}
                _ => return self.unsupported(i, "the destination is no register"),
            }
        }
        if matches!(i.modifiers.semantics, Some(Semantics::Acquire)) && !cfg!(target_arch = "x86_64") {
            self.f.ins().fence();
        }
        Ok(())
    }

    pub(super) fn store(&mut self, i: &Instruction) -> Result<()> {
        let (ty, size, count) = self.element(i)?;
        let parts = match &i.operands[1] {
            Operand::Vector(parts) => parts.clone(),
            operand => vec![operand.clone()],
        };
        let mut values = Vec::with_capacity(parts.len());
        for part in &parts {
            values.push(self.value(part, ty, i.location)?);
        }
        let address = self.place(i, 0, size * count, access::WRITE)?;
        self.check_write(i, 0, address, ty, &values);
        self.count_written(i, 0, size * count);
        let orders = matches!(i.modifiers.semantics, Some(Semantics::Release | Semantics::Sc | Semantics::Mmio));
        for (n, value) in values.into_iter().enumerate() {
            let offset = size as i32 * n as i32;
            if orders && clif(ty) != types::I128 {
                let bits = self.fit(value, clif(ty).as_int(), false);
                let at = self.f.ins().iadd_imm_s(address, i64::from(offset));
                self.f.ins().atomic_store(MemFlagsData::new(), bits, at);
            } else {
                self.f.ins().store(MemFlagsData::new(), value, address, offset);
            }
        }
        Ok(())
    }

    /// Kernel parameters never change; everything else may.
    fn flags(&self, i: &Instruction) -> MemFlagsData {
        let parameter = matches!(i.modifiers.space, Some(Space::Param))
            && self.is_kernel()
            && matches!(
                i.operands.get(1),
                Some(Operand::Address(
                    hotfire_ptx::ast::AddressBase::Symbol(hotfire_ptx::ast::Symbol::Parameter(_)),
                    _
                ))
            );
        if parameter { MemFlagsData::trusted().with_readonly().with_can_move() } else { MemFlagsData::new() }
    }

    /// Copies `size` bytes between blocks that generated code owns.
    pub(super) fn copy(&mut self, from: Value, from_offset: i32, to: Value, to_offset: i32, size: u32) {
        let mut done = 0;
        while done < size {
            let ty = match size - done {
                8.. => types::I64,
                4.. => types::I32,
                2.. => types::I16,
                _ => types::I8,
            };
            let value = self.f.ins().load(ty, MemFlagsData::new(), from, from_offset + done as i32);
            self.f.ins().store(MemFlagsData::new(), value, to, to_offset + done as i32);
            done += ir::Type::bytes(ty);
        }
    }
}
