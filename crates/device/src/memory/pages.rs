//! Which pages of the arena are taken: next fit over the free ranges.
//!
//! The search starts where the last allocation ended and wraps around, so a freed address is given out again as late as
//! possible and a stale pointer meets a closed page for as long as possible.

use super::map::{PAGE, round_up};
use std::collections::BTreeMap;

/// The free ranges of an address range, coalesced.
#[derive(Debug)]
pub struct Pages {
    free: BTreeMap<u64, u64>,
    cursor: u64,
}

impl Pages {
    /// All of `base .. base + size` is free.
    pub fn new(base: u64, size: u64) -> Self {
        Self { free: BTreeMap::from([(base, size)]), cursor: base }
    }

    /// Takes `size` bytes (a multiple of the page) at a multiple of `align` (a power of two, at least a page).
    pub fn take(&mut self, size: u64, align: u64) -> Option<u64> {
        debug_assert!(size.is_multiple_of(PAGE) && align.is_power_of_two() && align >= PAGE);
        let fits = |(&start, &length): (&u64, &u64)| {
            let at = round_up(start.max(self.cursor_in(start, length)), align);
            (at.checked_add(size)? <= start + length).then_some((start, length, at))
        };
        // A range that the cursor cuts counts twice: its part behind the cursor first, its part before it last.
        let before = self.free.range(..=self.cursor).next_back();
        let cut =
            before.filter(|&(start, length)| self.cursor < start + length).map_or(self.cursor, |(&start, _)| start);
        let (start, length, at) = self.free.range(cut..).find_map(fits).or_else(|| {
            self.free.range(..=self.cursor).find_map(|(&start, &length)| {
                let at = round_up(start, align);
                (at.checked_add(size)? <= start + length).then_some((start, length, at))
            })
        })?;
        self.free.remove(&start);
        if start < at {
            self.free.insert(start, at - start);
        }
        if at + size < start + length {
            self.free.insert(at + size, start + length - (at + size));
        }
        self.cursor = at + size;
        Some(at)
    }

    fn cursor_in(&self, start: u64, length: u64) -> u64 {
        if start <= self.cursor && self.cursor < start + length { self.cursor } else { start }
    }

    /// Gives a range back that was taken.
    pub fn give(&mut self, mut start: u64, mut size: u64) {
        if let Some((&before, &length)) = self.free.range(..start).next_back()
            && before + length == start
        {
            self.free.remove(&before);
            (start, size) = (before, length + size);
        }
        if let Some(length) = self.free.remove(&(start + size)) {
            size += length;
        }
        self.free.insert(start, size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back_only_after_all_others() {
        let mut pages = Pages::new(0x10000, 16 * PAGE);
        let first = pages.take(PAGE, PAGE).unwrap();
        pages.give(first, PAGE);
        let others: Vec<u64> = (0..15).map(|_| pages.take(PAGE, PAGE).unwrap()).collect();
        assert!(!others.contains(&first));
        assert_eq!(pages.take(PAGE, PAGE), Some(first));
        assert_eq!(pages.take(PAGE, PAGE), None);
    }

    #[test]
    fn neighbours_coalesce() {
        let mut pages = Pages::new(0, 8 * PAGE);
        let all: Vec<u64> = (0..8).map(|_| pages.take(PAGE, PAGE).unwrap()).collect();
        for &page in [1, 3, 2, 0, 7, 5, 6, 4].iter().map(|&i: &usize| &all[i]) {
            pages.give(page, PAGE);
        }
        assert_eq!(pages.free, BTreeMap::from([(0, 8 * PAGE)]));
        assert_eq!(pages.take(8 * PAGE, PAGE), Some(0));
    }

    #[test]
    fn no_two_allocations_overlap() {
        let mut pages = Pages::new(0, 1000 * PAGE);
        let mut live: Vec<(u64, u64)> = Vec::new();
        let mut state = 1u64;
        for _ in 0..5000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let roll = state >> 33;
            if roll.is_multiple_of(3) && !live.is_empty() {
                let (at, size) = live.swap_remove(roll as usize / 3 % live.len());
                pages.give(at, size);
                continue;
            }
            let (size, align) = ((roll / 3 % 40 + 1) * PAGE, PAGE << (roll / 200 % 4));
            if let Some(at) = pages.take(size, align) {
                assert!(at.is_multiple_of(align) && at + size <= 1000 * PAGE);
                assert!(live.iter().all(|&(a, s)| at + size <= a || a + s <= at));
                live.push((at, size));
            }
        }
    }
}
