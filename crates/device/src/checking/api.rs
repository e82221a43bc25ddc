//! `api/unchecked`: an error that the host never looked at, and later calls that fail.
//!
//! What a program does with a returned number cannot be seen; whether it asks for the last error, or what the number means, can.

use super::failures::counted;
use super::host::written;
use super::{Checking, Stack};
use crate::status::Status;
use hotfire_check::{Action, Finding, Rule};
use std::cell::RefCell;

/// A thread's first failure that nobody looked at.
struct Unread {
    call: String,
    status: Status,
    stack: Stack,
    /// Calls that failed later, and the finding about them.
    later: u64,
    finding: Option<usize>,
}

thread_local! {
    static UNREAD: RefCell<Option<Unread>> = const { RefCell::new(None) };
}

impl Checking {
    /// A call of the host failed.
    pub fn call_failed(&self, call: &str, status: Status) {
        let call = written(call);
        let stack = Stack::here();
        let _ = UNREAD.try_with(|unread| {
            let mut slot = unread.borrow_mut();
            let Some(first) = slot.as_mut() else {
                *slot = Some(Unread { call: call.into(), status, stack, later: 0, finding: None });
                return;
            };
            first.later += 1;
            let message = format!(
                "`{}` failed with {}, nothing looked at it, and {} since",
                first.call,
                first.status.named(),
                counted(first.later, "later call has failed", "later calls have failed")
            );
            match first.finding {
                Some(index) => self.collector.change(index, |finding| finding.message = message),
                None => {
                    let mut finding = Finding::new(Rule::ApiUnchecked, message);
                    finding.accesses = vec![self.host(&stack, Action::Call), self.host(&first.stack, Action::Call)];
                    finding.notes.push(format!("the next to fail was `{call}`, with {}", status.named()));
                    finding.help = vec![format!(
                        "look at the answer: if (cudaError_t e = {}(…); e != cudaSuccess) {{ fprintf(stderr, \"%s\\n\", cudaGetErrorString(e)); exit(1); }}",
                        first.call
                    )];
                    first.finding = Some(self.collector.add(finding));
                }
            }
        });
    }

    /// The calling host thread asks what an error code means: then it has looked at what a call answered.
    pub fn error_asked(&self, status: Status) {
        let _ = UNREAD.try_with(|unread| unread.borrow_mut().take_if(|first| first.status == status));
    }

    /// The calling host thread looks at errors.
    pub fn errors_read(&self) {
        let _ = UNREAD.try_with(|unread| unread.borrow_mut().take());
    }
}
