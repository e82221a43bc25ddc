//! Python packages that use CUDA, as they are published (`clients/*.py`, `xtask::clients`): numba-cuda, cuda.bindings and cuda.core.

use std::sync::OnceLock;

use hotfire_tests::{Output, hotfire, output};
use xtask::clients::{self, Clients};

/// Runs a program of `clients/` with `environment`.
fn run_with(program: &str, environment: &[(&str, &str)]) -> Output {
    static CLIENTS: OnceLock<Clients> = OnceLock::new();
    let mut command =
        CLIENTS.get_or_init(|| clients::fetch().expect("the packages can be fetched")).run(hotfire(), program);
    command.envs(environment.iter().copied());
    output(command)
}

/// Every part of it ends with its line, in that order.
#[track_caller]
fn verifies(program: &str, environment: &[(&str, &str)], parts: &[&str]) {
    let ended = run_with(program, environment).success();
    let wanted: Vec<String> = parts.iter().map(|part| format!("{part} ok")).collect();
    assert_eq!(ended.stdout.lines().collect::<Vec<_>>(), wanted, "{ended:?}");
}

#[test]
fn numba_kernels_verify() {
    let parts = ["vector_add", "reduction", "atomics", "mandelbrot", "warps", "streams", "cooperative", "faults"];
    verifies("numba_kernels.py", &[], &parts);
}

#[test]
fn the_driver_by_bindings_verifies_under_several_policies() {
    for policy in ["eager", "latest", "random:1"] {
        let parts = ["launches", "constants", "graphs", "refusals"];
        verifies("bindings_driver.py", &[("HOTFIRE_POLICY", policy)], &parts);
    }
}

#[test]
fn cuda_core_verifies() {
    verifies("core_objects.py", &[], &["saxpy<float>", "saxpy<double>"]);
}

/// NVIDIA's own runtime, linked into a library without its names, cannot be stood in for: it says so and nothing seems to work.
#[test]
fn a_runtime_without_names_is_refused_aloud() {
    let ended = run_with("bindings_runtime.py", &[]).success();
    assert_eq!(ended.lines("cuda").count(), 4, "{ended:?}");
    assert!(ended.stdout.lines().all(|line| line.ends_with(" refused")), "{ended:?}");
    assert!(ended.stderr.contains("link it with -cudart shared"), "{ended:?}");
}
