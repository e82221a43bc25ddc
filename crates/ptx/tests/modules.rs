//! What a text means, module by module: directives, variables, scopes, places, operands.

use hotfire_ptx::ast::*;
use hotfire_ptx::{Opcode, parse};

fn module(text: &str) -> Module {
    let module =
        parse(&format!(".version 8.3\n.target sm_90a, debug\n.address_size 64\n{text}")).expect("the text is a module");
    for function in &module.functions {
        assert_eq!(function.broken, None, "{}", function.name);
    }
    module
}

/// The instructions of a kernel with these lines.
fn code(lines: &str) -> (Body, Vec<Instruction>) {
    let registers =
        ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %q<9>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .b16 %h<9>;";
    let mut module = module(&format!(".shared .b32 s[4];\n.entry k(.param .b64 a)\n{{\n{registers}\n{lines}\n}}\n"));
    let body = module.functions.remove(0).body.expect("the kernel has a body");
    let instructions = body.statements.iter().filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(instruction.clone()),
        _ => None,
    });
    let instructions = instructions.collect();
    (body, instructions)
}

fn one(line: &str) -> Instruction {
    let (_, mut instructions) = code(line);
    assert_eq!(instructions.len(), 1, "{line}");
    instructions.remove(0)
}

#[test]
fn header_and_functions() {
    let module = module(
        "// a comment\n/* and ** another */\n\
         .extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n\
         .weak .func (.param .align 8 .b8 r[12]) f(.param .align 16 .b8 a[24], .param .b8 b, .reg .b32 %c) .noreturn ;\n\
         .visible .entry k(.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 q[5], .param .u16 r)\n\
         .maxntid 128, 2\n.minnctapersm 3 .reqnctapercluster 2, 1, 1 .maxnreg 40\n{ .pragma \"nounroll\"; ret; }\n",
    );
    assert_eq!((module.version, module.target.as_str(), module.address_size), ((8, 3), "sm_90a", 64));
    let [vprintf, f, k] = &module.functions[..] else { panic!("three functions") };
    assert_eq!((vprintf.linkage, vprintf.kind, vprintf.body.is_none()), (Linkage::Extern, FunctionKind::Device, true));
    assert!(f.directives.no_return && f.linkage == Linkage::Weak && f.parameters[2].register);
    let layout =
        |function: &Function| function.parameters.iter().map(|p| (p.offset, p.size, p.align)).collect::<Vec<_>>();
    assert_eq!(layout(f), [(0, 24, 16), (24, 1, 1), (28, 4, 4)]);
    assert_eq!((f.returns[0].size, f.returns[0].align), (12, 8));
    assert_eq!(layout(k), [(0, 8, 8), (8, 5, 8), (14, 2, 2)]);
    assert_eq!(k.directives.max_threads, Some([128, 2, 1]));
    assert_eq!((k.directives.min_blocks_per_sm, k.directives.max_registers), (Some(3), Some(40)));
    assert_eq!(k.directives.required_cluster, Some([2, 1, 1]));
    assert_eq!((k.location.line, k.location.column), (8, 10));
}

#[test]
fn variables() {
    let module = module(
        ".visible .global .attribute(.managed) .align 4 .u32 m = 5;\n\
         .global .align 1 .b8 text[4] = {104, 105, 0};\n\
         .const .f32 c[3] = {1.0, -2.5, 0f7F800000};\n.const .f64 d = -1;\n\
         .global .u32 rows[2][3] = {{1}, {4, 5, 6}};\n.global .s16 flat[2][2] = {1, 2, 3};\n\
         .global .b8 open[] = {1, 2, 3};\n.extern .shared .align 16 .b8 dynamic[];\n\
         .global .v4 .f32 v[2] = {{1.0, 2.0}, {3.0}};\n.weak .global .b64 w;\n.common .global .b32 shared_between_units;\n\
         .global .u64 pointers[5] = {m, generic(text)+1, k, 7, text-2};\n\
         .global .b8 pieces[2] = {0xFF(generic(text)), 0xFF00(text+3)};\n.global .u32 sums[2] = {(1 << 4 | 3), -1};\n.visible .entry k() { ret; }\n",
    );
    let variable =
        |name: &str| module.variables.iter().find(|variable| *variable.name == *name).expect("it is declared");
    let bytes = |name: &str| variable(name).init.bytes.clone();
    assert!(variable("m").managed && !variable("text").managed);
    assert_eq!((variable("text").size, bytes("text")), (Some(4), b"hi\0".to_vec()));
    assert_eq!(bytes("c"), [1.0f32, -2.5, f32::INFINITY].iter().flat_map(|f| f.to_le_bytes()).collect::<Vec<_>>());
    assert_eq!((variable("c").space, bytes("d")), (Space::Const, (-1.0f64).to_le_bytes().to_vec()));
    assert_eq!(bytes("rows"), [1u32, 0, 0, 4, 5, 6].iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>());
    assert_eq!(bytes("flat"), [1u16, 2, 3].iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>());
    assert_eq!(variable("open").size, Some(3));
    let dynamic = variable("dynamic");
    assert_eq!((dynamic.size, dynamic.align, dynamic.linkage), (None, 16, Linkage::Extern));
    let floats = [1.0f32, 2.0, 0.0, 0.0, 3.0].iter().flat_map(|f| f.to_le_bytes()).collect::<Vec<_>>();
    assert_eq!((variable("v").size, variable("v").align, bytes("v")), (Some(32), 16, floats));
    assert_eq!((variable("w").linkage, variable("shared_between_units").linkage), (Linkage::Weak, Linkage::Common));
    assert_eq!(bytes("sums"), [19u32, u32::MAX].iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>());
    let relocations = |name: &str| {
        let one = |r: &Relocation| (r.offset, r.width, r.shift, r.symbol.to_string(), r.addend, r.generic);
        variable(name).init.relocations.iter().map(one).collect::<Vec<_>>()
    };
    let expected = [(0, "m", 0, false), (8, "text", 1, true), (16, "k", 0, false), (32, "text", -2, false)];
    let expected = expected.map(|(offset, symbol, addend, generic)| (offset, 8, 0, symbol.to_owned(), addend, generic));
    assert_eq!(relocations("pointers"), expected);
    assert_eq!(bytes("pointers")[24], 7);
    let expected = [(0, 1, 0, "text".to_owned(), 0, true), (1, 1, 8, "text".to_owned(), 3, false)];
    assert_eq!(relocations("pieces"), expected);
}

#[test]
fn scopes_and_labels() {
    let (body, instructions) = code(
        "bra L;\n{ .reg .b32 %r1; mov.b32 %r1, 1; bra L; L: }\nmov.b32 %r1, 2;\nL:\n{ .reg .b32 t; mov.b32 t, %r1; }\n{ .reg .b32 t; mov.b32 t, %r1; }",
    );
    assert_eq!(body.labels.len(), 2);
    let targets: Vec<&Operand> =
        instructions.iter().filter(|i| i.opcode == Opcode::Bra).map(|i| &i.operands[0]).collect();
    assert_ne!(targets[0], targets[1], "the inner label is another one");
    let written: Vec<&Operand> =
        instructions.iter().filter(|i| i.opcode == Opcode::Mov).map(|i| &i.operands[0]).collect();
    assert_ne!(written[0], written[1]);
    assert_ne!(written[2], written[3]);
    let labels = body.statements.iter().filter(|statement| matches!(statement, Statement::Label(_))).count();
    assert_eq!(labels, 2);
}

#[test]
fn registers_come_to_be_when_used() {
    let (body, _) = code(".reg .b32 %many<4000000000>; mov.b32 %many3999999999, %many0;");
    assert_eq!(body.registers.len(), 2);
    assert_eq!(&*body.registers[0].name, "%many3999999999");
    assert_eq!(body.registers[0].ty, Type::B32);
}

#[test]
fn vector_registers() {
    let (body, instructions) = code(".reg .v4 .f32 v; ld.global.v4.f32 v, [%q1]; add.f32 v.x, v.w, v.g;");
    assert!(matches!(&instructions[0].operands[0], Operand::Vector(elements) if elements.len() == 4));
    let name = |operand: &Operand| match operand {
        Operand::Register(register) => body.registers[register.0 as usize].name.to_string(),
        _ => panic!("a register"),
    };
    assert_eq!(instructions[1].operands.iter().map(name).collect::<Vec<_>>(), ["v.x", "v.w", "v.y"]);
}

#[test]
fn operands() {
    let operand = |line: &str, index: usize| one(line).operands[index].clone();
    assert_eq!(operand("add.f32 %f1, %f2, 1.5;", 2), Operand::Float32(1.5f32.to_bits()));
    assert_eq!(operand("add.f32 %f1, %f2, 0fBF800000;", 2), Operand::Float32((-1.0f32).to_bits()));
    assert_eq!(operand("add.f64 %d1, %d2, -2.0;", 2), Operand::Float64((-2.0f64).to_bits()));
    assert_eq!(operand("mov.f64 %d1, 0f3F800000;", 1), Operand::Float64(1.0f64.to_bits()));
    assert_eq!(operand("mov.b32 %r1, 0f3F800000;", 1), Operand::Float32(1.0f32.to_bits()));
    assert_eq!(operand("mov.u64 %q1, 0xFFFFFFFFFFFFFFFF;", 1), Operand::Integer(u64::MAX.into()));
    assert_eq!(operand("mov.u32 %r1, -(2+3)*4;", 1), Operand::Integer(-20));
    assert_eq!(operand("mov.u32 %r1, 0b101;", 1), Operand::Integer(5));
    assert_eq!(operand("mov.u32 %r1, 017U;", 1), Operand::Integer(15));
    assert_eq!(operand("mov.u32 %r1, %tid.y;", 1), Operand::Special(Special::Tid(1)));
    assert_eq!(operand("mov.u32 %r1, WARP_SZ;", 1), Operand::Integer(32));
    assert_eq!(operand("mov.b64 %q1, a;", 1), Operand::Symbol(Symbol::Parameter(0), 0));
    assert_eq!(operand("mov.b64 %q1, s+8;", 1), Operand::Symbol(Symbol::Global("s".into()), 8));
    assert_eq!(
        operand("ld.shared.b32 %r1, [s+-4];", 1),
        Operand::Address(AddressBase::Symbol(Symbol::Global("s".into())), -4)
    );
    assert_eq!(operand("ld.shared.b32 %r1, [16];", 1), Operand::Address(AddressBase::Absolute(16), 0));
    assert!(matches!(operand("ld.global.b32 %r1, [%q1+4*8];", 1), Operand::Address(AddressBase::Register(_), 32)));
    assert!(matches!(operand("setp.eq.s32 %p1|%p2, %r1, 0;", 0), Operand::Pair(..)));
    assert!(matches!(operand("shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;", 4), Operand::Integer(-1)));
    assert!(matches!(operand("and.pred %p1, %p2, !%p3;", 2), Operand::NotRegister(_)));
    assert!(matches!(operand("mov.b64 {_, %r1}, %q1;", 0), Operand::Vector(elements) if elements[0] == Operand::Sink));
    let texel = operand("tex.2d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%q1, %q2, {%r5, %r6}];", 1);
    assert!(matches!(texel, Operand::Texel { sampler: Some(_), coordinates, .. } if coordinates.len() == 2));
}

#[test]
fn modifiers() {
    let ld = one("ld.relaxed.gpu.global.L1::no_allocate.L2::cache_hint.L2::128B.v2.b32 {%r1, %r2}, [%q1], %q2;");
    assert_eq!((ld.opcode, ld.types.as_slice(), ld.modifiers.vector), (Opcode::Ld, &[Type::B32][..], 2));
    assert_eq!((ld.modifiers.semantics, ld.modifiers.scope), (Some(Semantics::Relaxed), Some(Scope::Gpu)));
    assert_eq!((ld.modifiers.space, ld.operands.len()), (Some(Space::Global), 3));
    let copy = one("cp.async.ca.shared.global [%r1], [%q1], 16, %r2;");
    assert_eq!((copy.modifiers.mode, copy.modifiers.space), (Some(Mode::Async), Some(Space::Shared)));
    assert_eq!(copy.modifiers.source_space, Some(Space::Global));
    let mma = one(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};",
    );
    assert_eq!(mma.modifiers.shape, Some(Shape { m: 16, n: 8, k: 16 }));
    assert_eq!(mma.modifiers.layouts, [Some(Layout::Row), Some(Layout::Col)]);
    assert_eq!(mma.types, [Type::F32, Type::F16, Type::F16, Type::F32]);
    let setp = one("setp.ltu.and.ftz.f32 %p1, %f1, %f2, !%p2;");
    assert_eq!((setp.modifiers.compare, setp.modifiers.operation), (Some(Compare::Ltu), Some(Operation::And)));
    assert_eq!(one("setp.lo.u32 %p1, %r1, %r2;").modifiers.compare, Some(Compare::Lo));
    assert_eq!(one("mul.lo.u32 %r1, %r1, %r2;").modifiers.half, Some(Half::Lo));
    assert_eq!(one("bar.red.popc.u32 %r1, 0, %p1;").modifiers.operation, Some(Operation::Popc));
    assert_eq!(one("bar.warp.sync %r1;").modifiers.mode, Some(Mode::Warp));
    assert_eq!(one("bar.sync 0;").modifiers.mode, Some(Mode::Sync));
    assert_eq!(one("mbarrier.arrive.expect_tx.b64 %q1, [%q2], 3;").modifiers.mode, Some(Mode::ArriveExpectTx));
    assert_eq!(one("cp.async.bulk.wait_group.read 0;").modifiers.mode, Some(Mode::BulkWaitGroup));
    let blanks = one("ld .global .u32 %r1, [%q1];");
    assert_eq!((blanks.opcode, blanks.modifiers.space), (Opcode::Ld, Some(Space::Global)));
    let guarded = one("@!%p3 ret;");
    assert!(guarded.guard.is_some_and(|guard| guard.negated));
}

#[test]
fn calls_and_indirect_branches() {
    let module = module(
        ".func (.param .b32 r) f(.param .b32 a) { st.param.b32 [r+0], 1; ret; }\n.alias g, f;\n\
         .entry k() {\n.reg .b32 %r<3>; .reg .b64 %q<2>;\nmov.u64 %q1, f;\n\
         { .param .b32 p; .param .b32 v; st.param.b32 [p], %r1; call.uni (v), f, (p); ld.param.b32 %r2, [v]; }\n\
         { .param .b32 p; .param .b32 v; P : .callprototype (.param .b32 _) _ (.param .b32 _) ; call (v), %q1, (p), P; }\n\
         call (%r1), g, (7);\nT: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA:\nB: ret;\n}\n",
    );
    assert_eq!(module.functions.iter().map(|function| &*function.name).collect::<Vec<_>>(), ["f", "g", "k"]);
    let body = module.functions[2].body.as_ref().expect("k has a body");
    let calls: Vec<&Call> =
        body.statements.iter().filter_map(|s| if let Statement::Call(call) = s { Some(call) } else { None }).collect();
    assert_eq!(calls[0].target, CallTarget::Direct("f".into()));
    assert!(matches!(calls[1].target, CallTarget::Indirect(_)) && calls[1].prototype == Some(0));
    assert_eq!(calls[2].arguments, [Operand::Integer(7)]);
    assert_eq!(body.targets, [[Label(1), Label(2), Label(1)]]);
    assert_eq!(body.prototypes[0].parameters[0].size, 4);
}

#[test]
fn places() {
    let module = module(
        ".file 3 \"a.cu\", 12345, 678\n.entry k() {\n.loc 3 10 5\nret;\n.loc 7 20 1, function_name $L__info_string0, inlined_at 3 10 5\n\
         ret;\n.loc 7 30 2, function_name $L__info_string0+4, inlined_at 7 20 1\nret;\n}\n.file 7 \"b.h\"\n\
         .section .debug_str { $L__info_string0:\n.b8 95,90,102,\n0\n.b8 103,0 }\n.section .debug_abbrev { .b8 1 .b32 L + 3 }\n",
    );
    assert_eq!(module.files, ["a.cu", "b.h"]);
    let body = module.functions[0].body.as_ref().expect("k has a body");
    let sources: Vec<SourceLine> = body
        .statements
        .iter()
        .filter_map(|s| if let Statement::Instruction(i) = s { i.location.source } else { None })
        .collect();
    assert_eq!(sources[0], SourceLine { file: 0, line: 10, column: 5, inlined: 0 });
    assert_eq!(sources[1], SourceLine { file: 1, line: 20, column: 1, inlined: 1 });
    assert_eq!(sources[2], SourceLine { file: 1, line: 30, column: 2, inlined: 2 });
    let names: Vec<Option<&str>> = body.inlines.iter().map(|inline| inline.function.as_deref()).collect();
    assert_eq!(names, [Some("_Zf"), Some("g")]);
    assert_eq!(
        body.inlines[1].at,
        SourceLine { file: 1, line: 20, column: 1, inlined: 1 },
        "the caller is inlined itself"
    );
}
