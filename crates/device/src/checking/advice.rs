//! `advice/storm` and `advice/null-stream`: launches that cost more than they must. Judged at the end, over the whole run.

use super::failures::counted;
use super::grids::Record;
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
    /// `gridid` of the first.
    order: u64,
    first: Who,
    count: u64,
    threads: u64,
    child: String,
}

/// A grid that device code launched, not a node of a graph that it did.
fn is_child(record: &Record) -> bool {
    record.parent != 0 && !matches!(record.queue, Queue::Node { .. })
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
        let mut places: HashMap<(u32, usize), Launches> = HashMap::new();
        let mut chains: HashMap<(u64, u64), Chain> = HashMap::new();
        // Whoever launches is known by the kind of its grid, so that lines are looked up once a kind.
        let launchers: HashMap<u32, Who> = {
            let grids = self.grids.lock();
            grids
                .all()
                .filter(|(_, record, _)| is_child(record))
                .map(|(_, record, kind)| (kind.site, Who::launcher(record, kind)))
                .collect()
        };
        let lines: HashMap<u32, u32> = launchers.into_iter().map(|(site, who)| (site, self.same_line(who))).collect();
        let grids = self.grids.lock();
        for (gridid, record, kind) in grids.all().filter(|(_, record, _)| is_child(record)) {
            let site = lines.get(&kind.site).copied().unwrap_or(kind.site);
            let who = Who { site, ..Who::launcher(record, kind) };
            let key = (site, std::sync::Arc::as_ptr(&kind.function) as usize);
            let launches = places.entry(key).or_insert_with(|| Launches {
                order: gridid,
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
        // By who came first: addresses of functions are in no order.
        let mut places: Vec<Launches> = places.into_values().collect();
        places.sort_by_key(|launches| launches.order);
        for launches in places.iter().filter(|all| all.count >= STORM && all.threads <= all.count * FEW_THREADS) {
            self.storm(launches);
        }
        for (blocks, chain) in longest.values() {
            self.chain(*blocks, chain);
        }
    }

    fn storm(&self, launches: &Launches) {
        let Launches { first, count, threads, child, .. } = launches;
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
    pub(super) fn renew(&self, finding: Finding, count: u64) {
        let index = self.collector.add(finding.clone());
        self.collector.change(index, |known| {
            *known = finding;
            known.count = count;
        });
    }
}
