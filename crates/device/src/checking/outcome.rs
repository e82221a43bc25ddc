//! `HOTFIRE_OUTCOME`: memory at the host's synchronisation points, for the comparison with other schedules.
//!
//! `1` asks for digests, a list of [`PieceId`]s for bytes as well. What is compared are bytes that were written by whom the host has
//! synchronised with, and that are not [marked](hotfire_check::outcome). The account goes to `<pid>.outcome` beside the report.

use super::{Checking, Class, Stack};
use crate::copy::Copy3d;
use crate::device::Device;
use hotfire_check::outcome::{Area, CHUNK, Outcome, Piece, PieceId, Point, Record};
use hotfire_check::{Action, Bytes, Checker, Stamp};
use hotfire_launch::order::ItemId;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Bytes of memory that one run looks at, over all its points.
const BUDGET: u64 = 1 << 30;
/// Writers that a piece names.
const WRITERS: usize = 256;

/// What was recorded so far.
pub(crate) struct Recorder {
    record: Record,
    wanted: Vec<PieceId>,
    looked_at: u64,
    /// Memory as it is, whatever keeps host code from it.
    memory: Option<File>,
}

impl Recorder {
    /// As `HOTFIRE_OUTCOME` says, if it says anything.
    pub fn of_environment() -> Option<Recorder> {
        let text = std::env::var("HOTFIRE_OUTCOME").ok().filter(|text| !text.is_empty())?;
        Some(Recorder {
            record: Record::default(),
            wanted: text.split(',').filter_map(|piece| piece.parse().ok()).collect(),
            looked_at: 0,
            memory: File::open("/proc/self/mem").ok(),
        })
    }

    fn end(&mut self, why: &str) {
        self.record.ended.get_or_insert_with(|| why.to_owned());
    }
}

/// What can be compared of a chunk: the bytes that can not be are 0.
struct Chunk {
    bytes: Vec<u8>,
    compared: Vec<u8>,
    last: Vec<Option<Stamp>>,
}

impl Chunk {
    /// Leaves out aligned words of eight bytes that are addresses: what an allocator gives may depend on what else was freed by then.
    fn leave_out(&mut self, address: u64, is_address: impl Fn(u64) -> bool) {
        let first = (address.next_multiple_of(8) - address) as usize;
        for at in (first..self.bytes.len().saturating_sub(7)).step_by(8) {
            let (_, rest) = self.bytes.split_at_mut(at);
            if let Some(value) = rest.first_chunk_mut::<8>()
                && is_address(u64::from_le_bytes(*value))
            {
                value.fill(0);
                self.compared[at / 4] = 0;
                self.compared[at / 4 + 1] = 0;
            }
        }
    }

    /// FNV-1a over words and what of them is compared; 0 if nothing is.
    fn digest(&self) -> u64 {
        if self.compared.iter().all(|&bytes| bytes == 0) {
            return 0;
        }
        let mut digest = 0xcbf2_9ce4_8422_2325u64;
        for (word, &compared) in self.bytes.chunks(4).zip(&self.compared) {
            let word = word.iter().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
            digest = (digest ^ word ^ u64::from(compared) << 32).wrapping_mul(0x0000_0100_0000_01b3);
            digest ^= digest >> 29;
        }
        digest | 1
    }
}

impl Checking {
    /// What follows values, if that is asked for.
    pub fn outcome(&self, change: impl FnOnce(&mut Outcome)) {
        if self.recorder.is_some() {
            self.checker(|checker| checker.outcome.as_deref_mut().map(change));
        }
    }

    /// Host code has learnt how far the device is, or how long something took.
    pub fn host_learns(&self) {
        self.outcome(|outcome| outcome.host = true);
    }

    /// A launch failed for want of a slot or memory: what it would have done is missing, in this schedule.
    pub fn outcome_lost(&self) {
        if let Some(recorder) = &self.recorder {
            recorder.lock().end("a device launch failed");
        }
    }

    /// All rows of a copy: what is known of the source goes to the target.
    pub(super) fn outcome_copied(&self, device: &Device, item: ItemId, copy: &Copy3d, raced: bool) {
        if self.recorder.is_none() {
            return;
        }
        let memory = device.memory();
        let known = |address: u64| memory.contains(address) || memory.is_registered(address, 1);
        let (from_device, to_device) = (known(copy.source), known(copy.destination));
        let (from_host, to_host) =
            (self.is_host_visible(device, copy.source), self.is_host_visible(device, copy.destination));
        self.outcome(|outcome| {
            let epochs = outcome.known(item);
            let marked = raced || outcome.is_marked(item) || (from_host && outcome.host);
            let mut tells = marked;
            for (source, destination) in rows(copy) {
                tells |= from_device && outcome.tells(source, copy.width, epochs);
                match (to_device, from_device && !marked) {
                    (true, true) => outcome.copy(destination, source, copy.width, epochs),
                    (true, false) => outcome.store(destination, copy.width, marked, epochs),
                    (false, _) => {}
                }
            }
            outcome.host |= to_host && tells;
        });
    }

    /// All rows of a set.
    pub(super) fn outcome_filled(&self, device: &Device, item: ItemId, shape: &Copy3d, raced: bool) {
        if self.recorder.is_none() {
            return;
        }
        let to_host = self.is_host_visible(device, shape.destination);
        self.outcome(|outcome| {
            let (epochs, marked) = (outcome.known(item), raced || outcome.is_marked(item));
            for (_, destination) in rows(shape) {
                outcome.store(destination, shape.width, marked, epochs);
            }
            outcome.host |= to_host && marked;
        });
    }

    fn is_host_visible(&self, device: &Device, address: u64) -> bool {
        use crate::memory::Kind;
        let found = device.memory().find(address);
        found.is_none_or(|found| matches!(found.kind, Kind::Managed | Kind::PinnedHost))
    }

    /// The host has synchronised, and it is still known who wrote what.
    pub(super) fn outcome_point(&self, checker: &mut Checker) {
        let (Some(recorder), Some(outcome)) = (&self.recorder, &checker.outcome) else { return };
        let mut recorder = recorder.lock();
        if recorder.record.ended.is_some() {
            return;
        }
        let allocations: Vec<_> = {
            let allocations = self.allocations.lock();
            // What device code allocates is numbered as the schedule has it.
            allocations.all().filter(|known| *known.class() != Class::Heap).cloned().collect()
        };
        recorder.looked_at += allocations.iter().map(|known| known.size).sum::<u64>();
        if recorder.looked_at > BUDGET {
            let points = recorder.record.points.len();
            recorder.end("there was much memory and many synchronisations");
            self.note(format!("--outcome compared memory at the first {points} synchronisations of the host only"));
            return;
        }
        let number = recorder.record.points.len();
        let mut point = Point { submitted: outcome.submitted, areas: Vec::new() };
        let horizon = checker.host_horizon();
        for (index, known) in allocations.iter().enumerate() {
            let mut area = Area { name: known.name(), digests: Vec::new() };
            for (number_of_chunk, offset) in (0..known.size).step_by(CHUNK as usize).enumerate() {
                let (address, bytes) = (known.base + offset, (known.size - offset).min(CHUNK));
                let mut chunk = look(checker, recorder.memory.as_ref(), address, bytes, horizon);
                chunk.leave_out(address, |value| self.memory.contains(value));
                area.digests.push(chunk.digest());
                let id = PieceId { point: number, area: index, chunk: number_of_chunk };
                if recorder.wanted.contains(&id) {
                    let mut piece = self.piece(checker, id, chunk, address);
                    piece.made = self.origin(&known.made, Action::Allocate);
                    recorder.record.pieces.push(piece);
                }
            }
            point.areas.push(area);
        }
        recorder.record.points.push(point);
    }

    fn piece(&self, checker: &Checker, id: PieceId, chunk: Chunk, address: u64) -> Piece {
        let mut numbers: HashMap<Stamp, u16> = HashMap::new();
        let mut writers = Vec::new();
        let writer = chunk.last.iter().enumerate().map(|(word, last)| {
            let stamp = last.map(|stamp| stamp.of_bytes(0)).filter(|&stamp| checker.is_recent(stamp));
            let Some(stamp) = stamp else { return 0 };
            if let Some(&number) = numbers.get(&stamp) {
                return number;
            }
            if writers.len() == WRITERS {
                return 0;
            }
            let side = super::problems::Side { agent: checker.agent(stamp), write: true, atomic: false };
            let mut access = self.describe(checker, side, address + word as u64 * 4, 4);
            // The same in all words: who reads it knows which byte it is about.
            access.bytes = access.bytes.map(|bytes| Bytes { offset: 0, size: 0, ..bytes });
            writers.push(access);
            numbers.insert(stamp, writers.len() as u16);
            writers.len() as u16
        });
        let writer = writer.collect();
        let call = Some(self.host(&Stack::here(), Action::Call));
        Piece { id, bytes: chunk.bytes, compared: chunk.compared, writer, writers, made: None, call }
    }

    /// Writes the account.
    pub(super) fn write_outcome(&self) {
        let (Some(recorder), Some(directory)) = (&self.recorder, &self.output) else { return };
        let path = directory.join(format!("{}.outcome", std::process::id()));
        let written = serde_json::to_vec(&recorder.lock().record).map_err(std::io::Error::other);
        if let Err(error) = written.and_then(|text| std::fs::write(&path, text)) {
            eprintln!("hotfire: cannot write {}: {error}", path.display());
        }
    }
}

/// First bytes of the rows of a copy: source and target.
fn rows(copy: &Copy3d) -> impl Iterator<Item = (u64, u64)> {
    let Copy3d { source, source_pitch, source_rows, destination, destination_pitch, destination_rows, .. } = *copy;
    let height = copy.height;
    (0..copy.depth).flat_map(move |z| {
        (0..height).map(move |y| {
            (
                source.wrapping_add((z * source_rows + y) * source_pitch),
                destination + (z * destination_rows + y) * destination_pitch,
            )
        })
    })
}

/// What can be compared of a range.
fn look(checker: &mut Checker, memory: Option<&File>, address: u64, bytes: u64, horizon: u32) -> Chunk {
    let words = bytes.div_ceil(4) as usize;
    let mut chunk = Chunk { bytes: vec![0; bytes as usize], compared: vec![0; words], last: vec![None; words] };
    let mut any = false;
    for (word, at) in (address..address + bytes).step_by(4).enumerate() {
        let (settled, last) = checker.settled(at);
        let telling = checker.outcome.as_ref().map_or(0, |outcome| outcome.telling(at, horizon));
        chunk.compared[word] = (settled & !telling) as u8;
        chunk.last[word] = last;
        any |= chunk.compared[word] != 0;
    }
    let read = any && memory.is_some_and(|memory| memory.read_exact_at(&mut chunk.bytes, address).is_ok());
    if !read {
        chunk.compared.fill(0);
    }
    for (at, byte) in chunk.bytes.iter_mut().enumerate() {
        if chunk.compared[at / 4] >> (at % 4) & 1 == 0 {
            *byte = 0;
        }
    }
    chunk
}
