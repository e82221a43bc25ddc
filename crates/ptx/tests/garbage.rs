//! Any text at all gives a module or an error with a place: no panic, no hang, no memory beyond what the text pays for.

use hotfire_ptx::{link, parse};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Parses and links; checks that every error lies inside the text.
fn survive(text: &str) {
    let lines = text.lines().count() as u32 + 1;
    match parse(text) {
        Err(error) => assert!(error.location.line <= lines, "{error}"),
        Ok(module) => {
            for function in &module.functions {
                assert!(function.broken.as_ref().is_none_or(|error| error.location.line <= lines));
                let body = function.body.as_ref();
                assert!(body.is_none_or(|body| body.registers.len() <= text.len() && body.labels.len() <= text.len()));
            }
            if let Err(error) = link(vec![module.clone(), module]) {
                assert!(error.location.line <= lines, "{error}");
            }
        }
    }
}

const REAL: &str = include_str!("data/mixed.ptx");

/// Pieces that mean something to the parser.
const WORDS: &[&str] = &[
    ".version 8.0\n",
    ".target sm_90\n",
    ".address_size 64\n",
    ".entry k() {",
    ".func (.param .b32 r) f(.param .b64 a)",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ":",
    "|",
    "@",
    "@!%p1 ",
    "!",
    "_",
    "+",
    "-",
    "=",
    "%r1",
    "%p1",
    "%rd2",
    "%tid.x",
    "v.x",
    ".reg .b32 %r<9>;",
    ".reg .pred %p<3>;",
    ".reg .v4 .f32 v;",
    "%r<4000000000>",
    ".param .b32 p;",
    ".shared .align 8 .b8 s[16];",
    ".global .u64 g[3] = {",
    "generic(g)",
    "0xFF(g)",
    "add.s32 ",
    "ld.global.v4.f32 ",
    "setp.eq.and.s32 ",
    "call ",
    "call.uni (r), f, (%r1)",
    "bra L;",
    "L:",
    ".branchtargets L;",
    ".callprototype _;",
    "brx.idx ",
    "mov.b64 ",
    "{%r1, %r2}",
    "cvt.rn.f32.s32 ",
    "tex.2d.v4.f32.f32 ",
    ".loc 1 2 3",
    ", function_name L, inlined_at 1 2 3\n",
    ".file 1 \"a\"",
    ".section .debug_str {",
    ".b8 1,2,0",
    ".pragma \"x\";",
    ".alias f, k;",
    "0x1",
    "1.5",
    "0f3F800000",
    "99999999999999999999",
    "(1+2)*3",
    "\"",
    "/*",
    "*/",
    "//",
    "\n",
    "\u{0}",
    "é",
    "$L__BB0_1",
    ".weak ",
    ".extern ",
    ".visible ",
    ".common ",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_in_any_order(words in prop::collection::vec(prop::sample::select(WORDS), 0..120)) {
        survive(&words.concat());
        survive(&format!(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {{ {} }}", words.join(" ")));
    }

    #[test]
    fn any_characters(text in ".{0,300}") {
        survive(&text);
    }

    #[test]
    fn damaged(from in 0..REAL.len(), length in 0usize..60, to in 0..REAL.len(), word in prop::sample::select(WORDS)) {
        // The text is ASCII: every byte is a boundary.
        let mut text = REAL.to_owned();
        text.replace_range(from..(from + length).min(REAL.len()), "");
        survive(&text);
        text.insert_str(to.min(text.len()), word);
        survive(&text);
        survive(&REAL[..to]);
        survive(&REAL[to..]);
    }
}

/// Texts that would be expensive if something were not linear.
#[test]
fn hostile_texts_are_cheap() {
    let header = ".version 8.0\n.target sm_90\n.address_size 64\n";
    let many = |count: usize, piece: &dyn Fn(usize) -> String| (0..count).map(piece).collect::<String>();
    let body = |inside: String| format!("{header}.entry k() {{ {inside} }}");
    let texts = [
        body("{".repeat(100_000)),
        body("{ }".repeat(50_000)),
        body(format!("mov.u32 %r1, {}1;", "(".repeat(100_000))),
        body(format!("mov.u32 %r1, {}1;", "-".repeat(100_000))),
        body(format!("mov.u32 %r1, 1{};", "+1".repeat(100_000))),
        body(format!(".reg .b32 %r{}; add.s32 %r{}, 1, 2;", "1".repeat(100_000), "2".repeat(100_000))),
        body(format!(".reg .b32 %r<9>; add.s32 %r{}, 1, 2;", "3".repeat(200_000))),
        body(format!(".local .b32 {}z;", many(30_000, &|n| format!("v{n}, ")))),
        body(many(30_000, &|n| format!(".reg .b32 %x{n}<4294967295>;"))),
        body(many(20_000, &|n| format!("L{n}: bra L{n};"))),
        body(many(30_000, &|n| format!(".loc 1 {n} 0, function_name f, inlined_at 1 {} 0\n", n / 2))),
        body(format!("add{}.s32 %r1, 1, 2;", ".sat".repeat(50_000))),
        body(format!("call f, ({}1);", "1,".repeat(100_000))),
        format!(
            "{header}{}",
            many(20_000, &|n| format!(".entry k{n}() {{ .reg .b32 %r<4000000000>; mov.b32 %r9, 1; }}"))
        ),
        format!(
            "{header}.func f() {{ {} }}\n{}",
            "ret;".repeat(20_000),
            many(20_000, &|n| format!(".alias a{n}, f;\n"))
        ),
        format!("{header}.global .b8 x[1 << 30] = {};", "{".repeat(100_000)),
        format!("{header}.global .b8 x{} = {{1}};", "[1]".repeat(50_000)),
        format!("{header}{}", many(20_000, &|n| format!(".global .b8 x{n}[2][1 << 30] = {{{{1}}, {{1}}}};\n"))),
        format!("{header}.section .debug_str {{ {} }}", "x: .b8 1 ".repeat(50_000)),
        format!("{header}.func f({}.param .b32 z);", many(20_000, &|n| format!(".param .b64 a{n}, "))),
        "/*".repeat(200_000),
        "\"".repeat(200_000),
        "0x".repeat(200_000),
    ];
    for (number, text) in texts.iter().enumerate() {
        let started = Instant::now();
        survive(text);
        let took = started.elapsed();
        assert!(took < Duration::from_secs(4), "text {number} took {took:?}");
    }
}
