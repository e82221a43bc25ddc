//! Cases built without `-lineinfo`, `-g` and `-rdc`: their findings name the kernel and the line of PTX, and for host code the symbol and
//! the offset in it.

use hotfire_check::{Access, Finding, Severity, Thread};
use hotfire_tests::case::Case;
use xtask::cases;

/// Runs some cases; their faults, which are of the annotated rules.
fn faults(names: &[&str]) -> Vec<(String, Vec<Finding>)> {
    let programs = cases::build_plain(names).expect("the cases build");
    programs
        .iter()
        .map(|program| {
            let case = Case::read(program).expect("the comments of a case are right");
            let file = case.executable.with_extension("json");
            let (report, ended) =
                hotfire_tests::check(&[], &file, &case.executable, &[""; 0]).unwrap_or_else(|error| panic!("{error}"));
            let faults: Vec<Finding> =
                report.findings.into_iter().filter(|finding| finding.severity != Severity::Note).collect();
            assert!(!faults.is_empty(), "{}: {ended:?}", case.name);
            for fault in &faults {
                let is_expected = case.expected.iter().any(|expected| expected.rule == fault.rule);
                assert!(is_expected, "{}: {fault:#?}", case.name);
                assert!(fault.accesses.iter().all(|access| access.place.as_ref().is_none_or(|p| p.line.is_none())));
            }
            (case.executable.file_name().expect("it has a name").to_string_lossy().into_owned(), faults)
        })
        .collect()
}

fn is_device(access: &&Access) -> bool {
    matches!(access.thread, Thread::Device { .. })
}

#[test]
fn device_code_is_named_by_kernel_and_line_of_ptx() {
    for (name, faults) in faults(&["fail/grid/g01-blocks", "fail/host/h04-streams", "fail/host/h06-bounds"]) {
        let sides: Vec<&Access> = faults.iter().flat_map(|fault| &fault.accesses).filter(is_device).collect();
        assert!(!sides.is_empty(), "{name}");
        for side in sides {
            let Thread::Device { kernel, .. } = &side.thread else { continue };
            let place = side.place.as_ref().unwrap_or_else(|| panic!("{name}: {side:#?}"));
            assert!(!kernel.is_empty() && place.function.is_some(), "{name}: {side:#?}");
            // The line is one of an instruction.
            assert!(place.ptx_line.is_some_and(|line| line > 0), "{name}: {side:#?}");
            assert!(place.ptx.as_deref().is_some_and(|text| text.ends_with(';')), "{name}: {side:#?}");
        }
    }
}

#[test]
fn host_code_is_named_by_symbol_and_offset() {
    for (name, faults) in faults(&["fail/host/h01-mapped", "fail/host/h02-copy-out", "fail/host/h08-set"]) {
        let sides: Vec<&Access> =
            faults.iter().flat_map(|fault| &fault.accesses).filter(|side| !is_device(side)).collect();
        assert!(!sides.is_empty(), "{name}");
        for side in sides {
            let symbol = format!("main ({name}+0x");
            assert!(side.calls().any(|frame| frame.function.starts_with(&symbol)), "{name}: {side:#?}");
        }
    }
}
