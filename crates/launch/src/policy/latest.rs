//! Nothing starts that need not, and then the youngest first.
//!
//! Device launches whose launcher still runs are no candidates (the model holds them back): the contract promises their
//! start only when the launcher's threads are done (launch-model 3.1.2). Nor are programmatic dependents before what they depend on is
//! complete: an early start is never promised (4.2).

use super::{Candidate, Schedule, Situation};

#[derive(Clone, Debug, Default)]
pub(crate) struct Latest(Vec<Candidate>);

impl Schedule for Latest {
    fn add(&mut self, candidate: Candidate) {
        self.0.push(candidate);
    }

    fn pick(&mut self, situation: Situation) -> Option<Candidate> {
        match situation {
            Situation::Idle | Situation::Stuck => self.0.pop(),
            Situation::Busy => None,
        }
    }

    fn remove(&mut self, index: u32) -> bool {
        let position = self.0.iter().position(|candidate| candidate.index == index);
        position.map(|position| self.0.remove(position)).is_some()
    }
}
