//! Lines on stderr: what the error code of a call cannot say. Each starts with `hotfire: `.

use std::collections::HashSet;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// Writes a message, each of its lines marked, in a single call, so that those of several threads do not mix.
pub(crate) fn line(message: &str) {
    let text: String = message.lines().map(|line| format!("hotfire: {line}\n")).collect();
    // A closed stderr is no reason to fail the call that wanted to explain itself.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Writes a line unless the same one was written before.
pub(crate) fn once(message: &str) {
    static SEEN: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    // A program could make us form new texts for ever; the texts remembered are bounded.
    const REMEMBERED: usize = 4096;
    let mut seen = SEEN.lock();
    let seen = seen.get_or_insert_default();
    if seen.len() < REMEMBERED && seen.insert(message.to_string()) {
        line(message);
    }
}

/// Names a function that exists but does nothing, the first time that it is called.
pub(crate) fn unimplemented(symbol: &str, seen: &AtomicBool) {
    if !seen.swap(true, Ordering::Relaxed) {
        line(&format!("{symbol} is not implemented by this device (it answers \"not supported\")"));
    }
}
