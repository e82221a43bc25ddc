//! `hotfire trace`: what it counts, and what is in the file that it writes.
//!
//! How well the model fits the machine is tested in `crates/trace`, from the counts that are recorded here (`litmus/chains.costs.json`,
//! rewritten with `BLESS=1`).

use hotfire_tests::{hotfire, output, program};
use hotfire_trace::log::{Grid, Log, Run};
use hotfire_trace::{Changes, Machine, Timeline, simulate};
use serde_json::{Value, json};
use std::path::PathBuf;

const COSTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../litmus/chains.costs.json");

/// A directory that is gone at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hotfire-{}-trace-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory can be made");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a program logs.
fn log(name: &str, arguments: &[&str]) -> Log {
    let scratch = Scratch::new(&format!("{name}-{}", arguments.join("-")));
    let mut command = hotfire().run(&program(name));
    command.args(arguments).env("HOTFIRE_TRACE", &scratch.0);
    output(command).success();
    let mut files = std::fs::read_dir(&scratch.0).expect("the directory is there");
    let file = files.next().expect("the process wrote a log").expect("it can be listed");
    serde_json::from_slice(&std::fs::read(file.path()).expect("it can be read")).expect("it is a log")
}

fn timeline(name: &str, arguments: &[&str]) -> Timeline {
    simulate(&log(name, arguments), &Machine::default(), Changes::default())
}

/// The file that `hotfire trace` writes, and what it says.
fn trace(name: &str, options: &[&str], arguments: &[&str]) -> (Value, String) {
    let scratch = Scratch::new(&format!("file-{name}-{}", arguments.join("-")));
    let file = scratch.0.join("trace.json");
    let mut command = hotfire().command();
    command.arg("trace").args(options).arg("-o").arg(&file).arg("--").arg(program(name)).args(arguments);
    let ended = output(command).success();
    let text = std::fs::read(&file).expect("the file was written");
    (serde_json::from_slice(&text).expect("it is JSON"), ended.stderr)
}

fn events<'a>(trace: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let events = trace["traceEvents"].as_array().expect("there are events");
    events.iter().filter(move |event| event["ph"] == kind)
}

/// The grids of a chain that are in its middle.
fn chain_grids(log: &Log) -> Vec<Grid> {
    log.grids.values().cloned().collect()
}

/// What each kernel of `litmus/chains.cu` counts, for each line that an H200 printed.
fn counted() -> Value {
    let mut all = Vec::new();
    let mut add = |form: &str, blocks: &str, rounds: &str, kilobytes: &str| {
        let log = log("chains", &[form, blocks, rounds, kilobytes, "2"]);
        let grids = chain_grids(&log);
        let costs: &[Run] = &grids.last().expect("it launched kernels").costs;
        let number = |text: &str| text.parse::<u64>().expect("a number");
        all.push(json!({
            "form": form, "blocks": number(blocks), "rounds": number(rounds), "kilobytes": number(kilobytes), "costs": costs,
        }));
    };
    for form in ["serial", "late", "early", "half"] {
        // All blocks are alike.
        for rounds in ["0", "15", "45", "150", "450", "1500"] {
            add(form, "1", rounds, "0");
        }
        if form == "half" {
            continue;
        }
        for (blocks, kilobytes) in
            [("1", "64"), ("1", "1024"), ("132", "64"), ("132", "1024"), ("132", "16384"), ("132", "65536")]
        {
            add(form, blocks, "0", kilobytes);
        }
        for kilobytes in ["64", "1024", "16384", "65536"] {
            add(form, "1000", "0", kilobytes);
        }
    }
    Value::Array(all)
}

#[test]
fn what_the_chains_of_the_litmus_program_count_is_what_is_recorded() {
    let counted = counted();
    if std::env::var_os("BLESS").is_some() {
        let entries = counted.as_array().expect("it is a list");
        let lines: Vec<String> = entries.iter().map(Value::to_string).collect();
        std::fs::write(COSTS, format!("[\n{}\n]\n", lines.join(",\n"))).expect("the record can be written");
    }
    let recorded = std::fs::read_to_string(COSTS).expect("the record can be read");
    let recorded: Value = serde_json::from_str(&recorded).expect("it is JSON");
    assert_eq!(counted, recorded, "BLESS=1 rewrites it; then crates/trace says whether the model still fits");
}

#[test]
fn a_trace_has_calls_streams_and_blocks_and_arrows_from_calls() {
    let (trace, said) = trace("pipeline", &[], &["20", "3"]);
    assert!(said.contains("us of model time"), "{said}");
    let slices: Vec<&Value> = events(&trace, "X").collect();
    for group in 1..=3 {
        assert!(slices.iter().any(|slice| slice["pid"] == group), "nothing in group {group}");
    }
    let named = |group: u64, name: &str| slices.iter().any(|slice| slice["pid"] == group && slice["name"] == name);
    assert!(named(1, "cudaLaunchKernel") || named(1, "cudaLaunchKernelExC"));
    assert!(slices.iter().all(|slice| slice["dur"].as_f64().is_some_and(|took| took >= 0.0)));
    assert_eq!(events(&trace, "s").count(), events(&trace, "f").count());
    assert!(events(&trace, "s").count() > 0);
    assert!(events(&trace, "M").any(|row| row["args"]["name"] == "SM 0 slot 0"));
}

#[test]
fn device_launches_are_arrows_and_a_counter() {
    let (trace, _) = trace("quicksort", &[], &["20000"]);
    assert!(events(&trace, "s").any(|arrow| arrow["name"] == "launches"));
    let most = events(&trace, "C").filter_map(|count| count["args"]["launches"].as_u64()).max();
    assert!(most > Some(1), "{most:?}");
    let last = events(&trace, "C").last().expect("the counter moved");
    assert_eq!(last["args"]["launches"], 0);
}

#[test]
fn one_run_gives_one_trace() {
    let arguments = ["early", "4", "15", "0", "20"];
    let [one, other] = [(); 2].map(|()| log("chains", &arguments));
    assert_eq!((one.steps, one.grids), (other.steps, other.grids));
}

#[test]
fn blocks_of_adjacent_grids_overlap_with_programmatic_launches_alone() {
    for (form, overlaps) in [("serial", false), ("half", true), ("early", true)] {
        let timeline = timeline("chains", &[form, "132", "150", "0", "6"]);
        let chains = timeline.chains();
        let chain = chains.values().find(|chain| chain.len() == 6).expect("one chain of six");
        for pair in chain.windows(2) {
            assert_eq!(timeline.overlap(pair[0], pair[1]), overlaps, "{form}: {pair:?}");
        }
        let waited = timeline.blocks.iter().filter(|block| block.wait.is_some_and(|(from, to)| to > from)).count();
        assert_eq!(waited > 0, overlaps, "{form}");
    }
}

#[test]
fn blocks_of_adjacent_layers_overlap_in_the_programmatic_forms_of_the_chain() {
    let mut ends = Vec::new();
    // In a stream launches come no faster than one in 2.6 us: what overlaps there is the matrix-vector products with what is behind them, two a
    // layer.
    for (form, overlaps) in [("serial", 0..=0), ("graph", 0..=0), ("pdl", 6..=14), ("graph-pdl", 14..=14)] {
        let timeline = timeline("chain", &["--layers=3", "--size=1024", &format!("--form={form}")]);
        let chains = timeline.chains();
        let chain = chains.values().find(|chain| chain.len() == 15).expect("one chain of fifteen");
        let overlapping = chain.windows(2).filter(|pair| timeline.overlap(pair[0], pair[1])).count();
        assert!(overlaps.contains(&overlapping), "{form}: {overlapping}");
        let complete = |at: usize| timeline.grids[&chain[at]].complete;
        ends.push(complete(14) - complete(0));
    }
    let [serial, graph, pdl, both] = ends[..] else { panic!("four forms") };
    assert!(both < pdl && pdl < serial && both < graph && graph < serial, "{ends:?}");
}

#[test]
fn a_graph_that_was_launched_is_as_fast_as_what_if_says() {
    let [serial, graph] = ["serial", "graph"].map(|form| log("chains", &[form, "132", "45", "0", "20"]));
    let period = |log: &Log, changes: Changes| {
        let timeline = simulate(log, &Machine::default(), changes);
        let chain: Vec<f64> = timeline.grids.values().map(|grid| grid.complete).collect();
        assert_eq!(chain.len(), 20);
        chain[19] - chain[0]
    };
    let predicted = period(&serial, Changes { graph: true, ..Changes::default() });
    let launched = period(&graph, Changes::default());
    assert!((predicted / launched - 1.0).abs() < 0.02, "{predicted} {launched}");
}

#[test]
fn what_if_answers_edge_by_edge_and_says_that_it_is_a_model() {
    let mut command = hotfire().command();
    command.args(["trace", "--what-if", "pdl", "--"]).arg(program("chains")).args(["serial", "132", "45", "0", "10"]);
    let said = output(command).success().stderr;
    assert!(
        said.contains("rounds<false, false, false> (132 x 128) -> rounds<false, false, false> (132 x 128), 9 times"),
        "{said}"
    );
    assert!(said.contains("gains ") && said.contains("It is a model"), "{said}");
}

#[test]
fn what_if_follows_the_edges_of_graphs() {
    // A fork and its join: four edges, and the kernel behind the graph.
    let what_if = |name: &str, arguments: &[&str]| {
        let mut command = hotfire().command();
        command.args(["trace", "--what-if", "pdl", "--"]).arg(program(name)).args(arguments);
        output(command).success().stderr
    };
    let said = what_if("outcomes", &["1", "1000", "fork-and-join"]);
    assert!(said.contains("mark (1 x 1) -> mark (1 x 1), 5 times"), "{said}");
    let said = what_if("chains", &["graph", "132", "45", "0", "10"]);
    let name = "rounds<false, false, false> (132 x 128)";
    assert!(said.contains(&format!("{name} -> {name}, 9 times")) && said.contains("gains 0.3"), "{said}");
    assert!(what_if("clusters", &[]).contains("gains 0."), "clusters are predicted, too");
}
