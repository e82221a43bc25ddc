//! A chain of 64 small layers in the four forms: what programmatic launches and graphs give where kernels are short.

use hotfire_host::{Chain, DeviceBuffer, Error, Form, Module, Stream};
use serde_json::json;

use super::{Found, table};
use crate::plot::{Chart, Series};
use crate::tune::middle;

const LAYERS: usize = 64;
const THREADS: u32 = 256;

/// Microseconds of a layer, by size and form; `None` where the device has no graphs.
pub fn measure(stream: &Stream, quick: bool) -> Result<Found, Error> {
    let module = Module::from_ptx(stream.device(), "bench.ptx", super::trees::KERNELS)?;
    let layer = module.kernel("layer")?;
    let sizes: &[usize] = if quick { &[256] } else { &[256, 4096, 65_536, 1_048_576] };
    let runs = if quick { 3 } else { 51 };
    let mut rows = Vec::new();
    let mut series: Vec<Series> =
        Form::ALL.map(|form| Series { name: form.name().to_owned(), points: Vec::new() }).into();
    let mut told = Vec::new();
    for &size in sizes {
        let weight = DeviceBuffer::from_slice(stream, &vec![1.0f32; size])?;
        let bias = DeviceBuffer::from_slice(stream, &vec![1.0f32; size])?;
        let mut times = Vec::new();
        for form in Form::ALL {
            let buffers = [DeviceBuffer::<f32>::zeroed(stream, size)?, DeviceBuffer::zeroed(stream, size)?];
            let mut chain = Chain::new();
            for turn in 0..LAYERS {
                let launch = layer.over((size as u32).div_ceil(THREADS), THREADS);
                let (from, to) = (&buffers[turn % 2], &buffers[(turn + 1) % 2]);
                // SAFETY: four arrays of `size` floats, which live to the end of this loop, which waits.
                chain = unsafe { chain.kernel(launch, &(&weight, &bias, from, to, size as i32)) }?;
            }
            let mut ready = match chain.build(stream.device(), form) {
                Err(error) if error.is_unsupported() => {
                    times.push(None);
                    continue;
                }
                ready => ready?,
            };
            let mut time = || -> Result<f64, Error> {
                let begin = stream.record(true)?;
                // SAFETY: as above.
                unsafe { ready.run(stream) }?;
                let end = stream.record(true)?;
                end.synchronize()?;
                Ok(begin.milliseconds_to(&end)? * 1e3 / LAYERS as f64)
            };
            time()?;
            let expected = buffers[LAYERS % 2].read(stream)?[0];
            if expected != LAYERS as f32 {
                return Err(Error::Invalid("a chain of layers computed something else"));
            }
            times.push(Some(middle((0..runs).map(|_| time()))?));
        }
        for (series, time) in series.iter_mut().zip(&times) {
            series.points.extend(time.map(|time| (size as f64, time)));
        }
        let cells = times.iter().map(|time| time.map_or_else(|| "-".to_owned(), |time| format!("{time:.2}")));
        rows.push(std::iter::once(size.to_string()).chain(cells).collect());
        told.push(json!({ "elements": size, "microseconds": times }));
    }
    let mut head = vec!["elements"];
    head.extend(Form::ALL.map(Form::name));
    let chart = Chart {
        title: "A chain of 64 layers".to_owned(),
        x: "elements of a layer".to_owned(),
        y: "microseconds a layer".to_owned(),
        series,
    };
    Ok(Found {
        json: json!({ "layers": LAYERS, "forms": Form::ALL.map(Form::name), "sizes": told }),
        markdown: format!("Microseconds a layer, median of {runs} chains of {LAYERS}.\n\n{}", table(&head, &rows)),
        pictures: vec![("layers".to_owned(), chart.svg())],
    })
}
