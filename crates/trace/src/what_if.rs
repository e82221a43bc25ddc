//! What another way to launch would gain, edge by edge: the same log simulated twice.

use crate::timeline::Timeline;
use std::collections::BTreeMap;

/// A pair of kernels that follow each other in a stream or along an edge of a graph, all times that they do.
#[derive(Clone, Debug, PartialEq)]
pub struct Gain {
    /// The kernel in front, its blocks and the threads of a block.
    pub from: (String, u64, u32),
    /// The kernel behind.
    pub to: (String, u64, u32),
    /// How often.
    pub count: u64,
    /// Nanoseconds from the completion of the one to that of the other, on average, as it is.
    pub now: f64,
    /// The same with each of the changes.
    pub then: Vec<f64>,
    /// Whether the kernel behind is launched programmatically already.
    pub programmatic: bool,
}

impl Gain {
    /// Nanoseconds that a change gains in all.
    pub fn total(&self, change: usize) -> f64 {
        (self.now - self.then[change]) * self.count as f64
    }
}

/// Compares a timeline with others of the same log; what gains most (by the last of them) comes first.
pub fn gains(now: &Timeline, then: &[Timeline]) -> Vec<Gain> {
    let mut pairs: BTreeMap<_, Gain> = BTreeMap::new();
    for (from, to) in now.pairs() {
        let pair = [from, to];
        let took = |timeline: &Timeline| {
            let complete = |number| timeline.grids.get(number).map(|grid| grid.complete);
            Some(complete(&pair[1])? - complete(&pair[0])?)
        };
        let name = |number| {
            let grid = &now.grids[number];
            (grid.kernel.clone(), grid.shape.0, grid.shape.1)
        };
        let (Some(before), after) = (took(now), then.iter().map(|one| took(one).unwrap_or(0.0))) else { continue };
        let programmatic = now.grids[&pair[1]].programmatic;
        let (from, to) = (name(&pair[0]), name(&pair[1]));
        let gain = pairs.entry((from.clone(), to.clone(), programmatic)).or_insert_with(|| Gain {
            from,
            to,
            count: 0,
            now: 0.0,
            then: vec![0.0; then.len()],
            programmatic,
        });
        gain.count += 1;
        gain.now += before;
        gain.then.iter_mut().zip(after).for_each(|(sum, one)| *sum += one);
    }
    let mut gains: Vec<Gain> = pairs.into_values().collect();
    for gain in &mut gains {
        let count = gain.count as f64;
        gain.now /= count;
        gain.then.iter_mut().for_each(|sum| *sum /= count);
    }
    let last = then.len().saturating_sub(1);
    if !then.is_empty() {
        gains.sort_by(|a, b| b.total(last).total_cmp(&a.total(last)));
    }
    gains
}
