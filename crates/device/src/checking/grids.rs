//! The launch tree: a record of each grid of the run, small enough to be kept to its end.
//!
//! What many launches have in common (kernel, dimensions, place) is kept once, as a [`Kind`]; a record adds who launched,
//! and into which stream.

use super::{Checking, Stack, Who};
use crate::device::Stream;
use crate::engine::Grid;
use crate::exec::{self, GridCode};
use crate::module::Function;
use hotfire_launch::{DeviceLaunchStream, DeviceStream};
use std::collections::HashMap;
use std::sync::Arc;

/// What launches from one place have in common.
pub(crate) struct Kind {
    pub function: Arc<Function>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: [u32; 3],
    /// The place of the launch in the code of the grid that launched; 0 for the host's.
    pub site: u32,
    /// The host's calls that led to it.
    pub stack: Stack,
}

type KindKey = (usize, [u32; 3], [u32; 3], u32, Stack);

/// The stream of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Queue {
    /// A stream of the host, by its number in [`Grids`].
    Host(u32),
    /// The NULL stream of the launching block.
    Null,
    /// A stream that device code created, by its number in order of creation.
    Named(u32),
    FireAndForget,
    Tail,
    /// A node, by its number, of the launch of a graph, by its number in [`Grids`].
    Node {
        node: u32,
        launch: u32,
    },
}

/// One launch.
#[derive(Clone, Copy)]
pub(crate) struct Record {
    pub kind: u32,
    pub queue: Queue,
    /// The grid that launched it; 0 for the host.
    pub parent: u64,
    /// Linear index of the launching block in it, and of the thread in the block.
    pub block: u64,
    pub thread: u32,
}

/// What a stream of the host orders itself with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamClass {
    Legacy,
    Blocking,
    NonBlocking,
}

struct HostStream {
    text: String,
    class: StreamClass,
}

/// All launches of the run, by `gridid`.
pub(crate) struct Grids {
    kinds: Vec<Kind>,
    known: HashMap<KindKey, u32>,
    records: Vec<Option<Record>>,
    host_streams: Vec<HostStream>,
    by_handle: HashMap<u64, u32>,
    named: HashMap<u64, u32>,
    /// The first launch behind each synchronisation with the whole device.
    epochs: Vec<u64>,
    /// Launches of graphs: the number of the operation that stands for each.
    pub graphs: Vec<u64>,
}

impl Default for Grids {
    fn default() -> Self {
        let legacy = HostStream { text: "legacy default stream".into(), class: StreamClass::Legacy };
        Self {
            kinds: Vec::new(),
            known: HashMap::new(),
            records: Vec::new(),
            host_streams: vec![legacy],
            by_handle: HashMap::from([(Stream::LEGACY.0, 0)]),
            named: HashMap::new(),
            epochs: Vec::new(),
            graphs: Vec::new(),
        }
    }
}

impl Grids {
    /// The host made a stream.
    pub fn stream_created(&mut self, stream: Stream, non_blocking: bool) {
        let made = self.host_streams.iter().filter(|stream| stream.text.starts_with("stream #")).count();
        let class = if non_blocking { StreamClass::NonBlocking } else { StreamClass::Blocking };
        self.add_stream(stream, HostStream { text: format!("stream #{}", made + 1), class });
    }

    fn add_stream(&mut self, handle: Stream, stream: HostStream) -> u32 {
        let number = self.host_streams.len() as u32;
        self.by_handle.insert(handle.0, number);
        self.host_streams.push(stream);
        number
    }

    /// The number of a stream of the host. One that nobody created is some thread's default stream.
    pub fn host_stream(&mut self, stream: Stream) -> u32 {
        if let Some(&number) = self.by_handle.get(&stream.0) {
            return number;
        }
        let text = "per-thread default stream".into();
        self.add_stream(stream, HostStream { text, class: StreamClass::Blocking })
    }

    /// What a stream of the host is called.
    pub fn host_stream_text(&self, number: u32) -> &str {
        &self.host_streams[number as usize].text
    }

    /// What it orders itself with.
    pub fn host_stream_class(&self, number: u32) -> StreamClass {
        self.host_streams[number as usize].class
    }

    /// Device code made a stream: its number.
    pub fn named_created(&mut self, stream: DeviceStream) -> u32 {
        let number = self.named.len() as u32 + 1;
        *self.named.entry(stream.to_bits()).or_insert(number)
    }

    /// The queue of a launch by device code.
    pub fn device_queue(&self, stream: DeviceLaunchStream) -> Queue {
        match stream {
            DeviceLaunchStream::Null => Queue::Null,
            DeviceLaunchStream::FireAndForget => Queue::FireAndForget,
            DeviceLaunchStream::Tail => Queue::Tail,
            DeviceLaunchStream::Named(stream) => Queue::Named(self.named.get(&stream.to_bits()).copied().unwrap_or(0)),
        }
    }

    /// Keeps a launch.
    pub fn launched(&mut self, gridid: u64, kind: Kind, launch: impl FnOnce(u32) -> Record) {
        let key = (Arc::as_ptr(&kind.function) as usize, kind.grid, kind.block, kind.site, kind.stack.clone());
        let number = *self.known.entry(key).or_insert_with(|| {
            self.kinds.push(kind);
            self.kinds.len() as u32 - 1
        });
        let index = gridid as usize;
        if self.records.len() <= index {
            self.records.resize(index + 1, None);
        }
        self.records[index] = Some(launch(number));
    }

    /// The host has waited for the whole device.
    pub fn synchronised(&mut self) {
        let next = self.records.len() as u64;
        if self.epochs.last() != Some(&next) {
            self.epochs.push(next);
        }
    }

    /// Between which of those synchronisations a grid was launched.
    pub fn epoch_of(&self, gridid: u64) -> usize {
        self.epochs.partition_point(|&first| first <= gridid)
    }

    /// A launch by its `gridid`.
    pub fn get(&self, gridid: u64) -> Option<(&Record, &Kind)> {
        let record = self.records.get(usize::try_from(gridid).ok()?)?.as_ref()?;
        Some((record, &self.kinds[record.kind as usize]))
    }

    /// All launches with their `gridid`, in order.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (u64, &Record, &Kind)> {
        let records = self.records.iter().enumerate();
        records.filter_map(|(id, record)| {
            record.as_ref().map(|record| (id as u64, record, &self.kinds[record.kind as usize]))
        })
    }

    /// The host's launch that a grid goes back to, itself if the host launched it.
    pub fn root(&self, mut gridid: u64) -> u64 {
        while let Some((record, _)) = self.get(gridid)
            && record.parent != 0
        {
            gridid = record.parent;
        }
        gridid
    }
}

impl Kind {
    fn new(grid: &Grid, site: u32, stack: Stack) -> Self {
        let GridCode { grid: blocks, block, cluster, .. } = *grid.code;
        Self { function: grid.function.clone(), grid: blocks, block, cluster, site, stack }
    }

    /// Coordinates of a block of the grid.
    pub fn block_at(&self, index: u64) -> [u32; 3] {
        exec::coordinates(self.grid, self.cluster, index)
    }

    /// Coordinates of a thread of a block.
    pub fn thread_at(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.block.map(|n| n.max(1));
        [index % x, index / x % y, index / (x * y)]
    }

    /// Threads of the grid.
    pub fn threads(&self) -> u64 {
        self.grid.iter().chain(&self.block).map(|&n| u64::from(n)).product()
    }
}

impl Checking {
    /// The host launched a grid.
    pub fn host_launch(&self, grid: &Grid, stream: Stream, stack: Stack) {
        let mut grids = self.grids.lock();
        let queue = Queue::Host(grids.host_stream(stream));
        let kind = Kind::new(grid, 0, stack);
        grids.launched(grid.code.gridid, kind, |kind| Record { kind, queue, parent: 0, block: 0, thread: 0 });
    }

    /// A device thread launched a grid.
    pub fn device_launch(&self, grid: &Grid, stream: DeviceLaunchStream, who: Who) {
        let mut grids = self.grids.lock();
        let queue = grids.device_queue(stream);
        let Who { grid: parent, block, thread, site } = who;
        let kind = Kind::new(grid, site, Stack::default());
        grids.launched(grid.code.gridid, kind, |kind| Record { kind, queue, parent, block, thread });
    }
}
