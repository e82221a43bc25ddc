//! What checked code does besides: it tells the checker of each access to memory that others can see, before it happens.
//!
//! Only what no other thread can see is left out: parameters, and variables in the local space.

use super::{Emit, clif, shadow};
use crate::abi::{BlockContext, ThreadContext, what};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{
    AddressBase, CallTarget, Instruction, Operand, Operation, Reg, Scope, Semantics, Space, Statement, Symbol, Type,
};
use std::mem::offset_of;

impl Emit<'_, '_> {
    /// A load of `size` bytes at `address` comes next.
    pub(super) fn check_read(&mut self, i: &Instruction, operand: usize, address: Value, size: u32) {
        let Some(checks) = self.unit.options.checks else { return };
        let Some(space) = self.visible(i, operand) else { return };
        let mut bits = size | space | strength(i);
        if matches!(i.modifiers.semantics, Some(Semantics::Acquire | Semantics::AcqRel | Semantics::Sc)) {
            bits |= what::ACQUIRE;
        }
        if i.modifiers.non_coherent {
            bits |= what::NON_COHERENT;
        }
        let words = size.is_power_of_two() && (4..=shadow::WIDEST).contains(&size);
        let after = (words && bits == what::SHARED | size).then(|| self.unless_read_before(address, size));
        let (context, bits, site) = (self.context, self.word(bits), self.check_site());
        self.runtime(checks.read as usize, None, &[context, address, bits, site]);
        if let Some(after) = after {
            self.f.ins().jump(after, &[]);
            self.f.switch_to_block(after);
        }
    }

    /// A store of these values at `address` comes next.
    pub(super) fn check_write(&mut self, i: &Instruction, operand: usize, address: Value, ty: Type, values: &[Value]) {
        let Some(checks) = self.unit.options.checks else { return };
        let Some(space) = self.visible(i, operand) else { return };
        let mut bits = (ty.size() * values.len() as u32) | space | strength(i);
        if matches!(i.modifiers.semantics, Some(Semantics::Release | Semantics::AcqRel | Semantics::Sc)) {
            bits |= what::RELEASE;
        }
        let [low, high] = self.side_by_side(ty, values);
        let (context, bits, site) = (self.context, self.word(bits), self.check_site());
        self.runtime(checks.write as usize, None, &[context, address, bits, site, low, high]);
    }

    /// An atomic at `address` comes next.
    pub(super) fn check_atomic(&mut self, i: &Instruction, operand: usize, address: Value, size: u32) {
        let Some(checks) = self.unit.options.checks else { return };
        let Some(space) = self.visible(i, operand) else { return };
        let mut bits = size | space | what::ATOMIC;
        if i.modifiers.operation == Some(Operation::Exch) {
            bits |= what::BLIND;
        }
        bits |= match strength(i) {
            // Without a scope: all of the device.
            0 => what::GPU << what::STRENGTH,
            strength => strength,
        };
        let semantics = i.modifiers.semantics;
        if matches!(semantics, Some(Semantics::Acquire | Semantics::AcqRel | Semantics::Sc)) {
            bits |= what::ACQUIRE;
        }
        if matches!(semantics, Some(Semantics::Release | Semantics::AcqRel | Semantics::Sc)) {
            bits |= what::RELEASE;
        }
        bits |= accumulates(i) << what::ACCUMULATES;
        if i.opcode == Opcode::Atom && self.is_used(i) {
            bits |= what::RETURNS;
        }
        let (context, bits, site) = (self.context, self.word(bits), self.check_site());
        let zero = self.f.ins().iconst(types::I64, 0);
        self.runtime(checks.write as usize, None, &[context, address, bits, site, zero, zero]);
    }

    /// A fence comes next.
    pub(super) fn check_fence(&mut self, i: &Instruction) {
        let Some(checks) = self.unit.options.checks else { return };
        // `fence.proxy` and `fence.mbarrier_init` order other things than threads.
        let scope = match i.modifiers.scope {
            Some(Scope::Cta) => what::CTA,
            Some(Scope::Sys) => what::SYS,
            Some(Scope::Cluster | Scope::Gpu) => what::GPU,
            None if i.opcode == Opcode::Membar => what::GPU,
            None => return,
        };
        let (context, scope, site) = (self.context, self.word(scope), self.check_site());
        self.runtime(checks.fence as usize, None, &[context, scope, site]);
    }

    /// The thread learns something that depends on the schedule.
    pub(super) fn check_learn(&mut self) {
        let Some(checks) = self.unit.options.checks else { return };
        let context = self.context;
        self.runtime(checks.learn as usize, None, &[context]);
    }

    /// Whether anything may read the old value that an atomic gives: its register stands elsewhere too.
    fn is_used(&self, i: &Instruction) -> bool {
        let Some(Operand::Register(register)) = i.operands.first() else {
            return !matches!(i.operands.first(), Some(Operand::Sink));
        };
        let mut count = 0;
        let mut each = |operand: &Operand| count += mentions(operand, *register);
        for statement in &self.body.statements {
            match statement {
                Statement::Instruction(other) => {
                    other.operands.iter().for_each(&mut each);
                    if let Some(guard) = &other.guard {
                        each(&Operand::Register(guard.register));
                    }
                }
                Statement::Call(call) => {
                    call.arguments.iter().chain(&call.returns).for_each(&mut each);
                    if let Some(guard) = &call.guard {
                        each(&Operand::Register(guard.register));
                    }
                    if let CallTarget::Indirect(target) = call.target {
                        each(&Operand::Register(target));
                    }
                }
                Statement::Label(_) => {}
            }
        }
        // Results of functions may be registers as well; they come first, behind the parameters.
        let results = self.function.parameters.len() + self.function.returns.len();
        count != 1 || (!self.is_kernel() && (register.0 as usize) < results)
    }

    /// The thread of a loop kernel begins: its time is its block's.
    pub(super) fn begin_segment(&mut self) {
        if self.unit.options.checks.is_some() {
            let flags = MemFlagsData::trusted();
            let segment = self.f.ins().load(types::I32, flags, self.block, offset_of!(BlockContext, segment) as i32);
            self.f.ins().store(flags, segment, self.context, offset_of!(ThreadContext, segment) as i32);
        }
    }

    pub(super) fn check_site(&mut self) -> Value {
        let number = self.sites.access(self.site);
        self.word(number)
    }

    /// Whether others can see what the operand names, and the bit for the shared space.
    pub(super) fn visible(&self, i: &Instruction, operand: usize) -> Option<u32> {
        let shared = |space: Space| matches!(space, Space::Shared | Space::SharedCluster);
        match (i.operands.get(operand), i.modifiers.space) {
            (_, Some(Space::Param | Space::Local)) => None,
            (_, Some(space)) if shared(space) => Some(what::SHARED),
            (Some(Operand::Address(AddressBase::Symbol(Symbol::Local(variable)), _)), _) => {
                shared(self.body.variables[variable.0 as usize].space).then_some(what::SHARED)
            }
            (Some(Operand::Address(AddressBase::Symbol(Symbol::Parameter(_) | Symbol::Return(_)), _)), _) => None,
            _ => Some(0),
        }
    }

    /// Values side by side, as they will lie in memory.
    fn side_by_side(&mut self, ty: Type, values: &[Value]) -> [Value; 2] {
        if clif(ty) == types::I128 {
            let (low, high) = self.f.ins().isplit(values[0]);
            return [low, high];
        }
        let bits = ty.size() * 8;
        let per_word = (64 / bits).max(1) as usize;
        [0, 1].map(|word| {
            let mut packed = self.f.ins().iconst(types::I64, 0);
            for (n, &value) in values.iter().skip(word * per_word).take(per_word).enumerate() {
                let value = self.fit(value, clif(ty).as_int(), false);
                let value = self.fit(value, types::I64, false);
                let value = if n == 0 { value } else { self.f.ins().ishl_imm_u(value, i64::from(bits) * n as i64) };
                packed = if n == 0 { value } else { self.f.ins().bor(packed, value) };
            }
            packed
        })
    }
}

/// How often an operand names a register.
fn mentions(operand: &Operand, register: Reg) -> usize {
    match operand {
        Operand::Register(other) | Operand::NotRegister(other) | Operand::Address(AddressBase::Register(other), _) => {
            usize::from(*other == register)
        }
        Operand::Vector(parts) => parts.iter().map(|part| mentions(part, register)).sum(),
        Operand::Pair(first, second) => mentions(first, register) + mentions(second, register),
        Operand::Texel { object, sampler, coordinates } => {
            let parts = coordinates.iter().chain(sampler.as_deref()).chain([&**object]);
            parts.map(|part| mentions(part, register)).sum()
        }
        _ => 0,
    }
}

/// Which of the operations an atomic is whose order among their like does not matter; 0 for all others.
fn accumulates(i: &Instruction) -> u32 {
    let Some(Type::B32 | Type::U32 | Type::S32 | Type::B64 | Type::U64 | Type::S64) = i.types.first() else { return 0 };
    let signed = matches!(i.types[0], Type::S32 | Type::S64);
    match i.modifiers.operation {
        Some(Operation::Add) => 1,
        Some(Operation::And) => 2,
        Some(Operation::Or) => 3,
        Some(Operation::Xor) => 4,
        Some(Operation::Min) if signed => 5,
        Some(Operation::Max) if signed => 6,
        Some(Operation::Min) => 7,
        Some(Operation::Max) => 8,
        _ => 0,
    }
}

/// The strength bits of an access.
fn strength(i: &Instruction) -> u32 {
    let strength = match (i.modifiers.semantics, i.modifiers.scope) {
        (None | Some(Semantics::Weak), None) => 0,
        (Some(Semantics::Volatile | Semantics::Mmio), _) | (_, Some(Scope::Sys)) => what::SYS,
        (_, Some(Scope::Cta)) => what::CTA,
        _ => what::GPU,
    };
    strength << what::STRENGTH
}
