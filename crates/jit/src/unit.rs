//! Compiles a kernel with all functions it reaches into one piece of machine code.

use crate::abi::{DeviceFunction, EntryKind, Fault, LoopEntry, PhaseEntry, ThreadEntry};
use crate::analysis::{Reach, index};
use crate::emit;
use crate::kernel::{Code, Kernel};
use crate::layout::Shared;
use crate::pairs::Pairs;
use crate::phases::{self, Phases};
use crate::registry::{CodeMap, register};
use crate::{Environment, Options};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, ir};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _};
use hotfire_ptx::Diagnostic;
use hotfire_ptx::ast::{FunctionKind, Location, Module, Variable};
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// How a root function is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// [`EntryKind::Loop`]
    Loop,
    /// [`EntryKind::Phases`]
    Phases,
    /// [`EntryKind::Thread`]
    Thread,
    /// [`EntryKind::Function`], and every callee.
    Function,
}

/// What the translation of each function may ask.
pub(crate) struct Unit<'a> {
    pub module: &'a Module,
    pub environment: &'a dyn Environment,
    pub options: &'a Options,
    pub names: HashMap<&'a str, usize>,
    pub variables: HashMap<&'a str, &'a Variable>,
    pub reach: Reach<'a>,
    pub shared: Shared,
    /// Cranelift's number of each reached function.
    pub ids: Vec<FuncId>,
    /// Of the function that looks at addresses outside of the arena.
    pub checker: FuncId,
    pub fma: bool,
    /// If the kernel runs in phases.
    pub phases: Option<Phases>,
    /// If its threads run in pairs.
    pub pairs: Option<Pairs>,
}

/// Places that the code refers to by number.
#[derive(Default)]
pub(crate) struct Sites {
    pub places: Vec<Location>,
    /// First place of each function, and the function's index in the module.
    pub functions: Vec<(u32, usize)>,
    /// What is added to a number to tell it from those of other units; 0 where nobody asks.
    pub first: u32,
    /// Places that access memory, in code for checks.
    pub accesses: Vec<u32>,
    /// The number of the first one, and one behind the last that there may be.
    pub numbers: std::ops::Range<u32>,
}

/// The number that the first site of the next unit compiled for checks has.
static NEXT_SITE: AtomicU32 = AtomicU32::new(1);

/// Numbers of accesses: those of a kernel are its own, below; functions that are called by address run in any kernel, so the rest is
/// dealt out among all of them.
const ACCESSES: std::ops::Range<u32> = 1..1 << 15;
const BY_ADDRESS: u32 = 3 << 13;
static NEXT_ACCESS: AtomicU32 = AtomicU32::new(BY_ADDRESS);

impl Sites {
    /// The places that follow are in this function.
    fn begin(&mut self, function: usize) {
        self.functions.push((self.places.len() as u32, function));
    }

    /// The number that an access at a place has in the shadow: small, since little room is there for it. 0 if there are too many.
    pub fn access(&mut self, place: u32) -> u32 {
        if self.accesses.last() != Some(&place) {
            self.accesses.push(place);
        }
        let number = self.numbers.start + self.accesses.len() as u32 - 1;
        if number < self.numbers.end { number } else { 0 }
    }

    /// The number of a place.
    pub fn of(&mut self, location: Location) -> u32 {
        let fresh = self.functions.last().is_some_and(|(first, _)| *first as usize == self.places.len());
        if fresh || self.places.last() != Some(&location) {
            self.places.push(location);
        }
        (self.places.len() - 1) as u32
    }
}

/// Trap code after calls that never return.
pub(crate) const UNREACHABLE: ir::TrapCode = ir::TrapCode::unwrap_user(1);

fn isa() -> Result<OwnedTargetIsa, String> {
    static ISA: OnceLock<Result<OwnedTargetIsa, String>> = OnceLock::new();
    ISA.get_or_init(|| {
        let mut flags = settings::builder();
        let verify = if cfg!(debug_assertions) { "true" } else { "false" };
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_verifier", verify),
            ("enable_probestack", "false"),
            ("unwind_info", "false"),
            ("enable_table_access_spectre_mitigation", "false"),
            ("enable_heap_access_spectre_mitigation", "false"),
        ] {
            flags.set(name, value).map_err(|e| e.to_string())?;
        }
        let builder = cranelift_native::builder().map_err(str::to_string)?;
        builder.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())
    })
    .clone()
}

fn has_fma(isa: &OwnedTargetIsa) -> bool {
    !cfg!(target_arch = "x86_64") || isa.isa_flags().iter().any(|f| f.name == "has_fma" && f.as_bool() == Some(true))
}

/// An error of the compiler itself, not of the program.
fn internal(error: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::new(Location::default(), format!("internal error of the compiler: {error}"))
}

/// See [`crate::compile`].
pub(crate) fn compile(
    module: &Module,
    root: &str,
    environment: &dyn Environment,
    options: &Options,
    mut listing: Option<&mut String>,
) -> Result<Kernel, Diagnostic> {
    let names = index(module);
    let reach = Reach::new(module, &names, root)?;
    let kernel = reach.functions[0].function.kind == FunctionKind::Kernel;
    let shared = Shared::new(module, &reach, reach.indirect || !kernel)?;
    let shape = match (kernel, reach.suspends) {
        (false, _) => Shape::Function,
        (true, true) if options.checks.is_none() && !options.costs && phases::fit(&reach) => Shape::Phases,
        (true, true) => Shape::Thread,
        (true, false) => Shape::Loop,
    };
    let plain = shape == Shape::Loop && options.checks.is_none() && !options.costs;
    let pairs = if plain { Pairs::of(&reach.functions[0]) } else { None };
    let phases = (shape == Shape::Phases).then(|| Phases::new(&reach.functions[0]));

    let isa = isa().map_err(internal)?;
    let mut builder = JITBuilder::with_isa(isa.clone(), cranelift_module::default_libcall_names());
    let statements: usize = reach.functions.iter().map(|f| f.body.statements.len() + f.body.registers.len()).sum();
    let reserve = (1 << 20) + statements * 1024;
    builder.memory_provider(Box::new(ArenaMemoryProvider::new_with_size(reserve).map_err(internal)?));
    let mut code = Code { module: Some(JITModule::new(builder)), registration: None };
    let Some(jit) = code.module.as_mut() else { return Err(internal("no module")) };

    let mut ids = Vec::with_capacity(reach.functions.len());
    for i in 0..reach.functions.len() {
        let shape = if i == 0 { shape } else { Shape::Function };
        let signature = emit::signature(shape);
        ids.push(jit.declare_function(&format!("f{i}"), Linkage::Local, &signature).map_err(internal)?);
    }
    let checker = jit.declare_function("check", Linkage::Local, &emit::checker_signature()).map_err(internal)?;
    let mut variables = HashMap::with_capacity(module.variables.len());
    for v in &module.variables {
        let slot = variables.entry(&*v.name).or_insert(v);
        if slot.size.is_none() {
            *slot = v;
        }
    }
    let fma = has_fma(&isa);
    let unit = Unit { module, environment, options, names, variables, reach, shared, ids, checker, fma, phases, pairs };

    let mut sites = Sites::default();
    if options.checks.is_some() {
        // Every site is at a statement.
        let most: usize = unit.reach.functions.iter().map(|f| f.body.statements.len()).sum();
        sites.first = NEXT_SITE.fetch_add(most as u32, Ordering::Relaxed);
        sites.numbers = if kernel {
            ACCESSES.start..BY_ADDRESS
        } else {
            // The last number stays free: it is where the counter stands when all are dealt.
            let deal = |next: u32| Some(next.saturating_add(most as u32).min(ACCESSES.end - 1));
            let first = NEXT_ACCESS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, deal).unwrap_or(ACCESSES.end);
            first..(first + most as u32).min(ACCESSES.end - 1)
        };
    }
    let mut map = CodeMap::default();
    let mut context = Context::new();
    let mut builder_context = FunctionBuilderContext::new();
    let mut frames = Vec::new();
    let mut parts = Vec::new();
    for (i, id) in unit.ids.iter().enumerate() {
        context.func.signature = emit::signature(if i == 0 { shape } else { Shape::Function });
        context.func.name = ir::UserFuncName::user(0, id.as_u32());
        let shape = if i == 0 { shape } else { Shape::Function };
        sites.begin(unit.names.get(&*unit.reach.functions[i].function.name).copied().unwrap_or(0));
        emit::function(&unit, i, shape, &mut context.func, &mut builder_context, &mut sites, isa.frontend_config())?;
        if listing.is_some() {
            context.set_disasm(true);
        }
        let clif = listing.as_ref().map(|_| context.func.display().to_string());
        jit.define_function(*id, &mut context).map_err(|e| internal(format!("{e:?}")))?;
        let compiled = context.compiled_code().ok_or_else(|| internal("no code"))?;
        if let (Some(out), Some(clif)) = (listing.as_deref_mut(), clif) {
            out.push_str(&clif);
            out.push_str(compiled.vcode.as_deref().unwrap_or_default());
        }
        let frame = compiled.buffer.frame_layout().map_or(0, |f| f.frame_to_fp_offset);
        frames.push(frame + 16);
        let traps: Vec<_> = compiled.buffer.traps().iter().map(|t| (t.offset, t.code)).collect();
        let places: Vec<_> = compiled
            .buffer
            .get_srclocs_sorted()
            .iter()
            .filter(|l| !l.loc.is_default())
            .map(|l| (l.start, l.end, l.loc.bits()))
            .collect();
        parts.push((compiled.code_buffer().len(), traps, places));
        jit.clear_context(&mut context);
    }
    context.func.signature = emit::checker_signature();
    context.func.name = ir::UserFuncName::user(0, checker.as_u32());
    let check = options.runtime.check_access as usize;
    emit::checker(&mut context.func, &mut builder_context, check, isa.frontend_config());
    jit.define_function(checker, &mut context).map_err(|e| internal(format!("{e:?}")))?;
    let compiled = context.compiled_code().ok_or_else(|| internal("no code"))?;
    let innermost = compiled.buffer.frame_layout().map_or(0, |f| f.frame_to_fp_offset) + 16;
    jit.finalize_definitions().map_err(internal)?;

    let starts: Vec<usize> = unit.ids.iter().map(|id| jit.get_finalized_function(*id) as usize).collect();
    let start = starts.iter().copied().min().unwrap_or(0);
    let end = starts.iter().zip(&parts).map(|(s, p)| s + p.0).max().unwrap_or(0);
    for (at, (_, traps, places)) in starts.iter().zip(&parts) {
        let base = (at - start) as u32;
        for (offset, code) in traps {
            let fault = match *code {
                ir::TrapCode::STACK_OVERFLOW => Fault::StackError,
                // Loads and stores carry this one: their address decides.
                ir::TrapCode::HEAP_OUT_OF_BOUNDS => continue,
                UNREACHABLE => Fault::LaunchFailure,
                _ => Fault::IllegalInstruction,
            };
            map.traps.push((base + offset, fault));
        }
        for (from, to, site) in places {
            if let Some(location) = sites.places.get(*site as usize) {
                map.places.push((base + from, base + to, *site, *location));
            }
        }
    }
    map.traps.sort_unstable_by_key(|t| t.0);
    map.places.sort_unstable_by_key(|p| p.0);
    code.registration = Some(register(start, end, map));

    let raw = starts[0] as *const u8;
    // SAFETY: the function was compiled with the signature of its shape, see `emit::signature`; the code lives as
    // long as the kernel that owns it.
    let entry = unsafe {
        match shape {
            Shape::Loop => EntryKind::Loop(std::mem::transmute::<*const u8, LoopEntry>(raw)),
            Shape::Phases => EntryKind::Phases(
                std::mem::transmute::<*const u8, PhaseEntry>(raw),
                unit.phases.as_ref().map_or(0, |phases| phases.frame),
            ),
            Shape::Thread => EntryKind::Thread(std::mem::transmute::<*const u8, ThreadEntry>(raw)),
            Shape::Function => EntryKind::Function(std::mem::transmute::<*const u8, DeviceFunction>(raw)),
        }
    };
    let recursive = unit.reach.recursive();
    let mut kernel =
        Kernel::from_raw(entry, unit.shared.size, stack(&unit.reach, &frames, recursive).saturating_add(innermost));
    kernel.reserved_shared = unit.shared.reserved_bytes();
    let allocates = unit.reach.functions.iter().any(|function| emit::allocates(&function.body.statements));
    kernel.unbounded_stack = recursive || unit.reach.indirect || allocates;
    kernel.polls = unit.reach.polls;
    (kernel.first_site, kernel.functions, kernel.sites) = (sites.first, sites.functions, sites.places);
    (kernel.first_access, kernel.accesses) = (sites.numbers.start, sites.accesses);
    Ok(kernel.with_code(code))
}

/// Deepest stack over the call graph; with recursion, one round of everything.
fn stack(reach: &Reach<'_>, frames: &[u32], recursive: bool) -> u32 {
    if recursive {
        return frames.iter().fold(0, |sum, f| sum.saturating_add(*f));
    }
    // Callees before callers: depth-first, each function once.
    let mut depth: Vec<Option<u32>> = vec![None; frames.len()];
    let mut work = vec![0usize];
    while let Some(&i) = work.last() {
        let calls = &reach.functions[i].calls;
        if let Some(open) = calls.iter().find(|c| depth[**c].is_none()) {
            work.push(*open);
        } else {
            let deepest = calls.iter().filter_map(|c| depth[*c]).max().unwrap_or(0);
            depth[i] = Some(frames[i].saturating_add(deepest));
            work.pop();
        }
    }
    depth[0].unwrap_or(0)
}
