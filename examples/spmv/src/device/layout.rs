//! The structures of `kernels/spmv.cu`, field by field.

use hotfire_host::{Address, Failures, Plain};

/// `struct Csr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Csr {
    pub start: Address<i32>,
    pub column: Address<i32>,
    pub value: Address<f32>,
    pub rows: i32,
    pub heavy: i32,
}

/// `struct Launches`: what the kernels tell of their device launches.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Launches {
    /// Launched for heavy rows.
    pub children: i32,
    /// Tail launches.
    pub tails: i32,
    /// Heavy rows whose launch was refused.
    pub lost: i32,
    /// Tail launches that were refused.
    pub lost_tails: i32,
    /// Launched and not yet at their end.
    pub pending: i32,
    /// The most that were seen pending at once.
    pub peak: i32,
    heavy: u32,
    partials: u32,
    tickets: u32,
}

/// `struct Scratch`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Scratch {
    pub launches: Address<Launches>,
    pub lost_rows: Address<i32>,
    pub heavy_rows: Address<i32>,
    pub partial_rows: Address<i32>,
    pub partials: Address<f32>,
    pub finished: Address<u32>,
    pub ledger: Address<Failures>,
}

/// `struct Carry`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Carry {
    row: i32,
    sum: f32,
}

// SAFETY: `repr(C)`, numbers without padding, laid out as the kernels declare it.
unsafe impl Plain for Csr {}
// SAFETY: as above.
unsafe impl Plain for Launches {}
// SAFETY: as above.
unsafe impl Plain for Scratch {}
// SAFETY: as above.
unsafe impl Plain for Carry {}
