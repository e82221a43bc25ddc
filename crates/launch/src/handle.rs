//! Handles: an index and a generation, so that one that outlived its object is recognised, never mistaken.

use std::num::NonZeroU32;

/// The generation that follows; zero is left out so that `Option<Item>` has the size of `Item`.
pub(crate) fn next_generation(generation: NonZeroU32) -> NonZeroU32 {
    generation.checked_add(1).unwrap_or(NonZeroU32::MIN)
}

/// A grid, an operation or a marker: one thing that has a place in the order of launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Item {
    pub(crate) index: u32,
    pub(crate) generation: NonZeroU32,
}

impl Item {
    /// A small dense number, unique among the items whose completion was not drained yet: fit to index a side table.
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// The handle as one number, never zero, to carry through an opaque pointer or a grid id.
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation.get()) << 32 | u64::from(self.index)
    }

    /// The inverse of [`Item::to_bits`]; `None` for a number that it never gives.
    pub fn from_bits(bits: u64) -> Option<Item> {
        Some(Item { index: bits as u32, generation: NonZeroU32::new((bits >> 32) as u32)? })
    }
}

/// A stream of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stream {
    pub(crate) index: u32,
    pub(crate) generation: NonZeroU32,
}

impl Stream {
    /// The legacy default stream, which joins with every blocking stream on both sides. It always exists.
    pub const LEGACY: Stream = Stream { index: 0, generation: NonZeroU32::MIN };

    /// A small dense number, unique among the streams that exist or still have work: fit to index a side table.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

macro_rules! device_handle {
    ($(#[$doc:meta])* $name:ident, $tag:literal) => {
        $(#[$doc])*
        ///
        /// Its bits are what a program holds. They are above 2^32, so no reserved handle (0 to 4) and no 32-bit value
        /// is ever one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name {
            pub(crate) index: u32,
            pub(crate) generation: NonZeroU32,
        }

        impl $name {
            /// The handle as the program sees it.
            pub fn to_bits(self) -> u64 {
                u64::from(self.generation.get()) << 32 | u64::from(self.index) << 1 | $tag
            }

            /// The handle that a program passed. `None` when no object of this kind can have these bits; whether the
            /// object exists and whose it is, the call that uses it finds out.
            pub fn from_bits(bits: u64) -> Option<Self> {
                let generation = NonZeroU32::new((bits >> 32) as u32)?;
                (bits & 1 == $tag).then_some(Self { index: (bits as u32) >> 1, generation })
            }
        }
    };
}

device_handle! {
    /// A named stream, created in device code; it belongs to the grid that created it.
    DeviceStream, 0
}
device_handle! {
    /// An event, created in device code; it belongs to the grid that created it.
    DeviceEvent, 1
}
