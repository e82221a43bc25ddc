//! Happens-before: which of two accesses is sure to come first (launch-model 1, "Ordered").
//!
//! # Points and time
//! A *time* is a number that only grows: whoever does something that others may learn of takes the next one. A *point* is
//! (item, block, thread, time): all that this thread did up to that time. What an agent knows is a [`Clock`]:
//!
//! - [`Facts`]: items known to be complete, as (chain, position). A chain is a sequence of items of which each is complete before the
//!   next one starts: a host stream, the launches of one thread into one device stream, the tails of a grid.
//! - the host: all that host code did up to a time (one agent: what orders host threads is invisible, 2.4);
//! - threads: points of single threads, learnt by a launch, a fence with an atomic, a barrier.
//!
//! Facts are symbolic: "complete" is written down when the order is decided (at the launch, the wait, the synchronisation), not
//! when it comes to pass. So they hang neither on the schedule nor on what the state machine has already forgotten.
//!
//! # Edges
//! Stream order, events and the joins of the legacy default stream (2.2): [`HostLines`]. Device launches: the launching thread's
//! clock (3.4.1). Device streams (3.2): what was launched into the stream before, *as far as the launching thread knows of those
//! launches*; unordered launches into one stream have no order that a program may rely on ([`DeviceLine`]). Tails (3.3): the end
//! of their grid, and tails launched before in the same sense. Completion includes all descendants: an item is known to be complete if an
//! ancestor is ([`Items::knows`]). A kernel that is launched programmatically (4) starts with what the kernel in front started with; what
//! its waits add the checker decides from its [`Prerequisite`]s. Synchronisation of the host (2.4): facts become the host's. Barriers, fences and
//! atomics inside a grid are the checker's business, which joins clocks of threads.
//!
//! # Source
//! Vector clocks over epochs after Flanagan and Freund, "FastTrack" (PLDI 2009), with one component for each chain instead of each
//! thread; the memory model is the PTX ISA's, section "Memory Consistency Model".
//!
//! # What it can miss
//! Host threads count as one agent. An access that learns of others through the value of a plain load is not ordered by it
//! (that is the rule), nor is one that a control dependency alone orders. A release that another thread overwrites by a
//! plain store is forgotten.
//!
//! # Cost
//! Joining clocks is linear in what is not long ordered; asking whether a point is known is logarithmic in it.

mod clock;
mod facts;
mod graph;
mod items;
mod lines;

pub use clock::{Clock, Known, Point};
pub use facts::{Fact, Facts};
pub use graph::GraphLines;
pub use items::{ItemId, Items, NO_ITEM};
pub use lines::{DeviceLine, Front, HostLines, Place, Prerequisite};
