//! First startable, first started.

use super::{Candidate, Schedule, Situation};
use std::collections::VecDeque;

#[derive(Clone, Debug, Default)]
pub(crate) struct Eager(VecDeque<Candidate>);

impl Schedule for Eager {
    fn add(&mut self, candidate: Candidate) {
        self.0.push_back(candidate);
    }

    fn pick(&mut self, _situation: Situation) -> Option<Candidate> {
        self.0.pop_front()
    }

    fn remove(&mut self, index: u32) -> bool {
        let position = self.0.iter().position(|candidate| candidate.index == index);
        position.and_then(|position| self.0.remove(position)).is_some()
    }
}
