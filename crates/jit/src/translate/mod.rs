//! PTX functions to Cranelift IR: the frame of a function, and which file knows which instruction.
//!
//! Registers become Cranelift variables; a block of PTX becomes a Cranelift block. A kernel that never waits is
//! wrapped in a loop over the threads of its block, whose `tid` are loop variables.

mod address;
mod atomic;
mod bits;
mod call;
mod collective;
mod compare;
mod control;
mod convert;
mod float;
mod half;
mod integer;
mod memory;
mod operand;
mod special;

use crate::abi::{BlockContext, ThreadContext};
use crate::analysis::definition_counts;
use crate::cfg::Cfg;
use crate::soft;
use crate::unit::{Shape, Sites, Unit};
use call::CallArea;
use cranelift_codegen::ir::{
    self, AbiParam, Block, FuncRef, InstBuilder, MemFlagsData, Signature, SourceLoc, StackSlot, StackSlotData,
    StackSlotKind, Type as ClifType, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use hotfire_ptx::ast::{Body, Function, FunctionKind, Instruction, Location, Statement};
use hotfire_ptx::{Diagnostic, Opcode};
use std::collections::HashMap;
use std::mem::offset_of;

/// Result of translating something.
pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

/// Iterations of a waiting loop before a thread lets others run.
const FUEL: i64 = 64;

/// Calling convention of all generated functions and of the runtime's.
fn convention() -> CallConv {
    CallConv::triple_default(&target_lexicon())
}

fn target_lexicon() -> cranelift_codegen::isa::OwnedTriple {
    cranelift_codegen::isa::host_triple()
}
