//! Faults that can be planted, to see that `hotfire check` finds them: an option that help does not show.

use clap::ValueEnum;

/// One mistake in a program that is right otherwise.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Plant {
    /// `cdp` launches children and never looks whether that worked.
    NoFailureCheck,
    /// `merge`'s second kernel, launched early, does not wait for the first.
    NoWait,
    /// `two-pass` reads mapped memory before the kernel that writes it is complete.
    EarlyRead,
    /// The launch pool is as small as the device makes it.
    SmallPool,
}
