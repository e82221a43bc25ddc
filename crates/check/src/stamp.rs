//! One access, as a shadow cell remembers it: 64 bits.

use std::fmt;

/// How strong an access is (PTX memory model), by its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// A plain access.
    Weak = 0,
    /// Strong, within the block.
    Block = 1,
    /// Strong, within the device (`cluster` counts as this).
    Device = 2,
    /// Strong, host included. Volatile accesses are this.
    System = 3,
}

/// Time (32 bits), thread in its block (10), bytes of the word (4), whether the other bytes were set long ago (1), strength (2), site (15).
///
/// The time tells item and block ([`crate::Checker`] keeps that table). 0 is no access.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Stamp(pub u64);

const TIME: u32 = 32;
const THREAD: u32 = 22;
const MASK: u32 = 18;
const OLD: u32 = 17;
const STRENGTH: u32 = 15;
/// Largest site number; sites beyond it share number 0, "somewhere".
pub const MOST_SITES: u32 = (1 << STRENGTH) - 1;
/// A time that stands for "look into the table of split words".
const SPLIT: u32 = u32::MAX;

/// All four bytes of a word.
pub const WHOLE: u32 = 0b1111;

impl Stamp {
    /// No access.
    pub const NONE: Stamp = Stamp(0);
    /// Set long ago, all bytes.
    pub const ANCIENT: Stamp = Stamp(1 << TIME | (WHOLE as u64) << MASK);

    /// An access of a whole word.
    #[inline(always)]
    pub const fn new(time: u32, thread: u16, strength: Strength, site: u32) -> Stamp {
        let site = if site > MOST_SITES { 0 } else { site };
        Stamp(
            (time as u64) << TIME
                | (thread as u64 & 0x3ff) << THREAD
                | (WHOLE as u64) << MASK
                | (strength as u64) << STRENGTH
                | site as u64,
        )
    }

    /// The word is split; the entry's number.
    pub fn split(index: u32) -> Stamp {
        Stamp(u64::from(SPLIT) << TIME | u64::from(index))
    }

    /// The entry in the table of split words, if the word is split.
    #[inline(always)]
    pub fn split_index(self) -> Option<u32> {
        (self.time() == SPLIT).then_some(self.0 as u32)
    }

    /// When.
    #[inline(always)]
    pub fn time(self) -> u32 {
        (self.0 >> TIME) as u32
    }

    /// By which thread of the block.
    #[inline(always)]
    pub fn thread(self) -> u16 {
        (self.0 >> THREAD) as u16 & 0x3ff
    }

    /// Which bytes of the word.
    #[inline(always)]
    pub fn mask(self) -> u32 {
        (self.0 >> MASK) as u32 & WHOLE
    }

    /// Were the other bytes set, long ago?
    #[inline(always)]
    pub fn old_rest(self) -> bool {
        self.0 >> OLD & 1 == 1
    }

    /// How strong.
    pub fn strength(self) -> Strength {
        match self.0 >> STRENGTH & 3 {
            0 => Strength::Weak,
            1 => Strength::Block,
            2 => Strength::Device,
            _ => Strength::System,
        }
    }

    /// Is it strong, of whatever scope?
    #[inline(always)]
    pub fn is_strong(self) -> bool {
        self.0 >> STRENGTH & 3 != 0
    }

    /// Where in the program.
    pub fn site(self) -> u32 {
        self.0 as u32 & MOST_SITES
    }

    /// The same access of other bytes.
    #[inline(always)]
    pub fn of_bytes(self, mask: u32) -> Stamp {
        Stamp(self.0 & !(u64::from(WHOLE) << MASK) | u64::from(mask) << MASK)
    }

    /// The same, the other bytes set long ago.
    pub fn with_old_rest(self) -> Stamp {
        Stamp(self.0 | 1 << OLD)
    }

    /// Bytes that were set, by this access or long ago.
    #[inline(always)]
    pub fn set_bytes(self) -> u32 {
        if self.old_rest() { WHOLE } else { self.mask() }
    }

    /// Same thread, same time?
    #[inline(always)]
    pub fn same_moment(self, other: Stamp) -> bool {
        (self.0 ^ other.0) >> THREAD == 0
    }

    /// Is it no access at all?
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/{:04b}@{}", self.time(), self.thread(), self.mask(), self.site())
    }
}
