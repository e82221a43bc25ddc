//! Which registers of a body are live where: what a thread must keep to go on from there.

use crate::cfg::{Cfg, definitions, registers};
use hotfire_ptx::ast::{Body, CallTarget, Reg, Statement};

/// A set of registers.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Live(Vec<u64>);

impl Live {
    fn none(body: &Body) -> Self {
        Self(vec![0; body.registers.len().div_ceil(64)])
    }

    fn add(&mut self, register: Reg) {
        self.0[register.0 as usize / 64] |= 1 << (register.0 % 64);
    }

    fn remove(&mut self, register: Reg) {
        self.0[register.0 as usize / 64] &= !(1 << (register.0 % 64));
    }

    fn join(&mut self, other: &Live) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }

    /// The members, in order.
    pub fn registers(&self) -> Vec<Reg> {
        let members = |(index, word): (usize, &u64)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| Reg(index as u32 * 64 + bit))
        };
        self.0.iter().enumerate().flat_map(members).collect()
    }
}

/// What is live at the borders of each block.
pub(crate) struct Liveness<'a> {
    cfg: &'a Cfg,
    body: &'a Body,
    before: Vec<Live>,
}

impl<'a> Liveness<'a> {
    pub fn new(cfg: &'a Cfg, body: &'a Body) -> Self {
        let mut this = Self { cfg, body, before: vec![Live::none(body); cfg.blocks.len()] };
        let predecessors = cfg.predecessors();
        let mut work: Vec<usize> = (0..cfg.blocks.len()).collect();
        while let Some(block) = work.pop() {
            let live = this.walk(block, &mut |_, _| {});
            if live != this.before[block] {
                this.before[block] = live;
                work.extend(&predecessors[block]);
            }
        }
        this
    }

    /// What is live at the end of a block.
    pub fn behind(&self, block: usize) -> Live {
        let mut live = Live::none(self.body);
        self.cfg.blocks[block].successors.iter().for_each(|successor| live.join(&self.before[*successor]));
        live
    }

    /// Walks a block backwards: `visit` is told of each statement and what is live behind it. Answers what is live before the block.
    pub fn walk(&self, block: usize, visit: &mut dyn FnMut(usize, &Live)) -> Live {
        let mut live = self.behind(block);
        for at in (self.cfg.blocks[block].first..self.cfg.blocks[block].end).rev() {
            visit(at, &live);
            step_back(&self.body.statements[at], &mut live);
        }
        live
    }
}

/// From what is live behind a statement to what is live before it.
fn step_back(statement: &Statement, live: &mut Live) {
    let guard = match statement {
        Statement::Instruction(i) => i.guard,
        Statement::Call(call) => call.guard,
        Statement::Label(_) => None,
    };
    let mut defined = Vec::new();
    definitions(statement, &mut |register| defined.push(register));
    match guard {
        // It may keep what it had.
        Some(guard) => live.add(guard.register),
        None => defined.iter().for_each(|register| live.remove(*register)),
    }
    let mut used = |register: Reg| live.add(register);
    match statement {
        Statement::Instruction(i) => {
            let skipped = usize::from(!defined.is_empty());
            i.operands.iter().skip(skipped).for_each(|operand| registers(operand, &mut used));
        }
        Statement::Call(call) => {
            call.arguments.iter().for_each(|operand| registers(operand, &mut used));
            if let CallTarget::Indirect(register) = call.target {
                used(register);
            }
        }
        Statement::Label(_) => {}
    }
}
