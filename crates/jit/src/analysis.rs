//! What a kernel reaches, and whether it may have to wait.

use crate::cfg::{Callees, Cfg};
use hotfire_ptx::ast::{
    Body, CallTarget, Function, FunctionKind, Instruction, Mode, Module, Name, Operand, Semantics, Space, Special,
    Statement,
};
use hotfire_ptx::{Diagnostic, Opcode, ast::Location};
use std::collections::HashMap;

/// Functions by name; definitions win over declarations.
pub(crate) fn index(module: &Module) -> HashMap<&str, usize> {
    let mut names = HashMap::with_capacity(module.functions.len());
    for (i, function) in module.functions.iter().enumerate() {
        let slot = names.entry(&*function.name).or_insert(i);
        if function.body.is_some() {
            *slot = i;
        }
    }
    names
}

/// A function that the kernel reaches.
pub(crate) struct Reached<'a> {
    pub function: &'a Function,
    pub body: &'a Body,
    pub cfg: Cfg,
    /// Functions it calls directly, as positions in [`Reach::functions`].
    pub calls: Vec<usize>,
}

/// The call graph below a kernel.
pub(crate) struct Reach<'a> {
    /// The root first.
    pub functions: Vec<Reached<'a>>,
    /// Position in `functions` by name.
    pub positions: HashMap<&'a str, usize>,
    /// Something in it may suspend other than by a fault.
    pub suspends: bool,
    /// It has loops that may wait for what others write.
    pub polls: bool,
    /// It calls through pointers, so that other functions of the module may run too.
    pub indirect: bool,
}

impl<'a> Reach<'a> {
    /// Walks the call graph from `root`.
    pub fn new(module: &'a Module, names: &HashMap<&'a str, usize>, root: &str) -> Result<Self, Diagnostic> {
        let mut this =
            Self { functions: Vec::new(), positions: HashMap::new(), suspends: false, polls: false, indirect: false };
        let root = *names
            .get(root)
            .ok_or_else(|| Diagnostic::new(Location::default(), format!("no function named {root}")))?;
        let mut work = vec![&module.functions[root]];
        while let Some(function) = work.pop() {
            if this.positions.contains_key(&*function.name) {
                continue;
            }
            if let Some(broken) = &function.broken {
                return Err(broken.clone());
            }
            let Some(body) = &function.body else {
                // Only the root can be without a body here: calls to others are builtins.
                return Err(Diagnostic::new(
                    function.location,
                    format!("{} is declared but not defined", function.name),
                ));
            };
            this.positions.insert(&function.name, this.functions.len());
            this.functions.push(Reached { function, body, cfg: Cfg::new(body), calls: Vec::new() });
            for statement in &body.statements {
                if let Statement::Call(call) = statement {
                    match &call.target {
                        CallTarget::Indirect(_) => this.indirect = true,
                        CallTarget::Direct(name) => {
                            if let Some(callee) = names.get(&**name).map(|i| &module.functions[*i])
                                && callee.body.is_some()
                            {
                                work.push(callee);
                            }
                        }
                    }
                }
            }
        }
        this.resolve_calls();
        this.find_waits();
        Ok(this)
    }

    fn resolve_calls(&mut self) {
        for i in 0..self.functions.len() {
            let mut calls: Vec<usize> =
                self.functions[i].body.statements.iter().filter_map(|s| callee(s, &self.positions)).collect();
            calls.sort_unstable();
            calls.dedup();
            self.functions[i].calls = calls;
        }
    }

    fn find_waits(&mut self) {
        // Which functions look at what others write, directly or through their callees.
        let mut observing: Vec<bool> =
            self.functions.iter().map(|f| f.body.statements.iter().any(|s| observes(s, &self.positions))).collect();
        loop {
            let mut changed = false;
            for (i, function) in self.functions.iter().enumerate() {
                if !observing[i] && function.calls.iter().any(|c| observing[*c]) {
                    observing[i] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for (i, reached) in self.functions.iter_mut().enumerate() {
            let callees = Observing { body: reached.body, positions: &self.positions, observing: &observing };
            self.polls |= reached.cfg.mark_waiting_loops(reached.body, &callees);
            let device = i != 0 || reached.function.kind == FunctionKind::Device;
            self.suspends |= self.polls;
            self.suspends |= reached.body.statements.iter().any(|s| suspends(s, device, &self.positions));
        }
    }

    /// True if the call graph has a cycle.
    pub fn recursive(&self) -> bool {
        // Kahn's algorithm: what cannot be peeled off is on or behind a cycle.
        let mut callers = vec![0usize; self.functions.len()];
        self.functions.iter().flat_map(|f| &f.calls).for_each(|c| callers[*c] += 1);
        let mut work: Vec<usize> = (0..callers.len()).filter(|i| callers[*i] == 0).collect();
        let mut peeled = 0;
        while let Some(i) = work.pop() {
            peeled += 1;
            for c in &self.functions[i].calls {
                callers[*c] -= 1;
                if callers[*c] == 0 {
                    work.push(*c);
                }
            }
        }
        peeled < self.functions.len()
    }
}

struct Observing<'a> {
    body: &'a Body,
    positions: &'a HashMap<&'a str, usize>,
    observing: &'a [bool],
}

impl Callees for Observing<'_> {
    fn observes(&self, statement: usize) -> bool {
        callee(&self.body.statements[statement], self.positions).is_none_or(|c| self.observing[c])
    }
}

fn callee(statement: &Statement, positions: &HashMap<&str, usize>) -> Option<usize> {
    match statement {
        Statement::Call(call) => match &call.target {
            CallTarget::Direct(name) => positions.get(&**name).copied(),
            CallTarget::Indirect(_) => None,
        },
        _ => None,
    }
}

fn observes(statement: &Statement, positions: &HashMap<&str, usize>) -> bool {
    match statement {
        Statement::Label(_) => false,
        Statement::Call(_) => callee(statement, positions).is_none(),
        Statement::Instruction(i) => match i.opcode {
            Opcode::Atom | Opcode::Mbarrier => true,
            Opcode::Ld => {
                !matches!(i.modifiers.space, Some(Space::Param | Space::Const | Space::Local))
                    && (!matches!(i.modifiers.semantics, None | Some(Semantics::Weak)) || !reads_through_register(i))
            }
            Opcode::Mov => matches!(
                i.operands.get(1),
                Some(Operand::Special(
                    Special::Clock
                        | Special::ClockHi
                        | Special::Clock64
                        | Special::GlobalTimer
                        | Special::GlobalTimerLo
                        | Special::GlobalTimerHi
                ))
            ),
            _ => false,
        },
    }
}

fn reads_through_register(i: &Instruction) -> bool {
    matches!(i.operands.get(1), Some(Operand::Address(hotfire_ptx::ast::AddressBase::Register(_), _)))
}

/// May the statement suspend, in a device function or a kernel?
pub(crate) fn suspends(statement: &Statement, device: bool, positions: &HashMap<&str, usize>) -> bool {
    use Opcode as O;
    match statement {
        Statement::Label(_) => false,
        Statement::Call(_) => callee(statement, positions).is_none(),
        Statement::Instruction(i) => match i.opcode {
            O::Bar | O::Barrier | O::Shfl | O::Vote | O::Match | O::Redux | O::Activemask | O::Elect => true,
            O::Ldmatrix | O::Stmatrix | O::Movmatrix | O::Mma | O::Wmma => true,
            O::Nanosleep | O::Griddepcontrol => true,
            O::Mbarrier => i.modifiers.mode == Some(Mode::TryWait),
            // Leaving a kernel from inside a function unwinds to the scheduler.
            O::Exit => device,
            _ => false,
        },
    }
}

/// Whether a body asks where the part of shared memory is that CUDA keeps for its own use.
pub(crate) fn asks_for_reserved(body: &Body) -> bool {
    let reserved = |o: &Operand| matches!(o, Operand::Special(Special::ReservedSmemOffset(_)));
    body.statements.iter().any(|s| matches!(s, Statement::Instruction(i) if i.operands.iter().any(reserved)))
}

/// Names of the functions and variables that a body mentions.
pub(crate) fn mentions<'a>(body: &'a Body, visit: &mut dyn FnMut(&'a Name)) {
    fn operand<'a>(o: &'a Operand, visit: &mut dyn FnMut(&'a Name)) {
        use hotfire_ptx::ast::{AddressBase, Symbol};
        match o {
            Operand::Symbol(Symbol::Global(n), _) | Operand::Address(AddressBase::Symbol(Symbol::Global(n)), _) => {
                visit(n);
            }
            Operand::Vector(parts) => parts.iter().for_each(|p| operand(p, visit)),
            Operand::Pair(a, b) => {
                operand(a, visit);
                operand(b, visit);
            }
            _ => {}
        }
    }
    for statement in &body.statements {
        match statement {
            Statement::Instruction(i) => i.operands.iter().for_each(|o| operand(o, visit)),
            Statement::Call(c) => c.arguments.iter().for_each(|o| operand(o, visit)),
            Statement::Label(_) => {}
        }
    }
}
