//! `hotfire check` and `hotfire explain` from outside. The programs are shell scripts that write the reports themselves.

mod scratch;

use hotfire_check::outcome::{Area, Piece, PieceId, Point, Record};
use hotfire_check::{Access, Action, Finding, Place, Pool, Report, Rule, Summary, Thread};
use hotfire_report::{from_json, to_json};
use scratch::{Scratch, text};
use std::fs;
use std::process::Output;

/// A report of one run with these findings.
fn report(rules: &[Rule]) -> Report {
    let at = |line| Place { file: Some("k.cu".into()), line: Some(line), ..Place::default() };
    let side = |line| Access {
        action: Action::Write,
        bytes: None,
        thread: Thread::Operation { call: format!("k{line}") },
        place: Some(at(line)),
        launches: vec![],
        stack: vec![],
    };
    let finding = |rule: &Rule| Finding { accesses: vec![side(1), side(2)], ..Finding::new(*rule, "found") };
    let pool = Pool { size: 2048, high_water: 4, worst_case: 12, lost: vec![] };
    let summary = Summary { host_launches: 3, device_launches: 12, pool, ..Summary::default() };
    Report { version: 1, findings: rules.iter().map(finding).collect(), summary }
}

/// A script that reports what `file` holds.
fn reporting(file: &str, then: &str) -> String {
    format!("cp {file} $HOTFIRE_CHECK/$$.json; {then}")
}

fn check(scratch: &Scratch, options: &[&str], script: &str) -> Output {
    scratch.hotfire(&[&["check"], options, &["--", "sh", "-c", script]].concat())
}

#[test]
fn a_clean_program_prints_one_line_and_keeps_its_code() {
    let scratch = Scratch::new("check-clean");
    let clean = scratch.file("clean.json", to_json(&report(&[])));
    let output = check(&scratch, &[], &reporting(&clean, "echo out; exit 7"));
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(text(&output.stdout), "out\n");
    assert_eq!(
        text(&output.stderr),
        "hotfire: clean: 3 launches, 12 device launches, launch pool 4 of 2048 (12 in the worst schedule: a limit of 12 is enough)\n"
    );
    assert_eq!(
        fs::read_dir(&scratch.0)
            .unwrap()
            .filter(|entry| {
                entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().contains("hotfire-check-"))
            })
            .count(),
        0,
        "the directory for reports is gone"
    );
}

#[test]
fn a_program_without_a_device_is_not_called_clean() {
    let scratch = Scratch::new("check-none");
    let output = check(&scratch, &[], "exit 3");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(text(&output.stderr), "hotfire: the program used no CUDA device: nothing was checked\n");
}

/// A process's account of memory: one word, and the bytes of it if they are asked for.
fn record(word: u32, shown: bool) -> String {
    let id = PieceId { point: 0, area: 0, chunk: 0 };
    let piece = Piece {
        id,
        bytes: word.to_le_bytes().to_vec(),
        compared: vec![0b1111],
        writer: vec![1],
        writers: report(&[Rule::RaceGrid]).findings[0].accesses[..1].to_vec(),
        made: None,
        call: None,
    };
    let area = Area { name: "cudaMalloc #1 (4 bytes)".into(), digests: vec![u64::from(word) | 1 << 40] };
    let points = vec![Point { submitted: 3, areas: vec![area] }];
    let pieces = if shown { vec![piece] } else { vec![] };
    serde_json::to_string(&Record { points, pieces, ended: None }).unwrap()
}

#[test]
fn memory_that_differs_is_a_note() {
    let scratch = Scratch::new("check-outcome");
    let clean = scratch.file("clean.json", to_json(&report(&[])));
    for (name, word) in [("eager", 5), ("latest", 5 << 8), ("random", 5)] {
        scratch.file(&format!("{name}.1"), record(word, false));
        scratch.file(&format!("{name}.0.0.0"), record(word, true));
    }
    let directory = scratch.0.display().to_string();
    let script = format!(
        "cp {directory}/${{HOTFIRE_POLICY%:*}}.$HOTFIRE_OUTCOME $HOTFIRE_CHECK/$$.outcome; {}",
        reporting(&clean, "")
    );
    let output = check(&scratch, &["--outcome", "--format", "json"], &script);
    assert_eq!(output.status.code(), Some(0));
    let found = from_json(&text(&output.stdout)).unwrap();
    assert_eq!(found.findings.len(), 1);
    let finding = &found.findings[0];
    assert_eq!((finding.rule, finding.replay.as_deref()), (Rule::AdviceOutcome, Some("latest")));
    assert_eq!(finding.accesses.len(), 2);
    assert_eq!(finding.accesses[0].bytes.as_ref().unwrap().offset, 0);
    assert_eq!(
        finding.notes,
        ["the word at offset 0 is 5 (0x00000005) under `eager` and 1280 (0x00000500) under `latest`"]
    );
    // The same under a choice of schedules.
    let output = check(&scratch, &["--outcome", "--seeds", "0..3", "--format", "json"], &script);
    let found = from_json(&text(&output.stdout)).unwrap();
    assert_eq!(found.summary.host_launches, 3);
    assert!(found.findings.is_empty());
    assert_eq!(check(&scratch, &["--outcome", "--policy", "eager"], &script).status.code(), Some(125));
}

#[test]
fn memory_that_differs_from_run_to_run_is_not_compared() {
    let scratch = Scratch::new("check-outcome-twice");
    let clean = scratch.file("clean.json", to_json(&report(&[])));
    for number in 1..6 {
        scratch.file(&format!("record.{number}"), record(number, true));
    }
    let directory = scratch.0.display().to_string();
    let script = format!(
        "cd {directory}; echo x >> runs; cp record.$(wc -l < runs) $HOTFIRE_CHECK/$$.outcome; {}",
        reporting(&clean, "")
    );
    let output = check(&scratch, &["--outcome", "--policy", "latest", "--format", "json"], &script);
    let found = from_json(&text(&output.stdout)).unwrap();
    assert!(found.findings.is_empty());
    assert!(found.summary.notes.iter().any(|note| note.contains("from run to run")), "{:?}", found.summary.notes);
}

#[test]
fn findings_decide_the_exit_code() {
    let scratch = Scratch::new("check-codes");
    let code = |rule, options: &[&str]| {
        let file = scratch.file("report.json", to_json(&report(&[rule])));
        check(&scratch, options, &reporting(&file, "exit 5")).status.code()
    };
    assert_eq!(code(Rule::RaceGrid, &[]), Some(86));
    assert_eq!(code(Rule::RaceGrid, &["--error-exitcode", "9"]), Some(9));
    assert_eq!(code(Rule::LaunchPool, &[]), Some(5));
    assert_eq!(code(Rule::LaunchPool, &["--deny", "warnings"]), Some(86));
    assert_eq!(code(Rule::AdviceStorm, &["--deny", "warnings"]), Some(5));
}

#[test]
fn the_text_names_rule_places_and_token() {
    let scratch = Scratch::new("check-text");
    let file = scratch.file("report.json", to_json(&report(&[Rule::RaceGrid])));
    let script = reporting(&file, "");
    let page = text(&check(&scratch, &["--policy", "random", "--seed", "7", "--pool", "4"], &script).stderr);
    for part in [
        "error[race/grid]: found",
        "k.cu:1",
        "(2) write by k1",
        "(1) write by k2",
        "replay: hotfire check --replay random:7/pool:4 -- PROGRAM",
        "\nhotfire: 1 error: 3 launches, ",
    ] {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
}

#[test]
fn processes_of_one_run_are_counted_together() {
    let scratch = Scratch::new("check-processes");
    let file = scratch.file("report.json", to_json(&report(&[Rule::RaceGrid])));
    let script =
        format!("cp {file} $HOTFIRE_CHECK/1.json; cp {file} $HOTFIRE_CHECK/22.json; touch $HOTFIRE_CHECK/other");
    let output = check(&scratch, &["--format", "json"], &script);
    let merged = from_json(&text(&output.stdout)).unwrap();
    assert_eq!((merged.findings.len(), merged.findings[0].count, merged.summary.host_launches), (1, 2, 6));
}

#[test]
fn the_schedule_is_passed_in_variables() {
    let scratch = Scratch::new("check-variables");
    let script = "echo $HOTFIRE_POLICY,$HOTFIRE_BLOCK_ORDER,$HOTFIRE_POOL";
    let variables = |options: &[&str]| text(&check(&scratch, options, script).stdout).trim().to_owned();
    assert_eq!(variables(&[]), "eager,,");
    assert_eq!(variables(&["--policy", "latest", "--pool", "4", "--profile", "h200"]), "latest,,4");
    assert_eq!(variables(&["--block-order", "random", "--seed", "3"]), "eager,random:3,");
    assert_eq!(variables(&["--replay", "random:17/blocks:3/pool:4"]), "random:17,random:3,4");
    assert_eq!(variables(&["--seeds", "2..4"]), "random:2,,\nrandom:3,,");
}

#[test]
fn seeds_and_partitions_merge_to_one_report() {
    let scratch = Scratch::new("check-seeds");
    let (grid, host) = (to_json(&report(&[Rule::RaceGrid])), to_json(&report(&[Rule::RaceHost])));
    let (grid, host) = (scratch.file("grid.json", grid), scratch.file("host.json", host));
    let script = format!("case $HOTFIRE_POLICY in *[135]) f={grid};; *) f={host};; esac; {}", reporting("$f", ""));
    let run = |more: &[&str]| {
        let output = check(&scratch, &[&["--seeds", "0..6", "--format", "json"], more].concat(), &script);
        assert_eq!(output.status.code(), Some(86), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let whole = run(&[]);
    let merged = from_json(&whole).unwrap();
    let found: Vec<_> = merged.findings.iter().map(|f| (f.rule, f.count, f.replay.as_deref().unwrap())).collect();
    assert_eq!(found, [(Rule::RaceHost, 3, "random:0"), (Rule::RaceGrid, 3, "random:1")]);
    assert_eq!(merged.summary.schedules.len(), 6);
    assert_eq!(merged.summary.host_launches, 3);
    let parts: Vec<_> =
        (1..=4).map(|k| scratch.file(&format!("part{k}"), run(&["--partition", &format!("{k}/4")]))).collect();
    let parts: Vec<_> = parts.iter().rev().map(String::as_str).collect();
    let output = scratch.hotfire(&[&["check", "--format", "json", "--merge"], &parts[..]].concat());
    assert_eq!(text(&output.stdout), whole);
    assert_eq!(output.status.code(), Some(86));
    assert!(text(&output.stderr).starts_with("hotfire: 2 errors in 6 schedules (random:0 to random:5): 3 launches"));
}

#[test]
fn an_empty_part_runs_nothing() {
    let scratch = Scratch::new("check-empty");
    let output = check(&scratch, &["--seeds", "0..2", "--partition", "3/3", "--format", "json"], "echo ran");
    assert_eq!(from_json(&text(&output.stdout)).unwrap().findings.len(), 0);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "hotfire: this part has no schedule: nothing ran\n");
}

#[test]
fn signals_are_named_and_passed_on() {
    let scratch = Scratch::new("check-signals");
    let file = scratch.file("report.json", to_json(&report(&[Rule::RaceGrid])));
    let output = check(&scratch, &[], "kill -9 $$");
    assert_eq!(output.status.code(), Some(137));
    let said = "hotfire: the program was ended by signal 9 (SIGKILL) under eager and reported nothing\n";
    assert!(text(&output.stderr).starts_with(said), "{}", text(&output.stderr));
    // What was found counts more.
    let output = check(&scratch, &[], &reporting(&file, "kill -9 $$"));
    assert_eq!(output.status.code(), Some(86));
    // Sent to `hotfire`, answered by the program.
    let script = "trap 'echo got it; exit 4' USR1; kill -USR1 $PPID; while :; do sleep 0.05; done";
    let output = check(&scratch, &[], script);
    assert_eq!((output.status.code(), &text(&output.stdout)[..]), (Some(4), "got it\n"));
    // Told to end, it starts no further run.
    let script = "echo $HOTFIRE_POLICY; kill -TERM $PPID; while :; do sleep 0.05; done";
    let output = check(&scratch, &["--seeds", "0..3"], script);
    assert_eq!((output.status.code(), &text(&output.stdout)[..]), (Some(143), "random:0\n"));
}

#[test]
fn programs_that_do_not_start() {
    let scratch = Scratch::new("check-start");
    let missing = scratch.hotfire(&["check", "--", "./no-such-program"]);
    assert_eq!(missing.status.code(), Some(127));
    assert!(text(&missing.stderr).starts_with("hotfire: cannot run ./no-such-program: "));
    let file = scratch.file("data", "");
    assert_eq!(scratch.hotfire(&["check", "--", &file]).status.code(), Some(126));
    assert_eq!(scratch.hotfire(&["check"]).status.code(), Some(2));
    fs::remove_file(scratch.0.join("libhotfire_cuda.so")).unwrap();
    assert_eq!(scratch.hotfire(&["check", "true"]).status.code(), Some(125));
}

#[test]
fn a_damaged_report_is_not_a_clean_one() {
    let scratch = Scratch::new("check-damaged");
    let output = check(&scratch, &[], "echo '{\"version\": 1' > $HOTFIRE_CHECK/1.json");
    assert_eq!(output.status.code(), Some(125));
    assert!(
        text(&output.stderr).contains("1.json: this is no report of hotfire check: EOF"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn suppressed_findings_do_not_count() {
    let scratch = Scratch::new("check-suppressions");
    let file = scratch.file("report.json", to_json(&report(&[Rule::RaceGrid])));
    let list = scratch.file(
        "suppressions.toml",
        "[[suppression]]\nrule = 'race/grid'\nplace = 'k.cu:2'\nreason = 'harmless'\n\
         [[suppression]]\nrule = 'race/block'\nreason = 'gone by now'\n",
    );
    let output = check(&scratch, &["--suppressions", &list], &reporting(&file, ""));
    assert_eq!(output.status.code(), Some(0));
    let said = text(&output.stderr);
    assert!(said.starts_with("hotfire: clean, 1 suppressed: "), "{said}");
    assert!(said.ends_with("hotfire: unused suppression: race/block (gone by now)\n"), "{said}");
    let wrong = scratch.file("wrong.toml", "[[suppression]]\nrule = 'race/grid'\n");
    let output = check(&scratch, &["--suppressions", &wrong], "echo ran");
    assert_eq!((output.status.code(), &text(&output.stdout)[..]), (Some(125), ""));
    assert!(text(&output.stderr).contains("suppression 1: race/grid is suppressed without a reason"));
}

#[test]
fn other_formats_go_to_stdout_or_a_file() {
    let scratch = Scratch::new("check-formats");
    let file = scratch.file("report.json", to_json(&report(&[Rule::RaceGrid])));
    for (format, part) in [("sarif", "\"version\": \"2.1.0\""), ("junit", "<testsuites "), ("json", "\"version\": 1")] {
        let output = check(&scratch, &["--format", format], &reporting(&file, ""));
        assert!(text(&output.stdout).contains(part) && text(&output.stderr).starts_with("hotfire: 1 error: "));
        let path = scratch.0.join(format).display().to_string();
        let written = check(&scratch, &["--format", format, "--output", &path], &reporting(&file, ""));
        assert_eq!(text(&written.stdout), "");
        assert_eq!(fs::read(&path).unwrap(), output.stdout);
    }
    let path = scratch.0.join("text").display().to_string();
    let output = check(&scratch, &["--output", &path], &reporting(&file, ""));
    assert!(fs::read_to_string(&path).unwrap().contains("error[race/grid]"));
    assert!(text(&output.stderr).starts_with("hotfire: 1 error: "));
    let output = check(&scratch, &["--output", "/no/such/directory/file"], &reporting(&file, ""));
    assert_eq!(output.status.code(), Some(125));
}

#[test]
fn rules_are_explained() {
    let scratch = Scratch::new("explain");
    let page = text(&scratch.hotfire(&["explain", "race/host"]).stdout);
    assert!(page.starts_with("race/host (error)\n") && page.contains("\nWhat to do\n"), "{page}");
    assert_eq!(text(&scratch.hotfire(&["explain"]).stdout).lines().count(), Rule::ALL.len());
    assert_eq!(text(&scratch.hotfire(&["explain", "pdl"]).stdout).lines().count(), 4);
    let output = scratch.hotfire(&["explain", "race/grit"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("hotfire: there is no rule race/grit; did you mean race/grid"));
}
