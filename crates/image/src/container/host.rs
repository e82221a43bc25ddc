//! Host ELF files: their fat binary sections and the CUDA runtime that they are linked with.

use super::{Code, Contents, Form, Image, Role, scan};
use crate::Error;
use object::elf;
use object::read::elf::{ElfFile64, FileHeader};
use object::{Object, ObjectSection, ObjectSymbol};
use std::ops::ControlFlow;

/// More damaged fat binaries than this in one file are not worth listing.
const MAX_DAMAGED: usize = 64;

/// How host code reaches CUDA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// `libcudart_static` is linked in, and its symbols are there to be redirected.
    Static,
    /// Device code is registered, but neither a shared runtime nor symbols of a static one are there: a stripped program with the static runtime.
    StaticStripped,
    /// A shared runtime or driver, by the name under `DT_NEEDED`: `libcudart.so.13`, `libcuda.so.1`.
    Shared(String),
}

pub(super) fn inspect(file: &[u8]) -> Result<Contents<'_>, Error> {
    let damaged = |error: object::Error| Error::malformed(0, format!("damaged ELF file: {error}"));
    // CUDA's hosts are 64-bit and little-endian.
    let elf = ElfFile64::<object::LittleEndian>::parse(file)
        .map_err(|_| Error::malformed(0, "this ELF file is damaged, or not for a 64-bit little-endian host"))?;
    let form = match elf.elf_header().e_type(object::LittleEndian) {
        elf::ET_REL => Form::Object,
        // A position-independent executable is a shared object that asks for a program interpreter.
        elf::ET_DYN if !has_interpreter(&elf) => Form::SharedObject,
        _ => Form::Executable,
    };
    let mut images = Vec::new();
    for section in elf.sections() {
        let role = match section.name_bytes() {
            Ok(b".nv_fatbin") => Role::Loaded,
            Ok(b"__nv_relfatbin") => Role::Unit,
            _ => continue,
        };
        let base = section.file_range().map_or(0, |(start, _)| usize::try_from(start).unwrap_or(0));
        let mut damaged_left = MAX_DAMAGED;
        scan(section.data().map_err(damaged)?, |at, entries| {
            let code = match entries {
                Ok(entries) => Code::Fatbin(entries),
                Err(error) => {
                    damaged_left -= 1;
                    Code::Damaged(error.shifted(base))
                }
            };
            images.push(Image { member: None, role, offset: base.saturating_add(at), code });
            if damaged_left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
    let runtimes = if form == Form::Object { Vec::new() } else { runtimes(&elf, !images.is_empty()) };
    Ok(Contents { form, runtimes, images })
}

fn has_interpreter(elf: &ElfFile64<'_, object::LittleEndian>) -> bool {
    elf.elf_program_headers().iter().any(|segment| segment.p_type.get(object::LittleEndian) == elf::PT_INTERP)
}

fn runtimes(elf: &ElfFile64<'_, object::LittleEndian>, has_device_code: bool) -> Vec<Runtime> {
    let mut runtimes = Vec::new();
    if let Ok(dynamic) = elf.elf_dynamic_table() {
        for entry in dynamic.iter().filter(|entry| entry.tag == elf::DT_NEEDED) {
            let Ok(name) = dynamic.string(entry) else { continue };
            if name.starts_with(b"libcudart.so") || name.starts_with(b"libcuda.so") {
                runtimes.push(Runtime::Shared(String::from_utf8_lossy(name).into_owned()));
            }
        }
    }
    // The call that every program with device code makes first.
    let mut registers = elf
        .symbols()
        .chain(elf.dynamic_symbols())
        .filter(|symbol| symbol.name_bytes().is_ok_and(|name| name == b"__cudaRegisterFatBinary"));
    let first = registers.next();
    if first.as_ref().is_some_and(|symbol| symbol.is_definition()) {
        runtimes.push(Runtime::Static);
    } else if has_device_code && runtimes.is_empty() && first.is_none() {
        runtimes.push(Runtime::StaticStripped);
    }
    runtimes
}

/// Whether a file that starts with these bytes is a host executable that no dynamic loader starts, so that no library can be given to it.
/// The program headers must be among the bytes; else the answer is no.
pub fn is_static_executable(start: &[u8]) -> bool {
    use object::LittleEndian as LE;
    let Ok(header) = elf::FileHeader64::<LE>::parse(start) else { return false };
    let Ok(segments) = header.program_headers(LE, start) else { return false };
    let has = |ty| segments.iter().any(|segment| segment.p_type.get(LE) == ty);
    matches!(header.e_type(LE), elf::ET_EXEC | elf::ET_DYN) && has(elf::PT_LOAD) && !has(elf::PT_INTERP)
}
