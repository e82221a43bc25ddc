//! Finds the PTX in what a CUDA program carries: executables, shared objects, relocatable objects, archives, fat binaries.
//!
//! nvcc puts device code into *fat binaries* ([`fatbin`]): containers whose entries are PTX text or machine code, each for one
//! architecture, often compressed. A fat binary holds alternatives for *one* translation unit, or for one linked program. The host
//! registers it through a *wrapper* ([`Wrapper`]); with `-rdc=true` the registered fat binary is the linked machine code, and the PTX is
//! in the fat binaries of the units that were linked, which the version 2 wrapper lists. [`program`] answers the PTX texts that together
//! are the program; [`container`] looks into whole files.
//!
//! The layout is not documented; what is here was read off files that nvcc 13.0 made with known options (see [`fatbin`]). All input
//! is untrusted: every size is checked against the bytes that are there, and decompression is bounded by the declared plain length.
//! This crate knows nothing of PTX's grammar, of processes and of pointers.

#![forbid(unsafe_code)]

mod architecture;
mod bytes;
pub mod container;
mod decompress;
mod error;
pub mod fatbin;
pub mod machine_code;
mod select;
mod text;
mod wrapper;

pub use architecture::{Architecture, Variant};
pub use decompress::Compression;
pub use error::{Error, ErrorKind};
pub use select::{Unit, program, select};
pub use text::{defines_device_runtime, ptx_text};
pub use wrapper::Wrapper;

/// What a pointer handed to a module loader points at, told from its first four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A fat binary: its length is [`fatbin::size`] of its first 16 bytes.
    Fatbin,
    /// A wrapper of [`Wrapper::SIZE`] bytes that points to a fat binary.
    Wrapper,
    /// An ELF file: machine code (a cubin), or a host executable or object.
    Elf,
    /// An archive of relocatable objects.
    Archive,
    /// Anything else; PTX text if it is text, terminated by a zero byte in memory.
    Text,
}

impl Format {
    /// Tells the format from the first bytes; four are enough.
    pub fn of(first: &[u8]) -> Format {
        match first {
            [0x50, 0xed, 0x55, 0xba, ..] => Format::Fatbin,
            [0xb1, 0x43, 0x62, 0x46, ..] => Format::Wrapper,
            [0x7f, b'E', b'L', b'F', ..] => Format::Elf,
            [b'!', b'<', b'a' | b't', _, ..] => Format::Archive,
            _ => Format::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_from_four_bytes() {
        assert_eq!(Format::of(&0xba55_ed50_u32.to_le_bytes()), Format::Fatbin);
        assert_eq!(Format::of(&0x4662_43b1_u32.to_le_bytes()), Format::Wrapper);
        assert_eq!(Format::of(b"\x7fELF"), Format::Elf);
        assert_eq!(Format::of(b"!<arch>\n"), Format::Archive);
        assert_eq!(Format::of(b"!<thin>\n"), Format::Archive);
        assert_eq!(Format::of(b".version 9.0"), Format::Text);
        assert_eq!(Format::of(b""), Format::Text);
    }
}
