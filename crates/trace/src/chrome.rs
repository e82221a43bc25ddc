//! A timeline in the trace event format, which Perfetto and Chrome open.
//!
//! Three groups of rows: host threads with their calls; streams with their grids and operations; multiprocessors with the blocks in their slots.
//! Inside a block that was launched programmatically, its preamble and its wait are slices of their own. Arrows lead from a call to what it
//! queued, and from a block to the grid that it launched. A counter shows the pending device launches.

use crate::timeline::{Lane, Timeline};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Blocks beyond these are left out of the file; the grids are not.
const BLOCKS: usize = 200_000;

const HOST: u32 = 1;
const STREAMS: u32 = 2;
const MULTIPROCESSORS: u32 = 3;
/// Groups of a process; those of the next one follow.
const GROUPS: u32 = 4;
/// Rows of a multiprocessor.
const ROWS: u64 = 64;

#[derive(Serialize)]
struct Event {
    name: String,
    ph: &'static str,
    /// Microseconds.
    ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    pid: u32,
    tid: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    args: Map<String, Value>,
}

/// The timelines of the processes of one run.
pub fn trace(timelines: &[Timeline]) -> Value {
    let mut events = Vec::new();
    let mut notes = Vec::new();
    for (index, timeline) in timelines.iter().enumerate() {
        let mut writer = Writer { events: &mut events, base: index as u32 * GROUPS, arrows: (index as u64) << 40 };
        writer.write(timeline);
        notes.extend(timeline.notes.iter().cloned());
        if timeline.blocks.len() > BLOCKS {
            notes.push(format!("{} blocks are left out", timeline.blocks.len() - BLOCKS));
        }
    }
    json!({
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": { "time": "model time, simulated: see docs/trace.md of Hotfire", "notes": notes },
    })
}

struct Writer<'a> {
    events: &'a mut Vec<Event>,
    base: u32,
    arrows: u64,
}

fn arguments(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

impl Writer<'_> {
    fn event(&mut self, ph: &'static str, group: u32, row: u64, name: &str, time: f64) -> &mut Event {
        self.events.push(Event {
            name: name.to_owned(),
            ph,
            ts: time / 1000.0,
            dur: None,
            pid: self.base + group,
            tid: row,
            cat: None,
            id: None,
            bp: None,
            args: Map::new(),
        });
        let last = self.events.len() - 1;
        &mut self.events[last]
    }

    fn slice(&mut self, group: u32, row: u64, name: &str, start: f64, end: f64, args: Value) {
        let event = self.event("X", group, row, name, start);
        event.dur = Some((end - start).max(0.0) / 1000.0);
        event.args = arguments(args);
    }

    fn row(&mut self, group: u32, row: u64, name: &str) {
        self.event("M", group, row, "thread_name", 0.0).args = arguments(json!({ "name": name }));
        self.event("M", group, row, "thread_sort_index", 0.0).args = arguments(json!({ "sort_index": row }));
    }

    fn group(&mut self, group: u32, name: &str) {
        self.event("M", group, 0, "process_name", 0.0).args = arguments(json!({ "name": name }));
        let index = self.base + group;
        self.event("M", group, 0, "process_sort_index", 0.0).args = arguments(json!({ "sort_index": index }));
    }

    fn arrow(&mut self, name: &str, from: (u32, u64, f64), to: (u32, u64, f64)) {
        self.arrows += 1;
        let id = Some(self.arrows);
        let event = self.event("s", from.0, from.1, name, from.2);
        (event.cat, event.id) = (Some("launch"), id);
        let event = self.event("f", to.0, to.1, name, to.2);
        (event.cat, event.id, event.bp) = (Some("launch"), id, Some("e"));
    }

    fn write(&mut self, timeline: &Timeline) {
        let (program, process) = &timeline.program;
        self.group(HOST, &format!("{program} ({process}): host threads"));
        self.group(STREAMS, "streams, in model time");
        self.group(MULTIPROCESSORS, "multiprocessors, in model time");
        let mut threads: Vec<u32> = timeline.calls.iter().map(|call| call.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        for thread in threads {
            self.row(HOST, u64::from(thread), &format!("thread {thread}"));
        }
        for call in timeline.calls.iter().filter(|call| call.end > call.start) {
            self.slice(HOST, u64::from(call.thread), &call.name, call.start, call.end, json!({}));
        }
        let rows = self.streams(timeline);
        for call in &timeline.calls {
            for item in &call.items {
                if let Some(&(row, start)) = rows.get(item) {
                    let from = (HOST, u64::from(call.thread), (call.start + call.end) / 2.0);
                    self.arrow("queues", from, (STREAMS, row, start));
                }
            }
        }
        let blocks = self.blocks(timeline);
        for (number, grid) in &timeline.grids {
            let Some(launcher) = grid.launcher else { continue };
            if let (Some(&(row, start)), Some(&from)) = (rows.get(number), blocks.get(&(launcher.grid, launcher.block)))
            {
                self.arrow("launches", (MULTIPROCESSORS, from, launcher.time), (STREAMS, row, start));
            }
        }
        for (time, count) in &timeline.pending {
            let event = self.event("C", STREAMS, 0, "pending device launches", *time);
            event.args = arguments(json!({ "launches": count }));
        }
    }

    /// Where each item is: its row and its start.
    fn streams(&mut self, timeline: &Timeline) -> BTreeMap<u64, (u64, f64)> {
        let mut places = BTreeMap::new();
        // Of each lane: when each of its rows is free, and where the first row is.
        let mut lanes: BTreeMap<Lane, (u64, Vec<f64>)> = BTreeMap::new();
        let grids = timeline.grids.iter().map(|(&number, grid)| (number, grid.lane, grid.start, grid.complete));
        let operations = timeline.operations.iter().map(|(&number, one)| (number, one.lane, one.start, one.end));
        let mut items: Vec<_> = grids.chain(operations).collect();
        items.sort_by(|a, b| a.2.total_cmp(&b.2).then(a.0.cmp(&b.0)));
        for (number, lane, start, end) in items {
            let lane = match lane {
                // Trees may be large: all share their rows.
                Lane::Device(_) => Lane::Device(0),
                lane => lane,
            };
            let count = lanes.len() as u64;
            let (index, free) = lanes.entry(lane).or_insert((count, Vec::new()));
            let at = free.iter().position(|&until| until <= start).unwrap_or_else(|| {
                free.push(0.0);
                free.len() - 1
            });
            let (row, fresh) = (*index * 10_000 + at as u64, free[at] == 0.0);
            free[at] = end.max(start + f64::MIN_POSITIVE);
            if fresh {
                let name = match lane {
                    Lane::Stream(stream) => format!("stream {}", stream & 0xffff_ffff),
                    Lane::Device(_) => String::from("device launches"),
                };
                self.row(STREAMS, row, &name);
            }
            places.insert(number, (row, start));
            if let Some(grid) = timeline.grids.get(&number) {
                let about = json!({
                    "item": number, "blocks": grid.shape.0, "threads": grid.shape.1, "programmatic": grid.programmatic,
                    "queued_us": grid.queued / 1000.0, "triggered_us": grid.triggered / 1000.0, "exit_us": grid.exit / 1000.0,
                });
                self.slice(STREAMS, row, &grid.kernel, start, end, about);
            } else if let Some(one) = timeline.operations.get(&number) {
                let name = if one.name.is_empty() { "operation" } else { &one.name };
                self.slice(STREAMS, row, name, start, end, json!({ "item": number, "bytes": one.bytes }));
            }
        }
        places
    }

    /// In which row each block is.
    fn blocks(&mut self, timeline: &Timeline) -> BTreeMap<(u64, u64), u64> {
        let mut rows = BTreeMap::new();
        let mut named = std::collections::BTreeSet::new();
        for block in timeline.blocks.iter().take(BLOCKS) {
            let row = block.multiprocessor as u64 * ROWS + block.slot as u64;
            if named.insert(row) {
                self.row(MULTIPROCESSORS, row, &format!("SM {} slot {}", block.multiprocessor, block.slot));
            }
            rows.insert((block.grid, block.block), row);
            let kernel = timeline.grids.get(&block.grid).map_or("", |grid| &grid.kernel);
            let about = json!({ "item": block.grid, "block": block.block });
            self.slice(MULTIPROCESSORS, row, kernel, block.start, block.end, about);
            if let Some((from, to)) = block.wait {
                self.slice(MULTIPROCESSORS, row, "preamble", block.start, from, json!({}));
                self.slice(MULTIPROCESSORS, row, "wait", from, to, json!({}));
            }
            if let Some(time) = block.trigger {
                self.event("i", MULTIPROCESSORS, row, "trigger", time);
            }
        }
        rows
    }
}
