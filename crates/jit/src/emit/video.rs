//! Video instructions (PTX ISA, section 9.7.18), without selectors of operands: a function does them.

use super::integer::is_signed;
use super::{Emit, Result};
use crate::soft::{self, video_code as code};
use cranelift_codegen::ir::types;
use hotfire_ptx::ast::{Instruction, Operation, Type};

impl Emit<'_, '_> {
    /// `vadd`, `vsub4`, … `d, a, b {, c}`; types are those of d, a and b.
    pub(super) fn video(&mut self, i: &Instruction) -> Result<()> {
        let (Some((width, operation)), &[d, a, b]) = (soft::video_operation(i.opcode), i.types.as_slice()) else {
            return self.unsupported(i, "it is no video instruction");
        };
        let mut bits = width | operation << code::OPERATION;
        for (ty, signed) in [a, b, d].into_iter().zip(code::SIGNED) {
            bits |= if is_signed(ty) { signed } else { 0 };
        }
        if i.modifiers.sat {
            bits |= code::SATURATES;
        }
        let then = match i.modifiers.operation {
            Some(Operation::Add) => 1,
            Some(Operation::Min) => 2,
            Some(Operation::Max) => 3,
            _ => 0,
        };
        let bits = self.word(bits | then << code::THEN);
        let (a, b) = (self.source(i, 1, Type::B32)?, self.source(i, 2, Type::B32)?);
        let c = if i.operands.len() > 3 { self.source(i, 3, Type::B32)? } else { self.word(0) };
        let value = self.soft(soft::video as *const u8, &[types::I32; 4], types::I32, &[bits, a, b, c]);
        self.define(i, 0, d, value)
    }
}
