//! What `mbarrier` objects carry: whoever waited for a phase knows what those who arrived in it did before (PTX ISA, section 9.7.13.15).
//!
//! Each object has a clock of its present phase, and one of the last that was over; a wait takes the second. So an early arrival for the
//! next phase orders nothing for those who wait for this one. A wait that is further behind than one phase is undefined in CUDA.

use super::block::BlockOrder;
use super::checker::Checker;
use hotfire_launch::order::Clock;

/// What an operation is to the phases of its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The object is made, or given up.
    Begins,
    /// The thread arrives.
    Arrives,
    /// The phase is over.
    Over {
        /// By an arrival of this thread that releases what it did.
        arrives: bool,
    },
    /// The thread waited for the last phase that was over.
    Waited,
}

/// The clocks of an object.
#[derive(Default)]
pub(super) struct Phases {
    /// What those know who arrived in this phase.
    arriving: Clock,
    /// The same of the one before.
    over: Clock,
}

impl Checker {
    /// A thread does something to the object at `address`. Its new time.
    pub fn mbarrier(&mut self, block: &mut BlockOrder, thread: u16, time: u32, address: u64, phase: Phase) -> u32 {
        match phase {
            Phase::Begins => {
                self.mbarriers.insert(address, Phases::default());
                return time;
            }
            Phase::Waited => {
                let Some(phases) = self.mbarriers.get(&address) else { return time };
                let before = block.clock(thread);
                if before.includes(&phases.over) {
                    return time;
                }
                let mut clock = before.clone();
                clock.join(&phases.over);
                self.acquired(block.item, &clock);
                block.own_mut(thread).clock = Some(clock);
                // Threads that share a time have not met.
                return self.tick(block.item, block.block);
            }
            Phase::Arrives | Phase::Over { .. } => {}
        }
        let phases = self.mbarriers.entry(address).or_default();
        let mut time = time;
        if phase != (Phase::Over { arrives: false }) {
            phases.arriving.join(&block.knowledge(thread, time));
            time = 0;
        }
        if let Phase::Over { .. } = phase {
            phases.over = std::mem::take(&mut phases.arriving);
        }
        if time == 0 { self.tick(block.item, block.block) } else { time }
    }
}
