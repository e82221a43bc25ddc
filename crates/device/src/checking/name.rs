//! Which rule a race breaks (launch-model 9: the first that matches names it).

use hotfire_check::{Agent, Checker, ItemLabel, Rule};
use hotfire_launch::order::{ItemId, Items, NO_ITEM};

/// How the two sides stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Same block; same warp too?
    Block {
        warp: bool,
    },
    Grid,
    Host,
    /// One grid is an ancestor of the other: its identity, and the ancestor's child on the way to the other.
    Ancestor {
        ancestor: ItemId,
        child: ItemId,
    },
    /// One was launched programmatically, and but for that would be behind the other.
    Early {
        primary: ItemId,
        secondary: ItemId,
    },
    Tail,
    Sibling {
        common: ItemId,
    },
    Stream,
}

impl Relation {
    /// Of two agents.
    pub fn of(checker: &Checker, a: Agent, b: Agent) -> Relation {
        if a.item == NO_ITEM || b.item == NO_ITEM || is_host(checker, a.item) || is_host(checker, b.item) {
            return Relation::Host;
        }
        if a.item == b.item {
            return if a.block == b.block {
                Relation::Block { warp: a.thread / 32 == b.thread / 32 }
            } else {
                Relation::Grid
            };
        }
        let items = &checker.items;
        let common = items.common(a.item, b.item);
        if common == NO_ITEM {
            let (a, b) = (below(items, a.item, common), below(items, b.item, common));
            let (primary, secondary) = (a.min(b), a.max(b));
            let early = checker.is_early_beside(primary, secondary);
            return if early { Relation::Early { primary, secondary } } else { Relation::Stream };
        }
        if common == a.item || common == b.item {
            let other = if common == a.item { b.item } else { a.item };
            return Relation::Ancestor { ancestor: common, child: below(items, other, common) };
        }
        let (a, b) = (below(items, a.item, common), below(items, b.item, common));
        if items.is_tail(a) && items.is_tail(b) { Relation::Tail } else { Relation::Sibling { common } }
    }

    /// The rule's name.
    pub fn rule(self) -> Rule {
        match self {
            Relation::Block { .. } => Rule::RaceBlock,
            Relation::Grid => Rule::RaceGrid,
            Relation::Host => Rule::RaceHost,
            Relation::Ancestor { .. } => Rule::RaceParentChild,
            Relation::Early { .. } => Rule::RacePdl,
            Relation::Tail => Rule::RaceTail,
            Relation::Sibling { .. } => Rule::RaceSibling,
            Relation::Stream => Rule::RaceStream,
        }
    }
}

fn is_host(checker: &Checker, item: ItemId) -> bool {
    checker.label(item) == ItemLabel::Host
}

/// The ancestor of `item` (or itself) that `ancestor` launched.
fn below(items: &Items, item: ItemId, ancestor: ItemId) -> ItemId {
    let mut at = item;
    while items.parent(at) != ancestor && at != NO_ITEM {
        at = items.parent(at);
    }
    at
}
