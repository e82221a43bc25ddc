//! The rules: their names, severities, and what each is about. One file a rule.

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
    ($($variant:ident $name:literal $severity:ident,)*) => {
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

            /// The rule of that name.
            pub fn find(name: &str) -> Option<Rule> {
                Rule::ALL.iter().copied().find(|rule| rule.name() == name)
            }
        }
    };
}

rules! {
    RaceParentChild "race/parent-child" Error,
    RaceSibling "race/sibling" Error,
    RaceTail "race/tail" Error,
    RacePdl "race/pdl" Error,
    RaceStream "race/stream" Error,
    RaceHost "race/host" Error,
    RaceGrid "race/grid" Error,
    RaceBlock "race/block" Error,
    LaunchLostError "launch/lost-error" Error,
    LaunchPool "launch/pool" Warning,
    LaunchConfig "launch/config" Warning,
    PointerPrivate "pointer/private" Error,
    StreamForeign "stream/foreign" Error,
    StreamSpecial "stream/special" Error,
    ProgressSpin "progress/spin" Error,
    ProgressResidency "progress/residency" Error,
    ProgressBarrier "progress/barrier" Error,
    ProgressPdlSlots "progress/pdl-slots" Error,
    MemoryBounds "memory/bounds" Error,
    MemoryFreed "memory/freed" Error,
    MemoryUninitialised "memory/uninitialised" Error,
    MemoryAlignment "memory/alignment" Error,
    MemoryHeap "memory/heap" Error,
    MemoryParams "memory/params" Error,
    PdlNoWait "pdl/no-wait" Warning,
    PdlPartialWait "pdl/partial-wait" Warning,
    PdlChain "pdl/chain" Warning,
    PdlNonCoherent "pdl/non-coherent" Warning,
    Cdp1Synchronize "cdp1/synchronize" Error,
    AdviceSameValue "advice/same-value" Note,
    AdviceOutcome "advice/outcome" Note,
    AdviceStorm "advice/storm" Note,
    AdviceNullStream "advice/null-stream" Note,
    AdviceNoOverlap "advice/no-overlap" Note,
    ApiUnchecked "api/unchecked" Note,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
