//! `advice/no-overlap`: programmatic launches that gain nothing (launch-model 4.1 to 4.3, 4.10). Judged at the end, over the whole run.

use super::Checking;
use crate::module::Function;
use hotfire_check::{Action, Finding, ItemLabel, Rule};
use hotfire_launch::order::{Front, ItemId};
use std::collections::BTreeMap;

/// A launch that starts early or could.
#[derive(Clone, Copy)]
struct Launch {
    gridid: u64,
    /// It has the attribute.
    asked: bool,
    front: Front,
    /// The kernel in front, if the launch depends on it programmatically.
    primary: Option<u64>,
}

/// All of them.
#[derive(Default)]
pub(crate) struct Launches(Vec<Launch>);

/// Why a launch gains nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    Between,
    NoTrigger,
    NoAttribute,
}

impl Checking {
    /// The host launched a grid: `asked` if with the attribute.
    pub fn may_overlap(&self, function: &Function, gridid: u64, front: Front, id: ItemId, asked: bool) {
        if asked && self.lint && !function.waits() {
            self.lint_launch(gridid);
        }
        let waits = front == Front::Kernel && function.waits();
        if !asked && !waits {
            return;
        }
        let primary = self.checker(|checker| {
            checker.primaries(id).find_map(|item| match checker.label(item) {
                ItemLabel::Grid(gridid) => Some(gridid),
                _ => None,
            })
        });
        self.launches.lock().0.push(Launch { gridid, asked, front, primary });
    }

    /// Findings about launches; made anew each time.
    pub(super) fn advise_overlap(&self) {
        let launches = self.launches.lock();
        let chains = launches.0.iter().any(|launch| launch.asked);
        let mut places: BTreeMap<(Reason, u32), (Launch, u64)> = BTreeMap::new();
        for launch in &launches.0 {
            let grids = self.grids.lock();
            let Some((record, _)) = grids.get(launch.gridid) else { continue };
            let triggers = launch.primary.and_then(|primary| grids.get(primary)).map(|(_, kind)| kind.function.clone());
            let reason = match (launch.asked, launch.front) {
                (true, Front::Other) => Reason::Between,
                (true, _) if triggers.is_some_and(|function| !function.triggers()) => Reason::NoTrigger,
                (false, Front::Kernel) if chains => Reason::NoAttribute,
                _ => continue,
            };
            places.entry((reason, record.kind)).or_insert((*launch, 0)).1 += 1;
        }
        drop(launches);
        for ((reason, _), (launch, count)) in places {
            self.no_overlap(reason, launch, count);
        }
    }

    fn no_overlap(&self, reason: Reason, launch: Launch, count: u64) {
        let name = self.grid_name(launch.gridid);
        let primary = launch.primary.map_or("the kernel in front".into(), |primary| self.grid_name(primary));
        let (message, help): (String, String) = match reason {
            Reason::Between => (
                format!(
                    "{name} is launched programmatically, but behind something that is no kernel: it starts when all before is complete"
                ),
                "move the copy, set, host function or timed event away from between the two kernels".into(),
            ),
            Reason::NoTrigger => (
                format!(
                    "{name} is launched programmatically, but {primary} never triggers: it starts when all blocks of that have exited"
                ),
                format!(
                    "`cudaTriggerProgrammaticLaunchCompletion();` in {primary}, as soon as its blocks leave room; its place changes no result"
                ),
            ),
            Reason::NoAttribute => (
                format!(
                    "{name} waits for the kernel in front, but is launched without the attribute that others of the run have"
                ),
                "set cudaLaunchAttributeProgrammaticStreamSerialization for this launch, too".into(),
            ),
        };
        let mut finding = Finding::new(Rule::AdviceNoOverlap, message);
        let stack = self.grids.lock().get(launch.gridid).map(|(_, kind)| kind.stack.clone()).unwrap_or_default();
        finding.accesses = vec![self.host(&stack, Action::Launch)];
        finding.help = vec![help];
        self.renew(finding, count);
    }
}
