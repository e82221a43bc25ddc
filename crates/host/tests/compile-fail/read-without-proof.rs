//! The contents of mapped memory have no way out but through a proof of completion.
use hotfire_host::Mapped;

fn first(values: &Mapped<f32>) -> f32 {
    values[0]
}

fn main() {}
