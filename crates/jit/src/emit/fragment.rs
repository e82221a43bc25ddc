//! Matrix instructions that touch memory: `ldmatrix`, `stmatrix`, `wmma.load`, `wmma.store` (PTX ISA, section 9.7.14).
//!
//! Lanes wait for each other first, then each moves the elements that it holds by itself, so that every access is checked, and seen by
//! the checker, as the lane's own. Like shuffles they order no memory.

use super::matrix::{element, register_type, registers};
use super::{Emit, Result, clif};
use crate::abi::{ThreadContext, access};
use crate::matrix::{Fragment, Operation, Role, Shape, Steps};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Instruction, Layout, Matrix, Operand, Type};
use std::mem::offset_of;

/// Bytes in a row of `ldmatrix`, to which its address is aligned.
const ROW: u32 = 16;

/// Where an instruction finds its matrix.
struct Source {
    fragment: Fragment,
    /// Of the memory operand.
    operand: usize,
    /// Real address of the lane's first element, and whether it is in a shared window for sure.
    address: Value,
    in_window: bool,
    /// Bytes from one row or column to the next.
    stride: Value,
    /// Whether rows or columns are contiguous.
    by_row: bool,
}

impl Emit<'_, '_> {
    /// `ldmatrix d, [row]`, `stmatrix [row], s`: lane `8 * n + i` gives the address of row `i` of matrix `n`.
    pub(super) fn rows(&mut self, i: &Instruction) -> Result<()> {
        let loads = i.opcode == Opcode::Ldmatrix;
        let (memory, data) = if loads { (1, 0) } else { (0, 1) };
        let (count, transposed) = (u32::from(i.modifiers.count.max(1)), i.modifiers.trans);
        let parts = registers(i, data);
        let mut values = Vec::new();
        if !loads {
            for part in &parts {
                values.push(self.value(part, Type::B32, i.location)?);
            }
        }
        // Lanes beyond the rows may have any address.
        let (row, in_window) = self.unchecked_place(i, memory)?;
        self.put_word(0, row);
        self.together(Operation::Rows { count, transposed });
        // A register has two elements side by side, or one above the other.
        let (ty, each) = if transposed { (Type::B16, 2) } else { (Type::B32, 1) };
        let (group, member) = self.lane_in_group();
        let offset = if transposed { self.times(group, 2) } else { self.times(member, 4) };
        let kind = if loads { access::READ } else { access::WRITE };
        for (n, part) in parts.iter().enumerate().take(count as usize) {
            let mut loaded = Vec::new();
            for half in 0..each {
                let row = self.take(2 * (n as u32 * each + half), Type::B64);
                let row = self.check_place((row, in_window), ROW, kind, i.modifiers.space);
                let place = self.f.ins().iadd(row, offset);
                if loads {
                    loaded.push(self.fetch(i, memory, place, ty));
                } else {
                    let value = self.f.ins().ushr_imm_u(values[n], 16 * i64::from(half));
                    let value = self.fit(value, clif(ty), false);
                    self.deposit(i, memory, place, ty, value);
                }
            }
            if loads {
                let value = self.joined(&loaded, 16);
                self.take_in(i, part, value)?;
            }
        }
        Ok(())
    }

    /// `wmma.load.X d, [p] {, stride}`
    pub(super) fn load_fragment(&mut self, i: &Instruction) -> Result<()> {
        let source = self.fragment_in_memory(i, 1)?;
        let fragment = source.fragment;
        let ty = memory_type(fragment.bits);
        let mut values = Vec::new();
        for register in 0..fragment.registers() {
            let value = if self.is_contiguous(&source) {
                let ty = register_type(fragment);
                let place = self.element_place(&source, register, 0, ty.size(), access::READ, i);
                self.fetch(i, source.operand, place, ty)
            } else {
                let mut elements = Vec::new();
                for element in 0..fragment.packed() {
                    let place = self.element_place(&source, register, element, ty.size(), access::READ, i);
                    elements.push(self.fetch(i, source.operand, place, ty));
                }
                self.joined(&elements, fragment.bits)
            };
            values.push(value);
        }
        for (n, part) in registers(i, 0).iter().enumerate() {
            self.take_in(i, part, values[n % values.len()])?;
        }
        Ok(())
    }

    /// `wmma.store.d [p], s {, stride}`
    pub(super) fn store_fragment(&mut self, i: &Instruction) -> Result<()> {
        let source = self.fragment_in_memory(i, 0)?;
        let fragment = source.fragment;
        let ty = memory_type(fragment.bits);
        let contiguous = self.is_contiguous(&source);
        for (register, part) in (0..).zip(&registers(i, 1)) {
            let whole = self.value(part, register_type(fragment), i.location)?;
            if contiguous {
                let ty = register_type(fragment);
                let place = self.element_place(&source, register, 0, ty.size(), access::WRITE, i);
                self.deposit(i, source.operand, place, ty, whole);
                continue;
            }
            for element in 0..fragment.packed() {
                let value = self.f.ins().ushr_imm_u(whole, i64::from(fragment.bits * element));
                let value = self.fit(value, clif(ty), false);
                let place = self.element_place(&source, register, element, ty.size(), access::WRITE, i);
                self.deposit(i, source.operand, place, ty, value);
            }
        }
        Ok(())
    }

    /// What a `wmma` instruction moves; its lanes have met when this returns.
    fn fragment_in_memory(&mut self, i: &Instruction, operand: usize) -> Result<Source> {
        let bits = i.types.first().and_then(|ty| element(*ty)).map(|element| element.bits());
        let (Some(bits), Some(shape)) = (bits, i.modifiers.shape) else {
            return self.unsupported(i, "its matrix is not known");
        };
        let shape = Shape { m: shape.m.into(), n: shape.n.into(), k: shape.k.into() };
        let role = match i.modifiers.matrix {
            Some(Matrix::A) => Role::A,
            Some(Matrix::B) => Role::B,
            _ => Role::C,
        };
        let fragment = Fragment { role, shape, bits };
        let by_row = i.modifiers.layouts[0] != Some(Layout::Col);
        let (rows, columns) = fragment.sides();
        let stride = match i.operands.get(2) {
            Some(_) => self.source(i, 2, Type::U32)?,
            None => self.word(if by_row { columns } else { rows }),
        };
        let stride = self.f.ins().uextend(types::I64, stride);
        let stride = self.f.ins().imul_imm_u(stride, i64::from(bits));
        let stride = self.f.ins().ushr_imm_u(stride, 3);
        let (address, in_window) = self.unchecked_place(i, operand)?;
        let (group, member) = self.lane_in_group();
        let Steps { group_is_row, member: step } = fragment.steps();
        let (apart, along) = if group_is_row == by_row { (group, member) } else { (member, group) };
        let (apart_by, along_by) = if group_is_row == by_row { (1, step) } else { (step, 1) };
        let apart = self.times(apart, apart_by);
        let apart = self.f.ins().imul(apart, stride);
        let along = self.times(along, along_by * bits);
        let along = self.f.ins().ushr_imm_u(along, 3);
        let address = self.f.ins().iadd(address, apart);
        let address = self.f.ins().iadd(address, along);
        self.together(Operation::Meet);
        Ok(Source { fragment, operand, address, in_window, stride, by_row })
    }

    /// Whether the elements of a register lie side by side.
    fn is_contiguous(&self, source: &Source) -> bool {
        let fragment = source.fragment;
        let next = fragment.packed().min(2) - 1;
        let (first, second) = (fragment.origin(0, 0), fragment.origin(0, next));
        next == 0 || (first.0 == second.0) == source.by_row
    }

    /// The checked address of an element of the lane.
    fn element_place(
        &mut self,
        source: &Source,
        register: u32,
        element: u32,
        size: u32,
        kind: u32,
        i: &Instruction,
    ) -> Value {
        let (row, column) = source.fragment.origin(register, element);
        let (apart, along) = if source.by_row { (row, column) } else { (column, row) };
        let apart = self.f.ins().imul_imm_u(source.stride, i64::from(apart));
        let place = self.f.ins().iadd(source.address, apart);
        let place = self.f.ins().iadd_imm_u(place, i64::from(along * source.fragment.bits / 8));
        self.check_place((place, source.in_window), size, kind, i.modifiers.space)
    }

    fn fetch(&mut self, i: &Instruction, operand: usize, place: Value, ty: Type) -> Value {
        self.check_read(i, operand, place, ty.size());
        self.count_read(i, operand, ty.size());
        self.f.ins().load(clif(ty), MemFlagsData::new(), place, 0)
    }

    fn deposit(&mut self, i: &Instruction, operand: usize, place: Value, ty: Type, value: Value) {
        self.check_write(i, operand, place, ty, &[value]);
        self.count_written(i, operand, ty.size());
        self.f.ins().store(MemFlagsData::new(), value, place, 0);
    }

    /// Elements of so many bits as one register, the first lowest.
    fn joined(&mut self, elements: &[Value], bits: u32) -> Value {
        if let &[only] = elements {
            return only;
        }
        let mut whole = self.word(0);
        for (n, &element) in elements.iter().enumerate() {
            let element = self.fit(element, types::I32, false);
            let element = self.f.ins().ishl_imm_u(element, i64::from(bits) * n as i64);
            whole = self.f.ins().bor(whole, element);
        }
        whole
    }

    pub(super) fn take_in(&mut self, i: &Instruction, part: &Operand, value: Value) -> Result<()> {
        match part {
            Operand::Register(register) => {
                self.write(*register, value, false);
                Ok(())
            }
            Operand::Sink => Ok(()),
            _ => self.unsupported(i, "the destination is no register"),
        }
    }

    /// The lane's group of four, and its place in it.
    fn lane_in_group(&mut self) -> (Value, Value) {
        let linear = offset_of!(ThreadContext, linear) as i32;
        let linear = self.f.ins().load(types::I32, MemFlagsData::trusted(), self.context, linear);
        let linear = self.f.ins().uextend(types::I64, linear);
        let lane = self.f.ins().band_imm_u(linear, 31);
        (self.f.ins().ushr_imm_u(lane, 2), self.f.ins().band_imm_u(lane, 3))
    }

    fn times(&mut self, value: Value, by: u32) -> Value {
        self.f.ins().imul_imm_u(value, i64::from(by))
    }
}

/// What memory holds of an element, or of as many as fill a word.
fn memory_type(bits: u32) -> Type {
    match bits {
        64 => Type::B64,
        16 => Type::B16,
        8 => Type::B8,
        _ => Type::B32,
    }
}
