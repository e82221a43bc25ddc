//! Which of the things that run goes on next, where only one worker runs them: the engine's share of a policy.
//!
//! The launch model's policy says which grids start; this says whether a fresh block or a parked one comes first, which parked
//! one, and whether a thread that launched a grid lets that grid come first. Every choice is one that hardware could make.

use crate::exec::draw;
use hotfire_launch::Policy;

/// Fresh blocks in a row after which a parked one must come.
const STREAK: u32 = 1 << 16;

/// Free slots of the launch pool that are enough for all threads of a block to launch once more, and some more.
const ROOM: u32 = 1536;

/// The choices of one policy.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    /// Fresh blocks first. A child runs as soon as its launcher's block waits; at once if it has loops that may wait, so that those that
    /// wait for the launcher are seen to, or if the launch pool fills.
    Eager { streak: u32 },
    /// Fresh blocks and parked ones take turns; a launcher does not give way.
    Latest { fresh: bool },
    /// By the seed.
    Random { state: u64 },
}

impl Order {
    pub fn new(policy: &Policy) -> Self {
        match policy {
            Policy::Eager | Policy::Replay(_) => Order::Eager { streak: 0 },
            Policy::Latest => Order::Latest { fresh: false },
            // Not the numbers that the model draws from the same seed.
            Policy::Random(seed) => Order::Random { state: !seed },
        }
    }

    /// Whether the thread that launched a grid lets others run now. `polls`: the grid has loops that may wait. `room`: free slots of the
    /// launch pool.
    pub fn gives_way(&mut self, polls: bool, room: u32) -> bool {
        match self {
            Order::Eager { .. } => polls || room < ROOM,
            Order::Latest { .. } => false,
            Order::Random { state } => draw(state) & 1 == 0,
        }
    }

    /// Whether a block that triggered lets those run first that may start now.
    pub fn pauses(&mut self) -> bool {
        match self {
            Order::Eager { .. } => true,
            Order::Latest { .. } => false,
            Order::Random { state } => draw(state) & 1 == 0,
        }
    }

    /// Whether a fresh block comes before a parked one.
    pub fn fresh_first(&mut self) -> bool {
        match self {
            Order::Eager { streak } => {
                *streak = if *streak < STREAK { *streak + 1 } else { 0 };
                *streak != 0
            }
            Order::Latest { fresh } => {
                *fresh = !*fresh;
                *fresh
            }
            Order::Random { state } => draw(state) & 1 == 0,
        }
    }

    /// Which of so many parked blocks goes on.
    pub fn parked(&mut self, count: usize) -> usize {
        match self {
            Order::Random { state } => ((u128::from(draw(state)) * count as u128) >> 64) as usize,
            _ => 0,
        }
    }
}
