//! Every value-level instruction against a model of it in Rust: each row of the tables compiles a kernel of one instruction
//! and runs it on values at the edges of its types and on random ones.

mod atomics;
mod bits;
mod comparisons;
mod control;
mod conversions;
mod floats;
mod halves;
mod harness;
mod integers;
mod memory;
mod pairs;
mod phases;
mod video;
