//! The smallest CUDA client in Rust: adds two vectors on the device and checks every element.
//!
//! An ordinary program for the CUDA driver, which it loads when it starts. `hotfire doctor` runs it to see whether everything works.

use cudarc::driver::{CudaContext, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::process::ExitCode;

const ELEMENTS: usize = 1 << 20;

fn main() -> ExitCode {
    match add() {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn add() -> Result<String, String> {
    let a: Vec<f32> = (0..ELEMENTS).map(|i| i as f32 * 0.5).collect();
    let b: Vec<f32> = (0..ELEMENTS).map(|i| 1.0 - (i % 1000) as f32).collect();
    let (c, name) = on_device(&a, &b).map_err(|error| format!("CUDA: {error}"))?;
    match (0..ELEMENTS).find(|&i| c[i] != a[i] + b[i]) {
        Some(i) => Err(format!("element {i} is {}, but {} + {} = {}", c[i], a[i], b[i], a[i] + b[i])),
        None => Ok(format!("{ELEMENTS} elements on {name}, all correct")),
    }
}

fn on_device(a: &[f32], b: &[f32]) -> Result<(Vec<f32>, String), DriverError> {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let module = context.load_module(Ptx::from_src(include_str!("add.ptx")))?;
    let kernel = module.load_function("add")?;

    let (a, b) = (stream.clone_htod(a)?, stream.clone_htod(b)?);
    let mut c = stream.alloc_zeros::<f32>(ELEMENTS)?;
    let elements = ELEMENTS as u64;
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&a).arg(&b).arg(&mut c).arg(&elements);
    // SAFETY: the kernel takes three pointers to `elements` floats and their number, and keeps within them.
    unsafe { launch.launch(LaunchConfig::for_num_elems(ELEMENTS as u32)) }?;
    Ok((stream.clone_dtoh(&c)?, context.name()?))
}
