//! `mma`, `wmma.mma`, `movmatrix` (PTX ISA, section 9.7.14): the lane's registers go into a buffer, the device brings the lanes of the
//! warp together, and the results are taken out again. What is computed is said in [`crate::matrix`].

use super::{Emit, Result, clif};
use crate::matrix::{Element, Fragment, Operation, Product, Role, Shape, WORDS};
use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Mode, Operand, Operation as Between, Rounding, Type};

impl Emit<'_, '_> {
    pub(super) fn matrix(&mut self, i: &Instruction) -> Result<()> {
        match (i.opcode, i.modifiers.mode) {
            (Opcode::Movmatrix, _) => {
                let value = self.source(i, 1, Type::B32)?;
                self.put_word(0, value);
                self.together(Operation::Transpose);
                let value = self.take_word(0);
                self.define(i, 0, Type::B32, value)
            }
            (Opcode::Wmma, Some(Mode::Load)) => self.load_fragment(i),
            (Opcode::Wmma, Some(Mode::Store)) => self.store_fragment(i),
            _ => self.multiply(i),
        }
    }

    /// `d, a, b, c`
    fn multiply(&mut self, i: &Instruction) -> Result<()> {
        let product = self.described(i)?;
        let mut at = 0;
        for (n, role, element) in [(1, Role::A, product.a), (2, Role::B, product.b), (3, Role::C, product.c)] {
            let fragment = Fragment { role, shape: product.shape, bits: element.bits() };
            let ty = register_type(fragment);
            // `wmma` has copies of registers behind those that count.
            for part in registers(i, n).iter().take(fragment.registers() as usize) {
                let value = self.value(part, ty, i.location)?;
                self.put_word(at, value);
                at += fragment.words();
            }
        }
        self.together(Operation::Product(product));
        let fragment = Fragment { role: Role::C, shape: product.shape, bits: product.d.bits() };
        for (n, part) in registers(i, 0).iter().enumerate() {
            let value = self.take(n as u32 * fragment.words(), register_type(fragment));
            match part {
                Operand::Register(register) => self.write(*register, value, false),
                Operand::Sink => {}
                _ => return self.unsupported(i, "the destination is no register"),
            }
        }
        Ok(())
    }

    fn described(&self, i: &Instruction) -> Result<Product> {
        let Some(shape) = i.modifiers.shape else { return self.unsupported(i, "it has no shape") };
        let shape = Shape { m: shape.m.into(), n: shape.n.into(), k: shape.k.into() };
        let elements = i.types.iter().map(|ty| element(*ty)).collect::<Option<Vec<_>>>();
        let (d, a, b, c) = match elements.as_deref() {
            Some(&[d, a, b, c]) => (d, a, b, c),
            Some(&[d, c]) => (d, Element::F16, Element::F16, c),
            _ => return self.unsupported(i, "these types do not exist"),
        };
        if i.opcode == Opcode::Mma && a == Element::F16 && shape.m == 8 {
            return self.unsupported(i, "products of four times eight lanes (m8n8k4 with .f16) are not built");
        }
        let rounding = match i.modifiers.rounding {
            Some(Rounding::Rz) => 1,
            Some(Rounding::Rm) => 2,
            Some(Rounding::Rp) => 3,
            _ => 0,
        };
        let (clamps, and) = (i.modifiers.satfinite, i.modifiers.operation == Some(Between::And));
        Ok(Product { shape, a, b, c, d, clamps, and, rounding })
    }

    /// The lanes of the warp do something with their buffers.
    pub(super) fn together(&mut self, operation: Operation) {
        let address = self.words_address();
        let (context, code, site) = (self.context, self.word(operation.code()), self.site_value());
        self.runtime(self.unit.options.runtime.matrix as usize, None, &[context, code, address, site]);
    }

    /// The address of the buffer.
    pub(super) fn words_address(&mut self) -> Value {
        let buffer = self.lane_words();
        self.f.ins().stack_addr(types::I64, buffer, 0)
    }

    /// Stores a value at word `at` of the buffer.
    pub(super) fn put_word(&mut self, at: u32, value: Value) {
        let buffer = self.lane_words();
        self.f.ins().stack_store(types::I64, value, buffer, 4 * at as i32);
    }

    fn take_word(&mut self, at: u32) -> Value {
        self.take(at, Type::B32)
    }

    /// Loads a value from word `at` of the buffer.
    pub(super) fn take(&mut self, at: u32, ty: Type) -> Value {
        let buffer = self.lane_words();
        self.f.ins().stack_load(types::I64, clif(ty), buffer, 4 * at as i32)
    }

    /// One buffer serves all instructions of a function that need one: nothing stays in it.
    fn lane_words(&mut self) -> cranelift_codegen::ir::StackSlot {
        if let Some(slot) = self.lane_words {
            return slot;
        }
        let slot = self.f.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 4 * WORDS as u32, 3));
        self.lane_words = Some(slot);
        slot
    }
}

/// The registers of operand `n`.
pub(super) fn registers(i: &Instruction, n: usize) -> Vec<Operand> {
    match i.operands.get(n) {
        Some(Operand::Vector(parts)) => parts.clone(),
        Some(operand) => vec![operand.clone()],
        None => Vec::new(),
    }
}

/// What a register of a fragment holds, as bits.
pub(super) fn register_type(fragment: Fragment) -> Type {
    if fragment.words() == 2 { Type::B64 } else { Type::B32 }
}

pub(super) fn element(ty: Type) -> Option<Element> {
    Some(match ty {
        Type::F16 => Element::F16,
        Type::Bf16 => Element::Bf16,
        Type::Tf32 => Element::Tf32,
        Type::E4m3 => Element::E4m3,
        Type::E5m2 => Element::E5m2,
        Type::S8 => Element::S8,
        Type::U8 => Element::U8,
        Type::S4 => Element::S4,
        Type::U4 => Element::U4,
        Type::B1 => Element::B1,
        Type::F32 => Element::F32,
        Type::S32 => Element::S32,
        Type::F64 => Element::F64,
        _ => return None,
    })
}
