//! A pointer to host memory that is not mapped is no argument of a kernel.
use hotfire_host::{Kernel, Result, Stream};

fn launch(kernel: &Kernel, values: &mut Vec<f32>, stream: &Stream) -> Result<()> {
    unsafe { kernel.over(1, 1).on(stream, &(values.as_mut_ptr(),)) }
}

fn main() {}
