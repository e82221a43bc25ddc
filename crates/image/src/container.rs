//! Files that carry device code: what `hotfire inspect` looks into.
//!
//! nvcc puts fat binaries into the ELF section `.nv_fatbin` (whole programs and linked device code) and into `__nv_relfatbin` (the units of `-rdc=true`,
//! to be linked). Relocatable objects, and archives of them, have the same sections. Fat binaries, cubins and PTX also stand alone as files.

mod host;

use crate::fatbin::{self, Entry};
use crate::{Architecture, Error, Format, machine_code, text};
use object::read::archive::ArchiveFile;
use std::ops::ControlFlow;

pub use host::{Runtime, is_static_executable};

/// What was found in a file.
#[derive(Debug)]
pub struct Contents<'a> {
    /// What the file is.
    pub form: Form,
    /// How its host code reaches CUDA; empty for what has no host code.
    pub runtimes: Vec<Runtime>,
    /// Fat binaries, PTX and cubins, in the order of the file.
    pub images: Vec<Image<'a>>,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A host executable, position-independent or not.
    Executable,
    /// A host shared object.
    SharedObject,
    /// A relocatable host object.
    Object,
    /// An archive.
    Archive,
    /// A fat binary by itself.
    Fatbin,
    /// A cubin by itself.
    Cubin,
    /// PTX text.
    Ptx,
}

/// One piece of device code in a file.
#[derive(Debug)]
pub struct Image<'a> {
    /// The member of the archive that it is in.
    pub member: Option<String>,
    /// What it is for.
    pub role: Role,
    /// Its byte offset in the file.
    pub offset: usize,
    /// What it holds.
    pub code: Code<'a>,
}

/// What an image is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// In `.nv_fatbin`: registered and loaded as it is.
    Loaded,
    /// In `__nv_relfatbin`: a unit that was, or is to be, linked with others.
    Unit,
    /// The file itself.
    Alone,
}

/// Device code.
#[derive(Debug)]
pub enum Code<'a> {
    /// The entries of a fat binary.
    Fatbin(Vec<Entry<'a>>),
    /// PTX text.
    Ptx(String),
    /// A cubin.
    Cubin(Architecture),
    /// Something that begins like a fat binary but is damaged. Its offset is in the file.
    Damaged(Error),
}

/// Looks into a file, whatever it is. Damaged fat binaries inside are part of the answer; an error means that the file as a whole is not
/// understood.
pub fn inspect(file: &[u8]) -> Result<Contents<'_>, Error> {
    let alone = |form, code| Contents {
        form,
        runtimes: Vec::new(),
        images: vec![Image { member: None, role: Role::Alone, offset: 0, code }],
    };
    match Format::of(file) {
        Format::Fatbin => Ok(alone(Form::Fatbin, Code::Fatbin(fatbin::parse(file)?))),
        Format::Elf => match machine_code::architecture(file) {
            Some(architecture) => Ok(alone(Form::Cubin, Code::Cubin(architecture))),
            None => host::inspect(file),
        },
        Format::Archive => archive(file),
        Format::Wrapper => Err(Error::malformed(0, "a fat binary wrapper is meaningful only in memory")),
        Format::Text => {
            if !looks_like_ptx(file) {
                return Err(Error::malformed(0, "this is neither an ELF file, an archive, a fat binary nor PTX"));
            }
            Ok(alone(Form::Ptx, Code::Ptx(text::ptx_text(file.to_vec())?)))
        }
    }
}

/// PTX begins with comments and then `.version` (PTX ISA 11.1.1); a page of text is searched for it.
fn looks_like_ptx(file: &[u8]) -> bool {
    let page = &file[..file.len().min(1 << 16)];
    page.windows(b".version".len()).any(|window| window == b".version")
}

fn archive(file: &[u8]) -> Result<Contents<'_>, Error> {
    let damaged = |error: object::Error| Error::malformed(0, format!("damaged archive: {error}"));
    let archive = ArchiveFile::parse(file).map_err(damaged)?;
    if archive.is_thin() {
        return Err(Error::malformed(0, "a thin archive only names other files: inspect those"));
    }
    let mut contents = Contents { form: Form::Archive, runtimes: Vec::new(), images: Vec::new() };
    for member in archive.members() {
        let member = member.map_err(damaged)?;
        let data = member.data(file).map_err(damaged)?;
        // Other members (import lists, text) are no concern of ours; damaged objects are for the linker to complain about.
        if Format::of(data) != Format::Elf {
            continue;
        }
        let Ok(inside) = host::inspect(data) else { continue };
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let base = usize::try_from(member.file_range().0).unwrap_or(0);
        for mut image in inside.images {
            image.member = Some(name.clone());
            image.offset = image.offset.saturating_add(base);
            if let Code::Damaged(error) = image.code {
                image.code = Code::Damaged(error.shifted(base));
            }
            contents.images.push(image);
        }
    }
    Ok(contents)
}

/// The fat binaries in a section, each at a multiple of eight. `found` gets the offset in the section.
fn scan<'a>(section: &'a [u8], mut found: impl FnMut(usize, Result<Vec<Entry<'a>>, Error>) -> ControlFlow<()>) {
    let mut at = 0;
    while at < section.len() {
        let rest = &section[at..];
        // Zeros pad the space between two; anything else is passed over the same way.
        let mut length = 8;
        if Format::of(rest) == Format::Fatbin {
            let parsed = fatbin::parse(rest);
            if parsed.is_ok() {
                length = fatbin::size(rest).map_or(8, |size| size.next_multiple_of(8));
            }
            if found(at, parsed.map_err(|error| error.shifted(at))).is_break() {
                return;
            }
        }
        at = at.saturating_add(length);
    }
}
