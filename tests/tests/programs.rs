//! The programs of `programs/`, as nvcc built them, on the software device: each checks itself, and what no schedule may
//! change is compared with what an H200 printed (`programs/h200.txt`).

use std::collections::HashMap;

use hotfire_check::Severity;
use hotfire_tests::{Output, hotfire, output, program, run, run_with};
use xtask::hotfire::{Profile, cargo_build};

const H200: &str = include_str!("../../programs/h200.txt");
const CDP1: &str = include_str!("../../programs/cdp1.cu");
const MATRIX: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/debian-deps.mtx.gz");

/// Strategies whose additions have one order.
const DETERMINISTIC: [&str; 4] = ["inline", "cdp-deterministic", "worklist", "two-pass"];

/// `name=value` words of a line.
fn fields(line: &str) -> HashMap<&str, &str> {
    line.split_whitespace().filter_map(|word| word.split_once('=')).collect()
}

/// The lines of one strategy.
fn strategy<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = HashMap<&'a str, &'a str>> {
    text.lines().filter(move |line| line.split_whitespace().next() == Some(name)).map(fields).filter(|f| !f.is_empty())
}

/// What an H200 printed for `command`.
fn recorded(command: &str) -> &'static str {
    let header = format!("== {command}\n");
    let (_, text) = H200.split_once(header.as_str()).unwrap_or_else(|| panic!("no record of {command}"));
    text.split("\n== ").next().expect("splitting gives a first part")
}

#[track_caller]
fn digest<'a>(text: &'a str, name: &'a str) -> &'a str {
    let digests: Vec<&str> = strategy(text, name).map(|line| line["y"]).collect();
    let (first, others) = digests.split_first().unwrap_or_else(|| panic!("no line of {name}:\n{text}"));
    assert!(others.iter().all(|other| other == first), "{name} differs between runs: {digests:?}");
    first
}

/// One line, which ends in `ok`.
#[track_caller]
fn ok(output: Output) {
    let output = output.success();
    assert!(output.stdout.trim_end().ends_with(" ok"), "{output:?}");
}

#[test]
fn spmv_computes_what_an_h200_computes() {
    let printed = run("spmv", &["--repeat", "3", MATRIX]).success().stdout;
    for name in DETERMINISTIC {
        assert_eq!(
            digest(&printed, name),
            digest(recorded("./spmv --repeat 3 data/debian-deps.mtx.gz"), name),
            "{name}"
        );
    }
    for name in ["cdp", "cdp-deterministic"] {
        let lines: Vec<_> = strategy(&printed, name).collect();
        assert_eq!(lines.len(), 3);
        for line in lines {
            assert_eq!((line["children"], line["tails"], line["lost"]), ("5", "1", "0"), "{name}");
            assert!((1..=6).contains(&line["peak"].parse().expect("a number")), "{line:?}");
        }
    }
}

#[test]
fn spmv_is_the_same_with_any_number_of_workers() {
    let recorded = recorded("./spmv --repeat 2 --heavy 256 data/debian-deps.mtx.gz");
    for workers in ["1", "2", "5"] {
        let environment = [("HOTFIRE_WORKERS", workers)];
        let printed = run_with("spmv", &["--repeat", "2", "--heavy", "256", MATRIX], &environment).success().stdout;
        for name in DETERMINISTIC {
            assert_eq!(digest(&printed, name), digest(recorded, name), "{name}, {workers} workers");
        }
        for line in strategy(&printed, "cdp") {
            assert_eq!((line["children"], line["lost"]), ("83", "0"), "{workers} workers");
        }
    }
}

#[test]
fn spmv_is_the_same_under_every_policy() {
    let recorded = recorded("./spmv --repeat 2 --heavy 256 data/debian-deps.mtx.gz");
    for policy in ["eager", "latest", "random:1", "random:2", "random:3"] {
        let environment = [("HOTFIRE_POLICY", policy)];
        let printed = run_with("spmv", &["--repeat", "2", "--heavy", "256", MATRIX], &environment).success().stdout;
        for name in DETERMINISTIC {
            assert_eq!(digest(&printed, name), digest(recorded, name), "{name}, {policy}");
        }
        for line in strategy(&printed, "cdp") {
            assert_eq!((line["children"], line["lost"]), ("83", "0"), "{policy}");
        }
    }
}

#[test]
fn every_program_verifies_under_every_policy() {
    for policy in ["latest", "random:1", "random:2"] {
        for name in ["quicksort", "mandelbrot", "pipeline"] {
            ok(run_with(name, &[], &[("HOTFIRE_POLICY", policy)]));
        }
    }
}

#[test]
fn spmv_of_a_generated_matrix_with_many_hubs() {
    let arguments = ["--repeat", "2", "--generate", "200000,1.8,100,7"];
    let printed = run("spmv", &arguments).success().stdout;
    for name in DETERMINISTIC {
        let recorded = recorded("./spmv --repeat 2 --generate 200000,1.8,100,7");
        assert_eq!(digest(&printed, name), digest(recorded, name), "{name}");
    }
}

/// The program itself proves that exactly the rows are missing whose launch it counted as lost.
#[test]
fn spmv_reports_the_launches_that_a_small_pool_loses() {
    for workers in ["1", "2"] {
        let environment = [("HOTFIRE_WORKERS", workers)];
        let printed = run_with("spmv", &["--pool", "4", "--heavy", "2", MATRIX], &environment).success().stdout;
        let number = |line: &HashMap<&str, &str>, field| line[field].parse::<i32>().expect("a number");
        for name in ["cdp", "cdp-deterministic"] {
            let line = strategy(&printed, name).next().expect("a line");
            assert!(number(&line, "lost") > 0, "nothing was lost: {line:?}");
            assert!(number(&line, "children") > 0, "everything was lost: {line:?}");
            assert_eq!(number(&line, "tails") + number(&line, "lost-tails"), 1);
            assert!(printed.contains("lost to cudaErrorLaunchPendingCountExceeded"), "{printed}");
        }
        let line = strategy(&printed, "worklist").next().expect("a line");
        assert_eq!((line["tails"], line["lost"], line["lost-tails"]), ("1", "0", "0"));
    }
}

#[test]
fn spmv_refuses_damaged_files() {
    let folder = std::env::temp_dir();
    let whole = std::fs::read(MATRIX).expect("the matrix can be read");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x10;
    for (name, bytes) in [("truncated", &whole[..whole.len() / 2]), ("flipped", &flipped[..])] {
        let path = folder.join(format!("hotfire-{}-{name}.mtx.gz", std::process::id()));
        std::fs::write(&path, bytes).expect("a temporary file can be written");
        let ended = run("spmv", &[path.to_str().expect("the path is text")]);
        std::fs::remove_file(&path).expect("the file is there");
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains("gzip: "), "{ended:?}");
    }
}

#[test]
fn rust_client_computes_what_an_h200_computes() {
    let profile = Profile::own();
    cargo_build(profile, &["spmv"]).expect("the example builds");
    let mut command = hotfire().run(&profile.directory().join("spmv"));
    command.args(["--repeat", "2", MATRIX]);
    let printed = output(command).success().stdout;
    assert!(printed.contains("All 63,436 rows are right in every run."), "{printed}");
    let recorded = recorded("examples/spmv --repeat 2 data/debian-deps.mtx.gz");
    let digests = |text: &str| -> Vec<(String, String)> {
        let lines = text.lines().filter(|line| line.contains(" ms "));
        let words = lines.map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let pairs = words.map(|words| (words[0].clone(), words[words.len() - 1].clone()));
        pairs.filter(|(name, _)| DETERMINISTIC.contains(&name.as_str())).collect()
    };
    assert_eq!(digests(&printed), digests(recorded), "{printed}");
}

#[test]
fn rust_client_reports_lost_launches() {
    let profile = Profile::own();
    cargo_build(profile, &["spmv"]).expect("the example builds");
    let mut command = hotfire().run(&profile.directory().join("spmv"));
    command.args(["--pool", "4", "--heavy", "2", MATRIX]);
    let printed = output(command).success().stdout;
    assert!(printed.contains("Every row is right but those of the "), "{printed}");
}

#[test]
fn quicksort() {
    for arguments in
        [&["300000"][..], &["200000", "3", "few"], &["100000", "3", "sorted"], &["100000", "3", "reversed"]]
    {
        ok(run("quicksort", arguments));
    }
}

#[test]
fn quicksort_sorts_by_itself_what_it_cannot_launch() {
    let output = run_with("quicksort", &["300000", "5", "random", "4"], &[("HOTFIRE_WORKERS", "1")]);
    let refused = fields(&output.stdout)["refused"].parse::<u32>().expect("a number");
    assert!(refused > 0, "{output:?}");
    ok(output);
}

#[test]
fn mandelbrot() {
    ok(run("mandelbrot", &["512"]));
    ok(run("mandelbrot", &["256", "4"]));
}

#[test]
fn pipeline() {
    ok(run("pipeline", &["200", "3"]));
    ok(run("pipeline", &["100", "1"]));
}

/// The digests that a program of `programs/forms.h` prints, one for each form.
#[track_caller]
fn digests_of_forms(name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Vec<String> {
    let output = run_with(name, arguments, environment).success();
    let lines = output.stdout.lines().filter(|line| line.contains(" digest="));
    let digests: Vec<String> = lines.map(|line| fields(line)["digest"].to_owned()).collect();
    assert_eq!(digests.len(), 4, "{output:?}");
    ok(output);
    digests
}

#[test]
fn chains_give_the_same_bits_in_every_form_under_every_schedule() {
    for (name, arguments) in [("chain", ["--layers=6", "--size=96"]), ("solver", ["--side=16", "--rounds=40"])] {
        let first = digests_of_forms(name, &arguments, &[]);
        assert!(first.iter().all(|digest| *digest == first[0]), "{name}: {first:?}");
        let policies = ["eager", "latest", "random:1", "random:2", "random:3"].map(|policy| ("HOTFIRE_POLICY", policy));
        for setting in policies.into_iter().chain(["1", "2", "5"].map(|workers| ("HOTFIRE_WORKERS", workers))) {
            assert_eq!(digests_of_forms(name, &arguments, &[setting]), first, "{name} {setting:?}");
        }
    }
}

#[test]
fn chains_of_full_length_verify() {
    ok(run("chain", &[]));
    ok(run("solver", &[]));
    ok(run("chain", &["--form=graph-pdl", "--size=7", "--repeat=3"]));
}

/// Filters, address modes, formats, layers, levels; surfaces and copies of arrays.
#[test]
fn textures_and_surfaces_give_what_the_guide_says() {
    ok(run("texture", &[]));
    ok(run("surface", &[]));
}

/// What a program sees of the device that was asked for; code for a newer one is refused.
#[test]
fn profiles_are_devices() {
    let run_as =
        |name: &str, profile: &str| run_with(name, &[], &[("HOTFIRE_PROFILE", profile), ("HOTFIRE_MEMORY", "256M")]);
    for (profile, wanted) in [
        (
            "h200",
            "capability=9.0 sms=132 threads=2048 shared=233472 optin=232448 l2=62914560 clusters=1 of-128=16 of-1024=2",
        ),
        (
            "a100",
            "capability=8.0 sms=108 threads=2048 shared=167936 optin=166912 l2=41943040 clusters=0 of-128=16 of-1024=2",
        ),
        (
            "rtx4090",
            "capability=8.9 sms=128 threads=1536 shared=102400 optin=101376 l2=75497472 clusters=0 of-128=12 of-1024=1",
        ),
        ("t4", "capability=7.5 sms=40 threads=1024 shared=65536 optin=65536 l2=4194304 clusters=0 of-128=8 of-1024=1"),
    ] {
        let output = run_as("profile", profile).success();
        assert!(output.stdout.contains(wanted), "{profile}: {output:?}");
        assert!(output.stdout.contains(" total=268435456 refused=2 got=42"), "{profile}: {output:?}");
    }
    let output = run_as("profile-90", "a100");
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("(209)"), "{output:?}");
    let file = std::env::temp_dir().join(format!("hotfire-{}.profile", std::process::id()));
    std::fs::write(&file, "base = t4\nname = Small\nmultiprocessors = 2\n").expect("the file can be written");
    let small = run_as("profile", &file.to_string_lossy());
    let _ = std::fs::remove_file(&file);
    assert!(small.success().stdout.starts_with("name=Small capability=7.5 sms=2 "));
    assert_eq!(run_as("profile", "gtx").code, Some(125));
}

#[test]
fn chains_are_silent_under_check() {
    for (name, arguments) in [("chain", ["--layers=2", "--size=64"]), ("solver", ["--side=12", "--rounds=5"])] {
        let file = std::env::temp_dir().join(format!("hotfire-{}-{name}.json", std::process::id()));
        let checked = hotfire_tests::check(&[], &file, &program(name), &arguments);
        let _ = std::fs::remove_file(&file);
        let (report, ended) = checked.expect("the program is checked");
        assert!(report.findings.iter().all(|finding| finding.severity == Severity::Note), "{ended:?}");
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
}

#[test]
fn kernels_wait_for_a_flag_that_the_host_sets_after_the_launch() {
    ok(run("flag", &["4", "32"]));
    ok(run("flag", &["64", "256"]));
    ok(run_with("flag", &["16", "64"], &[("HOTFIRE_WORKERS", "1")]));
}

/// launch-model.md section 7: the whole module is refused, and the reason names the kernel and the place of the call.
#[test]
fn cdp1_modules_are_refused() {
    let place =
        CDP1.lines().position(|line| line.contains("cudaDeviceSynchronize();  //")).expect("the call is there") + 1;
    for name in ["cdp1", "cdp1-ptx"] {
        for kernel in ["parent", "harmless"] {
            let output = run(name, &[kernel]);
            assert_eq!(output.code, Some(1), "{output:?}");
            let line = fields(&output.stdout);
            // An H200 answers 225, documents say 500.
            assert!(["225", "500"].contains(&line["launch"]), "{output:?}");
            assert_eq!(line["answer"], "-1", "the kernel ran: {output:?}");
            assert!(output.stderr.contains("parent"), "{output:?}");
            assert!(output.stderr.contains(&format!("cdp1.cu:{place}")), "{output:?}");
        }
    }
}

#[track_caller]
fn stray(case: &str, error: &str) {
    for mode in ["read", "write"] {
        let output = run("pointers", &[case, mode]).success();
        let line = fields(&output.stdout);
        assert_eq!((line["launch"], line["error"], line["then"]), ("0", error, error), "{case} {mode}: {output:?}");
        assert!(output.stdout.contains(" alive "), "{output:?}");
        assert_eq!((line["stack"], line["global"]), ("5", "5"), "{case} {mode} reached the host: {output:?}");
    }
}

#[test]
fn host_memory_is_an_illegal_address() {
    for case in ["null", "small", "heap", "stack", "global", "stdout", "far", "unregistered"] {
        stray(case, "700");
    }
}

#[test]
fn freed_memory_is_an_illegal_address() {
    for case in ["freed", "freed-pinned"] {
        stray(case, "700");
    }
}

#[test]
fn the_device_itself_is_an_illegal_address() {
    for case in ["driver-code", "driver-data"] {
        stray(case, "700");
    }
}

#[test]
fn misaligned_access() {
    stray("misaligned", "716");
}

#[test]
fn windows_of_other_threads_are_an_invalid_address_space() {
    for case in ["foreign-local", "foreign-shared", "child-shared", "child-local"] {
        stray(case, "717");
    }
}

/// Each checks its own results; how fast it is plays no part here.
#[test]
fn benchmarks_compute_what_they_should() {
    for name in ["vector-add", "xorshift", "matmul", "launches", "children", "tail"] {
        let output = run("bench", &[name]).success();
        assert!(output.stdout.starts_with(name), "{output:?}");
    }
    assert_eq!(run("bench", &["start"]).success().stdout, "start\n");
}

/// With the shared runtime, and with PTX stored in each of the ways that nvcc knows.
#[test]
fn executables_of_every_kind_run() {
    for name in ["pipeline-shared", "pipeline-plain", "pipeline-size", "pipeline-speed", "pipeline-many"] {
        ok(run(name, &["20", "3"]));
    }
    ok(run("units", &[]));
}

#[test]
fn machine_code_alone_is_refused_with_the_flag_that_helps() {
    let output = run("pipeline-machine-code", &[]);
    assert_eq!(output.code, Some(2), "{output:?}");
    for word in ["sm_80", "sm_90", "-gencode arch=compute_90,code=compute_90"] {
        assert!(output.stderr.contains(word), "no {word}: {output:?}");
    }
}

/// A static runtime without its symbols cannot be redirected.
#[test]
fn stripped_executables_are_refused_with_the_flag_that_helps() {
    let path = std::env::temp_dir().join(format!("hotfire-{}-stripped", std::process::id()));
    let mut strip = std::process::Command::new("strip");
    strip.arg(program("pipeline")).arg("-o").arg(&path);
    xtask::process::run(&mut strip).expect("binutils are there");
    let ended = output(hotfire().run(&path));
    std::fs::remove_file(&path).expect("the file is there");
    assert_ne!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("-cudart shared"), "{ended:?}");
}
