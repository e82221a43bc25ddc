//! `tex`, `tld4`, `txq`, `suld`, `sust`, `sured`, `suq` (PTX ISA, sections 9.7.10 and 9.7.11): each becomes a [`Request`] to the device.

use super::{Emit, Result, clif};
use crate::texel::{self, Request, boundary, geometry, kind, query, reduction};
use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{AddressBase, Boundary, Geometry, Instruction, Mode, Operand, Operation, Query, Symbol, Type};
use std::mem::offset_of;

const OBJECT: usize = offset_of!(Request, object);
const COORDINATES: usize = offset_of!(Request, coordinates);
const DETAIL: usize = offset_of!(Request, detail);
const DATA: usize = offset_of!(Request, data);

impl Emit<'_, '_> {
    /// `tex` and `tld4`.
    pub(super) fn texture(&mut self, i: &Instruction) -> Result<()> {
        if i.types.first() == Some(&Type::F16x2) {
            return self.unsupported(i, "results of type `.f16x2` are not built yet");
        }
        let gathers = i.opcode == Opcode::Tld4;
        let mut operation = self.geometry(i)?;
        operation |= match i.modifiers.mode {
            Some(Mode::Level) => kind::TEX_LEVEL,
            Some(Mode::Grad) => kind::TEX_GRAD,
            Some(Mode::ComponentR) => kind::GATHER,
            Some(Mode::ComponentG) => kind::GATHER | 1 << texel::DETAIL,
            Some(Mode::ComponentB) => kind::GATHER | 2 << texel::DETAIL,
            Some(Mode::ComponentA) => kind::GATHER | 3 << texel::DETAIL,
            _ => kind::TEX,
        };
        let integer = !gathers && i.types.get(1) == Some(&Type::S32);
        if integer {
            operation |= texel::INTEGER;
        }
        self.place_texel(i, 1)?;
        let mut operands = 2;
        match operation & kind::MASK {
            kind::TEX_LEVEL => {
                let level = self.source(i, 2, Type::B32)?;
                self.put(level, DETAIL);
                operands = 3;
            }
            kind::TEX_GRAD => {
                for n in 0..2 {
                    self.put_all(i, 2 + n, DETAIL + 16 * n)?;
                }
                operands = 4;
            }
            _ => {}
        }
        if i.operands.len() > operands {
            return self.unsupported(i, "offsets and depth comparison are not built yet");
        }
        self.request(operation);
        self.take_all(i, 4)?;
        // Whether all of it is resident: there are no sparse arrays.
        let all = self.f.ins().iconst(types::I8, 1);
        self.define_second(i, 0, all)
    }

    /// `suld`, `sust` and `sured`.
    pub(super) fn surface(&mut self, i: &Instruction) -> Result<()> {
        let ty = i.types.first().copied().unwrap_or(Type::B32);
        let count = u32::from(i.modifiers.vector.max(1));
        let formatted = i.modifiers.mode == Some(Mode::Formatted);
        let loads = i.opcode == Opcode::Suld;
        let code = match (i.opcode, formatted) {
            (Opcode::Suld, _) => kind::LOAD,
            (Opcode::Sust, false) => kind::STORE,
            (Opcode::Sust, true) => kind::STORE_FORMATTED,
            (_, false) => kind::REDUCE,
            (_, true) => kind::REDUCE_FORMATTED,
        };
        let mut operation = self.geometry(i)? | code | texel::INTEGER | texel::SURFACE;
        operation |= match i.modifiers.boundary {
            Some(Boundary::Clamp) => boundary::CLAMP,
            Some(Boundary::Zero) => boundary::ZERO,
            _ => boundary::TRAP,
        } << texel::DETAIL;
        operation |= if formatted { count } else { count * ty.size() } << texel::BYTES;
        if i.opcode == Opcode::Sured {
            let what = match i.modifiers.operation {
                Some(Operation::Add) => reduction::ADD,
                Some(Operation::Min) => reduction::MIN,
                Some(Operation::Max) => reduction::MAX,
                Some(Operation::And) => reduction::AND,
                Some(Operation::Or) => reduction::OR,
                _ => return self.unsupported(i, "this operation does not exist"),
            };
            let signed = if matches!(ty, Type::S32 | Type::S64) { reduction::SIGNED } else { 0 };
            operation |= (what | signed) << texel::REDUCTION;
        }
        self.place_texel(i, usize::from(loads))?;
        if !loads {
            let parts = match &i.operands[1] {
                Operand::Vector(parts) => parts.clone(),
                operand => vec![operand.clone()],
            };
            for (n, part) in parts.iter().enumerate().take((16 / ty.size()) as usize) {
                let value = self.value(part, ty, i.location)?;
                self.put(value, DATA + n * ty.size() as usize);
            }
        }
        self.request(operation);
        if loads { self.take_all(i, ty.size()) } else { Ok(()) }
    }

    /// `txq` and `suq`.
    pub(super) fn object_query(&mut self, i: &Instruction) -> Result<()> {
        let what = match i.modifiers.query {
            _ if i.modifiers.mode.is_some() => return self.unsupported(i, "the sizes of levels are not built yet"),
            Some(Query::Width) => query::WIDTH,
            Some(Query::Height) => query::HEIGHT,
            Some(Query::Depth) => query::DEPTH,
            Some(Query::ChannelDataType) => query::CHANNEL_DATA_TYPE,
            Some(Query::ChannelOrder) => query::CHANNEL_ORDER,
            Some(Query::NormalizedCoords) => query::NORMALIZED_COORDS,
            Some(Query::ArraySize) => query::ARRAY_SIZE,
            Some(Query::NumMipmapLevels) => query::NUM_MIPMAP_LEVELS,
            Some(Query::NumSamples) => query::NUM_SAMPLES,
            _ => return self.unsupported(i, "this query is not built yet"),
        };
        let surface = if i.opcode == Opcode::Suq { texel::SURFACE } else { 0 };
        let Some(object) = i.operands.get(1).cloned() else { return self.unsupported(i, "an object is missing") };
        self.put_object(i, &object)?;
        self.request(kind::QUERY | what << texel::DETAIL | surface);
        let answer = self.got(types::I32, DATA);
        self.define(i, 0, Type::B32, answer)
    }

    fn geometry(&self, i: &Instruction) -> Result<u32> {
        let code = match i.modifiers.geometry {
            None | Some(Geometry::D1) => geometry::D1,
            Some(Geometry::D2) => geometry::D2,
            Some(Geometry::D3) => geometry::D3,
            Some(Geometry::A1d) => geometry::A1D,
            Some(Geometry::A2d) => geometry::A2D,
            Some(Geometry::Cube) => geometry::CUBE,
            Some(Geometry::Acube) => geometry::ACUBE,
            Some(Geometry::D2ms | Geometry::A2dms) => {
                return self.unsupported(i, "textures of several samples are not built yet");
            }
        };
        Ok(code << texel::GEOMETRY)
    }

    /// Object and coordinates into the request.
    fn place_texel(&mut self, i: &Instruction, n: usize) -> Result<()> {
        let Some(Operand::Texel { object, sampler, coordinates }) = i.operands.get(n).cloned() else {
            return self.unsupported(i, "a place in a texture or surface is missing");
        };
        if sampler.is_some() {
            return self.unsupported(i, "samplers apart from textures are not built yet");
        }
        self.put_object(i, &object)?;
        for (n, coordinate) in coordinates.iter().enumerate().take(4) {
            let value = self.value(coordinate, Type::B32, i.location)?;
            self.put(value, COORDINATES + 4 * n);
        }
        Ok(())
    }

    fn put_object(&mut self, i: &Instruction, object: &Operand) -> Result<()> {
        let (base, offset) = match object {
            Operand::Address(AddressBase::Register(register), offset) => (self.read(*register), *offset),
            Operand::Address(AddressBase::Symbol(Symbol::Parameter(parameter)), 0) if self.is_kernel() => {
                // A handle that is a parameter of the kernel, named by itself.
                let at = self.function.parameters[*parameter as usize].offset as i32;
                let flags = cranelift_codegen::ir::MemFlagsData::trusted();
                (self.f.ins().load(types::I64, flags, self.parameters, at), 0)
            }
            _ => return self.unsupported(i, "texture and surface references are not built: use objects"),
        };
        let value = self.fit(base, types::I64, false);
        let value = self.f.ins().iadd_imm_s(value, offset);
        self.put(value, OBJECT);
        Ok(())
    }

    /// The parts of operand `n`, 32 bits each, from a place of the request on.
    fn put_all(&mut self, i: &Instruction, n: usize, at: usize) -> Result<()> {
        let parts = match i.operands.get(n).cloned() {
            Some(Operand::Vector(parts)) => parts,
            Some(operand) => vec![operand],
            None => return self.unsupported(i, "an operand is missing"),
        };
        for (n, part) in parts.iter().enumerate().take(4) {
            let value = self.value(part, Type::B32, i.location)?;
            self.put(value, at + 4 * n);
        }
        Ok(())
    }

    /// The destination's parts, so many bytes each.
    fn take_all(&mut self, i: &Instruction, bytes: u32) -> Result<()> {
        let destination = match i.operands.first() {
            Some(Operand::Pair(first, _)) => (**first).clone(),
            Some(operand) => operand.clone(),
            None => return self.unsupported(i, "a destination is missing"),
        };
        let parts = match destination {
            Operand::Vector(parts) => parts,
            operand => vec![operand],
        };
        let ty = match bytes {
            1 => Type::B8,
            2 => Type::B16,
            4 => Type::B32,
            _ => Type::B64,
        };
        for (n, part) in parts.iter().enumerate().take((16 / bytes) as usize) {
            match part {
                Operand::Register(register) => {
                    let value = self.got(clif(ty), DATA + n * bytes as usize);
                    self.write(*register, value, false);
                }
                Operand::Sink => {}
                _ => return self.unsupported(i, "the destination is no register"),
            }
        }
        Ok(())
    }

    /// The function's one place for requests.
    fn request_slot(&mut self) -> cranelift_codegen::ir::StackSlot {
        *self.texel.get_or_insert_with(|| {
            let size = size_of::<Request>() as u32;
            self.f.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3))
        })
    }

    fn put(&mut self, value: Value, at: usize) {
        let slot = self.request_slot();
        self.f.ins().stack_store(types::I64, value, slot, at as i32);
    }

    fn got(&mut self, ty: cranelift_codegen::ir::Type, at: usize) -> Value {
        let slot = self.request_slot();
        self.f.ins().stack_load(types::I64, ty, slot, at as i32)
    }

    fn request(&mut self, operation: u32) {
        let slot = self.request_slot();
        let at = self.f.ins().stack_addr(types::I64, slot, 0);
        let (context, operation, site) = (self.context, self.word(operation), self.site_value());
        let number = if self.unit.options.checks.is_some() { self.check_site() } else { self.word(0) };
        let function = self.unit.options.runtime.texel as usize;
        self.runtime(function, None, &[context, at, operation, site, number]);
    }
}
