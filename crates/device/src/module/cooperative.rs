//! `cudaCGGetIntrinsicHandle`, `cudaCGSynchronize` and their relatives (CUDA's public device runtime header): what code
//! calls that does not bring the grid's barrier with it as nvcc's headers do; Numba's `cuda.cg` is such code.
//!
//! They are written in PTX (`cooperative.ptx`) and linked to the modules that declare and do not define them. So a barrier of theirs is,
//! to scheduling and checks, like any that is compiled into a kernel.

use hotfire_ptx::ast::Module;
use std::sync::OnceLock;

const TEXT: &str = include_str!("cooperative.ptx");

/// Whether one of them has that name.
pub(crate) fn provides(symbol: &str) -> bool {
    symbol.starts_with("cudaCG") && unit().is_some_and(|unit| unit.functions.iter().any(|own| *own.name == *symbol))
}

/// The unit that defines them, if one of `units` declares one.
pub(super) fn wanted(units: &[Module]) -> Option<Module> {
    let declared = units.iter().flat_map(|unit| &unit.functions).any(|function| provides(&function.name));
    if declared { unit().cloned() } else { None }
}

fn unit() -> Option<&'static Module> {
    static UNIT: OnceLock<Option<Module>> = OnceLock::new();
    UNIT.get_or_init(|| hotfire_ptx::parse(TEXT).ok()).as_ref()
}

#[cfg(test)]
mod tests {
    use super::{provides, unit};

    #[test]
    fn all_functions_of_the_header_are_there_and_parse() {
        for name in ["GetIntrinsicHandle", "Synchronize", "SynchronizeGrid", "GetSize", "GetRank"] {
            assert!(provides(&format!("cudaCG{name}")), "{name}");
        }
        assert!(!provides("cudaCGSomething") && !provides("cudaMalloc"));
        let broken = unit().expect("the text parses").functions.iter().find(|function| function.broken.is_some());
        assert!(broken.is_none(), "{broken:?}");
    }
}
