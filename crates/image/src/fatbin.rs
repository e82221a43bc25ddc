//! Fat binaries: containers of device code.
//!
//! | at | header, 16 bytes or as long as it says | | at | entry header, 64 bytes or as long as it says |
//! |---|---|---|---|---|
//! | 0 | u32 magic `0xba55ed50` | | 0 | u16 kind: 1 PTX, 2 cubin, 8 LTO intermediate code |
//! | 4 | u16 version, 1 | | 4 | u32 length of this header |
//! | 6 | u16 length of this header | | 8 | u64 length of the payload that follows, padding included |
//! | 8 | u64 length of all entries | | 16 | u32 length of the compressed payload; 0 if it is not compressed |
//! | | | | 24 | u16 minor, u16 major version: of PTX, or of the cubin's ABI |
//! | | | | 28 | u32 architecture: 90 for `sm_90` |
//! | | | | 40 | u64 flags: `0x2000` LZ4, `0x8000` zstd, `0x10_0000` `sm_90a`, `0x20_0000` `sm_100f` |
//! | | | | 56 | u64 plain length of a compressed payload |
//!
//! Read off files that nvcc 13.0 made with each `--compress-mode` and several `-gencode` options.

use crate::decompress::{self, Compression};
use crate::{Architecture, Error, Variant, bytes, text};

/// The first four bytes, little-endian.
pub const MAGIC: u32 = 0xba55_ed50;
/// Bytes that [`size`] needs.
pub const HEADER_SIZE: usize = 16;

const ENTRY_HEADER_SIZE: usize = 64;
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;
const SPECIFIC: u64 = 0x10_0000;
const FAMILY: u64 = 0x20_0000;

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// PTX text.
    Ptx,
    /// A cubin: machine code in an ELF file.
    Elf,
    /// Intermediate code for link-time optimisation (nvcc `-dlto`).
    LtoIr,
    /// A kind that is not known here.
    Other(u16),
}

/// One entry of a fat binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// What it holds.
    pub kind: Kind,
    /// For which architecture.
    pub architecture: Architecture,
    /// Major and minor version: of PTX for PTX, of the cubin's ABI for machine code.
    pub version: (u16, u16),
    /// How the payload is stored; `None` if it is compressed in a way that is not known here.
    pub compression: Option<Compression>,
    /// Length in bytes of the decompressed payload.
    pub plain_length: u64,
    /// The payload as stored, without the padding after compressed data.
    pub payload: &'a [u8],
    /// Byte offset of the payload in the fat binary.
    pub offset: usize,
}

impl Entry<'_> {
    /// The PTX text, decompressed. Offsets of errors are in the fat binary.
    pub fn text(&self) -> Result<String, Error> {
        if self.kind != Kind::Ptx {
            return Err(Error::malformed(self.offset, "the entry is not PTX"));
        }
        let plain = self.plain(decompress::MAX_PLAIN_LENGTH)?;
        text::ptx_text(plain).map_err(|error| error.shifted(self.offset))
    }

    /// At most `limit` bytes of the decompressed payload.
    pub fn plain(&self, limit: u64) -> Result<Vec<u8>, Error> {
        let Some(compression) = self.compression else {
            return Err(Error::malformed(self.offset, "the entry is compressed in a way that is not known"));
        };
        decompress::decompress(self.payload, compression, self.plain_length, limit)
            .map_err(|error| error.shifted(self.offset))
    }
}

/// The length in bytes of the whole fat binary whose first [`HEADER_SIZE`] bytes are given.
pub fn size(header: &[u8]) -> Result<usize, Error> {
    let (header_size, entries_size) = header_lengths(header)?;
    usize::try_from(entries_size)
        .ok()
        .and_then(|entries| entries.checked_add(header_size))
        .filter(|&size| isize::try_from(size).is_ok())
        .ok_or_else(|| Error::malformed(8, format!("a fat binary of {entries_size} bytes is not possible")))
}

fn header_lengths(fatbin: &[u8]) -> Result<(usize, u64), Error> {
    const WHAT: &str = "the header of a fat binary";
    let magic = bytes::u32(fatbin, 0, WHAT)?;
    if magic != MAGIC {
        return Err(Error::malformed(0, format!("{magic:#010x} is not the magic number of a fat binary")));
    }
    let version = bytes::u16(fatbin, 4, WHAT)?;
    if version != 1 {
        return Err(Error::malformed(4, format!("fat binaries of version {version} are not known")));
    }
    let header_size = usize::from(bytes::u16(fatbin, 6, WHAT)?);
    if header_size < HEADER_SIZE {
        return Err(Error::malformed(6, format!("a fat binary header of {header_size} bytes is too short")));
    }
    Ok((header_size, bytes::u64(fatbin, 8, WHAT)?))
}

/// The entries of a fat binary, in order; bytes after its end are ignored. Payloads are not decompressed yet.
pub fn parse(fatbin: &[u8]) -> Result<Vec<Entry<'_>>, Error> {
    let size = size(fatbin)?;
    let fatbin = fatbin.get(..size).ok_or_else(|| {
        Error::malformed(8, format!("the fat binary claims {size} bytes, but only {} are there", fatbin.len()))
    })?;
    let mut entries = Vec::new();
    let mut at = header_lengths(fatbin)?.0;
    while at < size {
        let (entry, next) = entry(fatbin, at)?;
        entries.push(entry);
        at = next;
    }
    Ok(entries)
}

fn entry(fatbin: &[u8], at: usize) -> Result<(Entry<'_>, usize), Error> {
    const WHAT: &str = "the header of an entry";
    // Nothing here overflows: `at` is within a slice and each field's place is checked against it.
    let header_size = bytes::u32(fatbin, at + 4, WHAT)? as usize;
    if header_size < ENTRY_HEADER_SIZE {
        return Err(Error::malformed(at + 4, format!("an entry header of {header_size} bytes is too short")));
    }
    let payload_size = bytes::u64(fatbin, at + 8, WHAT)?;
    let offset = at + header_size;
    let end = usize::try_from(payload_size)
        .ok()
        .and_then(|payload| payload.checked_add(offset))
        .filter(|&end| end <= fatbin.len())
        .ok_or_else(|| {
            Error::malformed(at + 8, format!("an entry of {payload_size} bytes does not fit into the fat binary"))
        })?;
    let compressed_size = bytes::u32(fatbin, at + 16, WHAT)? as usize;
    let flags = bytes::u64(fatbin, at + 40, WHAT)?;
    let compression = match (compressed_size, flags & (LZ4 | ZSTD)) {
        (0, _) => Some(Compression::None),
        (_, LZ4) => Some(Compression::Lz4),
        (_, ZSTD) => Some(Compression::Zstd),
        _ => None,
    };
    let (payload, plain_length) = if compressed_size == 0 {
        (&fatbin[offset..end], payload_size)
    } else if compressed_size <= end - offset {
        (&fatbin[offset..offset + compressed_size], bytes::u64(fatbin, at + 56, WHAT)?)
    } else {
        return Err(Error::malformed(
            at + 16,
            format!("{compressed_size} compressed bytes do not fit into an entry of {payload_size}"),
        ));
    };
    let variant = match (flags & SPECIFIC != 0, flags & FAMILY != 0) {
        (true, _) => Variant::Specific,
        (false, true) => Variant::Family,
        (false, false) => Variant::Baseline,
    };
    let entry = Entry {
        kind: match bytes::u16(fatbin, at, WHAT)? {
            1 => Kind::Ptx,
            2 => Kind::Elf,
            8 => Kind::LtoIr,
            other => Kind::Other(other),
        },
        architecture: Architecture { number: bytes::u32(fatbin, at + 28, WHAT)?, variant },
        version: (bytes::u16(fatbin, at + 26, WHAT)?, bytes::u16(fatbin, at + 24, WHAT)?),
        compression,
        plain_length,
        payload,
        offset,
    };
    Ok((entry, end))
}
