//! Kernels in phases: those that suspend only at barriers of the whole block.
//!
//! Such a kernel needs no stack for each of its threads. Each thread runs to its next barrier in turn; what it needs behind that
//! (the registers that are live there) it leaves in a frame of its own, with the number of the barrier. That is several times faster
//! than switching between stacks.

use crate::analysis::Reached;
use crate::analysis::{self, Reach};
use crate::cfg::Cfg;
use crate::emit::clif;
use crate::live::Liveness;
use hotfire_ptx::Opcode;
use hotfire_ptx::ast::{Body, Instruction, Mode, Operand, Reg, Scope, Space, Statement};
use std::collections::HashMap;

/// Barriers of a kernel and bytes of a frame, beyond which stacks are used: most of a frame would be copied at each barrier.
const MOST_BARRIERS: usize = 256;
const MOST_BYTES: u32 = 4096;

/// Where a kernel's threads meet, and what they leave in their frames.
pub(crate) struct Phases {
    /// For each barrier, by its statement: its number from 0, and the registers that are live behind it.
    pub barriers: HashMap<usize, (usize, Vec<Reg>)>,
    /// Where a register lies in the frame.
    pub offsets: HashMap<Reg, u32>,
    /// Bytes of a frame. It begins with the thread's state: 0 at first, 1 + the number of a barrier, or one more than those when
    /// it has ended.
    pub frame: u32,
}

/// Can the kernel run in phases?
pub(crate) fn fit(reach: &Reach<'_>) -> bool {
    let Some(root) = reach.functions.first() else { return false };
    let positions = &reach.positions;
    let only_root = reach.functions.iter().enumerate().all(|(n, function)| {
        function
            .body
            .statements
            .iter()
            .all(|s| (n == 0 && barrier(s).is_some()) || !analysis::suspends(s, n != 0, positions))
    });
    let mut ids = root.body.statements.iter().filter_map(barrier);
    let first = ids.next();
    // Threads that are at different barriers would not meet.
    let together = first.is_some() && ids.all(|id| Some(id) == first);
    let keeps = root.body.variables.iter().any(|variable| variable.space == Space::Local);
    let carries = root.body.statements.iter().any(|s| matches!(s, Statement::Instruction(i) if i.modifiers.carry));
    let grows = |s: &Statement| matches!(s, Statement::Instruction(Instruction { opcode: Opcode::Alloca, .. }));
    let count = root.body.statements.iter().filter(|s| barrier(s).is_some()).count();
    only_root
        && together
        && !reach.polls
        && !keeps
        && !carries
        && count <= MOST_BARRIERS
        && !root.body.statements.iter().any(grows)
        && Phases::new(root).frame <= MOST_BYTES
}

/// The number of the barrier at which a statement lets all threads of the block meet.
fn barrier(statement: &Statement) -> Option<u64> {
    match statement {
        Statement::Instruction(i)
            if matches!(i.opcode, Opcode::Bar | Opcode::Barrier)
                && i.modifiers.mode == Some(Mode::Sync)
                && i.modifiers.scope != Some(Scope::Cluster) =>
        {
            match i.operands.as_slice() {
                [Operand::Integer(id)] => u64::try_from(*id).ok().filter(|id| *id < 16),
                _ => None,
            }
        }
        _ => None,
    }
}

impl Phases {
    pub fn new(kernel: &Reached<'_>) -> Self {
        let body = kernel.body;
        let mut barriers = HashMap::new();
        let behind = live_behind_barriers(&kernel.cfg, body);
        for (number, (statement, live)) in behind.into_iter().enumerate() {
            barriers.insert(statement, (number, live));
        }
        let mut kept: Vec<Reg> = barriers.values().flat_map(|(_, live)| live.iter().copied()).collect();
        let size = |register: &Reg| clif(body.registers[register.0 as usize].ty).bytes();
        // The widest first, so that each lies at a multiple of its size.
        kept.sort_unstable_by_key(|register| (std::cmp::Reverse(size(register)), register.0));
        kept.dedup();
        let mut at = if kept.first().is_some_and(|register| size(register) > 8) { 16 } else { 8 };
        let mut offsets = HashMap::with_capacity(kept.len());
        for register in kept {
            offsets.insert(register, at);
            at += size(&register);
        }
        Self { barriers, offsets, frame: at.next_multiple_of(16) }
    }
}

/// The barriers in the order of the text, each with the registers that are live behind it.
fn live_behind_barriers(cfg: &Cfg, body: &Body) -> Vec<(usize, Vec<Reg>)> {
    let liveness = Liveness::new(cfg, body);
    let mut found = Vec::new();
    for block in 0..cfg.blocks.len() {
        liveness.walk(block, &mut |at, live| {
            if barrier(&body.statements[at]).is_some() {
                found.push((at, live.registers()));
            }
        });
    }
    found.sort_unstable_by_key(|(at, _)| *at);
    found
}
