//! Little-endian numbers at checked places.

use crate::Error;

/// The `N` bytes at `offset`.
pub(crate) fn array<const N: usize>(bytes: &[u8], offset: usize, what: &str) -> Result<[u8; N], Error> {
    bytes
        .get(offset..)
        .and_then(|rest| rest.first_chunk::<N>())
        .copied()
        .ok_or_else(|| Error::malformed(offset, format!("the image ends within {what}")))
}

pub(crate) fn u16(bytes: &[u8], offset: usize, what: &str) -> Result<u16, Error> {
    array(bytes, offset, what).map(u16::from_le_bytes)
}

pub(crate) fn u32(bytes: &[u8], offset: usize, what: &str) -> Result<u32, Error> {
    array(bytes, offset, what).map(u32::from_le_bytes)
}

pub(crate) fn u64(bytes: &[u8], offset: usize, what: &str) -> Result<u64, Error> {
    array(bytes, offset, what).map(u64::from_le_bytes)
}
