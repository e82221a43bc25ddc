//! A launch is a promise about the kernel, and says so.
use hotfire_host::{DeviceBuffer, Kernel, Result, Stream};

fn launch(kernel: &Kernel, values: &mut DeviceBuffer<f32>, stream: &Stream) -> Result<()> {
    kernel.over(1, 1).on(stream, &(values,))
}

fn main() {}
