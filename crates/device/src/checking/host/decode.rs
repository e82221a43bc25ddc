//! Which bytes an instruction is going to touch, and how.
//!
//! Operands and their directions come from the decoder's tables; masks of vector loads and stores and the indices of gathers and
//! scatters from the interrupted registers. String instructions with a repeat count are one access each side ([`super::string`]).
//! What the tables do not know (state saved by `xsave`, say) counts as one byte, where it faulted.

use super::registers::Registers;
use iced_x86::{
    Decoder, DecoderOptions, Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, OpAccess, Register,
    UsedMemory,
};

/// The longest instruction.
const LONGEST: usize = 15;
/// Accesses of one instruction at most: a scatter of bytes would have 64.
pub const MOST: usize = 64;

/// Some bytes, and what is done to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    pub address: u64,
    pub size: u64,
    pub read: bool,
    pub write: bool,
}

impl Access {
    pub fn end(&self) -> u64 {
        self.address.saturating_add(self.size)
    }
}

/// The accesses of one instruction.
#[derive(Clone, Copy)]
pub struct Accesses {
    list: [Access; MOST],
    count: usize,
}

impl Accesses {
    pub const NONE: Self = Self { list: [Access { address: 0, size: 0, read: false, write: false }; MOST], count: 0 };

    pub fn push(&mut self, access: Access) {
        if access.size > 0 && (access.read || access.write) && self.count < MOST {
            self.list[self.count] = access;
            self.count += 1;
        }
    }
}

impl std::ops::Deref for Accesses {
    type Target = [Access];

    fn deref(&self) -> &[Access] {
        &self.list[..self.count]
    }
}

impl std::ops::DerefMut for Accesses {
    fn deref_mut(&mut self) -> &mut [Access] {
        &mut self.list[..self.count]
    }
}

/// The instruction at an address.
///
/// # Safety
/// It is mapped: the processor just read it.
pub unsafe fn instruction_at(address: u64) -> Option<Instruction> {
    let mut bytes = [0u8; LONGEST];
    let page = 4096 - address as usize % 4096;
    let decode = |bytes: &[u8]| {
        let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
        let instruction = decoder.decode();
        (!instruction.is_invalid()).then_some(instruction)
    };
    for length in [page.min(LONGEST), LONGEST] {
        // SAFETY: the bytes to the end of the page are mapped; so is the next page, if the instruction is not complete without it.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), length) };
        if let Some(instruction) = decode(&bytes[..length]) {
            return Some(instruction);
        }
        if length == LONGEST {
            break;
        }
    }
    None
}

/// Makes the decoder build its tables, which allocates.
pub fn prepare(factory: &mut InstructionInfoFactory) {
    // vpgatherdd ymm0, [rax + ymm1 * 4], ymm2; lock cmpxchg [rdi], rcx; rep movsb
    for code in [&[0xc4, 0xe2, 0x6d, 0x90, 0x04, 0x88][..], &[0xf0, 0x48, 0x0f, 0xb1, 0x0f], &[0xf3, 0xa4]] {
        let instruction = Decoder::new(64, code, DecoderOptions::NONE).decode();
        debug_assert!(!instruction.is_invalid());
        let _ = factory.info_options(&instruction, InstructionInfoOptions::NO_REGISTER_USAGE).used_memory().len();
    }
    super::registers::prepare();
}

/// Adds what an instruction is going to touch.
pub fn accesses(
    instruction: &Instruction,
    registers: Registers<'_>,
    factory: &mut InstructionInfoFactory,
    found: &mut Accesses,
) {
    for memory in factory.info_options(instruction, InstructionInfoOptions::NO_REGISTER_USAGE).used_memory() {
        let (read, write) = match memory.access() {
            OpAccess::Read | OpAccess::CondRead => (true, false),
            OpAccess::Write | OpAccess::CondWrite => (false, true),
            OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
            OpAccess::None | OpAccess::NoMemAccess => continue,
        };
        let address = |index| {
            memory.virtual_address(index, |register, index, size| {
                if register.is_vector_register() {
                    registers.element(register, index, size)
                } else {
                    registers.value(register)
                }
            })
        };
        let size = match memory.memory_size().size() as u64 {
            // Of repeated ones the table does not tell; a step ends after one element.
            0 if instruction.is_string_instruction() => instruction.memory_size().size() as u64,
            size => size,
        };
        if memory.vsib_size() > 0 {
            let mask = mask(instruction, registers, size as usize).unwrap_or(u64::MAX);
            for index in (0..elements(instruction, memory)).filter(|index| mask >> index & 1 == 1) {
                if let Some(address) = address(index) {
                    found.push(Access { address, size, read, write });
                }
            }
            continue;
        }
        let Some(address) = address(0) else { continue };
        let element = memory.memory_size().element_size();
        match mask(instruction, registers, element) {
            Some(mask) if element > 0 => masked(mask, address, element as u64, size, |address, size| {
                found.push(Access { address, size, read, write });
            }),
            _ => found.push(Access { address, size, read, write }),
        }
    }
}

/// Number of elements that a gather or scatter moves.
fn elements(instruction: &Instruction, memory: &UsedMemory) -> usize {
    let data = (0..instruction.op_count())
        .map(|operand| instruction.op_register(operand))
        .find(|register| register.is_vector_register());
    let data = data.map_or(0, Register::size) / memory.memory_size().size().max(1);
    let indices = memory.index().size() / memory.vsib_size() as usize;
    data.min(indices)
}

/// Which elements an instruction with a mask touches.
fn mask(instruction: &Instruction, registers: Registers<'_>, element: usize) -> Option<u64> {
    if instruction.has_op_mask() {
        return registers.mask(instruction.op_mask());
    }
    let (operand, size) = match instruction.mnemonic() {
        Mnemonic::Vmaskmovps | Mnemonic::Vmaskmovpd | Mnemonic::Vpmaskmovd | Mnemonic::Vpmaskmovq => (1, element),
        Mnemonic::Maskmovdqu | Mnemonic::Vmaskmovdqu => (2, 1),
        Mnemonic::Vgatherdps
        | Mnemonic::Vgatherdpd
        | Mnemonic::Vgatherqps
        | Mnemonic::Vgatherqpd
        | Mnemonic::Vpgatherdd
        | Mnemonic::Vpgatherdq
        | Mnemonic::Vpgatherqd
        | Mnemonic::Vpgatherqq => (2, element),
        _ => return None,
    };
    let register = instruction.op_register(operand);
    matches!(size, 1 | 4 | 8).then(|| registers.signs(register, size)).flatten()
}

/// Calls `each` with the address and size of every run of elements whose bit is set.
fn masked(mask: u64, address: u64, element: u64, size: u64, mut each: impl FnMut(u64, u64)) {
    let count = (size / element).min(64);
    let set = |index: u64| index < count && mask >> index & 1 == 1;
    let mut index = 0;
    while index < count {
        let first = index;
        while set(index) {
            index += 1;
        }
        if index > first {
            each(address + first * element, (index - first) * element);
        }
        index += 1;
    }
}
