//! Polls: a thread that strongly reads the same value from the same place again and again waits for somebody to change it.

use hotfire_jit::abi::what;

/// Places that a thread may poll in turn.
const PLACES: usize = 4;
/// Reads of the same value that make a poll, if the thread did not change in between: the first, and two more.
const READS: u32 = 3;
/// As many of a thread that counts them, or does something else in between, are a poll all the same.
const MANY: u32 = 512;

/// One strong read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Where.
    pub address: u64,
    /// How, as generated code says it ([`what`]).
    pub bits: u32,
    /// Who wrote there last.
    pub writer: u64,
    /// What is there.
    pub value: u64,
}

/// What a read is to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It sees something new.
    First,
    /// It sees what it saw before, from the same write, by the same kind of read.
    Again,
    /// It ends a poll.
    Ended,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    look: Look,
    reads: u32,
}

/// What one thread polls.
#[derive(Clone, Copy, Debug)]
pub struct Polls {
    places: [Place; PLACES],
    next: u8,
}

impl Polls {
    /// Nothing so far.
    pub const NEW: Polls = Polls {
        places: [Place { look: Look { address: 0, bits: 0, writer: 0, value: 0 }, reads: 0 }; PLACES],
        next: 0,
    };

    /// The thread, which let others run `spins` times without having changed, reads a value.
    pub fn read(&mut self, look: Look, spins: u32) -> Seen {
        let Some(place) = self.places.iter_mut().find(|place| place.look.address == look.address) else {
            self.places[usize::from(self.next) % PLACES] = Place { look, reads: 1 };
            self.next = self.next.wrapping_add(1);
            return Seen::First;
        };
        let before = std::mem::replace(&mut place.look, look);
        if before.value == look.value {
            place.reads = place.reads.saturating_add(1);
            return if before == look { Seen::Again } else { Seen::First };
        }
        let reads = std::mem::replace(&mut place.reads, 1);
        if reads >= MANY || (reads >= READS && spins > 0) { Seen::Ended } else { Seen::First }
    }

    /// What is polled now: address and size.
    pub fn now(&self) -> Option<(u64, u32)> {
        let most = self.places.iter().max_by_key(|place| place.reads).filter(|place| place.reads >= READS)?;
        Some((most.look.address, most.look.bits & what::SIZE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poll_ends_when_the_value_changes() {
        let look = |address, value| Look { address, bits: 4, writer: 1, value };
        let mut polls = Polls::NEW;
        assert_eq!((polls.read(look(8, 0), 1), polls.read(look(16, 5), 1)), (Seen::First, Seen::First));
        for _ in 0..2 {
            assert_eq!(polls.read(look(8, 0), 1), Seen::Again);
            assert_eq!(polls.read(look(16, 5), 1), Seen::Again);
        }
        // Another write of the same value is new, and no end.
        assert_eq!(polls.read(Look { writer: 2, ..look(8, 0) }, 1), Seen::First);
        assert_eq!(polls.read(look(8, 1), 1), Seen::Ended);
        assert_eq!((polls.read(look(8, 2), 1), polls.read(look(16, 6), 0)), (Seen::First, Seen::First));
        for _ in 0..MANY {
            assert_eq!(polls.read(look(16, 6), 0), Seen::Again);
        }
        assert_eq!(polls.now(), Some((16, 4)));
        assert_eq!(polls.read(look(16, 7), 0), Seen::Ended);
    }
}
