//! A quick hash for short names. Texts are untrusted: the seed is random, so that none can choose its collisions.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// Builds [`NameHasher`]s that share one random seed for the process.
#[derive(Clone, Copy)]
pub(crate) struct NameHash(u64);

/// A map from names.
pub(crate) type NameMap<K, V> = std::collections::HashMap<K, V, NameHash>;

impl Default for NameHash {
    fn default() -> Self {
        static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0u8) | 1);
        Self(*SEED)
    }
}

impl BuildHasher for NameHash {
    type Hasher = NameHasher;

    fn build_hasher(&self) -> NameHasher {
        NameHasher { state: self.0, seed: self.0 }
    }
}

/// Folded multiplication: the high half of each product keeps what the low half loses.
pub(crate) struct NameHasher {
    state: u64,
    seed: u64,
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(self.seed ^ 0x9e37_79b9_7f4a_7c15);
        self.state = (product as u64) ^ (product >> 64) as u64;
    }

    fn finish(&self) -> u64 {
        self.state
    }
}
