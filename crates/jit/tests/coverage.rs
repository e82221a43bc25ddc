//! docs/coverage.md: which instructions are read and which of them are translated, found by compiling every form of the table
//! with each of its words and types.
//!
//! `cargo xtask coverage` writes the page (`BLESS=1`); the test fails where it is out of date.

#[path = "values/harness.rs"]
#[allow(dead_code, reason = "only the options are needed")]
mod harness;
#[path = "../../../tests/tests/ptx_table/instances.rs"]
#[allow(dead_code, reason = "nothing is spoiled here")]
mod instances;

use hotfire_ptx::table::{Form, coverage};
use instances::{DECLARATIONS, Instance, Random, WIDEST};
use std::collections::BTreeMap;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/coverage.md");

const TITLE: &str = "\
# Instructions

Every form of the PTX ISA's instructions that Hotfire knows, from the table in `crates/ptx/src/table`, with the PTX version and architecture that introduced
it. The last column says whether the compiler translates it (all its words and types, or how many of the combinations tried); what it
does not translate is a located diagnostic when a kernel that uses it is launched, and `hotfire inspect` says it before. Functions of CUDA's
APIs: `hotfire coverage`.

Written by `cargo xtask coverage`.

";

/// Compiles one instruction; why that fails.
fn compiles(instance: &Instance) -> Result<(), String> {
    let text = format!(
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .align 16 .b8 parameter[128])\n{{\n{DECLARATIONS}{WIDEST}\
         targets: .branchtargets label;\n{}\nlabel: ret;\n}}\n",
        instance.text()
    );
    let module = hotfire_ptx::parse(&text).map_err(|error| error.to_string())?;
    if let Some(error) = module.functions.iter().find_map(|function| function.broken.as_ref()) {
        return Err(error.to_string());
    }
    harness::compile_kernel(&module).map(|_| ()).map_err(|error| error.message.to_string())
}

fn note(form: &'static Form) -> String {
    let instances = instances::of(form, &mut Random(1));
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for instance in &instances {
        if let Err(reason) = compiles(instance) {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    let failed: usize = reasons.values().sum();
    match failed {
        0 => "yes".to_owned(),
        _ if failed == instances.len() => "no".to_owned(),
        _ => format!("{} of {}", instances.len() - failed, instances.len()),
    }
}

#[test]
fn the_page_is_up_to_date() {
    let page = format!("{TITLE}{}\n", coverage(&note).trim_end());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(PAGE, page).expect("docs/ can be written");
        return;
    }
    let present = std::fs::read_to_string(PAGE).unwrap_or_default();
    let differs = present.lines().zip(page.lines()).find(|(old, new)| old != new);
    assert!(present == page, "docs/coverage.md is out of date (`cargo xtask coverage`): {differs:?}");
}
