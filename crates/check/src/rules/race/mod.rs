//! Races: two agents touch one byte, at least one of them writes, nothing orders them, and they are not both strong
//! accesses whose scopes include each other (PTX memory model; `launch-model.md` sections 1 and 9). Which name a
//! race gets is decided by how its two sides are related; the first that matches counts, in this order: block,
//! grid, host, parent-child, pdl, tail, sibling, stream.

pub mod block;
pub mod grid;
pub mod host;
pub mod parent_child;
pub mod pdl;
pub mod sibling;
pub mod stream;
pub mod tail;
