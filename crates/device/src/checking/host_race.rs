//! Accesses of host code, in the same shadow as those of the device.

use super::problems::Side;
use super::{Checking, Stack};
use hotfire_check::{Agent, MOST_SITES, Problem, RangeAccess, Strength, Thread};
use hotfire_launch::order::NO_ITEM;
use std::collections::HashMap;

/// Where host code accessed shared memory: calls by number, from 1.
#[derive(Default)]
pub(crate) struct HostCode {
    stacks: Vec<(Stack, Thread)>,
    numbers: HashMap<(Stack, bool), u32>,
}

impl HostCode {
    /// The number of these calls; 0 when there are too many different ones.
    fn number(&mut self, stack: Stack, function: bool) -> u32 {
        let next = self.stacks.len() as u32 + 1;
        let key = (stack, function);
        if next > MOST_SITES && !self.numbers.contains_key(&key) {
            return 0;
        }
        *self.numbers.entry(key).or_insert_with_key(|(stack, _)| {
            self.stacks.push((stack.clone(), if function { Thread::HostFunction } else { Thread::Host }));
            next
        })
    }

    /// The calls of a number, and whose they are.
    pub fn calls(&self, number: u32) -> (Stack, Thread) {
        let known = number.checked_sub(1).and_then(|index| self.stacks.get(index as usize));
        known.cloned().unwrap_or((Stack::default(), Thread::Host))
    }
}

impl Checking {
    /// Host code is about to access memory that it shares with the device.
    pub fn host_access(&self, address: u64, size: u32, write: bool, frames: &[usize]) {
        let site = self.host_code.lock().number(Stack::of(frames), crate::engine::is_host_function());
        let access = RangeAccess { address, bytes: u64::from(size), write };
        let found = self.checker(|checker| checker.host_access(access, site));
        if let Some(Problem::Race { before, wrote, address }) = found {
            self.checker(|checker| {
                let agent = Agent { item: NO_ITEM, block: 0, thread: 0, site, strength: Strength::System };
                self.race(checker, Side { agent, write, atomic: false }, before, wrote, address, size);
                if let Some(outcome) = &mut checker.outcome {
                    outcome.host = true;
                }
            });
        }
    }
}
