//! Programs with the static CUDA runtime inside: their own `cuda*` functions are overwritten with jumps to ours.
//!
//! The functions are found in the object's symbol table, so the object must not be stripped. The jump is absolute and
//! 14 bytes long (`jmp [rip+0]` and the address). A shorter function has room for it too: functions start at multiples
//! of 16, and what lies between two of them is padding.

use std::collections::HashMap;
use std::fs::File;
use std::os::fd::AsRawFd;

use object::read::elf::{ElfFile64, FileHeader};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

use crate::names;

/// Bytes of the jump.
const JUMP: u64 = 14;
/// Sections that nvcc puts fat binaries and their wrappers into.
const CODE_SECTIONS: [&str; 2] = [".nv_fatbin", ".nvFatBinSegment"];
/// What every program that registers code calls.
const REGISTER: &str = "__cudaRegisterFatBinary";

/// A file mapped for reading.
struct Mapped {
    address: *mut libc::c_void,
    length: usize,
}

impl Mapped {
    fn open(path: &str) -> Option<Self> {
        let file = File::open(path).ok()?;
        let length = usize::try_from(file.metadata().ok()?.len()).ok().filter(|&length| length > 0)?;
        // SAFETY: a fresh private mapping; the file stays valid without the descriptor.
        let address = unsafe {
            libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
        };
        (address != libc::MAP_FAILED).then_some(Self { address, length })
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: mapped for reading, this long, until drop. The file of a loaded object is not truncated: the program
        // itself would die of that.
        unsafe { std::slice::from_raw_parts(self.address.cast(), self.length) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: our own mapping, no slice of it outlives self.
        unsafe { libc::munmap(self.address, self.length) };
    }
}

/// What an object's runtime is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Runtime {
    /// The object carries no device code, or imports the runtime: nothing to do.
    Elsewhere,
    /// It contains the static runtime: link-time address and our function for each function to redirect.
    Static(Vec<(u64, *const ())>),
    /// It contains the static runtime, but no symbols to find it by.
    Stripped,
}

/// Looks into the file of a loaded object.
pub(crate) fn inspect(path: &str) -> Runtime {
    let Some(mapped) = Mapped::open(path) else { return Runtime::Elsewhere };
    inspect_bytes(mapped.bytes())
}

fn inspect_bytes(bytes: &[u8]) -> Runtime {
    type Elf<'data> = ElfFile64<'data, object::Endianness>;
    let Ok(elf) = Elf::parse(bytes) else { return Runtime::Elsewhere };
    if elf.elf_header().e_machine(elf.endian()) != object::elf::EM_X86_64
        || elf.dynamic_symbols().any(|symbol| symbol.is_undefined() && symbol.name() == Ok(REGISTER))
    {
        return Runtime::Elsewhere;
    }
    let ours: HashMap<&str, *const ()> =
        names::RUNTIME.iter().map(|export| (export.symbol, export.address())).collect();
    let code = || elf.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition());
    let mut starts: Vec<u64> = code().map(|symbol| symbol.address()).collect();
    starts.sort_unstable();
    let room = |at: u64| starts.get(starts.partition_point(|&start| start <= at)).map_or(JUMP, |next| next - at);
    let functions: Vec<_> = code()
        .filter_map(|symbol| Some((symbol.address(), *ours.get(symbol.name().ok()?)?)))
        .filter(|&(at, _)| room(at) >= JUMP)
        .collect();
    if !functions.is_empty() {
        return Runtime::Static(functions);
    }
    // nvcc leaves an empty fat binary in programs of the driver API, which have no runtime inside.
    if elf.symbols().next().is_some() {
        return Runtime::Elsewhere;
    }
    let has_code = elf.sections().any(|section| section.name().is_ok_and(|name| CODE_SECTIONS.contains(&name)));
    if has_code { Runtime::Stripped } else { Runtime::Elsewhere }
}

/// Overwrites the functions of an object that was loaded at `bias`.
pub(crate) fn redirect(bias: u64, functions: &[(u64, *const ())]) -> Result<(), std::io::Error> {
    // SAFETY: sysconf has no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    let first = functions.iter().map(|(at, _)| at + bias).min().unwrap_or_default() / page * page;
    let end = functions.iter().map(|(at, _)| at + bias + JUMP).max().unwrap_or_default().next_multiple_of(page);
    let protect = |protection| {
        // SAFETY: the pages hold the object's text, which stays readable and executable.
        let result = unsafe { libc::mprotect(first as *mut _, (end - first) as usize, protection) };
        if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    };
    protect(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC)?;
    for (at, ours) in functions {
        let mut jump = [0u8; JUMP as usize];
        jump[..6].copy_from_slice(&[0xff, 0x25, 0, 0, 0, 0]);
        jump[6..].copy_from_slice(&(*ours as u64).to_le_bytes());
        // SAFETY: a function of at least this size in pages that are writable now; no thread runs it, because the
        // object's constructors have not run yet.
        unsafe { std::ptr::copy_nonoverlapping(jump.as_ptr(), (at + bias) as *mut u8, jump.len()) };
    }
    protect(libc::PROT_READ | libc::PROT_EXEC)
}
