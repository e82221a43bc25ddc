//! Basic blocks of a function body, and which loops of it may wait for somebody else.
//!
//! A GPU runs all resident threads at once; here a thread keeps its core until it suspends. A loop that leaves only
//! when another thread has written something must therefore hand the core over now and then (*burn fuel*), or it would
//! spin forever. Such a loop leaves by a branch whose condition depends on something that others change while it runs: a strong
//! load, an atomic's result, a clock, or a weak load of an address that stays the same. All other loops end by themselves and
//! burn nothing, so that ordinary counting loops cost nothing extra.

use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{
    AddressBase, Body, Guard, Instruction, Label, Mode, Operand, Reg, Semantics, Space, Special, Statement, Symbol,
};
use std::collections::{HashMap, HashSet};

/// A run of statements entered only at its start and left only at its end.
#[derive(Debug, Default)]
pub(crate) struct BasicBlock {
    /// First statement.
    pub first: usize,
    /// One past the last statement.
    pub end: usize,
    /// Blocks that may follow.
    pub successors: Vec<usize>,
    /// True if threads burn fuel on entering: the head of a loop that may wait.
    pub fuel: bool,
}

/// The control flow of a body.
#[derive(Debug, Default)]
pub(crate) struct Cfg {
    /// Blocks in textual order; block 0 is the entry (possibly empty).
    pub blocks: Vec<BasicBlock>,
    /// Block that a label starts; `usize::MAX` for a label that never stands anywhere.
    pub of_label: Vec<usize>,
}

/// What a call does to the loop around it, asked of whoever knows the callees.
pub(crate) trait Callees {
    /// True if the result of the call may depend on what others write meanwhile.
    fn observes(&self, statement: usize) -> bool;
}

impl Cfg {
    /// Splits a body into blocks.
    pub fn new(body: &Body) -> Self {
        let mut cfg = Self { blocks: vec![BasicBlock::default()], of_label: vec![usize::MAX; body.labels.len()] };
        let mut fresh = true;
        for (i, statement) in body.statements.iter().enumerate() {
            match statement {
                Statement::Label(label) => {
                    if !fresh || cfg.blocks.len() == 1 {
                        cfg.open(i);
                    }
                    cfg.of_label[label.0 as usize] = cfg.blocks.len() - 1;
                    fresh = true;
                }
                Statement::Instruction(instruction) => {
                    if ends_block(instruction) {
                        cfg.open(i + 1);
                        fresh = true;
                        continue;
                    }
                    fresh = false;
                }
                Statement::Call(_) => fresh = false,
            }
        }
        if let Some(last) = cfg.blocks.last_mut() {
            last.end = body.statements.len();
        }
        cfg.connect(body);
        cfg
    }

    fn open(&mut self, first: usize) {
        if let Some(last) = self.blocks.last_mut() {
            last.end = first;
        }
        self.blocks.push(BasicBlock { first, end: first, ..BasicBlock::default() });
    }

    fn connect(&mut self, body: &Body) {
        for i in 0..self.blocks.len() {
            let block = &self.blocks[i];
            let last = body.statements[block.first..block.end].last();
            let mut successors = Vec::new();
            let mut falls = true;
            if let Some(Statement::Instruction(instruction)) = last
                && ends_block(instruction)
            {
                falls = instruction.guard.is_some();
                successors.extend(targets(body, instruction).into_iter().map(|l| self.of_label[l.0 as usize]));
            }
            if falls && i + 1 < self.blocks.len() {
                successors.push(i + 1);
            }
            successors.retain(|s| *s != usize::MAX);
            self.blocks[i].successors = successors;
        }
    }

    /// Marks the heads of the loops that may wait. Returns true if there is one.
    pub fn mark_waiting_loops(&mut self, body: &Body, callees: &dyn Callees) -> bool {
        let heads = self.retreating_edges();
        if heads.is_empty() {
            return false;
        }
        let predecessors = self.predecessors();
        // Edges to one head are one loop with several ways to go on, or nested loops that begin at the same place: each by itself, and
        // all together.
        let mut together: HashMap<usize, (usize, Vec<bool>)> = HashMap::new();
        let mut waiting = HashSet::new();
        for (latch, head) in heads {
            let mut inside = vec![false; predecessors.len()];
            inside[head] = true;
            let mut work = vec![latch];
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut inside[block], true) {
                    work.extend(&predecessors[block]);
                }
            }
            let (edges, all) = together.entry(head).or_insert_with(|| (0, vec![false; predecessors.len()]));
            *edges += 1;
            all.iter_mut().zip(&inside).for_each(|(all, inside)| *all |= inside);
            if !waiting.contains(&head) && Loop::new(self, body, &inside).may_wait(callees) {
                waiting.insert(head);
            }
        }
        for (head, (edges, inside)) in together {
            if edges > 1 && !waiting.contains(&head) && Loop::new(self, body, &inside).may_wait(callees) {
                waiting.insert(head);
            }
        }
        waiting.iter().for_each(|&head| self.blocks[head].fuel = true);
        !waiting.is_empty()
    }

    /// Blocks that may come before each block.
    pub fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut predecessors = vec![Vec::new(); self.blocks.len()];
        for (i, block) in self.blocks.iter().enumerate() {
            block.successors.iter().for_each(|s| predecessors[*s].push(i));
        }
        predecessors
    }

    /// Edges to a block that is still open in a depth-first walk: (from, to).
    fn retreating_edges(&self) -> Vec<(usize, usize)> {
        let mut state = vec![0u8; self.blocks.len()];
        let mut edges = Vec::new();
        let mut stack = vec![(0usize, 0usize)];
        state[0] = 1;
        while let Some((block, next)) = stack.last_mut() {
            let block = *block;
            if let Some(&successor) = self.blocks[block].successors.get(*next) {
                *next += 1;
                match state[successor] {
                    0 => {
                        state[successor] = 1;
                        stack.push((successor, 0));
                    }
                    1 => edges.push((block, successor)),
                    _ => {}
                }
            } else {
                state[block] = 2;
                stack.pop();
            }
        }
        edges
    }
}

/// True for instructions after which another block starts.
pub(crate) fn ends_block(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Bra | Opcode::Brx | Opcode::Ret | Opcode::Exit | Opcode::Trap)
}

fn targets(body: &Body, instruction: &Instruction) -> Vec<Label> {
    let mut labels = Vec::new();
    for operand in &instruction.operands {
        match operand {
            Operand::Label(label) => labels.push(*label),
            Operand::Targets(list) => labels.extend(body.targets.get(*list as usize).into_iter().flatten()),
            _ => {}
        }
    }
    labels
}

/// Calls `visit` for every register that an operand reads (or, for a destination, writes).
pub(crate) fn registers(operand: &Operand, visit: &mut dyn FnMut(Reg)) {
    match operand {
        Operand::Register(r) | Operand::NotRegister(r) | Operand::Address(AddressBase::Register(r), _) => visit(*r),
        Operand::Vector(parts) => parts.iter().for_each(|p| registers(p, visit)),
        Operand::Pair(a, b) => {
            registers(a, visit);
            registers(b, visit);
        }
        Operand::Texel { object, sampler, coordinates } => {
            let parts = coordinates.iter().chain(sampler.as_deref()).chain([&**object]);
            parts.for_each(|part| registers(part, visit));
        }
        _ => {}
    }
}

/// True if the first operand of the instruction is not a destination.
pub(crate) fn no_destination(i: &Instruction) -> bool {
    use Opcode as O;
    if i.opcode == O::Mbarrier {
        return matches!(i.modifiers.mode, Some(Mode::Init | Mode::Inval | Mode::ExpectTx | Mode::CompleteTx));
    }
    matches!(
        i.opcode,
        O::St
            | O::Red
            | O::Bra
            | O::Brx
            | O::Ret
            | O::Exit
            | O::Trap
            | O::Membar
            | O::Fence
            | O::Nanosleep
            | O::Prefetch
            | O::Prefetchu
            | O::Discard
            | O::Griddepcontrol
            | O::Pmevent
            | O::Brkpt
            | O::Stackrestore
            | O::Cp
    )
}

/// Calls `visit` for every register that the statement writes.
pub(crate) fn definitions(statement: &Statement, visit: &mut dyn FnMut(Reg)) {
    match statement {
        Statement::Instruction(i) if !no_destination(i) => match i.operands.first() {
            // A place in memory is read, wherever it stands.
            None | Some(Operand::Address(..) | Operand::Texel { .. }) => {}
            Some(first) => registers(first, visit),
        },
        Statement::Call(call) => call.returns.iter().for_each(|r| registers(r, visit)),
        _ => {}
    }
}

struct Loop<'a> {
    cfg: &'a Cfg,
    body: &'a Body,
    inside: &'a [bool],
    /// Statements of the loop that define a register.
    definitions: HashMap<Reg, Vec<usize>>,
}

impl<'a> Loop<'a> {
    fn new(cfg: &'a Cfg, body: &'a Body, inside: &'a [bool]) -> Self {
        let mut all: HashMap<Reg, Vec<usize>> = HashMap::new();
        let this = Self { cfg, body, inside, definitions: HashMap::new() };
        for i in this.statements() {
            definitions(&body.statements[i], &mut |r| all.entry(r).or_default().push(i));
        }
        Self { definitions: all, ..this }
    }

    fn statements(&self) -> impl Iterator<Item = usize> + '_ {
        self.cfg.blocks.iter().zip(self.inside).filter(|(_, inside)| **inside).flat_map(|(b, _)| b.first..b.end)
    }

    /// Condition registers of the loop's branches: all, or only of those that may leave it.
    fn conditions(&self, only_exits: bool) -> Vec<Reg> {
        let mut found = Vec::new();
        for (block, _) in self.cfg.blocks.iter().zip(self.inside).filter(|(_, inside)| **inside) {
            let Some(Statement::Instruction(last)) = self.body.statements[block.first..block.end].last() else {
                continue;
            };
            let leaves = block.successors.iter().any(|s| !self.inside[*s])
                || matches!(last.opcode, Opcode::Ret | Opcode::Exit | Opcode::Trap);
            if ends_block(last) && (leaves || !only_exits) {
                found.extend(last.guard.map(|Guard { register, .. }| register));
                last.operands.iter().for_each(|o| registers(o, &mut |r| found.push(r)));
            }
        }
        found
    }

    fn may_wait(&self, callees: &dyn Callees) -> bool {
        let mut work = self.conditions(true);
        let mut seen: std::collections::HashSet<Reg> = work.iter().copied().collect();
        let mut merged = false;
        let mut private_load = false;
        while let Some(register) = work.pop() {
            let Some(places) = self.definitions.get(&register) else { continue };
            if places.len() > 1 && !merged {
                // A value chosen by control flow: whatever decides a branch of the loop decides it too.
                merged = true;
                work.extend(self.conditions(false).into_iter().filter(|r| seen.insert(*r)));
            }
            for place in places {
                match &self.body.statements[*place] {
                    Statement::Instruction(i) => {
                        if self.observes(i) {
                            return true;
                        }
                        private_load |= loads_private(i);
                        let mut add = |r| {
                            if seen.insert(r) {
                                work.push(r);
                            }
                        };
                        i.operands.iter().skip(1).for_each(|o| registers(o, &mut add));
                        if let Some(guard) = i.guard {
                            add(guard.register);
                        }
                    }
                    Statement::Call(_) => {
                        if callees.observes(*place) {
                            return true;
                        }
                    }
                    Statement::Label(_) => {}
                }
            }
        }
        // Results of calls come back through `.param` variables, unoptimised code keeps everything in local memory: the
        // dependence is lost there, so that anything observed in the loop counts.
        private_load
            && self.statements().any(|i| match &self.body.statements[i] {
                Statement::Instruction(instruction) => self.observes(instruction),
                Statement::Call(_) => callees.observes(i),
                Statement::Label(_) => false,
            })
    }

    /// True if the instruction's result may change because of others while the loop runs.
    fn observes(&self, i: &Instruction) -> bool {
        match i.opcode {
            Opcode::Atom | Opcode::Mbarrier => true,
            Opcode::Mov => matches!(i.operands.get(1), Some(Operand::Special(s)) if is_clock(*s)),
            Opcode::Ld | Opcode::Ldu => {
                if matches!(i.modifiers.space, Some(Space::Param | Space::Const | Space::Local)) {
                    return false;
                }
                if !matches!(i.modifiers.semantics, None | Some(Semantics::Weak)) {
                    return true;
                }
                match i.operands.get(1) {
                    Some(Operand::Address(AddressBase::Register(r), _)) => !self.definitions.contains_key(r),
                    _ => true,
                }
            }
            _ => false,
        }
    }
}

fn is_clock(special: Special) -> bool {
    use Special as S;
    matches!(special, S::Clock | S::ClockHi | S::Clock64 | S::GlobalTimer | S::GlobalTimerLo | S::GlobalTimerHi)
}

fn loads_private(i: &Instruction) -> bool {
    i.opcode == Opcode::Ld
        && match i.operands.get(1) {
            Some(Operand::Address(AddressBase::Symbol(Symbol::Local(_)), _)) => true,
            _ => matches!(i.modifiers.space, None | Some(Space::Local)),
        }
}
