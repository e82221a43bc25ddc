//! The product on a CUDA device.

mod layout;

use hotfire_host::{
    Chain, Covered, Device, DeviceBuffer, FailureLedger, Failures, Form, Kernel, LaunchPool, Mapped, Module, Ready,
    Stream,
};

use crate::plant::Plant;
use crate::strategy::Strategy;
pub use layout::Launches;
use layout::{Carry, Csr, Scratch};
use spmv::matrix::Matrix;

/// Threads a block, as the kernels assume.
const THREADS: usize = 256;
/// Steps of the merged path that a block takes.
const MERGE_TILE: usize = 2048;

const KERNELS: &str = include_str!("../kernels/spmv.ptx");

type Result<T> = hotfire_host::Result<T>;

/// One run's result.
#[derive(Debug)]
pub struct Outcome {
    pub y: Vec<f32>,
    pub launches: Launches,
    pub failures: Option<Failures>,
    pub lost_rows: Vec<i32>,
    pub milliseconds: f64,
}

struct Kernels {
    inline: Kernel,
    cdp: Kernel,
    cdp_deterministic: Kernel,
    worklist: Kernel,
    light: Kernel,
    publish: Kernel,
    heavy_list: Kernel,
}

/// A matrix and a vector on the device, with the kernels' scratch memory.
pub struct Product {
    stream: Stream,
    kernels: Kernels,
    rows: usize,
    csr: Csr,
    x: DeviceBuffer<f32>,
    y: Covered<f32>,
    launches: DeviceBuffer<Launches>,
    ledger: FailureLedger,
    lost_rows: DeviceBuffer<i32>,
    finished: DeviceBuffer<u32>,
    /// How many heavy rows there are, told to the host by the device.
    heavy_rows: Mapped<u32>,
    scratch: Scratch,
    merge: Ready,
    plant: Option<Plant>,
    /// Reached through the addresses in `csr` and `scratch`, and by the chain.
    kept: Kept,
}

struct Kept {
    start: DeviceBuffer<i32>,
    column: DeviceBuffer<i32>,
    value: DeviceBuffer<f32>,
    _lists: [DeviceBuffer<i32>; 3],
    _partials: DeviceBuffer<f32>,
    _carries: DeviceBuffer<Carry>,
}

/// Launches that may be pending at once: one for each heavy row, and the tail.
pub fn pending(matrix: &Matrix, heavy: usize) -> usize {
    matrix.lengths().filter(|&length| length > heavy).count() + 1
}

impl Product {
    /// Copies the matrix. `lightest` is the lowest threshold that will be asked for. The pool was sized for it.
    pub fn new(
        device: &Device,
        _pool: &LaunchPool,
        matrix: &Matrix,
        x: &[f32],
        lightest: usize,
        plant: Option<Plant>,
    ) -> Result<Self> {
        let stream = Stream::new(device)?;
        let module = Module::from_ptx(device, "spmv.ptx", KERNELS)?;
        let planted = |planted: Plant, name, right| module.kernel(if plant == Some(planted) { name } else { right });
        let kernels = Kernels {
            inline: module.kernel("spmv_inline")?,
            cdp: planted(Plant::NoFailureCheck, "planted_cdp_unchecked", "spmv_cdp")?,
            cdp_deterministic: module.kernel("spmv_cdp_deterministic")?,
            worklist: module.kernel("spmv_worklist")?,
            light: module.kernel("spmv_light")?,
            publish: module.kernel("publish_heavy")?,
            heavy_list: module.kernel("heavy_list")?,
        };
        let heavy_lengths = || matrix.lengths().filter(|&length| length > lightest);
        let heavy = heavy_lengths().count();
        let sums = heavy_lengths().map(|length| length.div_ceil(THREADS).min(1024)).sum::<usize>();
        let pieces = (matrix.rows() + matrix.entries()).div_ceil(MERGE_TILE);

        let start = DeviceBuffer::from_slice(&stream, &matrix.start)?;
        let column = DeviceBuffer::from_slice(&stream, &matrix.column)?;
        let value = DeviceBuffer::from_slice(&stream, &matrix.value)?;
        let x = DeviceBuffer::from_slice(&stream, x)?;
        let y = Covered::new(DeviceBuffer::zeroed(&stream, matrix.rows())?);
        let launches = DeviceBuffer::zeroed(&stream, 1)?;
        let ledger = FailureLedger::new(&stream)?;
        let lost_rows = DeviceBuffer::zeroed(&stream, heavy)?;
        let finished = DeviceBuffer::zeroed(&stream, heavy)?;
        let heavy_list = DeviceBuffer::zeroed(&stream, heavy)?;
        let partial_rows = DeviceBuffer::zeroed(&stream, 3 * heavy)?;
        let partials = DeviceBuffer::zeroed(&stream, sums)?;
        let merge_pieces = DeviceBuffer::<i32>::zeroed(&stream, pieces + 1)?;
        let carries = DeviceBuffer::<Carry>::zeroed(&stream, pieces)?;

        let csr = Csr {
            start: start.address(),
            column: column.address(),
            value: value.address(),
            rows: matrix.rows() as i32,
            heavy: lightest as i32,
        };
        let scratch = Scratch {
            launches: launches.address(),
            lost_rows: lost_rows.address(),
            heavy_rows: heavy_list.address(),
            partial_rows: partial_rows.address(),
            partials: partials.address(),
            finished: finished.address(),
            ledger: ledger.address(),
        };
        // SAFETY: the kernel fills one number a piece and one more.
        unsafe {
            let blocks = (pieces + 1).div_ceil(THREADS) as u32;
            let kernel = module.kernel("merge_pieces")?.over(blocks, THREADS as u32);
            kernel.on(&stream, &(csr, merge_pieces.address(), pieces as i32))?;
        }
        let carry = planted(Plant::NoWait, "planted_merge_carries", "merge_carries")?;
        let arguments = (csr, x.address(), y.address(), merge_pieces.address(), carries.address());
        let ends = (y.address(), matrix.rows() as i32, carries.address(), pieces as i32);
        // SAFETY: the arguments are those that the kernels declare. Indices of the matrix are in range; every piece has a carry; all of it is kept.
        let merge = unsafe {
            let chain =
                Chain::new().kernel(module.kernel("spmv_merge")?.over(pieces as u32, THREADS as u32), &arguments)?;
            chain.kernel(carry.over(pieces.div_ceil(THREADS / 32) as u32, THREADS as u32), &ends)?
        };
        let merge = merge.build(device, Form::Pdl)?;
        let heavy_rows = Mapped::from_slice(device, &[0])?;
        stream.synchronize()?;
        let lists = [heavy_list, partial_rows, merge_pieces];
        let kept = Kept { start, column, value, _lists: lists, _partials: partials, _carries: carries };
        let rows = matrix.rows();
        Ok(Self {
            stream,
            kernels,
            rows,
            csr,
            x,
            y,
            launches,
            ledger,
            lost_rows,
            finished,
            heavy_rows,
            scratch,
            merge,
            plant,
            kept,
        })
    }

    /// The stream that everything runs in.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Where start, column and value of the compressed rows and the vector lie, as long as this lives.
    pub fn addresses(&self) -> [u64; 4] {
        let kept = &self.kept;
        [kept.start.address().get(), kept.column.address().get(), kept.value.address().get(), self.x.address().get()]
    }

    /// Rows with more entries are heavy from now on; not below the `lightest` of [`Product::new`].
    pub fn set_heavy(&mut self, heavy: usize) {
        self.csr.heavy = heavy as i32;
    }

    /// Runs one strategy from fresh memory to the end, and returns all that it leaves.
    pub fn run(&mut self, strategy: Strategy) -> Result<Outcome> {
        // Not a number in every row: one that nobody writes is found.
        self.y.fill(&self.stream, 0xff)?;
        self.launches.fill(&self.stream, 0)?;
        self.ledger.clear(&self.stream)?;
        let milliseconds = self.time(strategy)?;
        let launches = self.launches.read(&self.stream)?[0];
        let lost_rows = self.lost_rows.read_first(&self.stream, launches.lost.max(0) as usize)?;
        let (y, failures) = self.y.read_with_losses(&self.stream, &self.ledger)?;
        Ok(Outcome { y, launches, failures, lost_rows, milliseconds })
    }

    /// Milliseconds of one product.
    pub fn time(&mut self, strategy: Strategy) -> Result<f64> {
        self.time_row(strategy, 1)
    }

    /// Milliseconds of each of several products in a row.
    pub fn time_row(&mut self, strategy: Strategy, products: u32) -> Result<f64> {
        let begin = self.stream.record(true)?;
        for _ in 0..products {
            self.submit(strategy)?;
        }
        let end = self.stream.record(true)?;
        end.synchronize()?;
        Ok(begin.milliseconds_to(&end)? / f64::from(products))
    }

    /// Submits one product, everything included that it needs.
    fn submit(&mut self, strategy: Strategy) -> Result<()> {
        if strategy.has_threshold() {
            self.launches.fill(&self.stream, 0)?;
        }
        if strategy.has_tail() {
            self.ledger.clear(&self.stream)?;
        }
        if strategy.has_children() {
            self.finished.fill(&self.stream, 0)?;
        }
        match strategy {
            Strategy::Inline => {
                let arguments = (self.csr, &self.x, self.y.address());
                // SAFETY: as for `launch`.
                unsafe { over_rows(&self.kernels.inline, self.rows).on(&self.stream, &arguments) }?;
            }
            Strategy::Cdp => self.launch(&self.kernels.cdp)?,
            Strategy::CdpDeterministic => self.launch(&self.kernels.cdp_deterministic)?,
            Strategy::Worklist => self.launch(&self.kernels.worklist)?,
            Strategy::TwoPass => self.two_pass()?,
            // SAFETY: its memory is kept by `self`.
            Strategy::Merge => unsafe { self.merge.run(&self.stream) }?,
        }
        Ok(())
    }

    /// The first kernel of a strategy with a threshold.
    fn launch(&self, kernel: &Kernel) -> Result<()> {
        let arguments = (self.csr, &self.x, self.y.address(), self.scratch);
        // SAFETY: the arguments are those that the kernels declare. They read the matrix and x, whose indices are in range, and write y and the
        // scratch memory, which has an entry for each heavy row; all of it is kept by `self`.
        unsafe { over_rows(kernel, self.rows).on(&self.stream, &arguments) }
    }

    /// The host learns how many heavy rows there are, and launches one block for each.
    fn two_pass(&mut self) -> Result<()> {
        self.launch(&self.kernels.light)?;
        let arguments = (&self.launches, &mut self.heavy_rows);
        // SAFETY: the kernel copies one number from the one to the other.
        unsafe { self.kernels.publish.over(1, 1).on(&self.stream, &arguments) }?;
        let heavy = if self.plant == Some(Plant::EarlyRead) {
            // SAFETY: none: this is the fault that was asked for.
            let early = unsafe { self.heavy_rows.read_unproven() };
            early[0]
        } else {
            let done = self.stream.synchronize()?;
            self.heavy_rows.read(&done)?[0]
        };
        if heavy > 0 {
            let arguments = (self.csr, &self.x, self.y.address(), self.scratch);
            // SAFETY: as for `launch`.
            unsafe { self.kernels.heavy_list.over(heavy, THREADS as u32).on(&self.stream, &arguments) }?;
        }
        Ok(())
    }
}

/// A thread a row.
fn over_rows(kernel: &Kernel, rows: usize) -> hotfire_host::Launch {
    kernel.over(rows.div_ceil(THREADS) as u32, THREADS as u32)
}
