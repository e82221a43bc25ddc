//! CUDA arrays, texture objects and surface objects (CUDA Programming Guide, "Texture and Surface Memory" and "Texture Fetching").
//!
//! An array is memory of the arena in plain rows; which layout a GPU chooses nobody can see. An object is a number that programs hold;
//! what it stands for is looked up at every use, so that a bad one is a fault and never a crash. What sampling computes is in
//! [`sample`], without memory: who fetches the texels is told by the caller ([`crate::exec`]), which checks and announces them.
//!
//! Where the guide leaves room: channels that a texel lacks read as 0, the fourth as 1; maximum anisotropy and seamless cube maps are
//! ignored; the level of detail has the guide's 8 fractional bits, as the weights have.

mod address;
mod array;
mod format;
mod object;
mod sample;
mod surface;
mod table;

pub use array::{Array, ArrayFlags, ArrayShape};
pub use format::{Element, Format, Reading};
pub use object::{AddressMode, Object, ObjectKind, Region, Resource, Sampler, View};
pub use sample::{Detail, gather, sample};
pub use surface::{Boundary, Place, combine, place};
pub use table::find;

pub(crate) use table::Objects;
