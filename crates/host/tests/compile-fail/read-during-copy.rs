//! The destination of an asynchronous copy is not host code's before the copy is complete.
use hotfire_host::{DeviceBuffer, Pinned, Result, Stream};

fn early(host: Pinned<u32>, source: DeviceBuffer<u32>, stream: &Stream) -> Result<u32> {
    let copy = host.copy_from(source, stream)?;
    let value = host[0];
    copy.wait()?;
    Ok(value)
}

fn main() {}
