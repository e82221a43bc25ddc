//! Host threads: their calls one after the other, in the order of the log.

use super::{Event, Simulation};
use crate::log::{Await, Log, Step};
use crate::timeline::Call;
use hotfire_launch::recording::Command;
use hotfire_launch::{Stream, Work};
use std::collections::{BTreeSet, HashMap};

/// Calls that only prepare others, or ask what is known.
const FREE: [&str; 10] = [
    "cudaRegister",
    "cudaUnregister",
    "cudaPushCallConfiguration",
    "cudaPopCallConfiguration",
    "cudaGetLastError",
    "cudaPeekAtLastError",
    "cudaGetError",
    "cuGetProcAddress",
    "cudaGetDevice",
    "cudaInitModule",
];

#[derive(Default)]
struct Thread {
    clock: f64,
    /// The call that it is in: where in the timeline, and when it returns at the earliest.
    call: Option<(usize, f64)>,
    waits: Option<Await>,
}

/// Where the host is in the log.
pub(super) struct Host<'a> {
    log: &'a Log,
    next: usize,
    threads: HashMap<u32, Thread>,
    /// Whether a step is due already.
    due: bool,
    /// What a wait for a stream or for everything still waits for, by thread.
    open: HashMap<u32, BTreeSet<hotfire_launch::Item>>,
}

impl<'a> Host<'a> {
    pub fn new(log: &'a Log) -> Self {
        Self { log, next: 0, threads: HashMap::new(), due: true, open: HashMap::new() }
    }
}

fn thread_of(step: &Step) -> Option<u32> {
    match step {
        Step::Call { thread, .. }
        | Step::Return { thread }
        | Step::Host { thread, .. }
        | Step::Await { thread, .. } => Some(*thread),
        Step::Device { .. } | Step::Within { .. } => None,
    }
}

impl Simulation<'_> {
    /// The host carries out the step that is due, and says when the next one is.
    pub(super) fn host_step(&mut self) {
        self.host.due = false;
        let log = self.host.log;
        if let Some(step) = log.steps.get(self.host.next) {
            self.host.next += 1;
            self.carry_out(step);
        }
        self.next_step();
    }

    /// When the host comes to its next step, unless its thread waits.
    fn next_step(&mut self) {
        let log = self.host.log;
        while matches!(log.steps.get(self.host.next), Some(Step::Device { .. } | Step::Within { .. })) {
            self.host.next += 1;
        }
        let Some(step) = log.steps.get(self.host.next) else { return };
        let Some(number) = thread_of(step) else { return };
        let ahead = match step {
            // What a call queues, it queues at its end.
            Step::Host { .. } | Step::Await { .. } | Step::Return { .. } => true,
            _ => false,
        };
        let thread = self.host.threads.entry(number).or_default();
        if thread.waits.is_some() || self.host.due {
            return;
        }
        let end = thread.call.map_or(0.0, |(_, end)| end);
        let time = if ahead { thread.clock.max(end) } else { thread.clock };
        self.host.due = true;
        self.at(time, Event::Host);
    }

    fn carry_out(&mut self, step: &Step) {
        let now = self.now;
        match step {
            Step::Call { thread, name } => {
                let took = self.call_time(*thread, name);
                let call = Call { thread: *thread, name: name.clone(), start: now, end: now + took, items: Vec::new() };
                self.timeline.calls.push(call);
                let at = self.timeline.calls.len() - 1;
                let thread = self.host.threads.entry(*thread).or_default();
                (thread.clock, thread.call) = (now, Some((at, now + took)));
            }
            Step::Return { thread } => {
                let thread = self.host.threads.entry(*thread).or_default();
                thread.clock = now;
                if let Some((at, _)) = thread.call.take() {
                    self.timeline.calls[at].end = now;
                }
            }
            Step::Host { thread, command } => {
                let item = match command {
                    Command::Submit { item, .. } => Some(*item),
                    _ => None,
                };
                let call = self.host.threads.entry(*thread).or_default().call;
                if let (Some(item), Some((at, _))) = (item, call) {
                    self.timeline.calls[at].items.push(item);
                }
                self.command(command, None);
            }
            Step::Await { thread, what } => {
                let open: BTreeSet<_> = match what {
                    Await::All => self.model.tails().collect(),
                    Await::Item(number) => self.replay.item(*number).into_iter().collect(),
                    Await::Stream(number) => match self.replay.stream(&self.model, *number) {
                        // All blocking streams; more than those does no harm here.
                        Some(Stream::LEGACY) => self.model.tails().collect(),
                        Some(stream) => self.model.tail(stream).into_iter().collect(),
                        None => BTreeSet::new(),
                    },
                };
                let open: BTreeSet<_> = open.into_iter().filter(|&item| !self.model.is_complete(item)).collect();
                if !open.is_empty() {
                    self.host.open.insert(*thread, open);
                    self.host.threads.entry(*thread).or_default().waits = Some(*what);
                }
            }
            Step::Device { .. } | Step::Within { .. } => {}
        }
    }

    /// Host threads go on whose waits are over.
    pub(super) fn wake_host(&mut self) {
        let Self { host, model, now, machine, .. } = self;
        let mut woken = false;
        host.open.retain(|number, items| {
            items.retain(|&item| !model.is_complete(item));
            if items.is_empty() {
                let thread = host.threads.entry(*number).or_default();
                thread.waits = None;
                thread.clock = *now + machine.wake;
                woken = true;
            }
            !items.is_empty()
        });
        if woken {
            self.next_step();
        }
    }

    /// How long a call takes by itself.
    fn call_time(&self, thread: u32, name: &str) -> f64 {
        if FREE.iter().any(|free| name.starts_with(free)) {
            return 0.0;
        }
        // What the call queues says what it is.
        let steps = self.log.steps[self.host.next..].iter().filter(|step| thread_of(step) == Some(thread));
        let own = steps.take_while(|step| !matches!(step, Step::Return { .. }));
        let manner = own.filter_map(|step| match step {
            Step::Host { command: Command::Submit { work: Work::Grid, manner, .. }, .. } => Some(*manner),
            _ => None,
        });
        match manner.last() {
            Some(_) if self.changes.graph => 0.0,
            Some(hotfire_launch::recording::Manner::Programmatic) => self.machine.launch_call[1],
            Some(_) if self.changes.programmatic => self.machine.launch_call[1],
            Some(_) => self.machine.launch_call[0],
            None if name.contains("GraphLaunch") => self.machine.launch_call[0],
            None => self.machine.call,
        }
    }
}
