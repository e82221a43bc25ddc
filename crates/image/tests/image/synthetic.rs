//! Images as nvcc and the host linker lay them out, built from nothing.

use std::io::Cursor;

/// How an entry is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    Plain,
    Lz4,
    Zstd,
}

pub const PTX: u16 = 1;
pub const ELF: u16 = 2;
pub const SPECIFIC: u64 = 0x10_0000;
pub const FAMILY: u64 = 0x20_0000;

/// One entry of a fat binary.
pub fn entry(kind: u16, architecture: u32, flags: u64, stored: Stored, plain: &[u8]) -> Vec<u8> {
    let (payload, compressed, flag) = match stored {
        Stored::Plain => (plain.to_vec(), false, 0),
        Stored::Lz4 => (lz4_flex::block::compress(plain), true, 0x2000),
        Stored::Zstd => (zstd(plain), true, 0x8000),
    };
    let padded = payload.len().next_multiple_of(8);
    // PTX entries carry the compiler's options behind the header.
    let header = if kind == PTX { 80_u32 } else { 64 };
    let mut bytes = Vec::new();
    bytes.extend(kind.to_le_bytes());
    bytes.extend(0x0101_u16.to_le_bytes());
    bytes.extend(header.to_le_bytes());
    bytes.extend((padded as u64).to_le_bytes());
    bytes.extend((if compressed { payload.len() as u32 } else { 0 }).to_le_bytes());
    bytes.extend((if kind == PTX { 64_u32 } else { 0 }).to_le_bytes());
    bytes.extend([0, 0, 9, 0]);
    bytes.extend(architecture.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend((0x11 | flags | flag).to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend((if compressed { plain.len() as u64 } else { 0 }).to_le_bytes());
    bytes.resize(header as usize, 0);
    bytes.extend(payload);
    bytes.resize(header as usize + padded, 0);
    bytes
}

fn zstd(plain: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(Cursor::new(plain), ruzstd::encoding::CompressionLevel::Fastest)
}

/// A fat binary of these entries.
pub fn fatbin(entries: &[Vec<u8>]) -> Vec<u8> {
    let entries = entries.concat();
    let mut bytes = Vec::new();
    bytes.extend(0xba55_ed50_u32.to_le_bytes());
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend(16_u16.to_le_bytes());
    bytes.extend((entries.len() as u64).to_le_bytes());
    bytes.extend(entries);
    bytes
}

/// A 64-bit little-endian x86-64 ELF file of type `ty` (1 object, 2 executable, 3 shared object) with these sections.
pub fn elf(ty: u16, sections: &[(&str, &[u8])]) -> Vec<u8> {
    const HEADER: usize = 64;
    let mut names = vec![0];
    let mut data = vec![0; HEADER];
    // Name, type, offset, size of each section; the first is the null section.
    let mut headers = vec![(0, 0_u32, 0, 0)];
    for (name, bytes) in sections {
        data.resize(data.len().next_multiple_of(8), 0);
        headers.push((names.len(), 1, data.len(), bytes.len()));
        names.extend(name.as_bytes());
        names.push(0);
        data.extend(*bytes);
    }
    headers.push((names.len(), 3, data.len(), 0));
    names.extend(b".shstrtab\0");
    headers.last_mut().expect("pushed above").3 = names.len();
    data.extend(&names);
    data.resize(data.len().next_multiple_of(8), 0);
    let table = data.len();
    for (name, ty, offset, size) in &headers {
        data.extend((*name as u32).to_le_bytes());
        data.extend(ty.to_le_bytes());
        data.extend([0; 16]);
        data.extend((*offset as u64).to_le_bytes());
        data.extend((*size as u64).to_le_bytes());
        data.extend([0; 8]);
        data.extend(8_u64.to_le_bytes());
        data.extend([0; 8]);
    }
    data[..16].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    let mut header = Vec::new();
    header.extend(ty.to_le_bytes());
    header.extend(62_u16.to_le_bytes());
    header.extend(1_u32.to_le_bytes());
    header.extend([0; 16]);
    header.extend((table as u64).to_le_bytes());
    header.extend([0; 4]);
    for half in [64_u16, 56, 0, 64, headers.len() as u16, headers.len() as u16 - 1] {
        header.extend(half.to_le_bytes());
    }
    data[16..HEADER].copy_from_slice(&header);
    data
}

/// A System V archive of these members; names must be shorter than 16 bytes.
pub fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, data) in members {
        bytes.extend(
            format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("{name}/"), 0, 0, 0, 644, data.len()).bytes(),
        );
        bytes.extend(*data);
        if data.len() % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    bytes
}
