//! Polls: a thread that strongly reads the same value from the same place again and again waits for somebody to change it.

/// Places that a thread may poll in turn.
const PLACES: usize = 4;
/// Reads of the same value that make a poll, if the thread did not change in between: the first, and two more.
const READS: u32 = 3;
/// As many of a thread that counts them, or does something else in between, are a poll all the same.
const MANY: u32 = 512;

#[derive(Clone, Copy, Debug)]
struct Place {
    address: u64,
    size: u32,
    value: u64,
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
    pub const NEW: Polls = Polls { places: [Place { address: 0, size: 0, value: 0, reads: 0 }; PLACES], next: 0 };

    /// The thread, which let others run `spins` times without having changed, reads a value. True if that ends a poll.
    pub fn read(&mut self, address: u64, size: u32, value: u64, spins: u32) -> bool {
        let Some(place) = self.places.iter_mut().find(|place| place.address == address) else {
            self.places[usize::from(self.next) % PLACES] = Place { address, size, value, reads: 1 };
            self.next = self.next.wrapping_add(1);
            return false;
        };
        if place.value == value {
            place.reads = place.reads.saturating_add(1);
            return false;
        }
        let polled = place.reads >= MANY || (place.reads >= READS && spins > 0);
        *place = Place { address, size, value, reads: 1 };
        polled
    }

    /// What is polled now: address and size.
    pub fn now(&self) -> Option<(u64, u32)> {
        let most = self.places.iter().max_by_key(|place| place.reads).filter(|place| place.reads >= READS)?;
        Some((most.address, most.size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poll_ends_when_the_value_changes() {
        let mut polls = Polls::NEW;
        for _ in 0..3 {
            assert!(!polls.read(8, 4, 0, 1));
            assert!(!polls.read(16, 4, 5, 1));
        }
        assert!(polls.read(8, 4, 1, 1));
        assert!(!polls.read(8, 4, 2, 1) && !polls.read(16, 4, 6, 0));
        for _ in 0..MANY {
            assert!(!polls.read(16, 4, 6, 0));
        }
        assert_eq!(polls.now(), Some((16, 4)));
        assert!(polls.read(16, 4, 7, 0));
    }
}
