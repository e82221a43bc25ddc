//! Addresses and their checks.
//!
//! An address is checked inline: it must be aligned to the access and lie in the arena. Rotating the distance from the arena's
//! start right by the alignment moves misaligned bits to the top, so that one comparison answers both. Everything else goes to
//! the runtime, which knows windows, stacks and registered host memory, and faults what is none of them. That call preserves all registers, so that
//! the way past it spills none.
//!
//! A shared address only has to be aligned: windows are surrounded by reserved memory. One register is often the base of many
//! accesses; what is known of its alignment holds until the end of the block.

use super::{Emit, Result};
use crate::abi::{Fault, access};
use crate::unit::UNREACHABLE;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, Signature, Value, types};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use hotfire_ptx::ast::{AddressBase, Instruction, Space, Symbol};

/// Distances from a shared base, in bytes, that are left to the memory around a window.
const NEAR: i64 = 1 << 20;

/// The signature of the function behind every [`Emit::checked`]: it preserves all registers.
pub(crate) fn checker_signature() -> Signature {
    let mut signature = Signature::new(CallConv::PreserveAll);
    let params = [types::I64, types::I64, types::I32, types::I32, types::I32];
    signature.params.extend(params.iter().map(|ty| AbiParam::new(*ty)));
    signature
}

/// That function: calls the runtime's, which preserves few registers.
pub(crate) fn checker(
    into: &mut ir::Function,
    builder: &mut FunctionBuilderContext,
    check: usize,
    target: TargetFrontendConfig,
) {
    let mut f = FunctionBuilder::new(into, builder);
    let entry = f.create_block();
    f.append_block_params_for_function_params(entry);
    f.switch_to_block(entry);
    f.seal_all_blocks();
    let arguments = f.block_params(entry).to_vec();
    let signature = Signature { call_conv: CallConv::SystemV, ..checker_signature() };
    let signature = f.import_signature(signature);
    let callee = f.ins().iconst(types::I64, check as i64);
    f.ins().call_indirect(signature, callee, &arguments);
    f.ins().return_(&[]);
    f.finalize(target);
}

impl Emit<'_, '_> {
    /// The real address of operand `n`, checked for an access of `size` bytes.
    pub(super) fn place(&mut self, i: &Instruction, n: usize, size: u32, kind: u32) -> Result<Value> {
        self.place_in(i, n, size, kind, i.modifiers.space)
    }

    /// The same, in another space than the instruction's.
    pub(super) fn place_in(
        &mut self,
        i: &Instruction,
        n: usize,
        size: u32,
        kind: u32,
        space: Option<Space>,
    ) -> Result<Value> {
        let (base, offset) = self.address_operand(i, n)?;
        match (&base, space) {
            (AddressBase::Symbol(Symbol::Global(name)), _) => {
                let (found, at) = self.global(name, i.location)?;
                if found == Space::Shared {
                    let at = self.word((at as i64 + offset) as u32);
                    return Ok(self.in_window(at, size));
                }
                let address = at.wrapping_add(offset as u64);
                let value = self.f.ins().iconst(types::I64, address as i64);
                let known = self.unit.variables.get(&**name).and_then(|variable| variable.size);
                if within(offset, size, known) && address % u64::from(size) == 0 {
                    return Ok(value);
                }
                Ok(self.checked(value, size, kind))
            }
            (AddressBase::Symbol(symbol @ Symbol::Local(variable)), _) => {
                let declared = &self.body.variables[variable.0 as usize];
                if declared.space == Space::Shared {
                    let at = self.symbol(symbol, offset, i.location)?;
                    let at = self.f.ins().ireduce(types::I32, at);
                    return Ok(self.in_window(at, size));
                }
                let inside = within(offset, size, declared.size);
                let address = self.symbol(symbol, offset, i.location)?;
                Ok(if inside { address } else { self.checked(address, size, kind | access::LOCAL) })
            }
            (AddressBase::Symbol(symbol @ (Symbol::Parameter(_) | Symbol::Return(_))), _) => {
                let parameter = match symbol {
                    Symbol::Parameter(index) => &self.function.parameters[*index as usize],
                    Symbol::Return(index) => &self.function.returns[*index as usize],
                    _ => return self.unsupported(i, "no parameter"),
                };
                let inside = within(offset, size, Some(parameter.size.into()));
                let address = self.symbol(symbol, offset, i.location)?;
                Ok(if inside { address } else { self.checked(address, size, kind) })
            }
            (AddressBase::Register(register), Some(Space::Shared)) => {
                let at = self.read(*register);
                let at = self.fit(at, types::I32, false);
                let offset = i64::from(offset as i32);
                if offset % i64::from(size) == 0 && offset.abs() < NEAR {
                    let base = self.in_window(at, size);
                    return Ok(if offset == 0 { base } else { self.f.ins().iadd_imm_s(base, offset) });
                }
                let at = self.f.ins().iadd_imm_s(at, offset);
                Ok(self.in_window(at, size))
            }
            (AddressBase::Register(register), Some(Space::SharedCluster)) => {
                let at = self.read(*register);
                let at = self.fit(at, types::I32, false);
                let at = self.f.ins().iadd_imm_s(at, i64::from(offset as i32));
                Ok(self.in_windows(at, size, space))
            }
            (AddressBase::Register(register), _) => {
                let address = self.read(*register);
                let address = self.fit(address, types::I64, false);
                let address = if offset == 0 { address } else { self.f.ins().iadd_imm_s(address, offset) };
                Ok(self.checked(address, size, kind | kind_of(space)))
            }
            (AddressBase::Absolute(base), Some(Space::Shared | Space::SharedCluster)) => {
                let at = self.word(base.wrapping_add(offset as u64) as u32);
                Ok(self.in_windows(at, size, space))
            }
            (AddressBase::Absolute(base), _) => {
                let address = self.f.ins().iconst(types::I64, base.wrapping_add(offset as u64) as i64);
                Ok(self.checked(address, size, kind | kind_of(space)))
            }
        }
    }

    /// The real address of operand `n` before any check, and whether it is in the shared window for sure.
    pub(super) fn unchecked_place(&mut self, i: &Instruction, n: usize) -> Result<(Value, bool)> {
        let (base, offset) = self.address_operand(i, n)?;
        let shared = i.modifiers.space == Some(Space::Shared);
        let at = match &base {
            AddressBase::Symbol(Symbol::Global(name)) => {
                let (found, at) = self.global(name, i.location)?;
                let at = self.f.ins().iconst(types::I64, at.wrapping_add(offset as u64) as i64);
                if found != Space::Shared {
                    return Ok((at, false));
                }
                at
            }
            AddressBase::Symbol(symbol) => {
                let at = self.symbol(symbol, offset, i.location)?;
                let in_window = matches!(symbol, Symbol::Local(variable)
                    if self.body.variables[variable.0 as usize].space == Space::Shared);
                if !in_window {
                    return Ok((at, false));
                }
                at
            }
            AddressBase::Register(register) => {
                let at = self.read(*register);
                let at = self.fit(at, types::I64, false);
                self.f.ins().iadd_imm_s(at, offset)
            }
            AddressBase::Absolute(base) => self.f.ins().iconst(types::I64, base.wrapping_add(offset as u64) as i64),
        };
        if !shared && matches!(base, AddressBase::Register(_) | AddressBase::Absolute(_)) {
            return Ok((at, false));
        }
        let at = self.f.ins().ireduce(types::I32, at);
        Ok((self.in_window(at, 1), true))
    }

    /// An address near one found like that, behind the check for an access of `size` bytes.
    pub(super) fn check_place(
        &mut self,
        (address, in_window): (Value, bool),
        size: u32,
        kind: u32,
        space: Option<Space>,
    ) -> Value {
        if in_window {
            // Windows lie at multiples of 4 GiB: what was added may not lead out of the block's own.
            let at = self.f.ins().ireduce(types::I32, address);
            return self.in_window(at, size);
        }
        self.checked(address, size, kind | kind_of(space))
    }

    /// As [`Self::in_window`], or in a window of the cluster.
    fn in_windows(&mut self, at: Value, size: u32, space: Option<Space>) -> Value {
        if space != Some(Space::SharedCluster) {
            return self.in_window(at, size);
        }
        self.aligned(at, size);
        self.in_cluster(at)
    }

    /// The real address of a 32-bit offset in the shared window: aligned, and in reserved memory whatever it is, [`NEAR`] bytes before
    /// and behind included. The offset counts as signed: a base may lie before the window if what is added leads back into it.
    fn in_window(&mut self, at: Value, size: u32) -> Value {
        self.aligned(at, size);
        let window = self.window();
        let at = self.f.ins().sextend(types::I64, at);
        self.f.ins().iadd(window, at)
    }

    /// Faults unless an offset in a shared window is a multiple of the size.
    fn aligned(&mut self, at: Value, size: u32) {
        let key = self.f.func.dfg.resolve_aliases(at);
        let known = self.aligned.get(&key).is_some_and(|known| *known >= size);
        if size > 1 && !known {
            let low = self.f.ins().band_imm_s(at, i64::from(size - 1));
            let (bad, after) = (self.f.create_block(), self.f.create_block());
            self.f.ins().brif(low, bad, &[], after, &[]);
            self.f.set_cold_block(bad);
            self.f.seal_block(bad);
            self.f.seal_block(after);
            self.f.switch_to_block(bad);
            self.fault(Fault::MisalignedAddress);
            self.f.ins().trap(UNREACHABLE);
            self.f.switch_to_block(after);
            self.aligned.insert(key, size);
        }
    }

    /// Whether an address is in the arena.
    pub(super) fn in_arena(&mut self, address: Value) -> Value {
        let arena = self.unit.options.arena;
        let distance = self.f.ins().iadd_imm_s(address, (arena.base as i64).wrapping_neg());
        let limit = self.f.ins().iconst(types::I64, arena.size as i64);
        self.f.ins().icmp(IntCC::UnsignedLessThan, distance, limit)
    }

    /// The address itself, behind the check.
    pub(super) fn checked(&mut self, address: Value, size: u32, kind: u32) -> Value {
        let arena = self.unit.options.arena;
        let shift = size.trailing_zeros();
        let distance = self.f.ins().iadd_imm_s(address, (arena.base as i64).wrapping_neg());
        let turned = if shift == 0 { distance } else { self.f.ins().rotr_imm_u(distance, i64::from(shift)) };
        let limit = self.f.ins().iconst(types::I64, (arena.size >> shift) as i64);
        let inside = self.f.ins().icmp(IntCC::UnsignedLessThan, turned, limit);
        let (slow, after) = (self.f.create_block(), self.f.create_block());
        self.f.ins().brif(inside, after, &[], slow, &[]);
        self.f.set_cold_block(slow);
        self.f.seal_block(slow);
        self.f.switch_to_block(slow);
        let (context, size, kind, site) = (self.context, self.word(size), self.word(kind), self.site_value());
        self.f.ins().call(self.checker, &[context, address, size, kind, site]);
        self.f.ins().jump(after, &[]);
        self.f.seal_block(after);
        self.f.switch_to_block(after);
        address
    }
}

/// Do `size` bytes at `offset` lie in a variable of so many bytes?
fn within(offset: i64, size: u32, known: Option<u64>) -> bool {
    known.is_some_and(|known| u64::try_from(offset).is_ok_and(|offset| offset.saturating_add(size.into()) <= known))
}

fn kind_of(space: Option<Space>) -> u32 {
    match space {
        Some(Space::Global) => access::GLOBAL,
        Some(Space::Const) => access::CONST,
        Some(Space::Local) => access::LOCAL,
        _ => 0,
    }
}
