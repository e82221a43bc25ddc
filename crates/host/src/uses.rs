//! Which submitted work may still touch a piece of host memory, and whether a proof covers it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Done, Error, Result};

/// How the device uses memory.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    Read,
    Write,
}

/// The last uses by stream, and the guards that host code holds.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Stream and number of the last read, and of the last write, in each stream.
    reads: Vec<(u64, u64)>,
    writes: Vec<(u64, u64)>,
    readers: usize,
    writing: bool,
}

impl Uses {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the device may use it now.
    pub(crate) fn allow(&self, kind: Kind) -> Result<()> {
        let state = self.state();
        if state.writing || kind == Kind::Write && state.readers > 0 { Err(Error::Guarded) } else { Ok(()) }
    }

    /// Notes that submitted work uses it.
    pub(crate) fn mark(&self, kind: Kind, stream: u64, number: u64) {
        let mut state = self.state();
        let list = if kind == Kind::Read { &mut state.reads } else { &mut state.writes };
        match list.iter_mut().find(|(of, _)| *of == stream) {
            Some((_, last)) => *last = number.max(*last),
            None => list.push((stream, number)),
        }
    }

    /// Host code begins to read: every write must be covered.
    pub(crate) fn begin_reading(&self, done: &Done) -> Result<()> {
        let mut state = self.state();
        state.writes.retain(|&(stream, number)| !done.covers(stream, number));
        if !state.writes.is_empty() {
            return Err(Error::NotDone);
        }
        state.readers += 1;
        Ok(())
    }

    /// Host code begins to write: every use must be covered.
    pub(crate) fn begin_writing(&self, done: &Done) -> Result<()> {
        let mut state = self.state();
        let state = &mut *state;
        for list in [&mut state.reads, &mut state.writes] {
            list.retain(|&(stream, number)| !done.covers(stream, number));
        }
        if !(state.reads.is_empty() && state.writes.is_empty()) {
            return Err(Error::NotDone);
        }
        state.writing = true;
        Ok(())
    }

    pub(crate) fn end_reading(&self) {
        self.state().readers -= 1;
    }

    pub(crate) fn end_writing(&self) {
        self.state().writing = false;
    }

    /// Whether nothing was submitted that no proof has covered since.
    pub(crate) fn is_idle(&self) -> bool {
        let state = self.state();
        state.reads.is_empty() && state.writes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_needs_the_writes_done_and_writing_all() {
        let uses = Uses::default();
        uses.mark(Kind::Read, 1, 4);
        uses.begin_reading(&Done::NOTHING).expect("a read disturbs no reader");
        assert!(uses.begin_writing(&Done::of(1, 3)).is_err());
        assert!(uses.begin_writing(&Done::of(2, 9)).is_err(), "another stream proves nothing");
        assert!(matches!(uses.allow(Kind::Write), Err(Error::Guarded)));
        uses.allow(Kind::Read).expect("two readers");
        uses.end_reading();
        uses.begin_writing(&Done::of(1, 4)).expect("its own stream does");
        assert!(matches!(uses.allow(Kind::Read), Err(Error::Guarded)));
    }

    #[test]
    fn writes_of_two_streams_need_both() {
        let uses = Uses::default();
        uses.mark(Kind::Write, 1, 1);
        uses.mark(Kind::Write, 2, 2);
        assert!(uses.begin_reading(&Done::of(1, 1)).is_err());
        uses.begin_reading(&Done::of(2, 2)).expect("the first was covered before");
        uses.mark(Kind::Write, 2, 3);
        assert!(uses.begin_reading(&Done::of(2, 2)).is_err(), "a later use needs a later proof");
        uses.begin_reading(&Done::everything(3)).expect("the whole device");
    }
}
