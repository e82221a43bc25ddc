//! What can be wrong with an image, and where.

use std::fmt;

/// Which of CUDA's errors an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The bytes are not what they claim to be: `cudaErrorInvalidKernelImage` (200).
    Malformed,
    /// A well-formed image without PTX that this device can run: `cudaErrorNoKernelImageForDevice` (209).
    NoImage,
}

/// An error with the place in the bytes that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Which of CUDA's errors it is.
    pub kind: ErrorKind,
    /// Byte offset in the image that was given.
    pub offset: usize,
    /// One sentence, without a final full stop.
    pub message: String,
}

impl Error {
    pub(crate) fn malformed(offset: usize, message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Malformed, offset, message: message.into() }
    }

    pub(crate) fn no_image(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NoImage, offset: 0, message: message.into() }
    }

    /// The same error in an image that has `base` bytes before the one it was found in.
    pub(crate) fn shifted(mut self, base: usize) -> Self {
        self.offset = self.offset.saturating_add(base);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::Malformed => write!(f, "byte {:#x}: {}", self.offset, self.message),
            ErrorKind::NoImage => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}
