//! Which memory is under watch, and when it is closed.
//!
//! Closing is done by the device when it pauses ([`Watch::guard`]) and touches only chunks that are open; so launches of kernels that
//! do not touch host memory cost nothing. Opening is done where somebody is allowed to touch: by the trap, chunk by chunk, or for
//! all when nothing is outstanding ([`Watch::quiet`]).

use super::HostAccess;
use super::lock::SignalLock;
use super::range::Range;
use super::tired;
use super::{scratch, stack};
use crate::exec;
use crate::memory::map::PAGE;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Buffers that the kernel may be asked to touch at the same time.
const LOANS: usize = 256;
/// Watches in a process: one a device.
const WATCHES: usize = 64;

static ALL: [AtomicPtr<Watch>; WATCHES] = [const { AtomicPtr::new(std::ptr::null_mut()) }; WATCHES];

/// The memory that one device shares with host code.
pub(crate) struct Watch {
    table: SignalLock<Table>,
    listener: OnceLock<&'static dyn HostAccess>,
    /// Number of ranges; with none of them, nothing costs anything.
    ranges: AtomicUsize,
    /// All ranges lie between these.
    low: AtomicU64,
    high: AtomicU64,
    /// Whether every range is owned already.
    all_owned: AtomicBool,
    /// Chunks of owned ranges that are open, or may be.
    open: AtomicBool,
    /// Pages that trapped too often, and chunks that could not be closed.
    worn: AtomicU64,
    unguarded: AtomicU64,
    /// A child that was forked has no device: nothing is reported there.
    process: AtomicU32,
}

#[derive(Default)]
struct Table {
    ranges: Vec<Range>,
    loans: Vec<(u64, u64)>,
}

/// What a fault at an address means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Not ours.
    Foreign,
    /// It is open now.
    Open,
    /// An access of host code to what the device may touch.
    Access,
}

/// All watches of the process.
pub(super) fn all() -> impl Iterator<Item = &'static Watch> {
    // SAFETY: only leaked watches are stored.
    ALL.iter().map_while(|watch| unsafe { watch.load(Ordering::Acquire).as_ref() })
}

impl Watch {
    /// A watch over nothing yet. It stays for the life of the process.
    ///
    /// # Panics
    /// If the process has too many of them.
    pub fn new() -> &'static Self {
        scratch::prepare();
        stack::prepare();
        exec::install_handlers();
        let watch: &'static Self = Box::leak(Box::new(Self {
            table: SignalLock::default(),
            listener: OnceLock::new(),
            ranges: AtomicUsize::new(0),
            low: AtomicU64::new(u64::MAX),
            high: AtomicU64::new(0),
            all_owned: AtomicBool::new(false),
            open: AtomicBool::new(false),
            worn: AtomicU64::new(0),
            unguarded: AtomicU64::new(0),
            process: AtomicU32::new(std::process::id()),
        }));
        watch.table.with(|table| table.loans.reserve_exact(LOANS));
        let pointer = std::ptr::from_ref(watch).cast_mut();
        let free = |slot: &&AtomicPtr<Self>| {
            slot.compare_exchange(std::ptr::null_mut(), pointer, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        assert!(ALL.iter().find(free).is_some(), "hotfire: too many devices in one process");
        watch
    }

    /// Says who is told. Before that, nothing is closed.
    pub fn listen(&self, listener: &'static dyn HostAccess) {
        let _ = self.listener.set(listener);
    }

    pub(super) fn listener(&self) -> Option<&'static dyn HostAccess> {
        self.listener.get().copied()
    }

    /// Puts the pages of an allocation of the arena under watch; they are its own, the last one too.
    pub fn add(&self, start: u64, size: u64) {
        self.add_protected(start, size.next_multiple_of(PAGE), libc::PROT_READ | libc::PROT_WRITE);
    }

    /// Puts the whole pages of registered host memory under watch, if their protection is known and the same for all, and no stack
    /// is among them (a trap needs one).
    pub fn add_registered(&self, start: u64, size: u64) {
        let local = 0u8;
        let here = &raw const local as u64;
        let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
        let end = start.saturating_add(size);
        let mut at = start;
        let mut protection = None;
        for line in maps.lines() {
            let Some(map) = Mapping::parse(line) else { continue };
            if map.end <= at || map.start >= end {
                continue;
            }
            let stack = line.ends_with("[stack]") || (map.start <= here && here < map.end);
            if map.start > at || stack || protection.is_some_and(|known| known != map.protection) {
                return;
            }
            protection = Some(map.protection);
            at = map.end;
        }
        match protection {
            Some(protection) if at >= end && protection & libc::PROT_READ != 0 => {
                self.add_protected(start, size, protection);
            }
            _ => {}
        }
    }

    fn add_protected(&self, start: u64, size: u64, protection: i32) {
        let Some(range) = Range::new(start, size, protection) else { return };
        self.table.with(|table| {
            let at = table.ranges.partition_point(|other| other.start < range.start);
            let before = at.checked_sub(1).map_or(0, |before| table.ranges[before].end);
            if before > range.start || table.ranges.get(at).is_some_and(|next| next.start < range.end) {
                return;
            }
            table.ranges.insert(at, range);
            self.table_changed(table);
        });
    }

    /// Opens and forgets the range whose first byte is `start`. Before its memory is given back.
    pub fn remove(&self, start: u64) {
        if self.ranges.load(Ordering::Relaxed) == 0 {
            return;
        }
        let start = start.next_multiple_of(PAGE);
        self.table.with(|table| {
            if let Ok(at) = table.ranges.binary_search_by_key(&start, |range| range.start) {
                open_all(&mut table.ranges[at..=at]);
                table.ranges.remove(at);
                self.table_changed(table);
            }
        });
    }

    fn table_changed(&self, table: &Table) {
        self.ranges.store(table.ranges.len(), Ordering::Relaxed);
        self.low.store(table.ranges.first().map_or(u64::MAX, |first| first.start), Ordering::Relaxed);
        self.high.store(table.ranges.last().map_or(0, |last| last.end), Ordering::Relaxed);
        self.all_owned.store(false, Ordering::Relaxed);
        self.open.store(true, Ordering::Relaxed);
    }

    /// Work was queued that may touch all watched memory there is now (a grid, a host function), or only `start .. end`.
    pub fn submitted(&self, touched: Option<(u64, u64)>) {
        if self.ranges.load(Ordering::Relaxed) == 0 || self.all_owned.load(Ordering::Relaxed) {
            return;
        }
        self.table.with(|table| {
            for range in &mut table.ranges {
                range.owned |= touched.is_none_or(|(start, end)| range.overlaps(start, end));
            }
            self.open.store(true, Ordering::Relaxed);
            self.all_owned.store(table.ranges.iter().all(|range| range.owned), Ordering::Relaxed);
        });
    }

    /// The host waited for something: pages that trapped too often are watched again.
    pub fn synchronised(&self) {
        tired::rested();
        if self.ranges.load(Ordering::Relaxed) == 0 {
            return;
        }
        self.table.with(|table| {
            let Table { ranges, loans } = table;
            for range in ranges {
                if range.worn > 0 {
                    for chunk in (0..range.chunks()).filter(|&chunk| range.is_closed(chunk)) {
                        let (start, end) = range.chunk(chunk);
                        for page in range.worn_pages(start, end) {
                            close(page, page + PAGE, loans);
                        }
                    }
                }
                range.forget_traps();
            }
        });
    }

    /// Nothing is outstanding: everything is open, whoever touches it.
    pub fn quiet(&self) {
        tired::rested();
        if self.ranges.load(Ordering::Relaxed) == 0 {
            return;
        }
        self.table.with(|table| {
            open_all(&mut table.ranges);
            for range in &mut table.ranges {
                range.owned = false;
                range.forget_traps();
            }
            self.all_owned.store(false, Ordering::Relaxed);
        });
    }

    /// The device pauses: all memory that it may touch later, or that the host has not waited for, is closed to the host.
    pub fn guard(&self) {
        if self.ranges.load(Ordering::Relaxed) == 0 || self.listener.get().is_none() {
            return;
        }
        if !self.open.swap(false, Ordering::Relaxed) {
            return;
        }
        exec::install_handlers();
        self.table.with(|table| {
            let failed = close_owned(table);
            self.unguarded.fetch_add(failed, Ordering::Relaxed);
        });
    }

    /// Opens everything for now; what is outstanding stays so, and [`Watch::guard`] closes it again. For code that runs where a trap
    /// is not possible; device threads and calls need it not.
    pub fn lift(&self) {
        if self.ranges.load(Ordering::Relaxed) > 0 {
            self.table.with(|table| open_all(&mut table.ranges));
            self.open.store(true, Ordering::Relaxed);
        }
    }

    /// What could not be checked, for the summary.
    pub fn notes(&self) -> Vec<String> {
        let pages = self.worn.load(Ordering::Relaxed);
        let chunks = self.unguarded.load(Ordering::Relaxed);
        let some = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        let mut notes = Vec::new();
        if pages > 0 {
            notes.push(format!(
                "{} of host memory, or the code that touched them, trapped {} times between synchronisations: later CPU \
                 accesses there went unchecked until the next one",
                some(pages, "page", "pages"),
                super::range::LIMIT
            ));
        }
        if chunks > 0 {
            notes.push(format!(
                "{} of host memory could not be protected: CPU accesses there went unchecked",
                some(chunks, "part", "parts")
            ));
        }
        notes
    }

    /// Whether an address may be under watch, without a lock.
    pub(super) fn may_contain(&self, start: u64, end: u64) -> bool {
        start < self.high.load(Ordering::Relaxed) && end > self.low.load(Ordering::Relaxed)
    }

    /// What a fault means; `inside` says that it is not host code's. In a handler.
    pub(super) fn judge(&self, address: u64, write: bool, inside: bool) -> Verdict {
        self.table.with_blocked(|table| {
            let Some(range) = find(&mut table.ranges, address) else { return Verdict::Foreign };
            if write && range.protection & libc::PROT_WRITE == 0 {
                return Verdict::Foreign;
            }
            let Some(chunk) = range.closed_chunk(address) else { return Verdict::Open };
            if self.process.load(Ordering::Relaxed) != std::process::id() {
                open_all(&mut table.ranges);
                return Verdict::Open;
            }
            if inside || !range.owned {
                let (start, end) = range.chunk(chunk);
                protect(start, end, range.protection);
                range.set_closed(chunk, false);
                self.open.store(true, Ordering::Relaxed);
                return Verdict::Open;
            }
            if range.is_worn(address) { Verdict::Open } else { Verdict::Access }
        })
    }

    /// Whether host code may not touch all of `start .. end` unseen.
    pub(super) fn is_owned(&self, start: u64, end: u64, locked: Locked) -> bool {
        let look = |table: &mut Table| table.ranges.iter().any(|range| range.owned && range.overlaps(start, end));
        self.lock(locked, look)
    }

    /// Counts a trap of host code; the page may have had its last one.
    pub(super) fn count_trap(&self, address: u64, tired: bool) {
        self.table.with_blocked(|table| {
            if let Some(range) = find(&mut table.ranges, address)
                && range.count_trap(address, tired)
            {
                self.worn.fetch_add(1, Ordering::Relaxed);
            }
        });
    }

    /// Opens the pages of `start .. end` for a step of the calling thread. True if any was closed.
    pub(super) fn open_for_step(&self, start: u64, end: u64) -> bool {
        self.table.with_blocked(|table| {
            let mut any = false;
            closed_parts(&table.ranges, start, end, |range, from, to| any |= protect(from, to, range.protection));
            any
        })
    }

    /// The `size` (at most 8) bytes at an address, if they are under watch. In a handler.
    pub(super) fn peek(&self, address: u64, size: u64) -> Option<u64> {
        self.table.with_blocked(|table| {
            find(&mut table.ranges, address).filter(|range| address + size <= range.end)?;
            // A step is about to begin that closes them again.
            closed_parts(&table.ranges, address, address + size, |range, from, to| {
                _ = protect(from, to, range.protection)
            });
            let mut word = [0u8; 8];
            // SAFETY: open, and nobody closes pages without the lock.
            unsafe { std::ptr::copy_nonoverlapping(address as *const u8, word.as_mut_ptr(), size.min(8) as usize) };
            Some(u64::from_le_bytes(word))
        })
    }

    /// Closes what [`Watch::open_for_step`] opened, where it has to be closed still.
    pub(super) fn close_after_step(&self, start: u64, end: u64) {
        self.table.with_blocked(|table| close_again(table, start, end));
    }

    /// Opens the pages of `start .. end` until [`Watch::give_back`]. False if none of them is under watch.
    pub(super) fn lend(&self, start: u64, end: u64) -> bool {
        self.table.with(|table| {
            if !table.ranges.iter().any(|range| range.overlaps(start, end)) || table.loans.len() == LOANS {
                return false;
            }
            table.loans.push((start / PAGE * PAGE, end.next_multiple_of(PAGE)));
            closed_parts(&table.ranges, start, end, |range, from, to| _ = protect(from, to, range.protection));
            true
        })
    }

    /// Ends [`Watch::lend`] for the same range.
    pub(super) fn give_back(&self, start: u64, end: u64) {
        let loan = (start / PAGE * PAGE, end.next_multiple_of(PAGE));
        self.table.with(|table| {
            if let Some(at) = table.loans.iter().position(|&other| other == loan) {
                table.loans.swap_remove(at);
                close_again(table, loan.0, loan.1);
            }
        });
    }

    fn lock<R>(&self, locked: Locked, action: impl FnOnce(&mut Table) -> R) -> R {
        match locked {
            Locked::Handler => self.table.with_blocked(action),
            Locked::Code => self.table.with(action),
        }
    }
}

/// Where a call comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Locked {
    /// A signal handler: no signals come.
    Handler,
    /// Ordinary code.
    Code,
}

/// One line of `/proc/self/maps`.
struct Mapping {
    start: u64,
    end: u64,
    protection: i32,
}

impl Mapping {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let (start, end) = words.next()?.split_once('-')?;
        let flags = words.next()?;
        let bit = |letter, bit| if flags.contains(letter) { bit } else { 0 };
        Some(Self {
            start: u64::from_str_radix(start, 16).ok()?,
            end: u64::from_str_radix(end, 16).ok()?,
            protection: bit('r', libc::PROT_READ) | bit('w', libc::PROT_WRITE) | bit('x', libc::PROT_EXEC),
        })
    }
}

fn find(ranges: &mut [Range], address: u64) -> Option<&mut Range> {
    let at = ranges.partition_point(|range| range.end <= address);
    ranges.get_mut(at).filter(|range| range.start <= address)
}

fn protect(start: u64, end: u64, protection: i32) -> bool {
    // SAFETY: pages of the arena or of memory that the program registered; contents stay.
    unsafe { libc::mprotect(start as *mut _, (end - start) as usize, protection) == 0 }
}

/// Closes pages, but for those that the kernel may be touching.
fn close(start: u64, end: u64, loans: &[(u64, u64)]) -> bool {
    if start >= end {
        return true;
    }
    match loans.iter().find(|loan| loan.0 < end && loan.1 > start) {
        Some(loan) => close(start, loan.0, loans) & close(loan.1, end, loans),
        None => protect(start, end, libc::PROT_NONE),
    }
}

/// Calls `action` with each part of `start .. end`, in whole pages, that is closed but for pages that trapped too often.
fn closed_parts(ranges: &[Range], start: u64, end: u64, mut action: impl FnMut(&Range, u64, u64)) {
    let (start, end) = (start / PAGE * PAGE, end.next_multiple_of(PAGE));
    let first = ranges.partition_point(|range| range.end <= start);
    for range in ranges[first..].iter().take_while(|range| range.start < end) {
        let mut at = start.max(range.start);
        while at < end.min(range.end) {
            let next = (at / super::range::CHUNK + 1) * super::range::CHUNK;
            let to = next.min(end).min(range.end);
            if range.closed_chunk(at).is_some() {
                action(range, at, to);
            }
            at = to;
        }
    }
}

fn close_again(table: &Table, start: u64, end: u64) {
    closed_parts(&table.ranges, start, end, |range, from, to| {
        close(from, to, &table.loans);
        for page in range.worn_pages(from, to) {
            protect(page, page + PAGE, range.protection);
        }
    });
}

/// Closes all open chunks of owned ranges. Answers how many could not be closed.
fn close_owned(table: &mut Table) -> u64 {
    let Table { ranges, loans } = table;
    let mut failed = 0;
    // Neighbours are closed by one call: first and last range and the addresses.
    let mut run: Option<(u64, u64)> = None;
    let mut flush = |run: &mut Option<(u64, u64)>, next: Option<(u64, u64)>| {
        if let Some((start, end)) = std::mem::replace(run, next)
            && !close(start, end, loans)
        {
            failed += 1;
        }
    };
    for range in ranges.iter_mut().filter(|range| range.owned && range.closed_chunks < range.chunks()) {
        for chunk in 0..range.chunks() {
            if range.is_closed(chunk) {
                continue;
            }
            range.set_closed(chunk, true);
            let (start, end) = range.chunk(chunk);
            match &mut run {
                Some(run) if run.1 == start => run.1 = end,
                _ => flush(&mut run, Some((start, end))),
            }
        }
    }
    flush(&mut run, None);
    for range in ranges.iter().filter(|range| range.owned && range.worn > 0) {
        for page in range.worn_pages(range.start, range.end) {
            protect(page, page + PAGE, range.protection);
        }
    }
    failed
}

/// Opens whatever is closed.
fn open_all(ranges: &mut [Range]) {
    let mut run: Option<(u64, u64, i32)> = None;
    let flush = |run: &mut Option<(u64, u64, i32)>, next: Option<(u64, u64, i32)>| {
        if let Some((start, end, protection)) = std::mem::replace(run, next) {
            protect(start, end, protection);
        }
    };
    for range in ranges.iter_mut().filter(|range| range.closed_chunks > 0) {
        for chunk in 0..range.chunks() {
            if !range.is_closed(chunk) {
                continue;
            }
            range.set_closed(chunk, false);
            let (start, end) = range.chunk(chunk);
            match &mut run {
                Some(run) if run.1 == start && run.2 == range.protection => run.1 = end,
                _ => flush(&mut run, Some((start, end, range.protection))),
            }
        }
    }
    flush(&mut run, None);
}
