//! Tests of the launch model: the facts of `launch-model.md` one by one, all small programs exhaustively, and larger
//! ones at random, the last two against a reference that knows nothing but the definitions.

mod device_streams;
mod exhaustive_device;
mod exhaustive_host;
mod graphs;
mod host_streams;
mod lockstep;
mod policies;
mod pool;
mod programmatic;
mod random;
mod recording;
mod reference;
mod run;
mod scale;
mod tails;
