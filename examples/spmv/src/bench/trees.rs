//! A tree that is refined level by level: the host waits for each level and launches the next, or the device launches it, by tails or by children.

use hotfire_host::{Address, DeviceBuffer, Error, FailureLedger, Failures, Kernel, Module, Plain, Stream};
use serde_json::json;

use super::{Found, table};
use crate::text;
use crate::tune::middle;

pub const KERNELS: &str = include_str!("../../kernels/bench.ptx");
const THREADS: u32 = 128;
const MOST_CHILDREN: usize = 7;

/// `struct Tree` of the kernels.
#[repr(C)]
#[derive(Clone, Copy)]
struct Tree {
    items: [Address<u32>; 8],
    counts: Address<u32>,
    leaves: Address<u32>,
    depth: i32,
    padding: u32,
    ledger: Address<Failures>,
}

// SAFETY: `repr(C)`, numbers with the padding spelt out, laid out as the kernels declare it.
unsafe impl Plain for Tree {}

#[derive(Clone, Copy, Debug)]
enum Form {
    Host,
    Tails,
    Children,
}

struct Bench<'a> {
    stream: &'a Stream,
    /// By host, by tails, by children.
    kernels: [Kernel; 3],
    tree: Tree,
    roots: u32,
    counts: DeviceBuffer<u32>,
    leaves: DeviceBuffer<u32>,
    ledger: FailureLedger,
    _items: Vec<DeviceBuffer<u32>>,
}

impl<'a> Bench<'a> {
    fn new(stream: &'a Stream, roots: u32, levels: usize) -> Result<Self, Error> {
        let module = Module::from_ptx(stream.device(), "bench.ptx", KERNELS)?;
        let first: Vec<u32> = (0..roots).collect();
        let mut items = vec![DeviceBuffer::from_slice(stream, &first)?];
        for level in 1..levels {
            items.push(DeviceBuffer::zeroed(stream, roots as usize * MOST_CHILDREN.pow(level as u32))?);
        }
        let mut places = [Address::NULL; 8];
        for (place, item) in places.iter_mut().zip(&items) {
            *place = item.address();
        }
        let counts = DeviceBuffer::zeroed(stream, 8)?;
        let leaves = DeviceBuffer::zeroed(stream, 1)?;
        let ledger = FailureLedger::new(stream)?;
        let kernels =
            [module.kernel("level_by_host")?, module.kernel("level_by_tail")?, module.kernel("level_by_children")?];
        let tree = Tree {
            items: places,
            counts: counts.address(),
            leaves: leaves.address(),
            depth: levels as i32,
            padding: 0,
            ledger: ledger.address(),
        };
        Ok(Self { stream, kernels, tree, roots, counts, leaves, ledger, _items: items })
    }

    /// Microseconds of one refinement, and its leaves.
    fn run(&mut self, form: Form) -> Result<(f64, u32), Error> {
        let stream = self.stream;
        let mut counts = [0; 8];
        counts[0] = self.roots;
        self.counts.upload(stream, &counts)?;
        self.leaves.fill(stream, 0)?;
        self.ledger.clear(stream)?;
        let begin = stream.record(true)?;
        let grid = self.roots.div_ceil(THREADS);
        // SAFETY: lists have room for the most children that items can have; all of it is kept by `self`, and waited for below.
        unsafe {
            match form {
                Form::Host => self.by_host(grid)?,
                Form::Tails => {
                    self.kernels[1].over(grid, THREADS).on(stream, &(self.tree, 0i32))?;
                }
                Form::Children => {
                    let arguments = (self.tree, 0i32, self.tree.items[0], self.roots);
                    self.kernels[2].over(grid, THREADS).on(stream, &arguments)?;
                }
            }
        }
        let end = stream.record(true)?;
        end.synchronize()?;
        let time = begin.milliseconds_to(&end)? * 1e3;
        if let Some(failures) = self.ledger.read(stream)? {
            return Err(Error::LaunchesLost(failures));
        }
        Ok((time, self.leaves.read(stream)?[0]))
    }

    /// # Safety
    /// As for the launches in it.
    unsafe fn by_host(&self, first: u32) -> Result<(), Error> {
        let kernel = &self.kernels[0];
        let mut grid = first;
        for level in 0..self.tree.depth {
            // SAFETY: the caller's promise.
            unsafe { kernel.over(grid, THREADS).on(self.stream, &(self.tree, level)) }?;
            if level + 1 < self.tree.depth {
                let count = self.counts.read(self.stream)?[level as usize + 1];
                grid = count.div_ceil(THREADS);
            }
        }
        Ok(())
    }
}

/// Refines trees of one, two and four levels below the first.
pub fn measure(stream: &Stream, quick: bool) -> Result<Found, String> {
    const FORMS: [Form; 3] = [Form::Host, Form::Tails, Form::Children];
    let runs = if quick { 3 } else { 51 };
    let mut rows = Vec::new();
    let mut told = Vec::new();
    for roots in if quick { [64, 256] } else { [256, 4096] } {
        for depth in [1, 2, 4] {
            let mut bench = Bench::new(stream, roots, depth + 1).map_err(text)?;
            let mut times = Vec::new();
            let mut all_leaves = Vec::new();
            for form in FORMS {
                let failed = |error| format!("a tree by {form:?}: {error}");
                all_leaves.push(bench.run(form).map_err(failed)?.1);
                let time = middle((0..runs).map(|_| bench.run(form).map(|(time, _)| time)));
                times.push(time.map_err(failed)?);
            }
            if all_leaves.iter().any(|leaves| *leaves != all_leaves[0]) {
                return Err(format!("trees of depth {depth} have different leaves: {all_leaves:?}"));
            }
            let cells = times.iter().map(|time| format!("{time:.1}"));
            rows.push(
                [roots.to_string(), depth.to_string(), all_leaves[0].to_string()].into_iter().chain(cells).collect(),
            );
            told.push(json!({ "roots": roots, "depth": depth, "leaves": all_leaves[0], "microseconds": times }));
        }
    }
    let head = ["roots", "depth", "leaves", "host waits and launches", "tails", "a child for each block"];
    let markdown = format!(
        "Microseconds of one refinement, median of {runs}. Depth is how often a level is launched from what the one before found.\n\n{}",
        table(&head, &rows)
    );
    Ok(Found { json: json!(told), markdown, pictures: Vec::new() })
}
