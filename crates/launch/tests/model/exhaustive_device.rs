//! All small device programs: trees of at most five grids, two threads a grid, every kind of stream, one event, pools of
//! one to three slots; each in all orders of starts, calls and ends. At every state that can be reached the model must
//! allow the same starts as the definitions do, answer the same errors and report the same completions, so the orders
//! that it can produce are the same.

use crate::lockstep::{Lockstep, On};
use hotfire_launch::{Policy, StreamKind, Work};
use std::collections::HashSet;
use std::ops::RangeInclusive;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Null,
    FireAndForget,
    Tail,
    Named,
}

const KINDS: [Kind; 4] = [Kind::Null, Kind::FireAndForget, Kind::Tail, Kind::Named];

#[derive(Clone, Copy, Debug)]
enum Call {
    Launch { child: usize, kind: Kind },
    Record(Kind),
    Wait(Kind),
}

/// For each grid, the calls of its two threads. Grid 0 is launched by the host.
type Program = Vec<[Vec<Call>; 2]>;

/// All trees of `count` grids, each once: grids are numbered by (launcher, thread, position in the thread).
fn all_trees(count: usize, tree: &mut Vec<(usize, usize, Kind)>, run: &mut impl FnMut(Program)) {
    if tree.len() == count - 1 {
        let mut program = vec![[Vec::new(), Vec::new()]; count];
        for (child, &(launcher, thread, kind)) in tree.iter().enumerate() {
            program[launcher][thread].push(Call::Launch { child: child + 1, kind });
        }
        return run(program);
    }
    let least = tree.last().map_or((0, 0), |&(launcher, thread, _)| (launcher, thread));
    for launcher in least.0..=tree.len() {
        for thread in if launcher == least.0 { least.1 } else { 0 }..2 {
            // Threads are alike: the first launch of a grid is thread 0's.
            if thread == 1 && tree.iter().all(|&(other, ..)| other != launcher) {
                continue;
            }
            for kind in KINDS {
                tree.push((launcher, thread, kind));
                all_trees(count, tree, run);
                tree.pop();
            }
        }
    }
}

/// The program with one record and one wait, of one grid, at all places in its threads.
fn with_events(program: &Program, kinds: &[Kind], run: &mut impl FnMut(Program)) {
    let mut insert = |grid: usize, first: Call, second: Call| {
        for thread in 0..2 {
            for at in 0..=program[grid][thread].len() {
                let mut one = program.clone();
                one[grid][thread].insert(at, first);
                for thread in 0..2 {
                    for at in 0..=one[grid][thread].len() {
                        let mut both = one.clone();
                        both[grid][thread].insert(at, second);
                        run(both);
                    }
                }
            }
        }
    };
    for grid in (0..program.len()).filter(|&grid| program[grid].iter().any(|calls| !calls.is_empty())) {
        for &record in kinds {
            for &wait in kinds {
                insert(grid, Call::Record(record), Call::Wait(wait));
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Setting {
    /// Do the two threads of a grid belong to one block, and so share the NULL stream?
    one_block: bool,
    pool: usize,
}

fn settings(program: &Program, pools: RangeInclusive<usize>) -> Vec<Setting> {
    let null = |calls: &Vec<Call>| {
        let kind = |call: &Call| match *call {
            Call::Launch { kind, .. } | Call::Record(kind) | Call::Wait(kind) => kind,
        };
        calls.iter().any(|call| kind(call) == Kind::Null)
    };
    let one_block_matters = program.iter().any(|threads| threads.iter().all(null));
    let blocks: &[bool] = if one_block_matters { &[false, true] } else { &[false] };
    pools.flat_map(|pool| blocks.iter().map(move |&one_block| Setting { one_block, pool })).collect()
}

#[derive(Clone)]
struct Position {
    pair: Lockstep,
    /// The item of a grid of the program, once launched.
    items: Vec<Option<usize>>,
    dropped: Vec<bool>,
    next_call: Vec<[usize; 2]>,
    /// (named stream, event) of a running grid.
    owned: Vec<Option<(usize, usize)>>,
}

/// Everything that the future depends on: the items in order of launch with what they are and did, and where all threads are.
type Key = (Vec<(Option<usize>, bool, bool, Vec<usize>)>, Vec<[usize; 2]>, Vec<bool>);

impl Position {
    fn key(&self) -> Key {
        let name = |item| self.items.iter().position(|&other| other == Some(item));
        let items = self.pair.reference.items.iter().enumerate();
        let items = items.map(|(at, item)| (name(at), item.started, item.exited, item.events.clone()));
        (items.collect(), self.next_call.clone(), self.dropped.clone())
    }

    fn call(&mut self, grid: usize, thread: usize, call: Call, setting: Setting) {
        self.next_call[grid][thread] += 1;
        let item = self.items[grid].unwrap();
        let (named, event) = self.owned[grid].unwrap();
        let block = if setting.one_block { 0 } else { thread as u64 };
        let on = |kind| match kind {
            Kind::Null => On::Null,
            Kind::FireAndForget => On::FireAndForget,
            Kind::Tail => On::Tail,
            Kind::Named => On::Named(named),
        };
        match call {
            Call::Launch { child, kind } => {
                self.items[child] = self.pair.launch(item, block, on(kind), Work::Grid);
                self.dropped[child] = self.items[child].is_none();
            }
            Call::Record(kind) => self.pair.device_record(item, block, on(kind), event),
            Call::Wait(kind) => self.pair.device_wait(item, block, on(kind), event),
        }
    }

    /// Everything that may happen next.
    fn moves(&mut self, program: &Program) -> Vec<Move> {
        let mut moves: Vec<Move> = self.pair.compare().into_iter().map(Move::Start).collect();
        for item in self.pair.running() {
            let Some(grid) = self.items.iter().position(|&other| other == Some(item)) else { continue };
            let mut over = true;
            for (thread, calls) in program[grid].iter().enumerate() {
                if let Some(&call) = calls.get(self.next_call[grid][thread]) {
                    over = false;
                    moves.push(Move::Call(grid, thread, call));
                }
            }
            if over {
                moves.push(Move::Finish(item));
            }
        }
        moves
    }

    fn make(&mut self, program: &Program, setting: Setting, made: Move) {
        match made {
            Move::Start(item) => {
                self.pair.start(item);
                if let Some(grid) = self.items.iter().position(|&other| other == Some(item))
                    && program[grid].iter().any(|calls| !calls.is_empty())
                {
                    let named = self.pair.create_named(item);
                    let event = self.pair.create_event(item).unwrap_or(usize::MAX);
                    self.owned[grid] = Some((named, event));
                }
            }
            Move::Call(grid, thread, call) => self.call(grid, thread, call, setting),
            Move::Finish(item) => self.pair.finish(item),
        }
    }

    fn explore(mut self, program: &Program, setting: Setting, seen: &mut HashSet<Key>) {
        let moves = self.moves(program);
        if !seen.insert(self.key()) {
            return;
        }
        for made in moves {
            let mut next = self.clone();
            next.make(program, setting, made);
            next.explore(program, setting, seen);
        }
    }
}

#[derive(Clone, Copy)]
enum Move {
    Start(usize),
    Call(usize, usize, Call),
    Finish(usize),
}

/// A small generator (xorshift), so that what is checked is the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

fn check(program: &Program, setting: Setting) -> usize {
    let mut seen = HashSet::new();
    beginning(program, setting).explore(program, setting, &mut seen);
    seen.len()
}

/// One order of everything, by chance; answers its length.
fn walk(program: &Program, setting: Setting, dice: &mut Dice) -> usize {
    let mut position = beginning(program, setting);
    for step in 0.. {
        let moves = position.moves(program);
        if moves.is_empty() {
            return step;
        }
        position.make(program, setting, moves[dice.below(moves.len())]);
    }
    unreachable!("a walk ends")
}

fn beginning(program: &Program, setting: Setting) -> Position {
    let mut pair = Lockstep::new(setting.pool, Policy::Eager);
    let stream = pair.create_stream(StreamKind::Blocking);
    let root = pair.submit(stream, Work::Grid);
    pair.record(stream);
    let count = program.len();
    let mut items = vec![None; count];
    items[0] = Some(root);
    Position { pair, items, dropped: vec![false; count], next_call: vec![[0; 2]; count], owned: vec![None; count] }
}

/// How much was checked, so that a test that has become empty is noticed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Checked {
    programs: usize,
    states: usize,
}

impl Checked {
    fn program(&mut self, program: &Program, pools: RangeInclusive<usize>) {
        for setting in settings(program, pools) {
            self.programs += 1;
            self.states += check(program, setting);
        }
    }
}

fn check_trees(count: usize, pools: RangeInclusive<usize>) -> Checked {
    let mut checked = Checked::default();
    all_trees(count, &mut Vec::new(), &mut |program| checked.program(&program, pools.clone()));
    checked
}

fn check_events(count: usize, kinds: &[Kind], pools: RangeInclusive<usize>) -> Checked {
    let mut checked = Checked::default();
    all_trees(count, &mut Vec::new(), &mut |program| {
        with_events(&program, kinds, &mut |program| checked.program(&program, pools.clone()));
    });
    checked
}

#[test]
fn trees_of_up_to_four_grids() {
    let checked = [1, 2, 3, 4].map(|count| check_trees(count, 1..=3));
    let expected =
        [(3, 9), (12, 90), (147, 2_974), (1_998, 100_437)].map(|(programs, states)| Checked { programs, states });
    assert_eq!(checked, expected);
}

#[test]
fn trees_of_five_grids_with_one_slot() {
    assert_eq!(check_trees(5, 1..=1), Checked { programs: 10_041, states: 387_395 });
}

#[test]
fn trees_of_five_grids_with_two_slots() {
    assert_eq!(check_trees(5, 2..=2), Checked { programs: 10_041, states: 1_265_447 });
}

#[test]
fn trees_of_five_grids_with_three_slots() {
    assert_eq!(check_trees(5, 3..=3), Checked { programs: 10_041, states: 2_171_145 });
}

#[test]
fn trees_of_three_grids_with_an_event() {
    assert_eq!(check_events(3, &KINDS, 1..=3), Checked { programs: 53_628, states: 2_032_411 });
}

/// All programs of four grids with an event, each in one order by chance (all orders are 44 million states).
#[test]
fn trees_of_four_grids_with_an_event() {
    let (mut programs, mut steps, mut dice) = (0, 0, Dice(0x9e37_79b9_7f4a_7c15));
    all_trees(4, &mut Vec::new(), &mut |program| {
        with_events(&program, &KINDS, &mut |program| {
            let settings = settings(&program, 1..=3);
            programs += 1;
            steps += walk(&program, settings[dice.below(settings.len())], &mut dice);
        });
    });
    assert!(programs > 200_000 && steps > 10 * programs, "{programs} programs, {steps} steps");
}

/// All trees of five grids, and in each launching grid an event between every two kinds of stream, at places and in an order by
/// chance, with every size of the pool.
#[test]
fn trees_of_five_grids_with_an_event() {
    let (mut programs, mut steps, mut dice) = (0, 0, Dice(0xd1b5_4a32_d192_ed03));
    all_trees(5, &mut Vec::new(), &mut |program| {
        for grid in (0..program.len()).filter(|&grid| program[grid].iter().any(|calls| !calls.is_empty())) {
            for record in KINDS {
                for wait in KINDS {
                    let mut program = program.clone();
                    for call in [Call::Record(record), Call::Wait(wait)] {
                        let calls = &mut program[grid][dice.below(2)];
                        calls.insert(dice.below(calls.len() + 1), call);
                    }
                    for setting in settings(&program, 1..=3) {
                        programs += 1;
                        steps += walk(&program, setting, &mut dice);
                    }
                }
            }
        }
    });
    assert!(programs > 200_000 && steps > 10 * programs, "{programs} programs, {steps} steps");
}
