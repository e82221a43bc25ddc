//! The choices of an earlier run again, as far as they are possible; eager after them.

use super::{Candidate, Choice, Schedule, Situation};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub(crate) struct Replay {
    choices: std::vec::IntoIter<Choice>,
    current: Option<Choice>,
    /// By ordinal.
    candidates: BTreeMap<u64, u32>,
    /// This run is not the recorded one.
    pub diverged: bool,
}

impl Replay {
    pub fn new(choices: Vec<Choice>) -> Replay {
        let mut choices = choices.into_iter();
        let current = choices.next();
        Replay { choices, current, candidates: BTreeMap::new(), diverged: false }
    }
}

impl Schedule for Replay {
    fn add(&mut self, candidate: Candidate) {
        self.candidates.insert(candidate.ordinal, candidate.index);
    }

    fn pick(&mut self, situation: Situation) -> Option<Candidate> {
        if let Some(choice) = &mut self.current {
            if choice.deferred > 0 && situation != Situation::Idle {
                choice.deferred -= 1;
                return None;
            }
            let ordinal = choice.ordinal;
            if let Some(index) = self.candidates.remove(&ordinal) {
                self.diverged |= choice.deferred > 0;
                self.current = self.choices.next();
                return Some(Candidate { index, ordinal });
            }
            self.diverged = true;
            // The recorded item may still come, unless nothing else is there to bring it.
            if situation == Situation::Busy {
                return None;
            }
        }
        self.candidates.pop_first().map(|(ordinal, index)| Candidate { index, ordinal })
    }

    fn remove(&mut self, index: u32) -> bool {
        let ordinal = self.candidates.iter().find(|(_, candidate)| **candidate == index).map(|(ordinal, _)| *ordinal);
        ordinal.and_then(|ordinal| self.candidates.remove(&ordinal)).is_some()
    }
}
