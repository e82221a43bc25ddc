//! String instructions with a repeat count.
//!
//! A single step of one ends after each element. So a repeated move or store is carried out elsewhere: by a copy of the instruction
//! that a breakpoint follows. The copy's registers are those that the original would have, so whatever interrupts it is made to
//! look like an interruption of the original. Other repeated ones (comparisons stop at a place that is not known before) do go
//! element by element.

use super::decode::{Access, Accesses};
use super::registers::Registers;
use iced_x86::{Instruction, Mnemonic, Register};
use std::arch::naked_asm;

/// Bytes of a copy: at most three of the instruction, then breakpoints.
const COPY: u64 = 4;
const DIRECTION: u64 = 0x400;

/// `rep movs` and `rep stos` of 1, 2, 4 and 8 bytes.
#[unsafe(naked)]
unsafe extern "C" fn copies() {
    naked_asm!(
        ".byte 0xf3, 0xa4, 0xcc, 0xcc",
        ".byte 0xf3, 0x66, 0xa5, 0xcc",
        ".byte 0xf3, 0xa5, 0xcc, 0xcc",
        ".byte 0xf3, 0x48, 0xa5, 0xcc",
        ".byte 0xf3, 0xaa, 0xcc, 0xcc",
        ".byte 0xf3, 0x66, 0xab, 0xcc",
        ".byte 0xf3, 0xab, 0xcc, 0xcc",
        ".byte 0xf3, 0x48, 0xab, 0xcc",
    )
}

/// Where the copy of an instruction is, if there is one; what all of its repetitions touch goes to `found`.
pub fn copy_of(instruction: &Instruction, registers: Registers<'_>, found: &mut Accesses) -> Option<u64> {
    if !instruction.has_rep_prefix() && !instruction.has_repne_prefix() {
        return None;
    }
    let (store, size) = match instruction.mnemonic() {
        Mnemonic::Movsb => (false, 1),
        Mnemonic::Movsw => (false, 2),
        // The other instruction of that name has vector registers.
        Mnemonic::Movsd if instruction.is_string_instruction() => (false, 4),
        Mnemonic::Movsq => (false, 8),
        Mnemonic::Stosb => (true, 1),
        Mnemonic::Stosw => (true, 2),
        Mnemonic::Stosd => (true, 4),
        Mnemonic::Stosq => (true, 8),
        _ => return None,
    };
    let plain = instruction.segment_prefix() == Register::None
        && (0..instruction.op_count()).all(|operand| {
            use iced_x86::OpKind::{MemoryESRDI, MemorySegRSI, Register};
            matches!(instruction.op_kind(operand), MemoryESRDI | MemorySegRSI | Register)
        });
    if !plain {
        return None;
    }
    let bytes = registers.value(Register::RCX)?.saturating_mul(size);
    let down = registers.flags() & DIRECTION != 0;
    let start = |pointer: u64| if down { pointer.wrapping_add(size).wrapping_sub(bytes) } else { pointer };
    if !store {
        found.push(Access { address: start(registers.value(Register::RSI)?), size: bytes, read: true, write: false });
    }
    found.push(Access { address: start(registers.value(Register::RDI)?), size: bytes, read: false, write: true });
    let index = u64::from(size.trailing_zeros()) + if store { 4 } else { 0 };
    Some(copies as *const () as u64 + index * COPY)
}

/// Whether an interruption at `address` is the breakpoint behind a copy.
pub fn ends(copy: u64, address: u64) -> bool {
    address > copy + 2 && address <= copy + COPY
}
