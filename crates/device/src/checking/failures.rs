//! Launches by device code that did not happen: `launch/lost-error`, `launch/pool`, `launch/config` (launch-model 3.5, 3.6).
//!
//! A failure is pending until its thread reads its last error, or the grid of the thread ends: then it is lost.

use super::describe::triple;
use super::{Checking, Who};
use crate::engine::Shape;
use crate::module::Function;
use crate::profile;
use crate::status::Status;
use hotfire_check::{Action, Finding, Lost, Rule};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Threads that are named.
const NAMED: usize = 8;

/// The call in which a launch failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaunchCall {
    /// That which asks for a parameter buffer.
    Buffer,
    /// The launch itself.
    Launch,
}

/// Failures of one kind: one place, one kernel, one error.
struct FailureKind {
    child: String,
    status: Status,
    total: u64,
    noticed: u64,
    lost: u64,
    /// Threads that lost some, the first ones, with how many; and how many threads there are.
    losers: Vec<(Who, u64)>,
    threads: u64,
    /// The finding of what went wrong, and that of the loss.
    cause: Option<usize>,
    loss: Option<usize>,
}

/// Failures that a thread has not read: their kind, and how many.
type Unread = BTreeMap<(u64, u32), Vec<(u32, u64)>>;

/// Launches that the pool dropped: by the launching grid, how many of each kernel (by its address; 0 if it is not known).
pub(super) type Dropped = HashMap<u64, BTreeMap<usize, u64>>;

/// All failed launches.
#[derive(Default)]
pub(crate) struct Failures {
    kinds: Vec<FailureKind>,
    known: HashMap<(u32, usize, u32), u32>,
    /// By the launching grid.
    pending: HashMap<u64, Unread>,
    /// Launches that the pool dropped.
    pub dropped: Dropped,
}

impl Checking {
    /// A launch by a device thread failed in this call. `child` is the kernel, as far as the call knows it. What another rule reports
    /// in its place is not lost without a word: then this is not called.
    pub fn launch_failed(
        &self,
        who: Who,
        call: LaunchCall,
        child: Option<&Arc<Function>>,
        shape: Option<Shape>,
        status: Status,
    ) {
        // Code that the compiler makes tests the buffer and leaves the rest out, without a word.
        let read = call == LaunchCall::Launch && self.answer(who).read;
        let line = self.same_line(who);
        let mut failures = self.failures.lock();
        let key = (line, child.map_or(0, |child| Arc::as_ptr(child) as usize), status.0);
        let Failures { kinds, known, .. } = &mut *failures;
        let number = *known.entry(key).or_insert_with(|| {
            kinds.push(FailureKind {
                child: child.map_or_else(|| "a kernel".into(), |child| format!("`{}`", self.kernel_name(child))),
                status,
                total: 0,
                noticed: 0,
                lost: 0,
                losers: Vec::new(),
                threads: 0,
                cause: None,
                loss: None,
            });
            kinds.len() as u32 - 1
        });
        let kind = &mut failures.kinds[number as usize];
        kind.total += 1;
        match kind.cause {
            Some(cause) => self.collector.again(cause),
            None => kind.cause = self.cause(who, kind, child, shape).map(|finding| self.collector.add(finding)),
        }
        if status == Status::LAUNCH_PENDING_COUNT_EXCEEDED {
            *failures.dropped.entry(who.grid).or_default().entry(key.1).or_default() += 1;
        }
        let kind = &mut failures.kinds[number as usize];
        if read {
            kind.noticed += 1;
            return;
        }
        let unread = failures.pending.entry(who.grid).or_default().entry((who.block, who.thread)).or_default();
        match unread.iter_mut().find(|(known, _)| *known == number) {
            Some((_, count)) => *count += 1,
            None => unread.push((number, 1)),
        }
    }

    /// Why it failed, as far as a rule speaks of it.
    fn cause(
        &self,
        who: Who,
        kind: &FailureKind,
        child: Option<&Arc<Function>>,
        shape: Option<Shape>,
    ) -> Option<Finding> {
        let child_name = &kind.child;
        let mut finding = match (kind.status, shape) {
            (Status::LAUNCH_PENDING_COUNT_EXCEEDED, _) => {
                Finding::new(Rule::LaunchPool, format!("a launch of {child_name} is dropped: the launch pool is full"))
            }
            (Status::INVALID_CONFIGURATION | Status::LAUNCH_OUT_OF_RESOURCES, Some(shape)) => {
                let (what, help) = misfit(shape, child?);
                let mut finding =
                    Finding::new(Rule::LaunchConfig, format!("a launch of {child_name} cannot run: {what}"));
                finding.help.push(help);
                finding.hardware = Some("fails in the same way".into());
                finding
            }
            _ => return None,
        };
        finding.accesses = vec![self.access(who, Action::Launch)];
        Some(finding)
    }

    /// A thread asks for its last error, and there is one. Peeking and then doing nothing with the answer is no look at it.
    pub fn error_read(&self, who: Who, peeks: bool) {
        if peeks && !self.answer(who).read {
            return;
        }
        let mut failures = self.failures.lock();
        let Some(threads) = failures.pending.get_mut(&who.grid) else { return };
        let Some(read) = threads.remove(&(who.block, who.thread)) else { return };
        for (kind, count) in read {
            failures.kinds[kind as usize].noticed += count;
        }
    }

    /// All threads of a grid have exited.
    pub fn grid_ended(&self, gridid: u64) {
        let mut failures = self.failures.lock();
        let Some(threads) = failures.pending.remove(&gridid) else { return };
        for ((block, thread), unread) in threads {
            for (number, count) in unread {
                let site =
                    failures.known.iter().find(|(_, known)| **known == number).map_or(0, |((site, ..), _)| *site);
                let who = Who { grid: gridid, block, thread, site };
                let kind = &mut failures.kinds[number as usize];
                kind.lost += count;
                kind.threads += 1;
                if kind.losers.len() < NAMED {
                    kind.losers.push((who, count));
                }
                if kind.loss.is_none() {
                    let mut finding = Finding::new(Rule::LaunchLostError, kind.sentence());
                    finding.accesses = vec![self.access(who, Action::Launch)];
                    finding.hardware = Some("the launch is dropped there too, and nothing says so".into());
                    kind.loss = Some(self.collector.add(finding));
                }
            }
        }
    }

    /// Says in the findings what is known now.
    pub(super) fn conclude_failures(&self, pool_size: u32, worst_case: u64) {
        let failures = self.failures.lock();
        let limit = worst_case.max(u64::from(pool_size) + 1);
        let set_limit = format!(
            "on the host, before the first launch: cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, {limit});"
        );
        for kind in &failures.kinds {
            let full = kind.status == Status::LAUNCH_PENDING_COUNT_EXCEEDED;
            if let Some(cause) = kind.cause.filter(|_| full) {
                self.collector.change(cause, |finding| {
                    finding.message = format!(
                        "{} of {} dropped: all {pool_size} slots of the launch pool were taken",
                        counted(kind.total, "launch", "launches"),
                        kind.child
                    );
                    finding.help = vec![set_limit.clone()];
                    finding.notes = vec![
                        format!(
                            "at worst these launches hold {worst_case} slots at once; a slot costs 8,200 bytes, and the limit must be \
                             read back"
                        ),
                        match kind.noticed {
                            0 => "no thread that lost one noticed".into(),
                            noticed => format!("{noticed} of them noticed by their threads"),
                        },
                    ];
                    finding.hardware = Some(format!("drops launches whenever {pool_size} are pending"));
                });
            }
            let Some(loss) = kind.loss else { continue };
            self.collector.change(loss, |finding| {
                finding.count = kind.lost;
                finding.message = kind.sentence();
                finding.help = vec![
                    "in the launching thread, after the launch: if (cudaGetLastError() != cudaSuccess) atomicAdd(&lost, 1u);".into(),
                ];
                if full {
                    finding.help.push(set_limit.clone());
                }
                finding.notes = kind
                    .losers
                    .iter()
                    .map(|(who, count)| format!("{count} lost by {}", self.thread_name(*who)))
                    .collect();
                let more = kind.threads - kind.losers.len() as u64;
                if more > 0 {
                    finding.notes.push(format!("and by {}", counted(more, "further thread", "further threads")));
                }
            });
        }
    }

    /// Dropped launches for the summary.
    pub(super) fn lost_launches(&self) -> Vec<Lost> {
        let mut lost: Vec<Lost> = Vec::new();
        for kind in &self.failures.lock().kinds {
            if kind.status != Status::LAUNCH_PENDING_COUNT_EXCEEDED {
                continue;
            }
            let kernel = kind.child.trim_matches('`');
            match lost.iter_mut().find(|known| known.kernel == kernel) {
                Some(known) => {
                    known.count += kind.total;
                    known.noticed += kind.noticed;
                }
                None => lost.push(Lost { kernel: kernel.into(), count: kind.total, noticed: kind.noticed }),
            }
        }
        lost
    }
}

impl FailureKind {
    fn sentence(&self) -> String {
        let count = self.lost.max(1);
        format!(
            "{} of {} failed with {}, and {} that made {} never read the error",
            counted(count, "launch", "launches"),
            self.child,
            self.status.named(),
            if self.threads > 1 { "the threads" } else { "the thread" },
            if count > 1 { "them" } else { "it" },
        )
    }
}

/// `1 launch`, `52 launches`
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// What is wrong with a configuration, and what to write instead.
fn misfit(shape: Shape, child: &Function) -> (String, String) {
    let Shape { grid, block, dynamic_shared, .. } = shape;
    let threads: u64 = block.iter().map(|&n| u64::from(n)).product();
    let most = child.max_threads();
    if threads == 0 {
        return ("a block has no threads".into(), "launch only if there is work: if (threads > 0)".into());
    }
    if grid.contains(&0) {
        return ("the grid has no blocks".into(), "launch only if there is work: if (blocks > 0)".into());
    }
    if threads > u64::from(most) || block.iter().zip(profile::BLOCK_DIMENSIONS).any(|(&n, most)| n > most) {
        let what = match most {
            profile::THREADS_PER_BLOCK => {
                format!(
                    "a block of {} threads has {threads}; at most 1024 are possible, 64 of them in z",
                    triple(block)
                )
            }
            _ => format!("a block of {} threads has {threads}; the kernel was compiled for {most}", triple(block)),
        };
        return (what, format!("use at most {most} threads a block and more blocks"));
    }
    if grid.iter().zip(profile::GRID_DIMENSIONS).any(|(&n, most)| n > most) {
        let what = format!("a grid of {} blocks; y and z can be 65535 at most", triple(grid));
        return (what, "put the blocks into x, which can be 2147483647".into());
    }
    if let Some(cluster) = child.required_cluster().or(shape.cluster)
        && grid.iter().zip(cluster).any(|(&blocks, n)| n == 0 || !blocks.is_multiple_of(n))
    {
        let what = format!("a grid of {} blocks is not made of clusters of {}", triple(grid), triple(cluster));
        return (what, "round the blocks of the grid up to whole clusters, in each dimension".into());
    }
    let fixed = child.kernel().map_or(0, |kernel| kernel.static_shared);
    let most = child.max_dynamic_shared(fixed);
    (
        format!("{dynamic_shared} bytes of dynamic shared memory a block; the kernel may have {most}"),
        format!(
            "on the host, before the launch: cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, \
             {dynamic_shared}); at most {} bytes",
            profile::profile().shared_per_block_optin().saturating_sub(fixed)
        ),
    )
}
