//! Nor is the source, nor the device's side.
use hotfire_host::{DeviceBuffer, Pinned, Result, Stream};

fn early(mut host: Pinned<u32>, target: DeviceBuffer<u32>, stream: &Stream) -> Result<()> {
    let copy = host.copy_to(target, stream)?;
    host[0] = 1;
    drop(target);
    copy.wait().map(drop)
}

fn main() {}
