//! Threads that let others run: their loop burnt its fuel, or they asked to sleep.
//!
//! Such a thread may compute, or wait for what another block, the host or a child grid writes. The first should keep its worker,
//! the second should give way at once; a look at the threads' state tells them apart, well enough for good use of workers.

use super::block::Block;
use super::fiber::Fiber;

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
        let mut hash = u64::from(self.live);
        for fiber in self.yielded.iter() {
            // SAFETY: the fiber is suspended. Four sums at once, for they are slow one after the other.
            let words = unsafe { Fiber::frames(fiber) };
            let mut sums = [hash, 1, 2, 3];
            let (fours, rest) = words.as_chunks::<4>();
            for four in fours {
                sums = std::array::from_fn(|i| mix(sums[i], four[i]));
            }
            hash = rest.iter().chain(&sums).fold(0, |hash, &word| mix(hash, word));
        }
        self.unchanged = hash == self.likeness;
        self.likeness = hash;
    }
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}
