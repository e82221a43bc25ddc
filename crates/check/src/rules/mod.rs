//! The rules: their names, severities, and what each is about. One file a rule, one folder a family.

pub mod advice;
pub mod api;
pub mod cdp1;
pub mod launch;
pub mod memory;
pub mod pdl;
pub mod pointer;
pub mod progress;
pub mod race;
pub mod stream;
mod text;

pub use text::RuleText;

use serde::{Deserialize, Serialize};
use std::fmt;

/// How bad a broken rule is. Only errors decide the exit code, unless warnings are denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The program is wrong.
    Error,
    /// The program relies on something that the contract does not promise, or loses work knowingly.
    Warning,
    /// Worth knowing.
    Note,
}

macro_rules! rules {
    ($($variant:ident $name:literal $severity:ident $family:ident::$module:ident,)*) => {
        /// A rule of the launch model (`cases.md`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Rule {
            $(
                #[doc = concat!("`", $name, "`")]
                #[serde(rename = $name)]
                $variant,
            )*
        }

        impl Rule {
            /// All rules, by family.
            pub const ALL: &[Rule] = &[$(Rule::$variant,)*];

            /// `family/name`
            pub fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name,)* }
            }

            /// How bad breaking it is.
            pub fn severity(self) -> Severity {
                match self { $(Rule::$variant => Severity::$severity,)* }
            }

            /// What the rule is about, in words.
            pub fn text(self) -> &'static RuleText {
                match self { $(Rule::$variant => &$family::$module::TEXT,)* }
            }

            /// Is it about accesses that nothing orders?
            pub fn is_race(self) -> bool {
                self.name().starts_with("race/")
            }

            /// The rule of that name.
            pub fn find(name: &str) -> Option<Rule> {
                Rule::ALL.iter().copied().find(|rule| rule.name() == name)
            }
        }
    };
}

rules! {
    RaceParentChild "race/parent-child" Error race::parent_child,
    RaceSibling "race/sibling" Error race::sibling,
    RaceTail "race/tail" Error race::tail,
    RacePdl "race/pdl" Error race::pdl,
    RaceStream "race/stream" Error race::stream,
    RaceHost "race/host" Error race::host,
    RaceGrid "race/grid" Error race::grid,
    RaceBlock "race/block" Error race::block,
    LaunchLostError "launch/lost-error" Error launch::lost_error,
    LaunchPool "launch/pool" Warning launch::pool,
    LaunchConfig "launch/config" Warning launch::config,
    PointerPrivate "pointer/private" Error pointer::private,
    StreamForeign "stream/foreign" Error stream::foreign,
    StreamSpecial "stream/special" Error stream::special,
    ProgressSpin "progress/spin" Error progress::spin,
    ProgressResidency "progress/residency" Error progress::residency,
    ProgressBarrier "progress/barrier" Error progress::barrier,
    ProgressPdlSlots "progress/pdl-slots" Error progress::pdl_slots,
    MemoryBounds "memory/bounds" Error memory::bounds,
    MemoryFreed "memory/freed" Error memory::freed,
    MemoryUninitialised "memory/uninitialised" Error memory::uninitialised,
    MemoryAlignment "memory/alignment" Error memory::alignment,
    MemoryHeap "memory/heap" Error memory::heap,
    MemoryParams "memory/params" Error memory::params,
    PdlNoWait "pdl/no-wait" Warning pdl::no_wait,
    PdlPartialWait "pdl/partial-wait" Warning pdl::partial_wait,
    PdlChain "pdl/chain" Warning pdl::chain,
    PdlNonCoherent "pdl/non-coherent" Warning pdl::non_coherent,
    Cdp1Synchronize "cdp1/synchronize" Error cdp1::synchronize,
    AdviceSameValue "advice/same-value" Note advice::same_value,
    AdviceOutcome "advice/outcome" Note advice::outcome,
    AdviceStorm "advice/storm" Note advice::storm,
    AdviceNullStream "advice/null-stream" Note advice::null_stream,
    AdviceNoOverlap "advice/no-overlap" Note advice::no_overlap,
    ApiUnchecked "api/unchecked" Note api::unchecked,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
