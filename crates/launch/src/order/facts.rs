//! Items known to be complete.

use std::sync::Arc;

/// Everything up to `position` of `chain` is complete, descendants included. Positions start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fact {
    /// The chain.
    pub chain: u32,
    /// The last item of it that is known to be complete.
    pub position: u32,
}

/// A set of facts, cheap to clone: sorted by chain, one a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(Option<Arc<[Fact]>>);

impl Facts {
    fn list(&self) -> &[Fact] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Is this item of the chain known to be complete?
    pub fn knows(&self, fact: Fact) -> bool {
        let list = self.list();
        let found = list.binary_search_by_key(&fact.chain, |known| known.chain);
        found.is_ok_and(|index| list[index].position >= fact.position)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Fact> + '_ {
        self.list().iter().copied()
    }

    /// Is nothing known?
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Learns one fact.
    pub fn learn(&mut self, fact: Fact) {
        if self.knows(fact) {
            return;
        }
        let mut list = self.list().to_vec();
        match list.binary_search_by_key(&fact.chain, |known| known.chain) {
            Ok(index) => list[index] = fact,
            Err(index) => list.insert(index, fact),
        }
        self.0 = Some(list.into());
    }

    /// Learns all that `other` knows.
    pub fn join(&mut self, other: &Facts) {
        let same = match (&self.0, &other.0) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (_, None) => true,
            (None, Some(_)) => {
                *self = other.clone();
                true
            }
        };
        if same || other.iter().all(|fact| self.knows(fact)) {
            return;
        }
        if self.iter().all(|fact| other.knows(fact)) {
            *self = other.clone();
            return;
        }
        let mut list = Vec::with_capacity(self.list().len() + other.list().len());
        let (mut left, mut right) = (self.list().iter().peekable(), other.list().iter().peekable());
        loop {
            let fact = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) if a.chain == b.chain => {
                    let chain = a.chain;
                    let position = a.position.max(b.position);
                    left.next();
                    right.next();
                    Fact { chain, position }
                }
                (Some(a), Some(b)) if a.chain < b.chain => {
                    let fact = **a;
                    left.next();
                    fact
                }
                (Some(a), None) => {
                    let fact = **a;
                    left.next();
                    fact
                }
                (_, Some(b)) => {
                    let fact = **b;
                    right.next();
                    fact
                }
                (None, None) => break,
            };
            list.push(fact);
        }
        self.0 = Some(list.into());
    }

    /// Forgets facts that no longer matter.
    pub fn retain(&mut self, keep: impl FnMut(&Fact) -> bool) {
        if self.is_empty() {
            return;
        }
        let list: Vec<Fact> = self.iter().filter(keep).collect();
        self.0 = (!list.is_empty()).then(|| list.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(list: &[(u32, u32)]) -> Facts {
        let mut facts = Facts::default();
        list.iter().for_each(|&(chain, position)| facts.learn(Fact { chain, position }));
        facts
    }

    #[test]
    fn joining_keeps_the_later_of_each_chain() {
        let mut own = facts(&[(1, 4), (3, 1), (9, 2)]);
        own.join(&facts(&[(0, 7), (3, 5), (9, 1)]));
        assert_eq!(own, facts(&[(0, 7), (1, 4), (3, 5), (9, 2)]));
        let mut smaller = facts(&[(3, 2)]);
        smaller.join(&own);
        assert_eq!(smaller, own);
        own.join(&Facts::default());
        assert_eq!(smaller, own);
    }

    #[test]
    fn what_comes_earlier_in_a_chain_is_known_too() {
        let facts = facts(&[(2, 3)]);
        assert!(facts.knows(Fact { chain: 2, position: 1 }) && facts.knows(Fact { chain: 2, position: 3 }));
        assert!(!facts.knows(Fact { chain: 2, position: 4 }) && !facts.knows(Fact { chain: 1, position: 1 }));
    }
}
