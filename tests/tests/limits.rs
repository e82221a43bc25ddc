//! Much of everything (`programs/limits.cu`): a million blocks, allocations of 2 GiB, 4,096 streams, modules that leave no memory
//! behind, host threads that call from everywhere. `LIMITS=all` loads 100,000 modules instead of 5,000.

use hotfire_tests::{run, run_with};

/// Runs one part; its last line says that it is right.
#[track_caller]
fn holds(part: &str, count: &str, environment: &[(&str, &str)]) {
    let ended = run_with("limits", &[part, count], environment).success();
    assert_eq!(ended.stdout.lines().last(), Some(&*format!("{part} {count} ok")), "{ended:?}");
}

#[test]
fn a_grid_of_a_million_blocks() {
    holds("blocks", "1048576", &[]);
}

#[test]
fn allocations_of_two_gibibytes() {
    holds("memory", "2048", &[]);
}

#[test]
fn four_thousand_streams_in_a_chain() {
    for policy in ["eager", "latest", "random:1"] {
        holds("streams", "4096", &[("HOTFIRE_POLICY", policy)]);
    }
}

#[test]
fn modules_leave_no_memory_behind() {
    holds("modules", if std::env::var_os("LIMITS").is_some() { "100000" } else { "5000" }, &[]);
}

#[test]
fn host_threads_call_from_everywhere() {
    for workers in ["1", "2", "5"] {
        holds("threads", "32", &[("HOTFIRE_WORKERS", workers)]);
    }
}

#[test]
fn parts_that_do_not_exist_are_refused() {
    assert_eq!(run("limits", &["nothing"]).code, Some(2));
}
