//! Warp collectives (PTX ISA, `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`, `elect.sync`, `bar.warp.sync`): a meeting
//! of the lanes that a mask names. Exited lanes are not waited for.

use super::fiber::{Fiber, Queue};
use hotfire_jit::abi::{redux, shuffle, vote};

/// What lanes meet for. Lanes of one meeting agree on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// `bar.warp.sync`
    Sync,
    /// `shfl.sync` in a mode of [`shuffle`].
    Shuffle(u32),
    /// `vote.sync` in a mode of [`vote`].
    Vote(u32),
    /// `match.any.sync`
    MatchAny,
    /// `match.all.sync`
    MatchAll,
    /// `redux.sync`, an operation of [`redux`].
    Redux(u32),
    /// `elect.sync`
    Elect,
}

#[derive(Clone, Copy, Debug)]
struct Meeting {
    collective: Collective,
    mask: u32,
    arrived: u32,
}

#[derive(Debug, Default)]
struct Warp {
    /// Lanes that have exited or never were.
    exited: u32,
    meetings: Vec<Meeting>,
}

/// The warps of a block.
#[derive(Debug)]
pub struct Warps {
    warps: Vec<Warp>,
    /// Meetings that wait for lanes.
    open: u32,
}

fn absent(threads: u32, warp: usize) -> u32 {
    let lanes = threads - warp as u32 * 32;
    if lanes >= 32 { 0 } else { u32::MAX << lanes }
}

impl Warps {
    pub fn new(threads: u32) -> Self {
        let count = threads.div_ceil(32) as usize;
        let warps = (0..count).map(|warp| Warp { exited: absent(threads, warp), meetings: Vec::new() }).collect();
        Self { warps, open: 0 }
    }

    pub fn restart(&mut self, threads: u32) {
        for (index, warp) in self.warps.iter_mut().enumerate() {
            warp.exited = absent(threads, index);
        }
    }

    /// The thread of `fiber` arrives with its operands in place. Its result if the meeting is complete; `None` when it waits.
    ///
    /// # Safety
    /// `fiber` is the running fiber and known to the block, whose fibers by linear index are `fibers`.
    pub unsafe fn meet(
        &mut self,
        fiber: *mut Fiber,
        collective: Collective,
        mask: u32,
        fibers: &[*mut Fiber],
        ready: &mut Queue,
    ) -> Option<u64> {
        // SAFETY: the fiber is live.
        let linear = unsafe { (*fiber).context.linear } as usize;
        let (index, lane) = (linear / 32, linear as u32 % 32);
        let warp = &mut self.warps[index];
        // A thread that its own mask does not name meets all the same: what it gets is undefined.
        let mask = mask | 1 << lane;
        let same = |meeting: &Meeting| meeting.collective == collective && meeting.mask == mask;
        let at = warp.meetings.iter().position(same).unwrap_or_else(|| {
            self.open += 1;
            warp.meetings.push(Meeting { collective, mask, arrived: 0 });
            warp.meetings.len() - 1
        });
        let meeting = &mut warp.meetings[at];
        meeting.arrived |= 1 << lane;
        if (meeting.arrived | warp.exited) & mask != mask {
            return None;
        }
        let meeting = warp.meetings.swap_remove(at);
        self.open -= 1;
        // SAFETY: all that arrived are suspended in the meeting, but for the running one.
        unsafe {
            complete(meeting, index, fibers, Some(fiber), ready);
            Some((*fiber).result)
        }
    }

    /// A thread has exited: meetings may be complete without it.
    pub fn thread_exited(&mut self, linear: u32, fibers: &[*mut Fiber], ready: &mut Queue) {
        let index = linear as usize / 32;
        let warp = &mut self.warps[index];
        warp.exited |= 1 << (linear % 32);
        if self.open == 0 {
            return;
        }
        let mut at = 0;
        while let Some(&meeting) = warp.meetings.get(at) {
            if (meeting.arrived | warp.exited) & meeting.mask == meeting.mask {
                warp.meetings.swap_remove(at);
                self.open -= 1;
                // SAFETY: all that arrived are suspended in the meeting.
                unsafe { complete(meeting, index, fibers, None, ready) };
            } else {
                at += 1;
            }
        }
    }
}

/// Gives every lane its result; all but `running` become ready.
///
/// # Safety
/// The fibers of all lanes that arrived are live and in no queue.
unsafe fn complete(
    meeting: Meeting,
    warp: usize,
    fibers: &[*mut Fiber],
    running: Option<*mut Fiber>,
    ready: &mut Queue,
) {
    let mut lanes = [None; 32];
    for (lane, slot) in lanes.iter_mut().enumerate() {
        if meeting.arrived & 1 << lane != 0 {
            let fiber = fibers[warp * 32 + lane];
            // SAFETY: the caller's promise.
            *slot = Some(unsafe { ((*fiber).value, (*fiber).operand) });
        }
    }
    for (lane, slot) in lanes.iter().enumerate() {
        let Some((value, operand)) = *slot else { continue };
        let fiber = fibers[warp * 32 + lane];
        // SAFETY: the caller's promise.
        unsafe {
            (*fiber).result = result(meeting, lane as u32, value, operand, &lanes);
            if Some(fiber) != running {
                ready.push(fiber);
            }
        }
    }
}

type Lanes = [Option<(u64, u64)>; 32];

fn result(meeting: Meeting, lane: u32, value: u64, operand: u64, lanes: &Lanes) -> u64 {
    let values = || lanes.iter().flatten().map(|lane| lane.0);
    let who = |holds: &dyn Fn(u64) -> bool| {
        let bit = |(lane, slot): (usize, &Option<(u64, u64)>)| u32::from(slot.is_some_and(|s| holds(s.0))) << lane;
        lanes.iter().enumerate().map(bit).sum::<u32>()
    };
    match meeting.collective {
        Collective::Sync => 0,
        Collective::Shuffle(mode) => {
            let (source, inside) = shuffle_source(mode, lane, operand as u32, (operand >> 32) as u32);
            // What an absent lane holds is undefined: the thread's own value stands for it.
            let from = lanes[source as usize].map_or(value, |lane| lane.0);
            from & 0xffff_ffff | u64::from(inside) << 32
        }
        Collective::Vote(mode) => u64::from(match mode {
            vote::ALL => u32::from(values().all(|predicate| predicate != 0)),
            vote::ANY => u32::from(values().any(|predicate| predicate != 0)),
            vote::UNI => u32::from(values().all(|predicate| (predicate != 0) == (value != 0))),
            _ => who(&|predicate| predicate != 0),
        }),
        Collective::MatchAny => u64::from(who(&|other| other == value)),
        Collective::MatchAll => {
            if values().all(|other| other == value) {
                u64::from(meeting.arrived) | 1 << 32
            } else {
                0
            }
        }
        Collective::Redux(operation) => u64::from(reduce(operation, values().map(|value| value as u32))),
        Collective::Elect => {
            let leader = meeting.arrived.trailing_zeros();
            u64::from(leader) | u64::from(lane == leader) << 32
        }
    }
}

/// The lane that a lane reads, and whether it is in range (PTX ISA, `shfl.sync`).
fn shuffle_source(mode: u32, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let most = lane & segment | clamp & !segment;
    let least = lane & segment;
    let (source, inside) = match mode {
        shuffle::UP => {
            let source = lane as i32 - b as i32;
            (source as u32, source >= most as i32)
        }
        shuffle::DOWN => (lane + b, lane + b <= most),
        shuffle::BFLY => (lane ^ b, lane ^ b <= most),
        _ => {
            let source = least | b & !segment;
            (source, source <= most)
        }
    };
    if inside { (source & 31, true) } else { (lane, false) }
}

fn reduce(operation: u32, values: impl Iterator<Item = u32>) -> u32 {
    let combine = |a: u32, b: u32| match operation {
        redux::ADD => a.wrapping_add(b),
        redux::MIN_S32 => (a as i32).min(b as i32) as u32,
        redux::MAX_S32 => (a as i32).max(b as i32) as u32,
        redux::MIN_U32 => a.min(b),
        redux::MAX_U32 => a.max(b),
        redux::AND => a & b,
        redux::OR => a | b,
        _ => a ^ b,
    };
    values.reduce(combine).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_read_the_lane_that_the_manual_names() {
        // Full width: up 1, down 1, butterfly 1, index 5.
        assert_eq!(shuffle_source(shuffle::UP, 0, 1, 0), (0, false));
        assert_eq!(shuffle_source(shuffle::UP, 7, 3, 0), (4, true));
        assert_eq!(shuffle_source(shuffle::DOWN, 31, 1, 31), (31, false));
        assert_eq!(shuffle_source(shuffle::DOWN, 30, 1, 31), (31, true));
        assert_eq!(shuffle_source(shuffle::BFLY, 6, 1, 31), (7, true));
        assert_eq!(shuffle_source(shuffle::IDX, 9, 5, 31), (5, true));
        // Width 8: the segment mask is 0b11000.
        let c = 0x1800 | 31;
        assert_eq!(shuffle_source(shuffle::IDX, 9, 5, c), (13, true));
        assert_eq!(shuffle_source(shuffle::DOWN, 15, 1, 0x1800 | 7 | 0x18), (15, false));
        assert_eq!(shuffle_source(shuffle::UP, 8, 1, 0x1800), (8, false));
    }

    #[test]
    fn reductions() {
        let values = [3u32, u32::MAX, 8];
        for (operation, expected) in [
            (redux::ADD, 10),
            (redux::MIN_S32, u32::MAX),
            (redux::MAX_S32, 8),
            (redux::MIN_U32, 3),
            (redux::MAX_U32, u32::MAX),
            (redux::AND, 0),
            (redux::OR, u32::MAX),
            (redux::XOR, 3 ^ u32::MAX ^ 8),
        ] {
            assert_eq!(reduce(operation, values.into_iter()), expected, "{operation}");
        }
    }
}
