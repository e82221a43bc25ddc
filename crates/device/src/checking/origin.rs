//! Where something was done: by a host thread, with the calls that led there, or by a device thread.

use super::Who;
use super::host::{stack, symbols};
use hotfire_check::{Frame, Place};
use std::sync::Arc;

/// The calls of host code that led to an event, innermost first. Cheap to copy and to compare; what they are called is looked up when
/// it is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Stack(Arc<[usize]>);

impl Stack {
    /// The calling host thread's.
    pub fn here() -> Self {
        Self(stack::keep(&stack::capture()))
    }

    /// From return addresses, innermost first.
    pub fn of(addresses: &[usize]) -> Self {
        Self(stack::keep(addresses))
    }

    /// The same number for equal stacks.
    pub fn identity(&self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// The frames.
    pub fn frames(&self) -> Vec<Frame> {
        symbols::symbolise(&self.0)
    }

    /// The frames that led to the launch of a kernel, without the function of its name that nvcc puts on the host's side.
    pub fn frames_to(&self, kernel: &str) -> Vec<Frame> {
        let mut frames = self.frames();
        let stub = frames.iter().take_while(|frame| symbols::is_stub(frame, kernel)).count();
        if stub < frames.len() {
            frames.drain(..stub);
        }
        frames
    }

    /// The innermost call that has a source line in the user's own files, or in any, or the innermost one.
    pub fn place(&self) -> Option<Place> {
        place(&self.frames())
    }
}

/// See [`Stack::place`].
pub(super) fn place(frames: &[Frame]) -> Option<Place> {
    let own = |frame: &&Frame| frame.file.as_deref().is_some_and(|file| !symbols::is_foreign(file));
    let known = || frames.iter().find(|frame| frame.file.is_some()).or_else(|| frames.first());
    let frame = frames.iter().find(own).or_else(known)?;
    Some(Place {
        file: frame.file.clone(),
        line: frame.line,
        function: Some(frame.function.clone()),
        ..Place::default()
    })
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
