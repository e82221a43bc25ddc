//! How much memory the shadow takes for each byte that a program touches: for the bench, which asks with `HOTFIRE_CHECK_MEMORY`.

use super::Checking;
use std::sync::OnceLock;

/// Whether somebody wants to know.
pub(super) fn wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| std::env::var_os("HOTFIRE_CHECK_MEMORY").is_some())
}

impl Checking {
    /// Counts an allocation that goes, or is there at the end.
    pub(super) fn count_usage(&self, base: u64, size: u64) {
        if !wanted() {
            return;
        }
        let usage =
            self.checker(|checker| checker.shadow.arena.contains(base).then(|| checker.shadow.arena.usage(base, size)));
        if let Some((touched, bytes)) = usage {
            self.collector.summary(|summary| {
                let shadow = summary.shadow.get_or_insert_default();
                shadow.touched += touched;
                shadow.bytes += bytes;
            });
        }
    }

    /// Counts split words, and what is allocated at the end.
    pub(super) fn conclude_usage(&self) {
        if wanted() {
            let ranges = self.allocations.lock().ranges();
            ranges.into_iter().for_each(|(base, size)| self.count_usage(base, size));
            let splits = self.checker(|checker| checker.shadow.splits.resident());
            self.collector.summary(|summary| summary.shadow.get_or_insert_default().bytes += splits);
        }
    }
}
