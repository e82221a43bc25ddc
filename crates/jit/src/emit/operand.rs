//! Operands as values, and values into destinations.

use super::integer::is_signed;
use super::{Emit, Result};
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::Diagnostic;
use hotfire_ptx::ast::{AddressBase, FunctionKind, Instruction, Operand, Reg, Space, Symbol, Type};

/// The machine type that holds a value of a PTX type. Predicates are bytes 0 or 1; half and packed types travel as their bits.
pub(crate) fn clif(ty: Type) -> ir::Type {
    match ty {
        Type::Pred | Type::B8 | Type::U8 | Type::S8 => types::I8,
        Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 | Type::E4m3x2 | Type::E5m2x2 => types::I16,
        Type::B32 | Type::U32 | Type::S32 | Type::U16x2 | Type::S16x2 | Type::F16x2 | Type::Bf16x2 | Type::Tf32 => {
            types::I32
        }
        Type::B64 | Type::U64 | Type::S64 | Type::F32x2 | Type::Texref | Type::Samplerref | Type::Surfref => types::I64,
        Type::B128 => types::I128,
        Type::F32 => types::F32,
        Type::F64 => types::F64,
        // Sub-byte and other types of matrix instructions: no register holds one.
        _ => types::I32,
    }
}

impl Emit<'_, '_> {
    /// A value reinterpreted, cut or extended to another machine type.
    pub(crate) fn fit(&mut self, value: Value, to: ir::Type, sign: bool) -> Value {
        let from = self.f.func.dfg.value_type(value);
        if from == to {
            return value;
        }
        let value =
            if from.is_float() { self.f.ins().bitcast(from.as_int(), MemFlagsData::new(), value) } else { value };
        let (from, integer) = (from.as_int(), to.as_int());
        let value = match from.bits().cmp(&integer.bits()) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.f.ins().ireduce(integer, value),
            std::cmp::Ordering::Less if sign => self.f.ins().sextend(integer, value),
            std::cmp::Ordering::Less => self.f.ins().uextend(integer, value),
        };
        if to.is_float() { self.f.ins().bitcast(to, MemFlagsData::new(), value) } else { value }
    }

    pub(super) fn read(&mut self, register: Reg) -> Value {
        self.f.use_var(self.registers[register.0 as usize])
    }

    /// Writes a register, fitting the value to its width.
    pub(super) fn write(&mut self, register: Reg, value: Value, sign: bool) {
        let ty = clif(self.body.registers[register.0 as usize].ty);
        let value = self.fit(value, ty, sign);
        self.f.def_var(self.registers[register.0 as usize], value);
    }

    /// Operand `n` of the instruction as a value of type `ty`.
    pub(crate) fn source(&mut self, i: &Instruction, n: usize, ty: Type) -> Result<Value> {
        match i.operands.get(n) {
            Some(operand) => {
                let operand = operand.clone();
                self.value(&operand, ty, i.location)
            }
            None => self.unsupported(i, "an operand is missing"),
        }
    }

    /// An operand as a value of type `ty`.
    pub(super) fn value(&mut self, operand: &Operand, ty: Type, location: hotfire_ptx::ast::Location) -> Result<Value> {
        let to = clif(ty);
        Ok(match operand {
            Operand::Register(register) => {
                let value = self.read(*register);
                self.fit(value, to, false)
            }
            Operand::NotRegister(register) => {
                let value = self.read(*register);
                self.f.ins().bxor_imm_s(value, 1)
            }
            Operand::Integer(value) if ty == Type::Pred => self.f.ins().iconst(types::I8, i64::from(*value != 0)),
            Operand::Integer(value) => {
                if to == types::I128 {
                    let bits = self.f.ins().iconst(types::I64, *value as i64);
                    let high = self.f.ins().iconst(types::I64, (*value >> 64) as i64);
                    return Ok(self.f.ins().iconcat(bits, high));
                }
                self.constant(to, *value as u64)
            }
            Operand::Float32(bits) if ty == Type::F64 => self.constant(to, f64::from(f32::from_bits(*bits)).to_bits()),
            Operand::Float32(bits) => self.constant(to, u64::from(*bits)),
            Operand::Float64(bits) if to.bits() == 32 => {
                self.constant(to, u64::from((f64::from_bits(*bits) as f32).to_bits()))
            }
            Operand::Float64(bits) => self.constant(to, *bits),
            Operand::Special(special) => {
                let value = self.special(*special);
                self.fit(value, to, false)
            }
            Operand::Symbol(symbol, offset) => {
                let value = self.symbol(symbol, *offset, location)?;
                self.fit(value, to, false)
            }
            _ => return Err(Diagnostic::new(location, "this operand has no value")),
        })
    }

    /// A constant of a machine type, from its low bits.
    pub(crate) fn constant(&mut self, ty: ir::Type, bits: u64) -> Value {
        match ty {
            types::F32 => self.f.ins().f32const(f32::from_bits(bits as u32)),
            types::F64 => self.f.ins().f64const(f64::from_bits(bits)),
            types::I128 => {
                let low = self.f.ins().iconst(types::I64, bits as i64);
                let high = self.f.ins().iconst(types::I64, 0);
                self.f.ins().iconcat(low, high)
            }
            _ => {
                // Cranelift wants the bits above the type's width to be clear.
                let mask = if ty.bits() >= 64 { u64::MAX } else { (1 << ty.bits()) - 1 };
                self.f.ins().iconst(ty, (bits & mask) as i64)
            }
        }
    }

    /// The address of a symbol: in its own space, as `mov` gives it.
    pub(super) fn symbol(
        &mut self,
        symbol: &Symbol,
        offset: i64,
        location: hotfire_ptx::ast::Location,
    ) -> Result<Value> {
        match symbol {
            Symbol::Local(variable) => {
                let declared = &self.body.variables[variable.0 as usize];
                if let Some(slot) = self.slots[variable.0 as usize] {
                    let address = self.f.ins().stack_addr(types::I64, slot, 0);
                    return Ok(self.f.ins().iadd_imm_s(address, offset));
                }
                match declared.space {
                    Space::Shared => {
                        let at = self.unit.shared.of_function(&self.function.name, variable.0);
                        let at = at.ok_or_else(|| unknown(location, &declared.name))?;
                        Ok(self.f.ins().iconst(types::I64, i64::from(at) + offset))
                    }
                    _ => Err(Diagnostic::new(location, format!("`{}` has no place", declared.name))),
                }
            }
            Symbol::Parameter(index) => {
                let at = i64::from(self.function.parameters[*index as usize].offset);
                Ok(self.f.ins().iadd_imm_s(self.parameters, at + offset))
            }
            Symbol::Return(index) => {
                let at = i64::from(self.function.returns[*index as usize].offset);
                let result = self.result.ok_or_else(|| Diagnostic::new(location, "a kernel returns nothing"))?;
                Ok(self.f.ins().iadd_imm_s(result, at + offset))
            }
            Symbol::Global(name) => {
                let (_, address) = self.global(name, location)?;
                Ok(self.f.ins().iconst(types::I64, address.wrapping_add(offset as u64) as i64))
            }
        }
    }

    /// Space and address (offset in the window for shared variables) of a name at module scope.
    pub(super) fn global(&self, name: &str, location: hotfire_ptx::ast::Location) -> Result<(Space, u64)> {
        if let Some(variable) = self.unit.variables.get(name)
            && variable.space == Space::Shared
        {
            let at = self.unit.shared.of_module(name).ok_or_else(|| unknown(location, name))?;
            return Ok((Space::Shared, u64::from(at)));
        }
        let address = self.unit.environment.address(name).ok_or_else(|| unknown(location, name))?;
        Ok((Space::Global, address))
    }

    /// True if the function is a kernel, whose parameters lie in a block that the device owns.
    pub(super) fn is_kernel(&self) -> bool {
        self.function.kind == FunctionKind::Kernel
    }

    /// Writes a value of type `ty` into destination operand `n` (the first part of a pair).
    pub(crate) fn define(&mut self, i: &Instruction, n: usize, ty: Type, value: Value) -> Result<()> {
        let operand = match i.operands.get(n) {
            Some(Operand::Pair(first, _)) => (**first).clone(),
            Some(operand) => operand.clone(),
            None => return self.unsupported(i, "a destination is missing"),
        };
        match operand {
            Operand::Register(register) => {
                self.write(register, value, is_signed(ty));
                Ok(())
            }
            Operand::Sink => Ok(()),
            _ => self.unsupported(i, "the destination is no register"),
        }
    }

    /// Writes the second part of a pair, if the instruction has one.
    pub(crate) fn define_second(&mut self, i: &Instruction, n: usize, predicate: Value) -> Result<()> {
        if let Some(Operand::Pair(_, second)) = i.operands.get(n)
            && let Operand::Register(register) = **second
        {
            self.write(register, predicate, false);
        }
        Ok(())
    }

    /// `mov`: copies, addresses, special registers, packing and unpacking.
    pub(super) fn mov(&mut self, i: &Instruction) -> Result<()> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        match (&i.operands[0], &i.operands[1]) {
            (Operand::Vector(parts), _) => {
                let whole = self.source(i, 1, ty)?;
                let part = ir::Type::int((clif(ty).bits() / parts.len().max(1) as u32) as u16);
                let Some(part) = part.filter(|part| part.bits() >= 8) else {
                    return self.unsupported(i, "the vector does not divide the type");
                };
                let whole = self.fit(whole, clif(ty).as_int(), false);
                for (n, destination) in parts.clone().iter().enumerate() {
                    if let Operand::Register(register) = destination {
                        let shifted = self.f.ins().ushr_imm_u(whole, i64::from(part.bits()) * n as i64);
                        let value = self.f.ins().ireduce(part, shifted);
                        self.write(*register, value, false);
                    }
                }
                Ok(())
            }
            (_, Operand::Vector(parts)) => {
                let parts = parts.clone();
                let wide = clif(ty).as_int();
                let Some(part) = ir::Type::int((wide.bits() / parts.len().max(1) as u32) as u16) else {
                    return self.unsupported(i, "the vector does not divide the type");
                };
                let element = match part.bits() {
                    8 => Type::B8,
                    16 => Type::B16,
                    32 => Type::B32,
                    _ => Type::B64,
                };
                let mut whole = None;
                for (n, source) in parts.iter().enumerate() {
                    let value = self.value(source, element, i.location)?;
                    let value = self.fit(value, wide, false);
                    let value = self.f.ins().ishl_imm_u(value, i64::from(part.bits()) * n as i64);
                    whole = Some(match whole {
                        Some(whole) => self.f.ins().bor(whole, value),
                        None => value,
                    });
                }
                let Some(whole) = whole else { return self.unsupported(i, "an empty vector") };
                self.define(i, 0, ty, whole)
            }
            _ => {
                let value = self.source(i, 1, ty)?;
                self.define(i, 0, ty, value)
            }
        }
    }

    /// Base and offset of address operand `n`.
    pub(super) fn address_operand(&self, i: &Instruction, n: usize) -> Result<(AddressBase, i64)> {
        match i.operands.get(n) {
            Some(Operand::Address(base, offset)) => Ok((base.clone(), *offset)),
            _ => self.unsupported(i, "an address is missing"),
        }
    }
}

fn unknown(location: hotfire_ptx::ast::Location, name: &str) -> Diagnostic {
    Diagnostic::new(location, format!("`{name}` is defined nowhere"))
}
