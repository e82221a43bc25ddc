//! Calls. Arguments and results travel in blocks in PTX parameter layout, for functions of the module, built-ins of the device
//! and calls through pointers alike.

use super::{Emit, Result, clif};
use crate::abi::ThreadContext;
use cranelift_codegen::ir::{
    AbiParam, ExtFuncData, ExternalName, FuncRef, InstBuilder, MemFlagsData, Signature, StackSlotData, StackSlotKind,
    UserExternalName, Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;
use cranelift_module::FuncId;
use hotfire_ptx::Diagnostic;
use hotfire_ptx::ast::{Call, CallTarget, Operand, Parameter, Symbol};

impl Emit<'_, '_> {
    pub(super) fn call(&mut self, call: &Call) -> Result<()> {
        let (parameters, returns): (&[Parameter], &[Parameter]) = match (&call.target, call.prototype) {
            (CallTarget::Direct(name), _) => {
                let index = self.unit.names.get(&**name);
                let function = index.map(|index| &self.unit.module.functions[*index]);
                let function = function.ok_or_else(|| error(call, format!("`{name}` is declared nowhere")))?;
                (&function.parameters, &function.returns)
            }
            (CallTarget::Indirect(_), Some(index)) => {
                let prototype = &self.body.prototypes[index as usize];
                (&prototype.parameters, &prototype.returns)
            }
            (CallTarget::Indirect(_), None) => return Err(error(call, "an indirect call names no prototype")),
        };
        if parameters.len() != call.arguments.len() || returns.len() != call.returns.len() {
            return Err(error(call, "the call does not agree with the function's parameters"));
        }
        let arguments = self.area(parameters);
        for (parameter, argument) in parameters.iter().zip(&call.arguments) {
            self.pass(call, parameter, argument, arguments)?;
        }
        let result = self.area(returns);
        let callee = self.callee(call)?;
        if self.unit.options.checks.is_some() && matches!(callee, Callee::Native(_)) {
            let site = self.word(self.sites.first.wrapping_add(self.site));
            let at = std::mem::offset_of!(ThreadContext, site) as i32;
            self.f.ins().store(MemFlagsData::trusted(), site, self.context, at);
            let (number, at) = (self.check_site(), std::mem::offset_of!(ThreadContext, access) as i32);
            self.f.ins().store(MemFlagsData::trusted(), number, self.context, at);
        }
        let mut signature = Signature::new(CallConv::SystemV);
        signature.params.extend([AbiParam::new(types::I64); 3]);
        let context = self.context;
        let passed = [context, arguments, result];
        match callee {
            Callee::Native(address) => {
                let signature = self.f.import_signature(signature);
                self.f.ins().call_indirect(signature, address, &passed);
            }
            Callee::Own(function) => {
                self.f.ins().call(function, &passed);
            }
        }
        for (parameter, destination) in returns.iter().zip(&call.returns) {
            self.receive(call, parameter, destination, result)?;
        }
        Ok(())
    }

    /// A stack block for parameters.
    fn area(&mut self, parameters: &[Parameter]) -> Value {
        let size = parameters.last().map_or(0, |last| last.offset + last.size);
        let slot = self.f.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size.max(8), 4));
        self.f.ins().stack_addr(types::I64, slot, 0)
    }

    fn pass(&mut self, call: &Call, parameter: &Parameter, argument: &Operand, area: Value) -> Result<()> {
        if let Operand::Symbol(Symbol::Local(variable), 0) = argument
            && let Some(slot) = self.slots[variable.0 as usize]
        {
            let size = self.body.variables[variable.0 as usize].size.unwrap_or(0);
            let from = self.f.ins().stack_addr(types::I64, slot, 0);
            self.copy(from, 0, area, parameter.offset as i32, parameter.size.min(size as u32));
            return Ok(());
        }
        let value = self.value(argument, parameter.ty, call.location)?;
        self.f.ins().store(MemFlagsData::trusted(), value, area, parameter.offset as i32);
        Ok(())
    }

    fn receive(&mut self, call: &Call, parameter: &Parameter, destination: &Operand, area: Value) -> Result<()> {
        match destination {
            Operand::Symbol(Symbol::Local(variable), 0) => {
                let Some(slot) = self.slots[variable.0 as usize] else {
                    return Err(error(call, "a result goes to no parameter"));
                };
                let size = self.body.variables[variable.0 as usize].size.unwrap_or(0);
                let to = self.f.ins().stack_addr(types::I64, slot, 0);
                self.copy(area, parameter.offset as i32, to, 0, parameter.size.min(size as u32));
            }
            Operand::Register(register) => {
                let flags = MemFlagsData::trusted();
                let value = self.f.ins().load(clif(parameter.ty), flags, area, parameter.offset as i32);
                self.write(*register, value, false);
            }
            Operand::Sink => {}
            _ => return Err(error(call, "a result goes to no parameter or register")),
        }
        Ok(())
    }

    fn callee(&mut self, call: &Call) -> Result<Callee> {
        match &call.target {
            CallTarget::Direct(name) => {
                if let Some(&position) = self.unit.reach.positions.get(&**name) {
                    return Ok(Callee::Own(self.import(position)));
                }
                let builtin = self.unit.environment.builtin(name);
                let builtin = builtin.ok_or_else(|| error(call, format!("`{name}` is defined nowhere")))?;
                Ok(Callee::Native(self.f.ins().iconst(types::I64, builtin as usize as i64)))
            }
            CallTarget::Indirect(register) => {
                let address = self.read(*register);
                let address = self.fit(address, types::I64, false);
                let (context, site) = (self.context, self.site_value());
                let function = self.unit.options.runtime.call_target as usize;
                let native = self.runtime(function, Some(types::I64), &[context, address, site]);
                native.map(Callee::Native).ok_or_else(|| error(call, "the runtime answers nothing"))
            }
        }
    }

    /// Another function of the unit.
    fn import(&mut self, position: usize) -> FuncRef {
        import(&mut self.f, self.unit.ids[position], super::signature(crate::unit::Shape::Function))
    }
}

/// A function of the same unit.
pub(super) fn import(f: &mut FunctionBuilder<'_>, id: FuncId, signature: Signature) -> FuncRef {
    let name = f.func.declare_imported_user_function(UserExternalName { namespace: 0, index: id.as_u32() });
    let signature = f.import_signature(signature);
    let data = ExtFuncData { name: ExternalName::user(name), signature, colocated: true, patchable: false };
    f.import_function(data)
}

enum Callee {
    Native(Value),
    Own(FuncRef),
}

fn error(call: &Call, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(call.location, message)
}
