//! Streams and events used where they do not reach (`launch-model.md` 3.2).

pub mod foreign;
pub mod special;
