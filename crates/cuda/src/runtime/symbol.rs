//! Device variables by their host shadow.

use hotfire_device::{Direction, Mode, Status, Stream};

use crate::copies::{direction, linear};
use crate::export::export;
use crate::pointer::Out;
use crate::registration::variable;
use crate::types::{Address, Handle};

/// The bytes of a variable that a copy names.
fn part(symbol: u64, offset: usize, bytes: usize) -> Result<u64, Status> {
    let (address, size) = variable(symbol)?;
    let end = (offset as u64).checked_add(bytes as u64).ok_or(Status::INVALID_VALUE)?;
    if end > size { Err(Status::INVALID_VALUE) } else { Ok(address + offset as u64) }
}

/// The bytes of a variable that is copied to, and the direction.
pub(crate) fn target(symbol: u64, offset: usize, bytes: usize, kind: u32) -> Result<(u64, Direction), Status> {
    match direction(kind)? {
        direction @ (Direction::HostToDevice | Direction::DeviceToDevice | Direction::Default) => {
            Ok((part(symbol, offset, bytes)?, direction))
        }
        _ => Err(Status::INVALID_MEMCPY_DIRECTION),
    }
}

/// The bytes of a variable that is copied from, and the direction.
pub(crate) fn source(symbol: u64, offset: usize, bytes: usize, kind: u32) -> Result<(u64, Direction), Status> {
    match direction(kind)? {
        direction @ (Direction::DeviceToHost | Direction::DeviceToDevice | Direction::Default) => {
            Ok((part(symbol, offset, bytes)?, direction))
        }
        _ => Err(Status::INVALID_MEMCPY_DIRECTION),
    }
}

fn to(
    symbol: u64,
    from: u64,
    bytes: usize,
    offset: usize,
    kind: u32,
    stream: Stream,
    mode: Mode,
) -> Result<(), Status> {
    let (to, direction) = target(symbol, offset, bytes, kind)?;
    linear(to, from, bytes, direction, stream, mode)
}

fn from(
    symbol: u64,
    to: u64,
    bytes: usize,
    offset: usize,
    kind: u32,
    stream: Stream,
    mode: Mode,
) -> Result<(), Status> {
    let (from, direction) = source(symbol, offset, bytes, kind)?;
    linear(to, from, bytes, direction, stream, mode)
}

export! {
    /// Address of a variable.
    runtime fn cudaGetSymbolAddress(out: Out<Address>, symbol: u64) {
        out.check()?;
        out.set(variable(symbol)?.0)
    }

    /// Size of a variable.
    runtime fn cudaGetSymbolSize(out: Out<usize>, symbol: u64) {
        out.check()?;
        out.set(variable(symbol)?.1 as usize)
    }

    /// Copies into a variable.
    runtime fn cudaMemcpyToSymbol | cudaMemcpyToSymbol_ptds as default (symbol: u64, source: Address, bytes: usize,
        offset: usize, kind: u32) {
        to(symbol, source, bytes, offset, kind, default.stream(), Mode::Sync)
    }

    /// Copies out of a variable.
    runtime fn cudaMemcpyFromSymbol | cudaMemcpyFromSymbol_ptds as default (destination: Address, symbol: u64, bytes: usize,
        offset: usize, kind: u32) {
        from(symbol, destination, bytes, offset, kind, default.stream(), Mode::Sync)
    }

    /// Copies into a variable in stream order.
    runtime fn cudaMemcpyToSymbolAsync | cudaMemcpyToSymbolAsync_ptsz as default (symbol: u64, source: Address, bytes: usize,
        offset: usize, kind: u32, stream: Handle) {
        to(symbol, source, bytes, offset, kind, default.resolve(stream), Mode::Async)
    }

    /// Copies out of a variable in stream order.
    runtime fn cudaMemcpyFromSymbolAsync | cudaMemcpyFromSymbolAsync_ptsz as default (destination: Address, symbol: u64,
        bytes: usize, offset: usize, kind: u32, stream: Handle) {
        from(symbol, destination, bytes, offset, kind, default.resolve(stream), Mode::Async)
    }
}
