//! A kernel may not write memory that host code is reading.
use hotfire_host::{Done, Kernel, Mapped, Result, Stream};

fn launch(kernel: &Kernel, values: &mut Mapped<f32>, done: &Done, stream: &Stream) -> Result<f32> {
    let reading = values.read(done)?;
    unsafe { kernel.over(1, 1).on(stream, &(&mut *values,)) }?;
    Ok(reading[0])
}

fn main() {}
