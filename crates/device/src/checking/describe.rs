//! Who is who: threads, places and launches as a finding shows them.

use super::grids::{Kind, Record};
use super::results::{self, Uses};
use super::{Checking, OperationRecord, Origin, Queue, Stack};
use crate::engine::Grid;
use crate::exec;
use crate::module::Function;
use hotfire_check::{Access, Action, Launch, Place, Thread};
use hotfire_jit::abi::ThreadContext;
use hotfire_ptx::ast::Location;
use std::collections::HashMap;
use std::sync::Arc;

/// Launches of a chain that are shown at its lower end, and at its upper one. Tail chains can be 10,000 long.
const SHOWN: (usize, usize) = (24, 8);

/// A device thread at a call of a built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Who {
    /// `gridid`
    pub grid: u64,
    /// Linear index of the block.
    pub block: u64,
    /// Linear index of the thread in it.
    pub thread: u32,
    /// The place, as [`hotfire_jit::Kernel::place`] knows it; 0 for none.
    pub site: u32,
}

/// Sites by what their author sees as one place: module, function, file and line.
#[derive(Default)]
pub(super) struct Lines {
    sites: HashMap<u32, u32>,
    first: HashMap<(usize, usize, (u32, u32)), u32>,
}

impl Who {
    /// The thread that launched a grid.
    pub fn launcher(record: &Record, kind: &Kind) -> Self {
        Self { grid: record.parent, block: record.block, thread: record.thread, site: kind.site }
    }

    /// The calling thread.
    ///
    /// # Safety
    /// `context` is what generated code passed to the calling function.
    pub unsafe fn of(context: *mut ThreadContext) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                grid: (*(*context).block).gridid,
                block: exec::block_index(context),
                thread: (*context).linear,
                site: (*context).site,
            }
        }
    }
}

impl Checking {
    /// The calling device thread, as one side of a finding. The place is that of the built-in function's call.
    ///
    /// # Safety
    /// `context` is what generated code passed to the calling function.
    pub unsafe fn thread(&self, context: *mut ThreadContext, action: Action) -> Access {
        // SAFETY: the caller's promise.
        self.access(unsafe { Who::of(context) }, action)
    }

    /// The kernel of a grid.
    pub(super) fn function(&self, gridid: u64) -> Option<Arc<Function>> {
        self.grids.lock().get(gridid).map(|(_, kind)| kind.function.clone())
    }

    /// A device thread at a call, as one side of a finding.
    pub fn access(&self, who: Who, action: Action) -> Access {
        let place = self.function(who.grid).and_then(|function| self.place_at(&function, who.site));
        self.side(self.agent(who.grid, who.block, who.thread), place, self.launches(who.grid), action)
    }

    /// A device thread as one side of a finding.
    pub fn device_side(
        &self,
        grid: &Grid,
        block: [u32; 3],
        thread: [u32; 3],
        location: Option<Location>,
        action: Action,
    ) -> Access {
        let gridid = grid.code.gridid;
        let thread = Thread::Device { kernel: self.names.show(grid.function.name()), grid: gridid, block, thread };
        let place = location.map(|location| self.place(grid, location));
        self.side(thread, place, self.launches(gridid), action)
    }

    /// Whoever did something, as one side of a finding; `None` for what the device did by itself.
    pub fn origin(&self, origin: &Origin, action: Action) -> Option<Access> {
        match origin {
            Origin::Host(stack) => Some(self.host(stack, action)),
            Origin::Device(who) => Some(self.access(*who, action)),
            Origin::Load => None,
        }
    }

    /// A host thread as one side of a finding.
    pub fn host(&self, stack: &Stack, action: Action) -> Access {
        Access { stack: stack.frames(), ..self.side(Thread::Host, stack.place(), Vec::new(), action) }
    }

    fn side(&self, thread: Thread, place: Option<Place>, launches: Vec<Launch>, action: Action) -> Access {
        Access { action, bytes: None, thread, place, launches, stack: Vec::new() }
    }

    /// A thread by its linear indices.
    fn agent(&self, gridid: u64, block: u64, thread: u32) -> Thread {
        let grids = self.grids.lock();
        let Some((_, kind)) = grids.get(gridid) else { return Thread::Host };
        Thread::Device {
            kernel: self.names.show(kind.function.name()),
            grid: gridid,
            block: kind.block_at(block),
            thread: kind.thread_at(thread),
        }
    }

    /// `block (0,0,0), thread (3,0,0) of parent`
    pub fn thread_name(&self, who: Who) -> String {
        match self.agent(who.grid, who.block, who.thread) {
            Thread::Device { kernel, block, thread, .. } => {
                format!("block {}, thread {} of {kernel}", triple(block), triple(thread))
            }
            _ => "a thread".into(),
        }
    }

    /// One site for all sites of a source line: loops are unrolled, and a launch is several calls.
    pub(super) fn same_line(&self, who: Who) -> u32 {
        let mut lines = self.lines.lock();
        if let Some(&known) = lines.sites.get(&who.site) {
            return known;
        }
        let line = self.function(who.grid).and_then(|function| {
            let (location, index) = function.site(who.site)?;
            let image = function.image();
            Some((Arc::as_ptr(image) as usize, index, image.source_place(location, index)?))
        });
        let first = line.map_or(who.site, |line| *lines.first.entry(line).or_insert(who.site));
        lines.sites.insert(who.site, first);
        first
    }

    /// What code does with the answer of the call that a thread is at.
    pub(super) fn answer(&self, who: Who) -> Uses {
        let uses = self.function(who.grid).and_then(|function| {
            let (location, index) = function.site(who.site)?;
            Some(results::uses(function.image().text().functions.get(index)?.body.as_ref()?, location))
        });
        // Code that is not known may do anything.
        uses.unwrap_or(Uses { read: true, compared: true, returned: true })
    }

    /// A kernel's name as its author wrote it.
    pub fn kernel_name(&self, function: &Function) -> String {
        self.names.show(function.name())
    }

    /// What a grid is called in a sentence: `scale (grid 3)`.
    pub fn grid_name(&self, gridid: u64) -> String {
        let grids = self.grids.lock();
        grids.get(gridid).map_or_else(
            || format!("grid {gridid}"),
            |(_, kind)| format!("`{}` (grid {gridid})", self.names.show(kind.function.name())),
        )
    }

    /// A place in a grid's code.
    pub fn place(&self, grid: &Grid, location: Location) -> Place {
        let image = grid.function.image();
        let function = image.function_at(&grid.code.kernel, location);
        image.place(location, function, |name| self.names.show(name))
    }

    /// The place of a call of a built-in function in a kernel, by the number that generated code noted.
    pub fn place_at(&self, function: &Function, site: u32) -> Option<Place> {
        let (location, index) = function.site(site)?;
        Some(function.image().place(location, Some(index), |name| self.names.show(name)))
    }

    /// The place of an access of a grid, by its number in the shadow; `None` for 0.
    pub fn place_of(&self, gridid: u64, site: u32) -> Option<Place> {
        let function = self.function(gridid)?;
        let (location, index) = function.access(site)?;
        Some(function.image().place(location, Some(index), |name| self.names.show(name)))
    }

    /// Host code, as one side of a finding, by the number of its calls.
    pub fn host_side(&self, site: u32, action: Action) -> Access {
        let (stack, thread) = self.host_code.lock().calls(site);
        Access { thread, ..self.host(&stack, action) }
    }

    /// An operation of a stream, as one side of a finding.
    pub fn operation_side(&self, number: u64, writes: bool) -> Access {
        let record = self.operations.lock().get(number as usize).cloned();
        let Some(record) = record else { return self.host_side(0, Action::Call) };
        let action = match (writes, record.call.contains("set")) {
            (true, true) => Action::Set,
            (true, false) => Action::CopyTo,
            (false, _) => Action::CopyFrom,
        };
        let thread = Thread::Operation { call: record.call.into() };
        let host = match record.queue {
            Queue::Host(number) => self.grids.lock().host_stream_text(number).to_owned(),
            _ => String::new(),
        };
        let queued = |by, place: &Option<Place>, block, stack| Launch {
            what: record.call.into(),
            stream: self.queue_text(record.queue, block, &host),
            by,
            place: place.clone(),
            stack,
        };
        let (place, launches) = match &record.by {
            Origin::Host(stack) => {
                let frames = stack.frames();
                let place = super::origin::place(&frames);
                let own = queued(Thread::Host, &place, None, frames);
                (place, std::iter::once(own).chain(self.graph_of(record.queue)).collect())
            }
            Origin::Device(who) => {
                let side = self.access(*who, action);
                let block = match &side.thread {
                    Thread::Device { block, .. } => Some(*block),
                    _ => None,
                };
                let first = queued(side.thread, &side.place, block, Vec::new());
                (side.place, std::iter::once(first).chain(side.launches).collect())
            }
            Origin::Load => (None, Vec::new()),
        };
        self.side(thread, place, launches, action)
    }

    /// How a grid came to be: its own launch first, the host's last. Of very long chains the middle is one entry that says so.
    pub fn launches(&self, gridid: u64) -> Vec<Launch> {
        let grids = self.grids.lock();
        let mut chain = Vec::new();
        let mut at = gridid;
        while let Some((record, kind)) = grids.get(at) {
            let parent = grids.get(record.parent).map(|(_, kind)| (kind.function.clone(), kind.block_at(record.block)));
            chain.push((*record, kind.function.clone(), kind.grid, kind.block, kind.site, kind.stack.clone(), parent));
            at = record.parent;
        }
        let host_streams: Vec<String> = chain
            .iter()
            .map(|(record, ..)| match record.queue {
                Queue::Host(number) => grids.host_stream_text(number).to_owned(),
                _ => String::new(),
            })
            .collect();
        drop(grids);
        let count = chain.len();
        let hidden = |index: usize| index >= SHOWN.0 && index + SHOWN.1 < count;
        let mut launches = Vec::new();
        for (index, (record, function, grid, block, site, stack, parent)) in chain.into_iter().enumerate() {
            if hidden(index) {
                if index == SHOWN.0 {
                    launches.push(Launch {
                        what: format!("… {} launches in between …", count - SHOWN.0 - SHOWN.1),
                        stream: self.queue_text(record.queue, None, &host_streams[index]),
                        by: self.agent(record.parent, record.block, record.thread),
                        place: None,
                        stack: Vec::new(),
                    });
                }
                continue;
            }
            let block_of_launcher = parent.as_ref().map(|(_, block)| *block);
            let frames = stack.frames_to(function.name());
            let place = match &parent {
                Some((launcher, _)) => self.place_at(launcher, site),
                None => super::origin::place(&frames),
            };
            launches.push(Launch {
                what: self.launch_text(&function, grid, block),
                stream: self.queue_text(record.queue, block_of_launcher, &host_streams[index]),
                by: self.agent(record.parent, record.block, record.thread),
                place,
                stack: frames,
            });
            launches.extend(self.graph_of(record.queue));
        }
        launches
    }

    /// The launch of the graph that something is a node of.
    fn graph_of(&self, queue: Queue) -> Option<Launch> {
        let Queue::Node { launch, .. } = queue else { return None };
        let OperationRecord { call, queue, by } = self.graph_launch(launch)?;
        let host = match queue {
            Queue::Host(number) => self.grids.lock().host_stream_text(number).to_owned(),
            _ => String::new(),
        };
        let stream = self.queue_text(queue, None, &host);
        let side = self.origin(&by, Action::Launch)?;
        Some(Launch { what: call.into(), stream, by: side.thread, place: side.place, stack: side.stack })
    }

    /// `scale<<<(4,1,1), (256,1,1)>>>`
    pub fn launch_text(&self, function: &Arc<Function>, grid: [u32; 3], block: [u32; 3]) -> String {
        format!("{}<<<{}, {}>>>", self.kernel_name(function), triple(grid), triple(block))
    }

    fn queue_text(&self, queue: Queue, block: Option<[u32; 3]>, host: &str) -> String {
        match queue {
            Queue::Host(_) => host.to_owned(),
            Queue::Null => match block {
                Some(block) => format!("NULL stream of block {}", triple(block)),
                None => "NULL stream".into(),
            },
            Queue::Named(number) => format!("device stream #{number}"),
            Queue::FireAndForget => "fire-and-forget".into(),
            Queue::Tail => "tail".into(),
            Queue::Node { node, .. } => format!("node {node} of a graph"),
        }
    }
}

/// `(4,1,1)`
pub(super) fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}
