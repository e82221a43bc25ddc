//! The product on a CUDA device, through the driver API alone.

use std::sync::Arc;

use cudarc::driver::sys::{CUdeviceptr, CUevent_flags, CUlimit};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError, LaunchConfig,
    PushKernelArg, ValidAsZeroBits,
};

use crate::matrix::Matrix;
use crate::strategy::Strategy;

/// Threads a block, as the kernels assume.
const THREADS: usize = 256;

/// `struct Csr` of the kernels.
#[repr(C)]
#[derive(Clone, Copy)]
struct Csr {
    start: CUdeviceptr,
    column: CUdeviceptr,
    value: CUdeviceptr,
    rows: i32,
    heavy: i32,
}

/// `struct Launches` of the kernels: what they tell of their device launches.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Launches {
    /// Launched for heavy rows.
    pub children: i32,
    /// Tail launches.
    pub tails: i32,
    /// Heavy rows whose launch was refused.
    pub lost: i32,
    /// Tail launches that were refused.
    pub lost_tails: i32,
    /// Error of a refused launch.
    pub error: i32,
    /// Launched and not yet at their end.
    pub pending: i32,
    /// The most that were seen pending at once.
    pub peak: i32,
    heavy: u32,
    partials: u32,
    tickets: u32,
}

/// `struct Scratch` of the kernels.
#[repr(C)]
#[derive(Clone, Copy)]
struct Scratch {
    launches: CUdeviceptr,
    lost_rows: CUdeviceptr,
    heavy_rows: CUdeviceptr,
    partial_rows: CUdeviceptr,
    partials: CUdeviceptr,
    finished: CUdeviceptr,
}

// SAFETY: `repr(C)`, plain integers only, laid out as the kernels declare it.
unsafe impl DeviceRepr for Csr {}
// SAFETY: as above.
unsafe impl DeviceRepr for Launches {}
// SAFETY: all bytes zero are the number zero in every field.
unsafe impl ValidAsZeroBits for Launches {}
// SAFETY: as above.
unsafe impl DeviceRepr for Scratch {}

/// One run's result.
#[derive(Debug)]
pub struct Outcome {
    pub y: Vec<f32>,
    pub launches: Launches,
    pub lost_rows: Vec<i32>,
    pub milliseconds: f32,
}

/// A matrix and a vector on the device, with the kernels' scratch memory.
pub struct Device {
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
    rows: usize,
    csr: Csr,
    x: CudaSlice<f32>,
    launches: CudaSlice<Launches>,
    lost_rows: CudaSlice<i32>,
    finished: CudaSlice<u32>,
    scratch: Scratch,
    /// Reached through the addresses in `csr` and `scratch` only.
    _kept: (Vec<CudaSlice<i32>>, CudaSlice<f32>, CudaSlice<f32>),
}

impl Device {
    pub fn new(
        context: &Arc<CudaContext>,
        module: Arc<CudaModule>,
        matrix: &Matrix,
        x: &[f32],
        heavy: usize,
    ) -> Result<Self, DriverError> {
        let stream = context.default_stream();
        let heavy_lengths = || matrix.lengths().filter(|&length| length > heavy);
        let heavy_rows = heavy_lengths().count().max(1);
        let sums = heavy_lengths().map(|length| length.div_ceil(THREADS).min(1024)).sum::<usize>().max(1);

        // A device allocation of nothing is an error, and a matrix may have no entries.
        let start = stream.clone_htod(&matrix.start)?;
        let column = stream.clone_htod(if matrix.column.is_empty() { &[0][..] } else { &matrix.column })?;
        let value = stream.clone_htod(if matrix.value.is_empty() { &[0.0][..] } else { &matrix.value })?;
        let x = stream.clone_htod(if x.is_empty() { &[0.0][..] } else { x })?;
        let launches = stream.alloc_zeros::<Launches>(1)?;
        let lost_rows = stream.alloc_zeros::<i32>(heavy_rows)?;
        let heavy_list = stream.alloc_zeros::<i32>(heavy_rows)?;
        let partial_rows = stream.alloc_zeros::<i32>(3 * heavy_rows)?;
        let partials = stream.alloc_zeros::<f32>(sums)?;
        let finished = stream.alloc_zeros::<u32>(heavy_rows)?;

        let csr = Csr {
            start: address(&start, &stream),
            column: address(&column, &stream),
            value: address(&value, &stream),
            rows: matrix.rows() as i32,
            heavy: heavy as i32,
        };
        let scratch = Scratch {
            launches: address(&launches, &stream),
            lost_rows: address(&lost_rows, &stream),
            heavy_rows: address(&heavy_list, &stream),
            partial_rows: address(&partial_rows, &stream),
            partials: address(&partials, &stream),
            finished: address(&finished, &stream),
        };
        let kept = (vec![start, column, heavy_list, partial_rows], value, partials);
        let rows = matrix.rows();
        Ok(Self { stream, module, rows, csr, x, launches, lost_rows, finished, scratch, _kept: kept })
    }

    /// Runs one strategy from fresh memory to the end.
    pub fn run(&mut self, strategy: Strategy) -> Result<Outcome, DriverError> {
        let stream = self.stream.clone();
        // Not a number in every row: one that nobody writes is found.
        let y = stream.clone_htod(&vec![f32::NAN; self.rows])?;
        stream.memset_zeros(&mut self.launches)?;
        stream.memset_zeros(&mut self.finished)?;
        let y_address = address(&y, &stream);

        let begin = stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        self.launch(strategy.kernel(), self.rows.div_ceil(THREADS), y_address, strategy != Strategy::Inline)?;
        if strategy == Strategy::TwoPass {
            let listed = stream.clone_dtoh(&self.launches)?[0].heavy as usize;
            if listed > 0 {
                self.launch("heavy_list", listed, y_address, true)?;
            }
        }
        let end = stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        let milliseconds = begin.elapsed_ms(&end)?;

        let launches = stream.clone_dtoh(&self.launches)?[0];
        let mut lost_rows = stream.clone_dtoh(&self.lost_rows)?;
        lost_rows.truncate(launches.lost as usize);
        Ok(Outcome { y: stream.clone_dtoh(&y)?, launches, lost_rows, milliseconds })
    }

    fn launch(&self, kernel: &str, blocks: usize, y: CUdeviceptr, with_scratch: bool) -> Result<(), DriverError> {
        let kernel: CudaFunction = self.module.load_function(kernel)?;
        let shape =
            LaunchConfig { grid_dim: (blocks as u32, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 };
        let mut launch = self.stream.launch_builder(&kernel);
        launch.arg(&self.csr).arg(&self.x).arg(&y);
        if with_scratch {
            launch.arg(&self.scratch);
        }
        // SAFETY: the arguments are those that the kernels declare. They read the matrix and x, whose indices are in range, and write y and
        // the scratch memory, which has an entry for each heavy row; all of it outlives the synchronisation in `run`.
        unsafe { launch.launch(shape) }.map(drop)
    }
}

/// All work is in one stream, so that nothing needs the events that come with an address.
fn address<T>(slice: &CudaSlice<T>, stream: &CudaStream) -> CUdeviceptr {
    slice.device_ptr(stream).0
}

/// Sets the number of slots for pending device launches, and returns how many the device gave.
pub fn set_pool(context: &CudaContext, slots: usize) -> Result<usize, DriverError> {
    let limit = CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT;
    context.set_limit(limit, slots)?;
    context.get_limit(limit)
}
