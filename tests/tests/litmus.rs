//! The litmus programs on the software device against what an H200 printed (`litmus/*.h200.txt`).
//!
//! Where the launch model fixes an outcome the lines are identical; where it leaves room they are legal.

use hotfire_tests::{Output, run, run_with};
use std::collections::HashMap;
use std::sync::OnceLock;

const TRUTH: &str = include_str!("../../litmus/truth.h200.txt");
const TRUTH2: &str = include_str!("../../litmus/truth2.h200.txt");

fn truth() -> &'static Output {
    static OUTPUT: OnceLock<Output> = OnceLock::new();
    OUTPUT.get_or_init(|| run("truth", &[]).success())
}

/// Every recorded line with `prefix` is printed here, in the same order, except those that `left_out` names.
#[track_caller]
fn identical(output: &Output, recorded: &str, prefix: &str, left_out: &str) {
    let wanted: Vec<&str> = recorded
        .lines()
        .filter(|line| line.starts_with(prefix) && (left_out.is_empty() || !line.contains(left_out)))
        .collect();
    assert!(!wanted.is_empty(), "nothing is recorded for {prefix}");
    let printed: Vec<&str> =
        output.lines(prefix).filter(|line| left_out.is_empty() || !line.contains(left_out)).collect();
    assert_eq!(printed, wanted, "stdout:\n{}\nstderr:\n{}", output.stdout, output.stderr);
}

/// `name=value` words of a line.
fn fields(line: &str) -> HashMap<&str, &str> {
    line.split_whitespace().filter_map(|word| word.split_once('=')).collect()
}

fn numbers(line: &str) -> Vec<u32> {
    let (_, list) = line.split_once(':').expect("a list follows the colon");
    list.split_whitespace().map(|word| word.parse().expect("the list holds numbers")).collect()
}

fn position(order: &[u32], tag: u32) -> usize {
    let mut places = order.iter().enumerate().filter(|&(_, &found)| found == tag);
    let (place, _) = places.next().unwrap_or_else(|| panic!("{tag} did not run: {order:?}"));
    assert!(places.next().is_none(), "{tag} ran twice: {order:?}");
    place
}

#[test]
fn limits() {
    identical(truth(), TRUTH, "limit", "PersistingL2");
}

#[test]
fn device_names_itself() {
    identical(truth(), TRUTH, "device", "");
}

#[test]
fn tail_storm_is_bounded_by_the_pool() {
    identical(truth(), TRUTH, "storm tail", "");
}

#[test]
fn pool_size_is_read_back() {
    identical(truth(), TRUTH, "after set", "");
}

#[test]
fn bad_configurations_fail_in_the_launching_thread() {
    identical(truth(), TRUTH, "bad config", "");
}

#[test]
fn tail_order() {
    identical(truth(), TRUTH, "tail order", "");
}

#[test]
fn deep_nests() {
    identical(truth(), TRUTH, "nest", "");
}

#[test]
fn shared_pointer_in_a_child() {
    identical(truth(), TRUTH, "shared pointer", "");
}

#[test]
fn fire_and_forget_storm_runs_what_it_accepts() {
    let lines: Vec<&str> = truth().lines("storm faf").collect();
    assert_eq!(lines.len(), TRUTH.lines().filter(|line| line.starts_with("storm faf")).count());
    for line in lines {
        let fields = fields(line);
        let number = |name: &str| -> u32 { fields[name].parse().expect("a number") };
        assert_eq!(number("ok") + number("fail"), number("n"), "{line}");
        assert_eq!(number("ran"), number("ok"), "{line}");
        assert_eq!(number("code"), if number("fail") == 0 { 0 } else { 69 }, "{line}");
        assert_eq!(fields["host"], "cudaSuccess", "{line}");
    }
}

#[test]
fn null_stream_keeps_the_order_of_each_block() {
    let line = truth().lines("null stream order").next().expect("the line is printed");
    let order = numbers(line);
    assert_eq!(order.len(), 32, "{line}");
    for block in 0..4 {
        let places: Vec<usize> = (0..8).map(|launch| position(&order, block * 100 + launch)).collect();
        assert!(places.is_sorted(), "{line}");
    }
}

#[test]
fn pool_slots_are_held_until_a_grid_is_done() {
    let recorded: Vec<&str> = TRUTH2.lines().filter(|line| line.starts_with("hold")).collect();
    assert_eq!(recorded.len(), 7);
    for line in recorded {
        let output = run("truth2", &["hold", fields(line)["n"]]).success();
        assert_eq!(output.stdout.trim_end(), line, "{}", output.stderr);
    }
}

#[test]
fn named_streams_and_an_event() {
    let output = run("truth2", &["named"]).success();
    let line = output.lines("named create=0 ev=0 last=0 order").next().expect("the line is printed");
    let order = numbers(line);
    assert_eq!(order.len(), 6, "{line}");
    for (first, second) in [(1, 2), (11, 12), (12, 13), (2, 13), (13, 99)] {
        assert!(position(&order, first) < position(&order, second), "{line}");
    }
}

#[test]
fn fault_of_a_child_is_sticky_on_the_host() {
    identical(&run("truth2", &["childfault"]).success(), TRUTH2, "childfault", "");
}

#[test]
fn device_errors_belong_to_a_thread() {
    identical(&run("truth2", &["perthread"]).success(), TRUTH2, "perthread", "");
}

#[test]
fn tail_chains_are_as_deep_as_one_likes() {
    let output = run("truth2", &["tailrec"]).success();
    let without_times = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("tailrec"))
            .map(|line| line.split(" host=").next().expect("a first part").to_owned() + " host=" + fields(line)["host"])
            .collect()
    };
    let wanted = without_times(TRUTH2);
    assert_eq!(wanted.len(), 4);
    assert_eq!(without_times(&output.stdout), wanted, "{}", output.stderr);
}

#[test]
fn private_pointers_in_a_child_are_the_wrong_space() {
    for (argument, kind) in [("0", "shared"), ("1", "local")] {
        let output = run("truth2", &["priv", argument]).success();
        let wanted = format!("priv {kind} host=cudaErrorInvalidAddressSpace");
        assert!(TRUTH2.contains(&wanted));
        assert!(output.stdout.starts_with(&wanted), "{}{}", output.stdout, output.stderr);
    }
}

/// Fewer than 32 slots are never given; any larger number is given exactly, and can all be held.
#[test]
fn pool_sizes() {
    const POOL: &str = include_str!("../../litmus/pool.h200.txt");
    identical(&run("pool", &[]).success(), POOL, "pool", "");
}

/// Sets in device code answered 0 and set nothing on the H200, in no stream and for no size; here they do what the documents say.
#[test]
fn calls_of_the_device_runtime() {
    const CALLS: &str = include_str!("../../litmus/calls.h200.txt");
    let output = run("calls", &[]).success();
    identical(&output, CALLS, "launch-v1", "");
    identical(&output, CALLS, "copy", "");
    for line in output.lines("set ") {
        let size = line.split(' ').nth(1).expect("the size");
        assert!(line.ends_with(&format!("code=0 last=0 bytes={size} host=cudaSuccess")), "{line}");
    }
}

#[test]
fn what_is_fixed_stays_fixed_under_every_policy() {
    for policy in ["latest", "random:1", "random:2"] {
        let output = run_with("truth", &[], &[("HOTFIRE_POLICY", policy)]).success();
        for prefix in ["storm tail", "bad config", "tail order", "nest"] {
            identical(&output, TRUTH, prefix, "");
        }
        for argument in ["2048", "2049"] {
            let output = run_with("truth2", &["hold", argument], &[("HOTFIRE_POLICY", policy)]).success();
            let wanted = TRUTH2.lines().find(|line| line.starts_with(&format!("hold n={argument} ")));
            assert_eq!(Some(output.stdout.trim_end()), wanted, "{policy}: {}", output.stderr);
        }
    }
}

#[test]
fn clusters() {
    const CLUSTERS: &str = include_str!("../../litmus/clusters.h200.txt");
    let output = run("clusters", &[]).success();
    let (_, recorded) = CLUSTERS.split_once('\n').expect("the machine stands in the first line");
    assert_eq!(output.stdout, recorded, "stderr:\n{}", output.stderr);
}

#[test]
fn codes_of_launches_that_cannot_be() {
    const CODES: &str = include_str!("../../litmus/codes.h200.txt");
    let output = run("codes", &[]).success();
    let (_, recorded) = CODES.split_once('\n').expect("the machine stands in the first line");
    assert_eq!(output.stdout, recorded, "stderr:\n{}", output.stderr);
}

#[test]
fn forms_of_instructions() {
    const FORMS: &str = include_str!("../../litmus/forms.h200.txt");
    let output = run("forms", &[]).success();
    let (_, recorded) = FORMS.split_once('\n').expect("the machine stands in the first line");
    assert_eq!(output.stdout.lines().count(), recorded.lines().count(), "stderr:\n{}", output.stderr);
    for (ours, theirs) in output.stdout.lines().zip(recorded.lines()) {
        if let (Some(ours), Some(theirs)) = (ours.strip_prefix("approx "), theirs.strip_prefix("approx ")) {
            // `rcp.approx.f32: 0.931 ulp, 6.46e-07 at most`: no less exact than the GPU's.
            let error = |line: &str| line.split_whitespace().nth(3)?.parse::<f64>().ok();
            assert!(error(ours).expect("an error") <= error(theirs).expect("an error"), "{ours}; {theirs}");
        } else if !theirs.starts_with("sum e4m3") {
            // How sums of 8-bit floats end is not known to the last bit.
            assert_eq!(ours, theirs);
        }
    }
}

#[test]
fn graphs() {
    const GRAPHS: &str = include_str!("../../litmus/graphs.h200.txt");
    let output = run("graphs", &[]).success();
    let (_, recorded) = GRAPHS.split_once('\n').expect("the machine stands in the first line");
    // How early a kernel starts is not promised: those lines are for the kinds of edges that promise nothing.
    let fixed = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.contains("started early")).map(str::to_owned).collect()
    };
    assert_eq!(fixed(&output.stdout), fixed(recorded), "stderr:\n{}", output.stderr);
}

#[test]
fn device_code() {
    const DEVICE: &str = include_str!("../../litmus/device.h200.txt");
    for arguments in [&[][..], &["pool"]] {
        let output = run("device", arguments).success();
        for prefix in ["per-thread", "slots", "parameters", "events"] {
            if output.lines(prefix).next().is_some() {
                let recorded: Vec<&str> = DEVICE.lines().filter(|line| line.starts_with(prefix)).collect();
                // Both runs begin alike.
                let wanted = if prefix == "per-thread" { &recorded[..1] } else { &recorded[..] };
                assert_eq!(output.lines(prefix).collect::<Vec<_>>(), wanted, "stderr:\n{}", output.stderr);
            }
        }
        // Both blocks of a cluster have to trigger; an early start behind that is allowed, not promised.
        let none = |line: &str| line.ends_with("started early 0 of 10");
        assert!(output.lines("cluster: one").all(none), "{}", output.stdout);
        assert!(output.lines("rate").all(|line| line.contains(" 0 failed")), "{}", output.stdout);
    }
}
