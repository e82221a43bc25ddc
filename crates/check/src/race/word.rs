//! One access of a device thread: who was there before, and is that known?

use super::block::BlockOrder;
use super::checker::Checker;
use crate::shadow::{ByteCell, Cell};
use crate::stamp::{Stamp, Strength, WHOLE};

/// An access, as generated code announces it.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// First byte.
    pub address: u64,
    /// Bytes: 1 to 32.
    pub size: u32,
    /// Who, when, where, how strong.
    pub stamp: Stamp,
    /// It is a read-modify-write.
    pub atomic: bool,
    /// It takes no notice of the old value.
    pub blind: bool,
    /// It acquires.
    pub acquire: bool,
    /// It releases.
    pub release: bool,
    /// The value of a store, first byte lowest.
    pub value: [u64; 2],
}

/// What is wrong with an access. It is recorded all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// An unordered access was there before.
    Race {
        /// The other side.
        before: Stamp,
        /// Whether the other side wrote.
        wrote: bool,
        /// First byte that both touched.
        address: u64,
    },
    /// The same value was stored by another thread: no fault, but worth knowing.
    SameValue {
        /// The other side.
        before: Stamp,
        /// Where.
        address: u64,
    },
    /// Nothing was ever written here: perhaps not even allocated.
    Unset {
        /// Where.
        address: u64,
    },
}

/// What the agent of an access knows.
pub(super) trait View {
    fn knows(&self, checker: &Checker, stamp: Stamp) -> bool;
    /// Are both in the same block, for strong accesses of that scope?
    fn same_block(&self, checker: &Checker, stamp: Stamp) -> bool;
    /// May a store of the same value be excused: same grid?
    fn same_grid(&self, checker: &Checker, stamp: Stamp) -> bool;
}

pub(super) struct ThreadView<'a> {
    pub block: &'a BlockOrder,
    pub thread: u16,
}

impl View for ThreadView<'_> {
    #[inline(always)]
    fn knows(&self, checker: &Checker, stamp: Stamp) -> bool {
        self.block.knows(checker, self.thread, stamp)
    }

    fn same_block(&self, checker: &Checker, stamp: Stamp) -> bool {
        let agent = checker.agent(stamp);
        (agent.item, agent.block) == (self.block.item, self.block.block)
    }

    fn same_grid(&self, checker: &Checker, stamp: Stamp) -> bool {
        checker.agent(stamp).item == self.block.item
    }
}

/// Do the two stand in different grids (2), blocks (1), or neither (0)?
fn distance(checker: &Checker, a: Stamp, b: Stamp) -> u32 {
    if a.time() == b.time() {
        return 0;
    }
    let (a, b) = (checker.agent(a), checker.agent(b));
    if a.item != b.item { 2 } else { u32::from(a.block != b.block) }
}

/// Do two strong accesses exclude a race by themselves?
fn both_strong(checker: &Checker, view: &impl View, before: Stamp, now: Stamp) -> bool {
    let (a, b) = (before.strength(), now.strength());
    if a == Strength::Weak || b == Strength::Weak {
        return false;
    }
    let weaker = a.min(b);
    weaker >= Strength::Device || view.same_block(checker, before)
}

/// Was it by somebody else whom the agent does not know of?
#[inline(always)]
fn unknown(checker: &Checker, view: &impl View, before: Stamp, now: Stamp) -> bool {
    if before.time() == now.time() {
        // Threads that share a time have not met since.
        return before.thread() != now.thread();
    }
    !before.is_none() && !view.knows(checker, before)
}

/// A read of bytes of one word. `set` gets the bytes that were ever written.
#[inline(always)]
pub(super) fn read(
    checker: &mut Checker,
    view: &impl View,
    cell: Cell,
    now: Stamp,
    set: &mut bool,
) -> Option<(Stamp, bool)> {
    // SAFETY: the cell's places lie in the shadow, which nobody else uses now.
    let (writer, reader) = unsafe { (*cell.writer, *cell.reader) };
    if writer.split_index().is_some() || (reader.mask() & !now.mask() != 0) {
        return read_split(checker, view, cell, now, set);
    }
    *set |= writer.set_bytes() & now.mask() != 0;
    let mut race = None;
    if writer.mask() & now.mask() != 0
        && unknown(checker, view, writer, now)
        && !both_strong(checker, view, writer, now)
    {
        race = Some((writer, true));
    }
    // SAFETY: as above.
    unsafe {
        if !unknown(checker, view, reader, now) {
            *cell.reader = now;
        } else {
            let second = *cell.second;
            // Within one moment of one block, two different threads are as good as all.
            let same = second.time() == now.time() && reader.time() == now.time();
            let weaker = second.is_strong() && !now.is_strong();
            if same && weaker
                || !same
                    && (!unknown(checker, view, second, now)
                        || distance(checker, reader, now) > distance(checker, reader, second))
            {
                *cell.second = now;
            }
        }
    }
    race
}

#[inline(never)]
fn read_split(
    checker: &mut Checker,
    view: &impl View,
    cell: Cell,
    now: Stamp,
    set: &mut bool,
) -> Option<(Stamp, bool)> {
    let index = split(checker, cell);
    let mut bytes = *checker.shadow.splits.get(index);
    let mut race = None;
    for byte in (0..4).filter(|byte| now.mask() >> byte & 1 == 1) {
        let ByteCell { writer, reader } = &mut bytes[byte];
        *set |= !writer.is_none();
        if unknown(checker, view, *writer, now) && !both_strong(checker, view, *writer, now) {
            race = Some((*writer, true));
        }
        if !unknown(checker, view, *reader, now) {
            *reader = now;
        }
    }
    *checker.shadow.splits.get(index) = bytes;
    race
}

/// Gives each byte of a word its own history; the entry's number.
fn split(checker: &mut Checker, cell: Cell) -> u32 {
    // SAFETY: as in `read`.
    let (writer, reader) = unsafe { (*cell.writer, *cell.reader) };
    if let Some(index) = writer.split_index() {
        return index;
    }
    let of = |stamp: Stamp, byte: usize| {
        if stamp.mask() >> byte & 1 == 1 {
            stamp.of_bytes(WHOLE)
        } else if stamp.old_rest() {
            Stamp::ANCIENT
        } else {
            Stamp::NONE
        }
    };
    let bytes = std::array::from_fn(|byte| ByteCell { writer: of(writer, byte), reader: of(reader, byte) });
    let index = checker.shadow.splits.add(bytes);
    // SAFETY: as above.
    unsafe {
        *cell.writer = Stamp::split(index);
        *cell.reader = Stamp::NONE;
        *cell.second = Stamp::NONE;
    }
    index
}

/// A write of bytes of one word; `same` tells whether the bytes already hold what is stored.
#[inline(always)]
pub(super) fn write(
    checker: &mut Checker,
    view: &impl View,
    cell: Cell,
    now: Stamp,
    same: impl Fn() -> bool,
) -> Option<(Stamp, bool, bool)> {
    // SAFETY: as in `read`.
    let (writer, reader) = unsafe { (*cell.writer, *cell.reader) };
    let joint = now.mask();
    let floor = checker.floor;
    // The bytes beside: of the same moment, long ago, or none.
    let rest = writer.mask() & !joint;
    let whole = rest == 0 || writer.same_moment(now) || writer.time() < floor;
    if writer.split_index().is_some() || !whole || reader.mask() & !joint != 0 {
        return write_split(checker, view, cell, now, same);
    }
    let mut race = None;
    if unknown(checker, view, writer, now) && writer.mask() & joint != 0 && !both_strong(checker, view, writer, now) {
        race = Some((writer, true, excused(checker, view, writer, now, &same)));
    }
    if !reader.is_none() {
        // SAFETY: as above.
        let second = unsafe { *cell.second };
        for before in [reader, second] {
            if unknown(checker, view, before, now) && !both_strong(checker, view, before, now) && race.is_none() {
                race = Some((before, false, false));
            }
        }
        // SAFETY: as above.
        unsafe {
            *cell.reader = Stamp::NONE;
            *cell.second = Stamp::NONE;
        }
    }
    let mut next = now;
    if rest != 0 || (joint != WHOLE && writer.old_rest()) {
        if writer.same_moment(now) {
            next = now.of_bytes(writer.mask() | joint);
        }
        if writer.old_rest() || (writer.time() < floor && writer.set_bytes() | joint == WHOLE) {
            next = next.with_old_rest();
        } else if writer.time() < floor && rest != 0 {
            return write_split(checker, view, cell, now, same).or(race);
        }
    }
    // SAFETY: as above.
    unsafe { *cell.writer = next };
    race
}

#[inline(never)]
fn write_split(
    checker: &mut Checker,
    view: &impl View,
    cell: Cell,
    now: Stamp,
    same: impl Fn() -> bool,
) -> Option<(Stamp, bool, bool)> {
    let index = split(checker, cell);
    let mut bytes = *checker.shadow.splits.get(index);
    let mut race = None;
    for byte in (0..4).filter(|byte| now.mask() >> byte & 1 == 1) {
        let ByteCell { writer, reader } = &mut bytes[byte];
        if unknown(checker, view, *writer, now) && !both_strong(checker, view, *writer, now) {
            race = Some((*writer, true, excused(checker, view, *writer, now, &same)));
        } else if unknown(checker, view, *reader, now) && !both_strong(checker, view, *reader, now) && race.is_none() {
            race = Some((*reader, false, false));
        }
        *writer = now.of_bytes(WHOLE);
        *reader = Stamp::NONE;
    }
    let alike = bytes.iter().all(|byte| byte.writer == bytes[0].writer && byte.reader.is_none());
    if alike {
        checker.shadow.splits.remove(index);
        // SAFETY: as in `read`.
        unsafe { *cell.writer = bytes[0].writer };
    } else {
        *checker.shadow.splits.get(index) = bytes;
    }
    race
}

/// Plain stores of the same value by threads of one grid, and stores by lanes of one instruction, are no race (launch-model 6).
fn excused(checker: &Checker, view: &impl View, before: Stamp, now: Stamp, same: impl Fn() -> bool) -> bool {
    let plain = before.strength() == Strength::Weak && now.strength() == Strength::Weak;
    let one_instruction = before.time() == now.time()
        && before.thread() / 32 == now.thread() / 32
        && before.site() == now.site()
        && before.site() != 0;
    plain && view.same_grid(checker, before) && (one_instruction || same())
}

impl Checker {
    /// A thread reads. `cells` finds the shadow of an address.
    pub fn read(
        &mut self,
        block: &mut BlockOrder,
        access: &Access,
        mut cells: impl FnMut(&mut Checker, &mut BlockOrder, u64) -> Option<Cell>,
    ) -> Option<Problem> {
        let mut problem = None;
        let mut set = false;
        let thread = access.stamp.thread();
        for (address, mask) in words(access.address, access.size) {
            let Some(cell) = cells(self, block, address) else { continue };
            let view = ThreadView { block, thread };
            let found = read(self, &view, cell, access.stamp.of_bytes(mask), &mut set);
            if let Some((before, wrote)) = found
                && problem.is_none()
            {
                problem = Some(Problem::Race { before, wrote, address });
            }
        }
        if problem.is_none() && !set {
            problem = Some(Problem::Unset { address: access.address });
        }
        problem
    }

    /// A thread writes.
    pub fn write(
        &mut self,
        block: &mut BlockOrder,
        access: &Access,
        mut cells: impl FnMut(&mut Checker, &mut BlockOrder, u64) -> Option<Cell>,
    ) -> Option<Problem> {
        let mut problem = None;
        let thread = access.stamp.thread();
        let mut fresh = false;
        for (address, mask) in words(access.address, access.size) {
            let Some(cell) = cells(self, block, address) else { continue };
            // SAFETY: as in `read`.
            fresh |= unsafe { (*cell.writer).is_none() };
            let view = ThreadView { block, thread };
            let same = || !access.atomic && holds(access, address, mask);
            let found = write(self, &view, cell, access.stamp.of_bytes(mask), same);
            match found {
                Some((before, _, true)) => {
                    problem.get_or_insert(Problem::SameValue { before, address });
                }
                Some((before, wrote, false)) if !matches!(problem, Some(Problem::Race { .. })) => {
                    problem = Some(Problem::Race { before, wrote, address });
                }
                _ => {}
            }
        }
        if problem.is_none() && fresh {
            problem = Some(Problem::Unset { address: access.address });
        }
        problem
    }
}

/// The words that a range touches, as (first address, bytes of the word).
#[inline(always)]
fn words(address: u64, size: u32) -> impl Iterator<Item = (u64, u32)> {
    let end = address + u64::from(size);
    let mut at = address;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let (first, offset) = (at, at % 4);
        let count = (4 - offset).min(end - at);
        at += count;
        Some((first, (((1u32 << count) - 1) << offset) & WHOLE))
    })
}

/// Does memory hold what is stored already, in the word that `address` lies in?
fn holds(access: &Access, address: u64, mask: u32) -> bool {
    let skip = (address - access.address) as usize;
    let bytes: [u8; 16] = {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&access.value[0].to_ne_bytes());
        bytes[8..].copy_from_slice(&access.value[1].to_ne_bytes());
        bytes
    };
    let count = mask.count_ones() as usize;
    let Some(new) = bytes.get(skip..skip + count) else { return false };
    // SAFETY: the address was written before, and is checked; the store comes next.
    let old = unsafe { std::slice::from_raw_parts(address as *const u8, count) };
    old == new
}
