//! `advice/storm` and `advice/null-stream`: launches that cost more than they must. Judged at the end, over the whole run.

use super::failures::counted;
use super::{Checking, Queue, Who};
use hotfire_check::{Action, Finding, Rule};
use std::collections::{BTreeMap, HashMap};

/// From so many launches of one place on.
const STORM: u64 = 1024;
/// Of so few threads each, on average.
const FEW_THREADS: u64 = 256;
/// From so many grids in a chain on.
const CHAIN: u64 = 32;

/// Launches of one kernel from one place.
struct Launches {
    first: Who,
    count: u64,
    threads: u64,
    child: String,
}

/// The grids in the NULL stream of one block.
struct Chain {
    last: Who,
    length: u64,
    /// More than one thread launched into it.
    several: bool,
}

impl Checking {
    /// Findings about launches; made anew each time, so that a later report replaces an earlier one's numbers.
    pub(super) fn advise(&self) {
        let mut places: BTreeMap<(u32, usize), Launches> = BTreeMap::new();
        let mut chains: HashMap<(u64, u64), Chain> = HashMap::new();
        // Whoever launches is known by the kind of its grid, so that lines are looked up once a kind.
        let launchers: HashMap<u32, Who> = {
            let grids = self.grids.lock();
            grids
                .all()
                .filter(|(_, record, _)| record.parent != 0)
                .map(|(_, record, kind)| (kind.site, Who::launcher(record, kind)))
                .collect()
        };
        let lines: HashMap<u32, u32> = launchers.into_iter().map(|(site, who)| (site, self.same_line(who))).collect();
        let grids = self.grids.lock();
        for (_, record, kind) in grids.all().filter(|(_, record, _)| record.parent != 0) {
            let site = lines.get(&kind.site).copied().unwrap_or(kind.site);
            let who = Who { site, ..Who::launcher(record, kind) };
            let key = (site, std::sync::Arc::as_ptr(&kind.function) as usize);
            let launches = places.entry(key).or_insert_with(|| Launches {
                first: who,
                count: 0,
                threads: 0,
                child: self.kernel_name(&kind.function),
            });
            launches.count += 1;
            launches.threads += kind.threads();
            if record.queue == Queue::Null {
                let chain = chains.entry((record.parent, record.block)).or_insert(Chain {
                    last: who,
                    length: 0,
                    several: false,
                });
                chain.length += 1;
                chain.several |= chain.last.thread != who.thread;
                chain.last = who;
            }
        }
        // The longest chain of each place.
        let mut longest: BTreeMap<u32, (u64, Chain)> = BTreeMap::new();
        for chain in chains.into_values().filter(|chain| chain.several && chain.length >= CHAIN) {
            let order = |chain: &Chain| (chain.length, std::cmp::Reverse((chain.last.grid, chain.last.block)));
            match longest.get_mut(&chain.last.site) {
                Some((count, known)) => {
                    *count += 1;
                    if order(&chain) > order(known) {
                        *known = chain;
                    }
                }
                None => _ = longest.insert(chain.last.site, (1, chain)),
            }
        }
        drop(grids);
        for launches in places.values().filter(|all| all.count >= STORM && all.threads <= all.count * FEW_THREADS) {
            self.storm(launches);
        }
        for (blocks, chain) in longest.values() {
            self.chain(*blocks, chain);
        }
    }

    fn storm(&self, launches: &Launches) {
        let Launches { first, count, threads, child } = launches;
        let mean = *threads as f64 / *count as f64;
        let message = format!("{count} launches of `{child}` from one place, with {mean:.1} threads each on average");
        let mut finding = Finding::new(Rule::AdviceStorm, message);
        finding.accesses = vec![self.access(*first, Action::Launch)];
        finding
            .notes
            .push(format!("{threads} threads in all; a launch costs far more than a few hundred instructions"));
        finding.help = vec![
            "do small work in the thread itself: if (work < threshold) { … } else child<<<…>>>(…);".into(),
            "or collect the work of a block, and launch one grid for it from one thread after __syncthreads()".into(),
        ];
        self.renew(finding, *count);
    }

    fn chain(&self, blocks: u64, chain: &Chain) {
        let message = format!(
            "{} launched by several threads of one block run one after another in its NULL stream",
            counted(chain.length, "grid", "grids")
        );
        let mut finding = Finding::new(Rule::AdviceNullStream, message);
        finding.accesses = vec![self.access(chain.last, Action::Launch)];
        finding.notes.push(format!("the longest chain of {}", counted(blocks, "block", "blocks")));
        finding.help = vec!["launch with cudaStreamFireAndForget where the order does not matter: child<<<grid, block, shared, cudaStreamFireAndForget>>>(…);".into()];
        self.renew(finding, blocks);
    }

    /// Adds a finding, or replaces what was said before.
    fn renew(&self, finding: Finding, count: u64) {
        let index = self.collector.add(finding.clone());
        self.collector.change(index, |known| {
            *known = finding;
            known.count = count;
        });
//! What a race's finding says in words: what happened, which edge is missing, what to add.

use super::name::Relation;
use super::problems::Side;
use hotfire_check::{Access, Action, Checker, ItemLabel, Thread};

fn who(side: &Access) -> String {
    match &side.thread {
        Thread::Device { kernel, grid, .. } => format!("`{kernel}` (grid {grid})"),
        Thread::Host => "host code".into(),
        Thread::HostFunction => "a host function".into(),
        Thread::Operation { call } => format!("`{call}`"),
    }
}

fn does(action: Action) -> &'static str {
    match action {
        Action::Read | Action::CopyFrom => "reads",
        Action::Atomic => "changes by an atomic",
        _ => "writes",
    }
}

/// One sentence.
pub(crate) fn message(sides: &[Access; 2], relation: Relation) -> String {
    let [now, before] = sides;
    let what = now.bytes.as_ref().map_or("memory".into(), |bytes| bytes.allocation.clone());
    let (now_does, before_does) = (does(now.action), does(before.action));
    match relation {
        Relation::Block { .. } | Relation::Grid => {
            let scope = if matches!(relation, Relation::Grid) { "blocks" } else { "threads of a block" };
            format!(
                "two {scope} of {} access {what} without an order: one {now_does} it, one {before_does} it",
                who(now)
            )
        }
        _ => format!("{} {now_does} {what}, which {} {before_does} without an order", who(now), who(before)),
    }
}

/// The missing edge, and what to add.
pub(crate) fn advice(checker: &Checker, relation: Relation, now: Side, before: Side) -> (String, Vec<String>) {
    let (edge, help): (&str, &[&str]) = match relation {
        Relation::Block { warp: true } => (
            "no barrier orders the two lanes: lanes of a warp are not in lockstep",
            &["`__syncwarp();` between the two accesses (`__syncthreads();` if other warps take part)"],
        ),
        Relation::Block { warp: false } => {
            ("no barrier orders the two threads", &["`__syncthreads();` between the two accesses"])
        }
        Relation::Grid => (
            "nothing orders two blocks of one grid but atomics with fences, or grid.sync() of a cooperative launch",
            &["make it atomic, give each block its own place, or split the kernel in two launches"],
        ),
        Relation::Host => (
            "the host did not synchronise with the grid or copy before it touched the memory",
            &["`cudaStreamSynchronize(stream);` (or `cudaDeviceSynchronize();`, an event) before the host's access"],
        ),
        Relation::Ancestor { ancestor, .. } => return parent_child(checker, ancestor, now, before),
        Relation::Tail => (
            "the two tail launches were made by threads that nothing orders, so their order in the tail stream is unspecified",
            &["make both launches from one thread, or put `__syncthreads();` between them"],
        ),
        Relation::Sibling { .. } => (
            "the two grids were launched into streams that nothing orders",
            &[
                "launch both, in order, from one thread into one stream",
                "or launch the second one into `cudaStreamTailLaunch`",
            ],
        ),
        Relation::Stream => (
            "the two are in streams that no event, and not the legacy default stream, orders",
            &["`cudaEventRecord(event, first);` then `cudaStreamWaitEvent(second, event);`, or use one stream"],
        ),
    };
    (edge.into(), help.iter().map(|&line| line.into()).collect())
}

fn parent_child(
    checker: &Checker,
    ancestor: hotfire_launch::order::ItemId,
    now: Side,
    before: Side,
) -> (String, Vec<String>) {
    let (parent, child) = if now.agent.item == ancestor { (now, before) } else { (before, now) };
    let launched_by = match checker.label(child.agent.item) {
        ItemLabel::Grid(_) => "the launch",
        _ => "the call",
    };
    if child.write && !parent.write {
        return (
            "a grid never sees what its children write: nothing orders it behind them".into(),
            vec!["read it in a kernel launched into `cudaStreamTailLaunch`, or after the parent in its stream".into()],
        );
    }
    (
        format!(
            "{launched_by} hands on only what the launching thread sees then; the other access is not ordered before it"
        ),
        vec![
            format!(
                "`__syncthreads();` before {launched_by} (`__syncwarp();` if only its warp takes part; \
                 `__threadfence();` and an atomic between blocks)"
            ),
            format!("or move the parent's access before {launched_by}, or into a tail launch"),
        ],
    )
}

/// Whether hardware can show it.
pub(crate) fn hardware(relation: Relation) -> &'static str {
    match relation {
        Relation::Ancestor { .. } => {
            "the child may start at once or after its parent: hardware shows either, mostly the same one"
        }
        Relation::Block { .. } => "depends on how warps are scheduled",
        _ => "depends on timing; runs that look right prove nothing",
    }
}
