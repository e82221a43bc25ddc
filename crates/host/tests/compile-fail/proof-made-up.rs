//! A proof comes from a synchronisation and from nowhere else.
use hotfire_host::Done;

fn made_up() -> Done {
    Done { stream: None, upto: u64::MAX }
}

fn main() {}
