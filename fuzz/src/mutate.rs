//! Damages inputs.

/// xorshift64*: deterministic, and good enough to choose places.
pub struct Random(u64);

impl Random {
    /// Any seed will do.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }
}

/// Longer inputs only take longer.
pub const MAX_LENGTH: usize = 1 << 17;

/// Values at which sizes and counts go wrong.
const EDGES: [u64; 12] =
    [0, 1, 7, 8, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x1_0000_0000, 0x7fff_ffff_ffff_ffff, u64::MAX];

/// A few changes to `input`, with pieces of `other` and of `dictionary`.
pub fn mutate(input: &[u8], other: &[u8], dictionary: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut data = input.to_vec();
    for _ in 0..1 + random.below(4) {
        change(&mut data, other, dictionary, random);
    }
    data.truncate(MAX_LENGTH);
    data
}

fn change(data: &mut Vec<u8>, other: &[u8], dictionary: &[Vec<u8>], random: &mut Random) {
    let length = data.len();
    if length == 0 {
        data.extend_from_slice(other);
        return;
    }
    let at = random.below(length);
    // Small pieces mostly, large ones now and then.
    let most = if random.below(4) == 0 { 4096 } else { 32 };
    let end = at + (1 + random.below(most)).min(length - at);
    match random.below(11) {
        0 => data[at] ^= 1 << random.below(8),
        1 => data[at] = random.next() as u8,
        2 => {
            let value = EDGES[random.below(EDGES.len())].to_le_bytes();
            let width = [1, 2, 4, 8][random.below(4)].min(length - at);
            data[at..at + width].copy_from_slice(&value[..width]);
        }
        3 => drop(data.drain(at..end)),
        4 => {
            let piece = data[at..end].to_vec();
            insert(data, random.below(length), &piece);
        }
        5 => {
            // Nesting: a piece many times over, where it stands.
            let piece = data[at..(at + 16).min(end)].repeat(1 + random.below(512));
            insert(data, at, &piece);
        }
        6 => data.truncate(at),
        7 if !other.is_empty() => {
            let from = random.below(other.len());
            let to = from + (1 + random.below(most)).min(other.len() - from);
            insert(data, at, &other[from..to]);
        }
        8 if !other.is_empty() => {
            data.truncate(at);
            data.extend_from_slice(&other[random.below(other.len())..]);
        }
        9 if !dictionary.is_empty() => insert(data, at, &dictionary[random.below(dictionary.len())]),
        _ if !dictionary.is_empty() => {
            let word = &dictionary[random.below(dictionary.len())];
            let end = at + word.len().min(length - at);
            data.splice(at..end, word.iter().copied());
        }
        _ => data.push(0),
    }
}

fn insert(data: &mut Vec<u8>, at: usize, piece: &[u8]) {
    data.splice(at..at, piece.iter().copied());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_gives_one_sequence_of_inputs() {
        let run = |seed| {
            let mut random = Random::new(seed);
            let mut data = b"seed".to_vec();
            (0..500).for_each(|_| data = mutate(&data, b"other", &[b"word".to_vec()], &mut random));
            data
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        assert!(run(3).len() <= MAX_LENGTH);
    }
}
