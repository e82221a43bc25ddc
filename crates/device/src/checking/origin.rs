//! Where something was done: by a host thread, with the calls that led there, or by a device thread.

use super::Who;
use hotfire_check::{Frame, Place};
use std::sync::Arc;

/// The calls of host code that led to an event, innermost first. Cheap to copy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Stack(Arc<[Frame]>);

impl Stack {
    /// The calling host thread's.
    pub fn here() -> Self {
        Self::default()
    }

    /// The frames.
    pub fn frames(&self) -> Vec<Frame> {
        self.0.to_vec()
    }

    /// The innermost call that has a source line, or any.
    pub fn place(&self) -> Option<Place> {
        let frame = self.0.iter().find(|frame| frame.file.is_some()).or_else(|| self.0.first())?;
        Some(Place {
            file: frame.file.clone(),
            line: frame.line,
            function: Some(frame.function.clone()),
            ..Place::default()
        })
    }
}

/// Who did something that has no access of its own.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// A host thread.
    Host(Stack),
    /// A device thread, at a call.
    Device(Who),
    /// The device, when it loaded a module.
    Load,
}
