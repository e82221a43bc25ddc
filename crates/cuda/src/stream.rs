//! What a stream handle means: 0 is the default stream of the entry point that was called, 1 and 2 are the legacy and
//! the per-thread default stream by name (CUDA guide, "Default stream").

use hotfire_device::Stream;

use crate::types::Handle;

/// What stream 0 is for an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Default {
    /// The stream that joins with every blocking stream.
    Legacy,
    /// The calling thread's own (`_ptds`, `_ptsz`).
    PerThread,
}

impl Default {
    /// The default stream itself.
    pub(crate) fn stream(self) -> Stream {
        match self {
            Self::Legacy => Stream::LEGACY,
            Self::PerThread => Stream::PER_THREAD,
        }
    }

    /// The stream of a handle. The device checks that it is live.
    pub(crate) fn resolve(self, handle: Handle) -> Stream {
        if handle.is_null() { self.stream() } else { Stream(handle as u64) }
    }
}
