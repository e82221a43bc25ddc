//! The crate as its users see it, on images built from nothing.

mod container;
mod fatbin;
mod synthetic;
