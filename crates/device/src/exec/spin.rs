//! Threads that let others run: their loop burnt its fuel, or they asked to sleep.
//!
//! Such a thread may compute, or wait for what another block, the host or a child grid writes. The first should keep its worker,
//! the second should give way at once; a look at the threads' state tells them apart, well enough for good use of workers.

use super::block::Block;
use super::fiber::Fiber;

/// Longest circle of looks that is recognised.
const LONGEST: u32 = 1 << 8;

impl Block {
    /// Gives the threads that let others run their next turn. False if there are none, or if they are ready but another block
    /// should come first: nothing changed in the last round, there were `most` rounds, or one of them asked for it.
    pub fn turn_round(&mut self, most: u32) -> bool {
        if self.yielded.len() == 0 {
            return false;
        }
        self.look();
        self.rounds += 1;
        self.ready.append(&mut self.yielded);
        let gives_way = std::mem::take(&mut self.gives_way);
        !self.unchanged && !gives_way && self.rounds < most
    }

    /// Looks whether the threads that let others run have moved since the last look: their stacks, registers included, tell.
    /// What they store they may store for ever; a loop whose state does not change leaves only by what others do.
    fn look(&mut self) {
        let mut unchanged = true;
        for fiber in self.yielded.iter() {
            // SAFETY: the fiber is suspended.
            unchanged &= unsafe { look_at(fiber) };
        }
        let threads = u64::from(self.live) << 32 | u64::from(self.yielded.len());
        self.unchanged = unchanged && threads == self.likeness;
        self.likeness = threads;
    }
}

/// Whether a thread is going round in a circle: it looks (its stack, or what its loops hang on where generated code tells) as it did
/// at some look before, or did so a circle ago at most. Most loops look the same each time; one that lets others run at several places
/// comes back to each of them. Circles are found as by Brent's algorithm: the look to compare with is replaced after 1, 2, 4, … looks.
///
/// # Safety
/// The fiber is suspended.
unsafe fn look_at(fiber: *mut Fiber) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let likeness = match (*fiber).context.look {
            0 => likeness(Fiber::frames(fiber)),
            look => look,
        };
        let circle = &mut (*fiber).circle;
        let before = std::mem::replace(&mut circle.before, likeness);
        if likeness == circle.likeness || likeness == before {
            (circle.likeness, circle.age) = (likeness, 0);
            (*fiber).spins = (*fiber).spins.saturating_add(1);
        } else {
            circle.age += 1;
            if circle.age >= circle.longest {
                *circle = Circle { before: likeness, likeness, age: 0, longest: (circle.longest * 2).min(LONGEST) };
                (*fiber).spins = 0;
            }
        }
        (*fiber).spins > 0
    }
}

/// What a thread that lets others run is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Circle {
    /// How it looked last.
    before: u64,
    /// How it looked then.
    likeness: u64,
    /// Looks since it looked like that.
    age: u32,
    /// Looks until another is taken.
    longest: u32,
}

impl Circle {
    /// Nothing seen yet.
    pub const NEW: Circle = Circle { before: 0, likeness: 0, age: 0, longest: 1 };
}

/// A number for a stack. Four sums at once, for they are slow one after the other.
fn likeness(words: &[u64]) -> u64 {
    let mut sums = [words.len() as u64, 1, 2, 3];
    let (fours, rest) = words.as_chunks::<4>();
    for four in fours {
        sums = std::array::from_fn(|i| mix(sums[i], four[i]));
    }
    rest.iter().chain(&sums).fold(0, |hash, &word| mix(hash, word))
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}
