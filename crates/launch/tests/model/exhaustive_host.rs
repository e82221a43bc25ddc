//! All short host programs over four streams, in all orders of calls, starts and ends.

use crate::lockstep::Lockstep;
use hotfire_launch::{Policy, StreamKind, Work};
use std::collections::HashSet;

#[derive(Clone, Copy, Debug)]
enum Call {
    Launch(usize),
    Record(usize),
    /// Waits for the last recorded event, if there is one.
    Wait(usize),
}

fn all_programs(length: usize, calls: &[Call], program: &mut Vec<Call>, run: &mut impl FnMut(&[Call])) {
    if program.len() == length {
        return run(program);
    }
    for &call in calls {
        program.push(call);
        all_programs(length, calls, program, run);
        program.pop();
    }
}

/// What tells two states of one program apart: how many calls were made, and what has started and exited. Completions
/// follow from these.
type Key = (usize, Vec<(bool, bool)>);

fn explore(program: &[Call], at: usize, recorded: Option<usize>, mut pair: Lockstep, seen: &mut HashSet<Key>) {
    let startable = pair.compare();
    let items = &pair.reference.items;
    if !seen.insert((at, items.iter().map(|item| (item.started, item.exited)).collect())) {
        return;
    }
    for item in startable {
        let mut pair = pair.clone();
        pair.start(item);
        explore(program, at, recorded, pair, seen);
    }
    for item in pair.running() {
        let mut pair = pair.clone();
        pair.finish(item);
        explore(program, at, recorded, pair, seen);
    }
    let mut recorded = recorded;
    match program.get(at) {
        Some(&Call::Launch(stream)) => drop(pair.submit(stream, Work::Grid)),
        Some(&Call::Record(stream)) => recorded = Some(pair.record(stream)),
        Some(&Call::Wait(stream)) => recorded.into_iter().for_each(|event| pair.wait(stream, event)),
        None => return,
    }
    explore(program, at + 1, recorded, pair, seen);
}

fn check(length: usize, calls: &[Call]) -> usize {
    let mut states = 0;
    all_programs(length, calls, &mut Vec::new(), &mut |program| {
        let mut pair = Lockstep::new(1, Policy::Eager);
        pair.create_stream(StreamKind::Blocking);
        pair.create_stream(StreamKind::PerThreadDefault);
        pair.create_stream(StreamKind::NonBlocking);
        let mut seen = HashSet::new();
        explore(program, 0, None, pair, &mut seen);
        states += seen.len();
    });
    states
}

#[test]
fn six_launches() {
    let calls: Vec<_> = (0..4).map(Call::Launch).collect();
    assert!(check(6, &calls) > 4096);
}

#[test]
fn four_calls_with_events() {
    let calls: Vec<_> = (0..4).flat_map(|s| [Call::Launch(s), Call::Record(s), Call::Wait(s)]).collect();
    assert!(check(4, &calls) > 20_736);
}
