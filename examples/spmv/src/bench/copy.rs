//! The bandwidth of copies in device memory, which products are held against.

use hotfire_host::{Chain, DeviceBuffer, Error, Form, Stream};

use crate::tune::middle;

/// Bytes a second, read and written counted, of copies of that many bytes.
pub fn bandwidth(stream: &Stream, bytes: usize) -> Result<f64, Error> {
    let from = DeviceBuffer::<u8>::zeroed(stream, bytes)?;
    let to = DeviceBuffer::<u8>::zeroed(stream, bytes)?;
    // SAFETY: both buffers have so many bytes and live to the end of this function, which waits.
    let chain = unsafe { Chain::new().copy(from.address(), to.address(), bytes) };
    let mut copy = chain.build(stream.device(), Form::Stream)?;
    let mut time = || -> Result<f64, Error> {
        let begin = stream.record(true)?;
        // SAFETY: as above.
        unsafe { copy.run(stream) }?;
        let end = stream.record(true)?;
        end.synchronize()?;
        begin.milliseconds_to(&end)
    };
    time()?;
    let milliseconds = middle((0..9).map(|_| time()))?;
    Ok(2.0 * bytes as f64 / (milliseconds / 1e3))
}
