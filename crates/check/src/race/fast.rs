//! The accesses that nearly all accesses are: weak, of whole words, in memory whose history is long known.
//!
//! What is answered here needs no question about order: who was there before did it long ago, is the same thread since its last
//! barrier, or (in shared memory) was of the same block before that barrier. Everything else goes to [`super::word`], which would say
//! the same of these. Of reads of shared memory generated code answers some by itself (`emit::shadow` of the compiler).

use super::block::BlockOrder;
use super::checker::Checker;
use crate::shadow::Region;
use crate::stamp::{Stamp, WHOLE};

/// Does the reader recorded before need no look when `now` reads too? Then it may be replaced.
#[inline(always)]
fn passed(before: Stamp, known_before: u32, now: Stamp) -> bool {
    before.time() < known_before || before.same_moment(now)
}

impl BlockOrder {
    /// An access to shared memory; false if it needs a closer look. `offset` and `size` are multiples of 4, inside.
    #[inline(always)]
    pub fn fast_shared(&mut self, offset: u32, size: u32, now: Stamp, write: bool) -> bool {
        let (since, epoch) = (self.since, self.met());
        let first = offset as usize / 4;
        let Some(cells) = self.shared.cells.get_mut(first..first + size as usize / 4) else { return false };
        for [writer, reader, second] in cells {
            let known_writer = passed(*writer, epoch, now) && writer.mask() == WHOLE;
            if write {
                let quiet = passed(*reader, epoch, now) && passed(*second, epoch, now);
                if !(quiet && (known_writer || writer.time() < since)) {
                    return false;
                }
                (*writer, *reader, *second) = (now, Stamp::NONE, Stamp::NONE);
                continue;
            }
            if !known_writer || writer.time() < since {
                return false;
            }
            if passed(*reader, epoch, now) {
                *reader = now;
            } else if reader.time() != now.time() {
                return false;
            } else if passed(*second, epoch, now) {
                *second = now;
            } else if second.time() != now.time() || reader.is_strong() || second.is_strong() {
                return false;
            }
        }
        true
    }

    /// An access to the arena; false if it needs a closer look. `address` and `size` are multiples of 4.
    #[inline(always)]
    pub fn fast_global(
        &self,
        checker: &Checker,
        region: &Region,
        address: u64,
        size: u32,
        now: Stamp,
        write: bool,
    ) -> bool {
        let floor = checker.floor;
        for at in (address..address + u64::from(size)).step_by(4) {
            let cell = region.cell(at);
            // SAFETY: the cell's places lie in the shadow, which nobody else uses now.
            unsafe {
                let writer = *cell.writer;
                let fresh = writer.is_none();
                if (!passed(writer, floor, now) || writer.mask() != WHOLE)
                    && !(fresh && write && self.allocation.is_some_and(|known| known.holds(checker, address, size)))
                {
                    return false;
                }
                let reader = *cell.reader;
                if write {
                    if !reader.is_none() {
                        return false;
                    }
                    *cell.writer = now;
                } else if passed(reader, floor, now) {
                    *cell.reader = now;
                } else if !self.joins_readers(checker, reader, *cell.second) {
                    return false;
                }
            }
        }
        true
    }

    /// Do two readers stand for this block as well: threads of two other blocks of the grid, of which it has not heard?
    #[inline(always)]
    fn joins_readers(&self, checker: &Checker, reader: Stamp, second: Stamp) -> bool {
        let (Some((item, block)), Some((item_too, block_too))) =
            (checker.segment(reader.time()), checker.segment(second.time()))
        else {
            return false;
        };
        let own_grid = item == self.item && item_too == self.item;
        let three_blocks = block != block_too && block != self.block && block_too != self.block;
        own_grid && three_blocks && !self.has_learnt() && reader.mask() & second.mask() == WHOLE
    }
}
