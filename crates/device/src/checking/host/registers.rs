//! Register values of interrupted code, vector and mask registers included (Intel SDM volume 1, chapter 13: the XSAVE area that
//! the kernel leaves in a signal frame).

use iced_x86::Register;
use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::OnceLock;

/// Where a signal frame's floating point state says that more follows it, and the word that says so.
const MAGIC_AT: usize = 464;
const MAGIC: u32 = 0x4650_5853;
/// State components.
const YMM_HIGH: u32 = 2;
const MASKS: u32 = 5;
const ZMM_HIGH: u32 = 6;
const ZMM_16_TO_31: u32 = 7;

/// Where each state component lies.
fn offsets() -> &'static [usize; 8] {
    static OFFSETS: OnceLock<[usize; 8]> = OnceLock::new();
    OFFSETS.get_or_init(|| {
        let mut offsets = [0; 8];
        for component in [YMM_HIGH, MASKS, ZMM_HIGH, ZMM_16_TO_31] {
            offsets[component as usize] = __cpuid_count(0xd, component).ebx as usize;
        }
        offsets
    })
}

/// Looks up what has to be looked up once.
pub fn prepare() {
    offsets();
}

/// The registers of interrupted code.
#[derive(Clone, Copy)]
pub struct Registers<'a>(&'a libc::mcontext_t);

impl<'a> Registers<'a> {
    /// # Safety
    /// The state comes from a signal frame, with its floating point part.
    pub unsafe fn new(machine: &'a libc::mcontext_t) -> Self {
        Self(machine)
    }

    fn raw(&self, register: i32) -> u64 {
        self.0.gregs[register as usize] as u64
    }

    pub fn flags(&self) -> u64 {
        self.raw(libc::REG_EFL)
    }

    /// The value of a register, or the base of a segment.
    pub fn value(&self, register: Register) -> Option<u64> {
        let full = match register.full_register() {
            Register::RAX => libc::REG_RAX,
            Register::RCX => libc::REG_RCX,
            Register::RDX => libc::REG_RDX,
            Register::RBX => libc::REG_RBX,
            Register::RSP => libc::REG_RSP,
            Register::RBP => libc::REG_RBP,
            Register::RSI => libc::REG_RSI,
            Register::RDI => libc::REG_RDI,
            Register::R8 => libc::REG_R8,
            Register::R9 => libc::REG_R9,
            Register::R10 => libc::REG_R10,
            Register::R11 => libc::REG_R11,
            Register::R12 => libc::REG_R12,
            Register::R13 => libc::REG_R13,
            Register::R14 => libc::REG_R14,
            Register::R15 => libc::REG_R15,
            // Displacements that are relative to it have it in them already.
            Register::RIP => return Some(0),
            Register::FS => return Some(thread_base()),
            Register::ES | Register::CS | Register::SS | Register::DS => return Some(0),
            _ => return None,
        };
        let value = self.raw(full);
        match register.size() {
            8 => Some(value),
            4 => Some(u64::from(value as u32)),
            2 => Some(u64::from(value as u16)),
            _ if matches!(register, Register::AH | Register::CH | Register::DH | Register::BH) => {
                Some(u64::from((value >> 8) as u8))
            }
            _ => Some(u64::from(value as u8)),
        }
    }

    /// Bytes `offset .. offset + N` of a state component; zeros if it is in its initial state.
    fn component<const N: usize>(&self, component: u32, offset: usize) -> Option<[u8; N]> {
        let area = self.0.fpregs.cast::<u8>();
        if area.is_null() {
            return None;
        }
        // SAFETY: the kernel's frame has the 512 bytes of FXSAVE and, if it says so, a header of 64 bytes and the components that the
        // header names.
        unsafe {
            if component < YMM_HIGH {
                return Some(area.add(offset).cast::<[u8; N]>().read_unaligned());
            }
            if area.add(MAGIC_AT).cast::<u32>().read_unaligned() != MAGIC {
                return None;
            }
            let present = area.add(512).cast::<u64>().read_unaligned();
            if present & (1 << component) == 0 {
                return Some([0; N]);
            }
            Some(area.add(offsets()[component as usize] + offset).cast::<[u8; N]>().read_unaligned())
        }
    }

    /// Element `index`, of `size` (1, 4 or 8) bytes, of a vector register.
    pub fn element(&self, register: Register, index: usize, size: usize) -> Option<u64> {
        let number = register.number();
        let at = index * size;
        let word: [u8; 8] = match (number, at) {
            (16.., _) => self.word(ZMM_16_TO_31, (number - 16) * 64 + at)?,
            (_, 0..16) => self.word(1, 160 + number * 16 + at)?,
            (_, 16..32) => self.word(YMM_HIGH, number * 16 + at - 16)?,
            _ => self.word(ZMM_HIGH, number * 32 + at - 32)?,
        };
        let value = u64::from_le_bytes(word) >> (8 * (at % 8));
        Some(match size {
            1 => value & 0xff,
            4 => value & 0xffff_ffff,
            _ => value,
        })
    }

    /// The aligned word around an offset.
    fn word(&self, component: u32, offset: usize) -> Option<[u8; 8]> {
        self.component(component, offset & !7)
    }

    /// The bits of an AVX-512 mask register.
    pub fn mask(&self, register: Register) -> Option<u64> {
        self.component(MASKS, 8 * register.number()).map(u64::from_le_bytes)
    }

    /// Bit i: the highest bit of element i of a vector register.
    pub fn signs(&self, register: Register, size: usize) -> Option<u64> {
        let count = (register.size() / size).min(64);
        let mut bits = 0;
        for index in 0..count {
            bits |= (self.element(register, index, size)? >> (8 * size - 1) & 1) << index;
        }
        Some(bits)
    }
}

/// Base of the FS segment of the calling thread: the first word there is its own address (ELF handling for thread-local storage).
fn thread_base() -> u64 {
    let base;
    // SAFETY: every thread of a C library has it.
    unsafe { asm!("mov {}, fs:[0]", out(reg) base, options(nostack, readonly, preserves_flags)) };
    base
}
