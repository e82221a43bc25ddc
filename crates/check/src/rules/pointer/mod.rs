//! Pointers that mean nothing where they are used (`launch-model.md` 3.4).

pub mod private;
