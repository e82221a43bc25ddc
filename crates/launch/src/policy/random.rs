//! Any candidate, and while something runs, perhaps none yet.

use super::{Candidate, Schedule, Situation};

#[derive(Clone, Debug)]
pub(crate) struct Random {
    candidates: Vec<Candidate>,
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { candidates: Vec::new(), state: seed }
    }

    /// SplitMix64: small, seeded by any number, and the same on every machine.
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl Schedule for Random {
    fn add(&mut self, candidate: Candidate) {
        self.candidates.push(candidate);
    }

    fn pick(&mut self, situation: Situation) -> Option<Candidate> {
        // When what runs is stuck, a start may be what it waits for, and the coin would only cost time.
        if situation == Situation::Busy && self.draw() & 1 == 0 {
            return None;
        }
        let count = self.candidates.len() as u64;
        let position = ((u128::from(self.draw()) * u128::from(count)) >> 64) as usize;
        Some(self.candidates.swap_remove(position))
    }

    fn remove(&mut self, index: u32) -> bool {
        let position = self.candidates.iter().position(|candidate| candidate.index == index);
        position.map(|position| self.candidates.swap_remove(position)).is_some()
    }
}
