//! Chains of programmatic launches by themselves: every chain up to depth 6 in which each kernel is launched as usual, waits, waits too
//! late or never, each reading what all before it wrote, against a reference that knows nothing but the definitions (launch-model 4).

use hotfire_check::{BlockOrder, Cell, Checker, ItemLabel, Problem, Stamp, Strength, Touch};
use hotfire_launch::order::ItemId;
use hotfire_launch::{Limits, Model, Policy, Stream, Work};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// No attribute.
    Normal,
    /// Waits, then reads.
    Waits,
    /// Reads, then waits.
    Late,
    /// Reads and never waits.
    Never,
}

const KINDS: [Kind; 4] = [Kind::Normal, Kind::Waits, Kind::Late, Kind::Never];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Fine,
    Chain,
    Race,
}

/// What each kernel knows to be complete at its start, and behind its wait.
fn reference(chain: &[Kind]) -> Vec<[BTreeSet<usize>; 2]> {
    let mut known: Vec<[BTreeSet<usize>; 2]> = Vec::new();
    for (index, &kind) in chain.iter().enumerate() {
        if index == 0 || kind == Kind::Normal {
            known.push([(0..index).collect(), (0..index).collect()]);
            continue;
        }
        let [start, after] = known[index - 1].clone();
        let waited = matches!(chain[index - 1], Kind::Waits | Kind::Late);
        let mut behind = start.clone();
        behind.insert(index - 1);
        if waited {
            behind.extend(after);
        }
        known.push([start, behind]);
    }
    known
}

struct Kernel {
    item: ItemId,
    block: Option<(Box<BlockOrder>, u32)>,
    has_read: bool,
}

struct World {
    memory: Vec<u64>,
    checker: Checker,
    kernels: Vec<Kernel>,
}

fn cell(checker: &mut Checker, _: &mut BlockOrder, at: u64) -> Option<Cell> {
    Some(checker.shadow.arena.cell(at))
}

impl World {
    fn new(chain: &[Kind]) -> World {
        let memory = vec![0u64; 512];
        let base = memory.as_ptr() as u64;
        let mut checker = Checker::new(base, 4096).unwrap();
        checker.preset(base, 4096);
        let mut model = Model::new(Limits::default(), Policy::Eager);
        model.order.enable();
        let submit = |(index, &kind): (usize, &Kind)| {
            match kind {
                Kind::Normal => model.submit(Stream::LEGACY, Work::Grid),
                _ => model.submit_programmatic(Stream::LEGACY),
            };
            let item = checker.submit_at(ItemLabel::Grid(index as u64 + 1), model.order.last());
            Kernel { item, block: None, has_read: false }
        };
        let kernels = chain.iter().enumerate().map(submit).collect();
        World { memory, checker, kernels }
    }

    fn touch(&mut self, index: usize, of: usize, write: bool) -> Option<(Verdict, Stamp)> {
        let address = self.memory.as_ptr() as u64 + 8 * of as u64;
        let (order, time) = self.kernels[index].block.as_mut().unwrap();
        let stamp = Stamp::new(*time, 0, Strength::Weak, 1);
        let touch = Touch {
            address,
            size: 4,
            stamp,
            atomic: false,
            blind: true,
            acquire: false,
            release: false,
            value: [index as u64 + 1; 2],
        };
        let problem =
            if write { self.checker.write(order, &touch, cell) } else { self.checker.read(order, &touch, cell) };
        let Some(Problem::Race { before, .. }) = problem else { return None };
        let chain = order.knows_in_order(&self.checker, 0, before);
        Some((if chain { Verdict::Chain } else { Verdict::Race }, before))
    }

    fn start(&mut self, index: usize) {
        let Kernel { item, block, .. } = &mut self.kernels[index];
        if block.is_none() {
            let start = self.checker.start(*item);
            let mut order = BlockOrder::new();
            let time = order.begin(&mut self.checker, *item, 0, &start, 0);
            *block = Some((order, time));
        }
    }

    fn wait(&mut self, index: usize) {
        let (order, _) = self.kernels[index].block.as_mut().unwrap();
        order.comes_to_wait(&mut self.checker, 0, 1);
        order.waited(&mut self.checker, 0);
    }

    /// What it says of reading what each kernel before wrote.
    fn read_all(&mut self, index: usize) -> Vec<Verdict> {
        self.kernels[index].has_read = true;
        (0..index).map(|of| self.touch(index, of, false).map_or(Verdict::Fine, |(verdict, _)| verdict)).collect()
    }
}

fn expected(chain: &[Kind], known: &[[BTreeSet<usize>; 2]], index: usize) -> Vec<Verdict> {
    let waits = chain[index] == Kind::Waits;
    let knows = &known[index][usize::from(waits)];
    let other = if waits { Verdict::Chain } else { Verdict::Race };
    (0..index).map(|of| if knows.contains(&of) { Verdict::Fine } else { other }).collect()
}

/// Kernels one after the other; with `early`, those that read without a wait do so before the kernel in front writes.
fn run(chain: &[Kind], early: bool) {
    let known = reference(chain);
    let mut world = World::new(chain);
    for (index, &kind) in chain.iter().enumerate() {
        world.start(index);
        if early {
            let beside = |(_, kind): &(usize, &Kind)| **kind != Kind::Normal;
            for (next, &kind) in chain.iter().enumerate().skip(index + 1).take_while(beside) {
                world.start(next);
                if kind != Kind::Waits && !world.kernels[next].has_read {
                    world.read_all(next);
                }
            }
        }
        if kind == Kind::Waits {
            world.wait(index);
        }
        if !world.kernels[index].has_read {
            let found = world.read_all(index);
            assert_eq!(found, expected(chain, &known, index), "{chain:?}, kernel {index}, early {early}");
        }
        if kind == Kind::Late {
            world.wait(index);
        }
        let raced = world.touch(index, index, true);
        let beside = |next: &usize| world.kernels[*next].has_read && !known[*next][0].contains(&index);
        let readers: Vec<usize> = (index + 1..chain.len()).filter(beside).collect();
        match raced {
            None => assert!(readers.is_empty(), "{chain:?}: {readers:?} read early what kernel {index} writes"),
            Some((verdict, before)) => {
                let item = world.checker.agent(before).item;
                assert_eq!(verdict, Verdict::Race, "{chain:?}");
                assert!(readers.iter().any(|&reader| world.kernels[reader].item == item), "{chain:?}: {readers:?}");
            }
        }
        world.checker.complete(world.kernels[index].item);
    }
}

#[test]
fn every_chain_up_to_depth_six() {
    for depth in 1..=6u32 {
        for number in 0..4usize.pow(depth - 1) {
            let kind = |at: u32| KINDS[number / 4usize.pow(at) % 4];
            let chain: Vec<Kind> = std::iter::once(Kind::Normal).chain((0..depth - 1).map(kind)).collect();
            run(&chain, false);
            run(&chain, true);
        }
    }
}

#[test]
fn with_order_of_completion_as_a_rule_a_wait_covers_all() {
    let chain = [Kind::Normal, Kind::Never, Kind::Never, Kind::Waits];
    let mut world = World::new(&chain);
    world.checker.in_order = true;
    for index in 0..3 {
        world.start(index);
        world.touch(index, index, true);
        world.checker.complete(world.kernels[index].item);
    }
    world.start(3);
    world.wait(3);
    assert_eq!(world.read_all(3), [Verdict::Fine; 3]);
}
