//! Payloads of fat binary entries as plain bytes.
//!
//! nvcc's `--compress-mode`: `size` and `balance` use zstd (RFC 8878), `speed` an LZ4 block without a frame, `none` nothing. The plain length stands in
//! the entry's header and bounds everything here: a payload that yields another length is malformed.

use crate::Error;
use std::io::Read;

/// No PTX text or cubin comes near this; a header that declares more is damaged.
pub(crate) const MAX_PLAIN_LENGTH: u64 = 512 << 20;

/// LZ4 encodes at most 255 bytes of output in one byte of input, after the token.
const LZ4_MAX_RATIO: u64 = 255;

/// zstd's own default limit for decoders is 128 MiB (`ZSTD_WINDOWLOG_LIMIT_DEFAULT`).
const MAX_WINDOW: u64 = 128 << 20;

/// How a payload is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// As it is.
    None,
    /// One LZ4 block.
    Lz4,
    /// One zstd frame.
    Zstd,
}

/// Decompresses at most `limit` bytes of a payload of `plain_length` bytes. Offsets of errors are relative to `payload`.
pub(crate) fn decompress(
    payload: &[u8],
    compression: Compression,
    plain_length: u64,
    limit: u64,
) -> Result<Vec<u8>, Error> {
    if plain_length > MAX_PLAIN_LENGTH {
        return Err(Error::malformed(0, format!("an entry claims to hold {plain_length} bytes when decompressed")));
    }
    match compression {
        Compression::None => Ok(payload[..payload.len().min(usize::try_from(limit).unwrap_or(usize::MAX))].to_vec()),
        Compression::Lz4 => lz4(payload, plain_length),
        Compression::Zstd => zstd(payload, plain_length, limit),
    }
}

fn lz4(payload: &[u8], plain_length: u64) -> Result<Vec<u8>, Error> {
    if plain_length > (payload.len() as u64).saturating_mul(LZ4_MAX_RATIO) {
        return Err(Error::malformed(
            0,
            format!("{} bytes of LZ4 cannot hold the {plain_length} bytes that are declared", payload.len()),
        ));
    }
    let mut plain = vec![0; plain_length as usize];
    match lz4_flex::block::decompress_into(payload, &mut plain) {
        Ok(length) if length as u64 == plain_length => Ok(plain),
        Ok(length) => Err(wrong_length("LZ4", length as u64, plain_length)),
        Err(error) => Err(Error::malformed(0, format!("damaged LZ4 data: {error}"))),
    }
}

fn zstd(payload: &[u8], plain_length: u64, limit: u64) -> Result<Vec<u8>, Error> {
    let damaged = |error: &dyn std::fmt::Display| Error::malformed(0, format!("damaged zstd data: {error}"));
    let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(payload, MAX_WINDOW)
        .map_err(|error| damaged(&error))?;
    // One byte more than allowed tells a payload that is too long. The vector grows with what really comes out.
    let mut plain = Vec::new();
    decoder.take(limit.min(plain_length + 1)).read_to_end(&mut plain).map_err(|error| damaged(&error))?;
    let length = plain.len() as u64;
    if length != plain_length.min(limit) {
        return Err(wrong_length("zstd", length, plain_length));
    }
    Ok(plain)
}

fn wrong_length(method: &str, length: u64, declared: u64) -> Error {
    let more = if length > declared { "at least " } else { "" };
    Error::malformed(0, format!("the {method} data holds {more}{length} bytes, but {declared} are declared"))
}
