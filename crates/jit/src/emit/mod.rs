//! PTX functions to Cranelift IR: the frame of a function, and which file knows which instruction.
//!
//! Registers become Cranelift variables; a block of PTX becomes a Cranelift block. A kernel that never waits is
//! wrapped in a loop over the threads of its block, whose `tid` are loop variables.

mod address;
mod atomic;
mod bits;
mod bulk;
mod call;
mod carry;
mod check;
mod cluster;
mod collective;
mod compare;
mod control;
mod convert;
mod count;
mod float;
mod fragment;
mod half;
mod integer;
mod matrix;
mod mbarrier;
mod memory;
mod operand;
mod pair;
mod phase;
mod shadow;
mod special;
mod stack;
mod texture;
mod threads;
mod video;

use crate::abi::{BlockContext, ThreadContext};
use crate::analysis::Reached;
use crate::unit::{Shape, Sites, Unit};
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::{
    self, AbiParam, ArgumentPurpose, Block, GlobalValueData, InstBuilder, MemFlagsData, Signature, SourceLoc,
    StackSlot, StackSlotData, StackSlotKind, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use hotfire_ptx::ast::{Body, Function, Instruction, Mode, Reg, Space, Statement, Type};
use hotfire_ptx::{Diagnostic, Opcode};
use std::collections::HashMap;
use std::mem::offset_of;
use std::rc::Rc;

pub(crate) use address::{checker, checker_signature};
pub(crate) use operand::clif;
pub(crate) use stack::allocates;

/// Result of translating something.
pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

/// Iterations of a waiting loop before a thread lets others run.
const FUEL: i64 = 64;
/// The same in checked code, where each look costs more and a thread that waits should be seen to wait soon.
const CHECKED_FUEL: i64 = 8;

/// Signature of a function of the given shape.
pub(crate) fn signature(shape: Shape) -> Signature {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params.push(AbiParam::special(types::I64, ArgumentPurpose::VMContext));
    let rest: &[ir::Type] = match shape {
        Shape::Loop => &[types::I32, types::I32],
        Shape::Phases => &[types::I64, types::I32],
        Shape::Thread => &[],
        Shape::Function => &[types::I64, types::I64],
    };
    signature.params.extend(rest.iter().map(|ty| AbiParam::new(*ty)));
    if shape == Shape::Phases {
        signature.returns.push(AbiParam::new(types::I32));
    }
    signature
}

/// The translation of one function.
pub(crate) struct Emit<'a, 'b> {
    /// Cranelift's builder.
    pub f: FunctionBuilder<'b>,
    /// What is compiled together.
    pub unit: &'a Unit<'a>,
    /// CC.CF, the carry of extended-precision arithmetic.
    pub carry: Variable,
    function: &'a Function,
    body: &'a Body,
    reached: &'a Reached<'a>,
    sites: &'a mut Sites,
    registers: Vec<Variable>,
    /// Stack slots of `.local` and `.param` variables.
    slots: Vec<Option<StackSlot>>,
    blocks: Vec<Block>,
    shape: Shape,
    /// The [`ThreadContext`].
    context: Value,
    /// The [`BlockContext`].
    block: Value,
    /// Parameter block of a kernel, argument block of a function.
    parameters: Value,
    /// Result block of a function.
    result: Option<Value>,
    /// Of a kernel in phases.
    phase: Option<phase::Phase>,
    /// Of a kernel whose threads run in pairs.
    pair: Option<pair::Pair>,
    /// The statement that is being translated.
    statement: usize,
    /// `%tid` in loop kernels.
    tid: Option<[Variable; 3]>,
    /// Where a thread that is through goes on.
    leave: Option<Block>,
    fuel: Variable,
    /// Looks at addresses outside of the arena.
    checker: ir::FuncRef,
    /// Shared addresses that are known to be multiples of a size, in the present block.
    aligned: HashMap<Value, u32>,
    /// The buffer of matrix and other wide instructions, if there were any yet.
    lane_words: Option<StackSlot>,
    /// The stack's limit when the function began, if it allocates.
    stack_before: Option<Variable>,
    /// What decides how the loops around the present block go on, if the device should know.
    deciding: Option<Rc<[Reg]>>,
    /// Where requests of texture and surface instructions lie, if there are any.
    texel: Option<StackSlot>,
    site: u32,
}

/// Translates function number `index` of the unit.
pub(crate) fn function(
    unit: &Unit<'_>,
    index: usize,
    shape: Shape,
    into: &mut ir::Function,
    builder: &mut FunctionBuilderContext,
    sites: &mut Sites,
    target: TargetFrontendConfig,
) -> Result<()> {
    let vmctx = into.create_global_value(GlobalValueData::VMContext);
    let limit = into.dfg.mem_flags.insert(MemFlagsData::trusted().with_readonly());
    let limit = GlobalValueData::Load {
        base: vmctx,
        offset: Offset32::new(offset_of!(ThreadContext, stack_limit) as i32),
        global_type: types::I64,
        flags: limit.map_err(|_| Diagnostic::new(Default::default(), "too many kinds of memory access"))?,
    };
    into.stack_limit = Some(into.create_global_value(limit));
    let reached = &unit.reach.functions[index];
    let mut f = FunctionBuilder::new(into, builder);
    let entry = f.create_block();
    f.append_block_params_for_function_params(entry);
    f.switch_to_block(entry);
    let context = f.block_params(entry)[0];
    let trusted = MemFlagsData::trusted().with_readonly().with_can_move();
    let block = f.ins().load(types::I64, trusted, context, offset_of!(ThreadContext, block) as i32);
    let (parameters, result) = match shape {
        Shape::Function => (f.block_params(entry)[1], Some(f.block_params(entry)[2])),
        _ => (f.ins().load(types::I64, trusted, block, offset_of!(BlockContext, parameters) as i32), None),
    };
    let checker = call::import(&mut f, unit.checker, checker_signature());
    let carry = f.declare_var(types::I8);
    let fuel = f.declare_var(types::I32);
    let registers = reached.body.registers.iter().map(|register| f.declare_var(clif(register.ty))).collect();
    let mut emit = Emit {
        f,
        unit,
        carry,
        function: reached.function,
        body: reached.body,
        reached,
        sites,
        registers,
        slots: Vec::new(),
        blocks: Vec::new(),
        shape,
        context,
        block,
        parameters,
        result,
        phase: None,
        pair: None,
        statement: 0,
        tid: None,
        leave: None,
        fuel,
        checker,
        aligned: HashMap::new(),
        lane_words: None,
        stack_before: None,
        deciding: None,
        texel: None,
        site: 0,
    };
    emit.slots()?;
    emit.blocks = (0..reached.cfg.blocks.len()).map(|_| emit.f.create_block()).collect();
    if matches!(shape, Shape::Loop | Shape::Phases) {
        emit.threads(entry);
    } else {
        emit.begin_thread();
        let first = emit.blocks[0];
        emit.f.ins().jump(first, &[]);
    }
    emit.statements()?;
    if shape == Shape::Loop {
        emit.end_threads()?;
    }
    emit.f.seal_all_blocks();
    emit.f.finalize(target);
    Ok(())
}

impl Emit<'_, '_> {
    fn slots(&mut self) -> Result<()> {
        for variable in &self.body.variables {
            let slot = match variable.space {
                Space::Local | Space::Param => {
                    let size = variable.size.and_then(|size| u32::try_from(size).ok()).filter(|size| *size <= 1 << 24);
                    let size = size.ok_or_else(|| {
                        Diagnostic::new(variable.location, format!("`{}` is too large for a stack", variable.name))
                    })?;
                    let align = variable.align.clamp(1, 128).trailing_zeros() as u8;
                    let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size.max(1), align);
                    Some(self.f.create_sized_stack_slot(data))
                }
                _ => None,
            };
            self.slots.push(slot);
        }
        Ok(())
    }

    /// A thread's registers start as zero: PTX leaves them undefined, and what a thread sees must not hang on another's.
    fn zero(&mut self) {
        for (index, register) in self.body.registers.iter().enumerate() {
            let zero = self.constant(clif(register.ty), 0);
            self.f.def_var(self.registers[index], zero);
        }
        let zero = self.f.ins().iconst(types::I8, 0);
        self.f.def_var(self.carry, zero);
        let fuel = self.full_fuel();
        self.f.def_var(self.fuel, fuel);
        self.begin_stack();
    }

    fn full_fuel(&mut self) -> Value {
        let fuel = if self.unit.options.checks.is_some() { CHECKED_FUEL } else { FUEL };
        self.f.ins().iconst(types::I32, fuel)
    }

    fn begin_thread(&mut self) {
        self.zero();
        // `.reg` parameters come first among the registers, in order.
        let register_parameters = self.function.parameters.iter().filter(|parameter| parameter.register);
        for (index, parameter) in register_parameters.enumerate() {
            let flags = MemFlagsData::trusted();
            let value = self.f.ins().load(clif(parameter.ty), flags, self.parameters, parameter.offset as i32);
            self.f.def_var(self.registers[index], value);
        }
    }

    fn statements(&mut self) -> Result<()> {
        let mut deciding = Vec::new();
        // Of the kernel itself: a caller's registers would count too.
        if self.unit.options.checks.is_some() && matches!(self.shape, Shape::Thread) {
            deciding = crate::deciding::deciding(&self.reached.cfg, self.body);
        }
        for (index, block) in self.reached.cfg.blocks.iter().enumerate() {
            self.f.switch_to_block(self.blocks[index]);
            self.aligned.clear();
            self.deciding = deciding.get(index).cloned().flatten();
            let statements = &self.body.statements[block.first..block.end];
            if block.fuel {
                // A thread that waits in the loop is where the loop begins.
                if let Some(location) = statements.iter().find_map(place) {
                    self.at(location);
                }
                self.burn();
            }
            self.count(statements);
            let mut open = true;
            for (at, statement) in statements.iter().enumerate() {
                self.statement = block.first + at;
                open = match statement {
                    Statement::Label(_) => true,
                    Statement::Instruction(instruction) => {
                        self.at(instruction.location);
                        self.instruction(instruction, index)?
                    }
                    Statement::Call(call) => {
                        self.at(call.location);
                        self.guarded(call.guard, |this| this.call(call))?;
                        true
                    }
                };
                if open && crate::cost::is_seam(statement) {
                    self.count(&statements[at + 1..]);
                }
            }
            if open {
                self.fall_through(index);
            }
        }
        Ok(())
    }

    fn at(&mut self, location: hotfire_ptx::ast::Location) {
        self.site = self.sites.of(location);
        self.f.set_srcloc(SourceLoc::new(self.site));
    }

    /// Translates an instruction; false if it ends its block.
    fn instruction(&mut self, i: &Instruction, block: usize) -> Result<bool> {
        if crate::cfg::ends_block(i) {
            return self.control(i, block).map(|()| false);
        }
        self.guarded(i.guard, |this| this.straight(i))?;
        Ok(true)
    }

    /// Code that runs only if the guard holds.
    fn guarded(
        &mut self,
        guard: Option<hotfire_ptx::ast::Guard>,
        code: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let Some(guard) = guard else { return code(self) };
        let condition = self.f.use_var(self.registers[guard.register.0 as usize]);
        let (then, after) = (self.f.create_block(), self.f.create_block());
        let (yes, no) = if guard.negated { (after, then) } else { (then, after) };
        self.f.ins().brif(condition, yes, &[], no, &[]);
        self.f.seal_block(then);
        self.f.switch_to_block(then);
        let aligned = self.aligned.clone();
        code(self)?;
        self.aligned = aligned;
        self.f.ins().jump(after, &[]);
        self.f.seal_block(after);
        self.f.switch_to_block(after);
        Ok(())
    }

    /// Which file knows which instruction.
    fn straight(&mut self, i: &Instruction) -> Result<()> {
        use Opcode as O;
        let first = i.types.first().copied();
        let is_half = matches!(first, Some(Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2));
        let is_float = matches!(first, Some(Type::F32 | Type::F64 | Type::F32x2));
        match i.opcode {
            O::Add | O::Sub | O::Mad if i.modifiers.carry => self.carry(i),
            O::Addc | O::Subc | O::Madc => self.carry(i),
            O::Add | O::Sub | O::Mul | O::Fma | O::Neg | O::Abs | O::Min | O::Max | O::Ex2 | O::Tanh if is_half => {
                self.half(i)
            }
            O::Add | O::Sub | O::Mul | O::Mad | O::Div | O::Abs | O::Neg | O::Min | O::Max if is_float => self.float(i),
            O::Fma | O::Rcp | O::Sqrt | O::Rsqrt | O::Sin | O::Cos | O::Lg2 | O::Ex2 | O::Tanh | O::Testp => {
                self.float(i)
            }
            O::Copysign => self.float(i),
            O::Add | O::Sub | O::Mul | O::Mad | O::Mul24 | O::Mad24 | O::Sad | O::Div | O::Rem => self.integer(i),
            O::Abs | O::Neg | O::Min | O::Max => self.integer(i),
            O::Popc | O::Clz | O::Bfind | O::Fns | O::Brev | O::Bfe | O::Bfi | O::Szext | O::Bmsk => self.bits(i),
            O::Dp4a | O::Dp2a | O::And | O::Or | O::Xor | O::Not | O::Cnot | O::Lop3 => self.bits(i),
            O::Shf | O::Shl | O::Shr | O::Prmt => self.bits(i),
            O::Set | O::Setp | O::Selp | O::Slct => self.compare(i),
            O::Cvt => self.convert(i),
            O::Mov => self.mov(i),
            O::Cvta | O::Isspacep => self.spaces(i),
            O::Mapa | O::Getctarank => self.ranks(i),
            O::Ld | O::Ldu => self.load(i),
            O::St if i.modifiers.mode == Some(Mode::Async) => self.store_async(i),
            O::St => self.store(i),
            O::Atom | O::Red => self.atomic(i),
            O::Membar | O::Fence => {
                self.check_fence(i);
                self.f.ins().fence();
                Ok(())
            }
            O::Bar | O::Barrier | O::Shfl | O::Vote | O::Match | O::Redux | O::Activemask | O::Elect => {
                self.collective(i)
            }
            O::Griddepcontrol | O::Nanosleep | O::Brkpt => self.collective(i),
            O::Mma | O::Wmma | O::Movmatrix => self.matrix(i),
            O::Ldmatrix | O::Stmatrix => self.rows(i),
            O::Mbarrier => self.mbarrier(i),
            O::Cp => self.copy_async(i),
            O::Tex | O::Tld4 => self.texture(i),
            O::Suld | O::Sust | O::Sured => self.surface(i),
            O::Txq | O::Suq => self.object_query(i),
            // Hints: there is no cache to warm and nobody counts the events.
            O::Prefetch | O::Prefetchu | O::Applypriority | O::Discard | O::Pmevent | O::Setmaxnreg => Ok(()),
            // Nor does anybody look at policies.
            O::Createpolicy => {
                let policy = self.f.ins().iconst(types::I64, 0);
                self.define(i, 0, Type::B64, policy)
            }
            O::Alloca | O::Stacksave | O::Stackrestore => self.stack(i),
            O::Vadd | O::Vsub | O::Vabsdiff | O::Vmin | O::Vmax => self.video(i),
            O::Vadd2 | O::Vsub2 | O::Vabsdiff2 | O::Vmin2 | O::Vmax2 | O::Vavrg2 => self.video(i),
            O::Vadd4 | O::Vsub4 | O::Vabsdiff4 | O::Vmin4 | O::Vmax4 | O::Vavrg4 => self.video(i),
            O::Bra | O::Brx | O::Ret | O::Exit | O::Trap => self.unsupported(i, "a branch stands where none can"),
            _ => self.unsupported(i, "it is not built yet"),
        }
    }

    /// An instruction that this compiler does not know.
    pub(crate) fn unsupported<T>(&self, i: &Instruction, what: &str) -> Result<T> {
        Err(Diagnostic::new(i.location, format!("`{}` is not supported: {what}", i.opcode.text())))
    }

    /// Calls a function of the runtime table.
    fn runtime(&mut self, address: usize, result: Option<ir::Type>, arguments: &[Value]) -> Option<Value> {
        let mut signature = Signature::new(CallConv::SystemV);
        for argument in arguments {
            signature.params.push(AbiParam::new(self.f.func.dfg.value_type(*argument)));
        }
        signature.returns.extend(result.map(AbiParam::new));
        let signature = self.f.import_signature(signature);
        let callee = self.f.ins().iconst(types::I64, address as i64);
        let call = self.f.ins().call_indirect(signature, callee, arguments);
        self.f.inst_results(call).first().copied()
    }

    /// Calls an `extern "C"` function of `crate::soft`.
    pub(crate) fn soft(&mut self, address: *const u8, params: &[ir::Type], result: ir::Type, args: &[Value]) -> Value {
        let mut signature = Signature::new(CallConv::SystemV);
        // The callee may expect narrow integers to be extended.
        signature.params.extend(params.iter().map(|ty| match *ty {
            types::I8 | types::I16 => AbiParam::new(*ty).uext(),
            ty => AbiParam::new(ty),
        }));
        signature.returns.push(AbiParam::new(result));
        let signature = self.f.import_signature(signature);
        let callee = self.f.ins().iconst(types::I64, address as i64);
        let call = self.f.ins().call_indirect(signature, callee, args);
        self.f.inst_results(call)[0]
    }

    fn word(&mut self, value: u32) -> Value {
        self.f.ins().iconst(types::I32, i64::from(value))
    }

    fn site_value(&mut self) -> Value {
        self.word(self.site)
    }
}

/// Where a statement is in the text.
fn place(statement: &Statement) -> Option<hotfire_ptx::ast::Location> {
    match statement {
        Statement::Label(_) => None,
        Statement::Instruction(instruction) => Some(instruction.location),
        Statement::Call(call) => Some(call.location),
    }
}
