//! Kernels of one instruction, run on plain memory: thread n reads case n and writes its results.

use hotfire_jit::abi::{BlockContext, EntryKind, Runtime, ThreadContext};
use hotfire_jit::{Arena, Environment, Kernel, Options, compile};
use std::ffi::c_void;

/// A word or an instruction, and what it does to a number.
pub type Row = (&'static str, fn(f64) -> f64);

/// Inputs of one case, as bits.
pub type Inputs = [u64; 4];

/// Bytes of one case in memory: four inputs, two outputs.
const CASE: usize = 48;

/// Compiled code: `%d` and `%e` are its destinations, `%a`, `%b`, `%c`, `%f` its sources.
pub struct Code {
    kernel: Kernel,
    outputs: usize,
}

struct Nothing;

impl Environment for Nothing {
    fn address(&self, _: &str) -> Option<u64> {
        None
    }
    fn builtin(&self, _: &str) -> Option<hotfire_jit::abi::DeviceFunction> {
        None
    }
}

macro_rules! never {
    ($($name:ident ($($ty:ty),*) $(-> $result:ty)?;)*) => {$(
        unsafe extern "C-unwind" fn $name(_: *mut ThreadContext, $(_: $ty),*) $(-> $result)? {
            // The frames of generated code cannot be unwound.
            eprintln!(concat!("`", stringify!($name), "` was called"));
            std::process::abort()
        }
    )*};
}

never! {
    check_access(u64, u32, u32, u32);
    fault(u32, u64, u32);
    exit();
    barrier(u32, u32, u32, u32, u32) -> u32;
    warp_sync(u32, u32);
    shuffle(u32, u32, u32, u32, u32, u32) -> u64;
    vote(u32, u32, u32, u32) -> u32;
    match_sync(u32, u64, u32, u32) -> u64;
    redux(u32, u32, u32, u32) -> u32;
    active_mask() -> u32;
    elect(u32, u32) -> u64;
    yield_now();
    grid_dependency(u32, u32);
    clock() -> u64;
    global_timer() -> u64;
    call_target(u64, u32) -> *const u8;
    is_space(u64, u32) -> u32;
    mbarrier(u64, u32, u64, u32) -> u64;
    copy_part(u64, u64, u32, u32, u32, u32);
    copy_bulk(u64, u64, u32, u64, u32, u32);
    cluster_barrier(u32, u32);
    matrix(u32, *mut u32, u32);
    cluster_rank(u64) -> u32;
    texel(*mut hotfire_jit::texel::Request, u32, u32, u32);
}

fn options() -> Options {
    let runtime = Runtime {
        check_access,
        fault,
        exit,
        barrier,
        warp_sync,
        shuffle,
        vote,
        match_sync,
        redux,
        active_mask,
        elect,
        yield_now,
        grid_dependency,
        clock,
        global_timer,
        call_target,
        is_space,
        mbarrier,
        copy_part,
        copy_bulk,
        cluster_barrier,
        matrix,
        cluster_rank,
        texel,
    };
    // Every address of the process lies in this arena.
    Options { arena: Arena { base: 0, size: 1 << 47 }, runtime, checks: None, costs: false }
}

/// Compiles kernel `k` of a module that refers to nothing else.
pub fn compile_kernel(module: &hotfire_ptx::ast::Module) -> Result<Kernel, hotfire_ptx::Diagnostic> {
    compile(module, "k", &Nothing, &options())
}

/// Untyped register type and size in bytes of a PTX type.
fn untyped(ty: &str) -> (&'static str, &'static str) {
    match ty {
        "pred" => ("pred", "b32"),
        "u8" | "s8" | "b8" => ("b16", "b8"),
        "u16" | "s16" | "b16" | "f16" | "bf16" | "e4m3x2" | "e5m2x2" => ("b16", "b16"),
        "f32" => ("f32", "f32"),
        "f64" => ("f64", "f64"),
        "u64" | "s64" | "b64" | "f32x2" => ("b64", "b64"),
        _ => ("b32", "b32"),
    }
}

impl Code {
    /// Compiles `instruction` (or several): its destinations `%d`, `%e` have the types `outputs`, its sources `%a`, `%b`, `%c`,
    /// `%f` the types `inputs`.
    pub fn new(instruction: &str, outputs: &[&str], inputs: &[&str]) -> Self {
        Self::with_functions("", instruction, outputs, inputs)
    }

    /// As [`Code::new`], with other functions before the kernel. `%at` points to the case: inputs from 0, outputs from 32.
    pub fn with_functions(functions: &str, instruction: &str, outputs: &[&str], inputs: &[&str]) -> Self {
        let (mut declarations, mut before, mut after) = (String::new(), String::new(), String::new());
        for (n, (name, ty)) in ["a", "b", "c", "f"].iter().zip(inputs).enumerate() {
            let (register, memory) = untyped(ty);
            declarations += &format!(".reg .{register} %{name};\n");
            let at = n * 8;
            if register == "pred" {
                before += &format!("ld.b32 %t, [%at+{at}];\nsetp.ne.b32 %{name}, %t, 0;\n");
            } else {
                before += &format!("ld.{memory} %{name}, [%at+{at}];\n");
            }
        }
        for (n, (name, ty)) in ["d", "e"].iter().zip(outputs).enumerate() {
            let (register, memory) = untyped(ty);
            declarations += &format!(".reg .{register} %{name};\n");
            let at = 32 + n * 8;
            if register == "pred" {
                after += &format!("selp.b32 %t, 1, 0, %{name};\nst.b32 [%at+{at}], %t;\n");
            } else {
                after += &format!("st.{memory} [%at+{at}], %{name};\n");
            }
        }
        let text = format!(
            ".version 9.0\n.target sm_100\n.address_size 64\n{functions}\n.visible .entry k(.param .u64 base)\n{{\n.reg .b64 %at;\n\
             .reg .b32 %t;\n{declarations}ld.param.u64 %at, [base];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %at, %t, {CASE}, %at;\n\
             {before}{instruction}\n{after}ret;\n}}\n"
        );
        let module = hotfire_ptx::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        if let Some(error) = module.functions.iter().find_map(|function| function.broken.as_ref()) {
            panic!("{error}\n{text}");
        }
        let kernel = compile_kernel(&module).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Self { kernel, outputs: outputs.len() }
    }

    /// Whether the kernel runs in phases.
    pub fn in_phases(&self) -> bool {
        matches!(self.kernel.entry, EntryKind::Phases(..))
    }

    /// Results of the cases.
    pub fn run(&self, cases: &[Inputs]) -> Vec<[u64; 2]> {
        let mut memory = vec![0u64; cases.len() * CASE / 8];
        for (case, at) in cases.iter().zip(memory.chunks_mut(CASE / 8)) {
            at[..4].copy_from_slice(case);
        }
        let parameters = [memory.as_mut_ptr() as u64];
        let count = cases.len() as u32;
        let block = BlockContext {
            ntid: [count, 1, 1],
            ctaid: [0; 3],
            nctaid: [1; 3],
            dynamic_shared: 0,
            total_shared: 0,
            smid: 0,
            nsmid: 1,
            cluster_ctaid: [0; 3],
            cluster_nctaid: [1; 3],
            gridid: 1,
            shared: std::ptr::null_mut(),
            parameters: parameters.as_ptr().cast(),
            device: std::ptr::null_mut::<c_void>(),
            current_graph: 0,
            workspace: 0,
            windows: std::ptr::null(),
            segment: 0,
            met: 0,
            watched: 0,
            shadow: std::ptr::null(),
            costs: Default::default(),
        };
        let mut thread = ThreadContext {
            block: &block,
            stack_limit: std::ptr::null(),
            tid: [0; 3],
            linear: 0,
            last_error: 0,
            zero: 0,
            segment: 0,
            yielder: std::ptr::null(),
            device: std::ptr::null_mut(),
            site: 0,
            access: 0,
            look: 0,
            cycles: 0,
        };
        match self.kernel.entry {
            // SAFETY: the entry is of a kernel that touches only its cases; the contexts are live and filled in.
            EntryKind::Loop(entry) => unsafe { entry(&mut thread, 0, count) },
            EntryKind::Phases(entry, frame) => {
                let mut frames = vec![0u128; frame as usize / 16 * count as usize];
                // SAFETY: as above; there is a frame for each thread.
                while unsafe { entry(&mut thread, frames.as_mut_ptr().cast(), count) } > 0 {}
            }
            _ => panic!("the kernel never suspends elsewhere"),
        }
        memory.chunks(CASE / 8).map(|at| [at[4], if self.outputs > 1 { at[5] } else { 0 }]).collect()
    }
}

/// Bits in a value of a type.
pub fn width(ty: &str) -> u32 {
    match untyped(ty).1 {
        "b8" => 8,
        "b16" => 16,
        "b64" | "f64" => 64,
        _ => 32,
    }
}

fn is_nan(ty: &str, bits: u64) -> bool {
    match ty {
        "f32" => f32::from_bits(bits as u32).is_nan(),
        "f64" => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

/// Three rounds for thread 0, two for thread 1, one for threads 2 and 3, and so on.
pub const LOOP: &str = "{ .reg .pred %more; .reg .b32 %round; mov.u32 %round, %tid.x; and.b32 %round, %round, 3;\n\
    ROUND: add.u32 %round, %round, 1; setp.lt.u32 %more, %round, 3; @%more bra ROUND; }\n";

/// Checks one instruction against a model on all combinations of interesting inputs. f32 and f64 results that are NaN may be any
/// NaN.
pub fn check(instruction: &str, output: &str, inputs: &[&str], model: impl Fn(Inputs) -> u64) {
    let mut cases: Vec<Inputs> = vec![[0; 4]];
    for (n, ty) in inputs.iter().enumerate() {
        let values = interesting(ty, inputs.len());
        cases = cases
            .iter()
            .flat_map(|case| {
                values.iter().map(move |value| {
                    let mut case = *case;
                    case[n] = *value;
                    case
                })
            })
            .collect();
    }
    check_on(instruction, output, inputs, &cases, model);
}

/// As [`check`], on given cases.
pub fn check_on(instruction: &str, output: &str, inputs: &[&str], cases: &[Inputs], model: impl Fn(Inputs) -> u64) {
    // Also where the registers have to be kept over barriers, and for two threads at once, of which every other two part in a loop;
    // kernels with variables on their stacks do neither.
    let among_barriers = format!("bar.sync 0;\n{instruction}\nbar.sync 0;");
    let in_pairs = format!("{LOOP}{instruction}");
    let ways = [instruction, &among_barriers, &in_pairs];
    for instruction in &ways[..if instruction.contains(".local") { 1 } else { 3 }] {
        let code = Code::new(instruction, &[output], inputs);
        for (case, result) in cases.iter().zip(code.run(cases)) {
            let expected = model(*case) & (u64::MAX >> (64 - width(output)));
            if result[0] != expected && !(is_nan(output, result[0]) && is_nan(output, expected)) {
                panic!("`{instruction}` of {case:x?} gives {:#x}, not {expected:#x}", result[0]);
            }
        }
    }
}

/// A deterministic source of bits.
pub fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Values at the edges of a type, and random ones; fewer where `of` inputs combine.
pub fn interesting(ty: &str, of: usize) -> Vec<u64> {
    let bits = width(ty);
    let mask = u64::MAX >> (64 - bits);
    let mut values: Vec<u64> = match ty {
        "pred" => return vec![0, 1],
        "f32" => {
            let mut values =
                vec![0.0, 1.0, 1.5, 0.5, 2.5, 3.0e38, 1.0e-38, 1.0e-45, 16_777_217.0, 65504.0, 1e10, 255.5, 3.25e-20];
            values.extend([f32::INFINITY, f32::NAN, f32::MIN_POSITIVE, f32::MAX, 0.1, 2_147_483_648.0, 1.0e19, 0.75]);
            values.iter().flat_map(|v: &f32| [v.to_bits(), (-v).to_bits()]).map(u64::from).collect()
        }
        "f64" => {
            let mut values = vec![
                0.0,
                1.0,
                1.5,
                0.5,
                2.5,
                1.0e300,
                1.0e-300,
                5e-324,
                9_007_199_254_740_993.0,
                65504.0,
                1e10,
                3.4028235e38,
            ];
            values.extend([
                f64::INFINITY,
                f64::NAN,
                f64::MIN_POSITIVE,
                f64::MAX,
                0.1,
                2_147_483_648.0,
                1.0e19,
                1e-40,
                1.0000000596046448,
            ]);
            values.iter().flat_map(|v: &f64| [v.to_bits(), (-v).to_bits()]).collect()
        }
        "f16" => [
            0u64, 1, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x3800, 0x4248, 0x7bff, 0x7c00, 0x7e00, 0x5640, 0x2e66, 0x6400,
            0x3e00,
        ]
        .iter()
        .flat_map(|v| [*v, v | 0x8000])
        .collect(),
        "bf16" => [
            0u64, 1, 0x7f, 0x80, 0x3f80, 0x3f81, 0x3f00, 0x4049, 0x7f7f, 0x7f80, 0x7fc0, 0x42c8, 0x3dcc, 0x4b80, 0x3fc0,
        ]
        .iter()
        .flat_map(|v| [*v, v | 0x8000])
        .collect(),
        "f16x2" | "bf16x2" => {
            let parts = interesting(&ty[..ty.len() - 2], of);
            parts.iter().zip(parts.iter().cycle().skip(7)).map(|(low, high)| low | high << 16).collect()
        }
        "shift" => vec![0, 1, 3, 8, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 255, 256, 0x1001, 0xffff_ffff],
        "u8" | "s8" => (0..256).collect(),
        _ => {
            let top = 1u64 << (bits - 1);
            let half = 1u64 << (bits / 2);
            vec![
                0,
                1,
                2,
                3,
                7,
                10,
                0x80,
                0xff,
                half - 1,
                half,
                half + 1,
                top - 1,
                top,
                top + 1,
                mask - 1,
                mask,
                mask - 6,
                0x5555_5555_5555_5555 & mask,
            ]
        }
    };
    let mut state = u64::from(bits) * 7919 + of as u64;
    for _ in 0..if of > 2 { 3 } else { 40 } {
        values.push(random(&mut state) & mask);
    }
    values
}
