//! `stream/foreign` and `stream/special`: streams and events where they mean nothing (launch-model 3.2).
//!
//! Handles of the host and of device code are different numbers, and no number is given out twice: a table of who made which says
//! whose a handle is, also when its object is gone.

use super::{Checking, Stack, Who};
use hotfire_check::{Action, Finding, Rule};
use std::collections::HashMap;

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    /// `cudaStream_t`
    Stream,
    /// `cudaEvent_t`
    Event,
}

impl Object {
    fn with_article(self) -> &'static str {
        match self {
            Self::Stream => "a stream",
            Self::Event => "an event",
        }
    }

    fn create(self) -> &'static str {
        match self {
            Self::Stream => "cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);",
            Self::Event => "cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventDisableTiming);",
        }
    }
}

/// Streams and events that device code made, by handle.
#[derive(Default)]
pub(crate) struct Handles(HashMap<u64, (Object, Who)>);

/// Whether a handle is one of the host's streams or events.
fn is_host(handle: u64) -> bool {
    handle >> 32 != 0 && handle & crate::engine::HOST_HANDLE != 0
}

impl Checking {
    /// Device code made a stream or an event.
    pub fn handle_made(&self, object: Object, handle: u64, who: Who) {
        self.handles.lock().0.insert(handle, (object, who));
        self.outcome(|outcome| outcome.handle(handle));
    }

    /// A device thread used a handle and was refused: whether that is because it is another's, and which finding says so.
    pub fn foreign(&self, who: Who, handle: u64, object: Object) -> Option<usize> {
        let named = object.with_article();
        let made = self.handles.lock().0.get(&handle).copied();
        let user = self.grid_name(who.grid);
        let mut finding = match made {
            Some((_, maker)) if maker.grid == who.grid => return None,
            Some((_, maker)) => {
                let message =
                    format!("{user} uses {named} that {} created: it is not its own", self.grid_name(maker.grid));
                let mut finding = Finding::new(Rule::StreamForeign, message);
                finding.accesses = vec![self.access(who, Action::Call), self.access(maker, Action::Call)];
                finding.notes.push("the second place is where it was created".into());
                finding
            }
            None if is_host(handle) => {
                let message = format!("{user} uses {named} of the host");
                let mut finding = Finding::new(Rule::StreamForeign, message);
                finding.accesses = vec![self.access(who, Action::Call)];
                finding
            }
            None => return None,
        };
        finding.help.push(format!("create {named} in the kernel that uses it: {}", object.create()));
        finding.help.push(
            "to order work behind a grid and all that it launched, launch it into cudaStreamTailLaunch instead".into(),
        );
        finding.hardware = Some("undefined: may fail, hang, or seem to work".into());
        Some(self.collector.add(finding))
    }

    /// The host uses a handle: reports those that device code made.
    pub fn foreign_to_host(&self, handle: u64) {
        let Some((object, maker)) = self.handles.lock().0.get(&handle).copied() else { return };
        let named = object.with_article();
        let message = format!("the host uses {named} that {} created on the device", self.grid_name(maker.grid));
        let mut finding = Finding::new(Rule::StreamForeign, message);
        finding.accesses = vec![self.host(&Stack::here(), Action::Call), self.access(maker, Action::Call)];
        finding.notes.push("the second place is where it was created".into());
        finding.help.push(format!("create {named} on the host"));
        finding.hardware = Some("undefined: may fail, hang, or seem to work".into());
        self.collector.add(finding);
    }

    /// A device thread records or awaits an event on a stream that has none: tail (3) or fire-and-forget (4).
    pub fn special(&self, who: Who, handle: u64, records: bool) {
        if self.answer(who).read {
            return;
        }
        let stream = if handle == 3 { "cudaStreamTailLaunch" } else { "cudaStreamFireAndForget" };
        let (verb, effect) = if records {
            ("records an event on", "the event is not recorded, and who waits for it waits for nothing")
        } else {
            ("lets an event hold back", "nothing is held back")
        };
        let mut finding = Finding::new(
            Rule::StreamSpecial,
            format!("{} {verb} {stream}, which has no events", self.grid_name(who.grid)),
        );
        finding.accesses = vec![self.access(who, Action::Call)];
        finding.notes.push(format!("the call answers cudaErrorInvalidValue, which nothing reads; {effect}"));
        finding.help.push(format!("use a named stream: {}", Object::Stream.create()));
        if handle == 3 {
            finding
                .help
                .push("tails run one after another in launch order: put dependent work there, without an event".into());
        }
        finding.hardware = Some("answers the same error".into());
        self.collector.add(finding);
    }
}
