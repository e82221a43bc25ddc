//! Strong accesses: what they release, what they see.

use super::block::BlockOrder;
use super::checker::Checker;
use super::word::Access;
use crate::stamp::Strength;

impl Checker {
    /// A strong access of a thread, or one that acquires or releases. Its thread's new time.
    pub fn strong(&mut self, block: &mut BlockOrder, access: &Access, writes: bool) -> u32 {
        let (thread, mut time) = (access.stamp.thread(), access.stamp.time());
        let scope = access.stamp.strength().max(Strength::Block);
        let reach = block.reach(scope);
        let reads = !writes || access.atomic;
        if reads && let Some(seen) = self.locations.read(access.address & !3, reach) {
            let own = block.own_mut(thread);
            // Polling reads the same log again and again.
            own.seen.retain(|known| !known.same_log(&seen));
            own.seen.push(seen);
        }
        if access.acquire && block.acquire(self, thread, reach) {
            time = self.tick(block.item, block.block);
        }
        if !writes {
            return time;
        }
        let location = access.address & !3;
        let again = self.locations.log(location).filter(|_| access.atomic);
        let (released, time) = block.release(self, thread, time, scope, access.release, again);
        if released.is_some() || !self.locations.is_empty() {
            self.locations.write(location, access.atomic, released);
        }
        time
    }
}
