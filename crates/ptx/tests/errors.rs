//! Every error has a place and names what is wrong; an error inside a function leaves the others alone.

use expect_test::{Expect, expect};
use hotfire_ptx::parse;

const HEADER: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";
const REGISTERS: &str = ".reg .pred %p<3>; .reg .b16 %h<3>; .reg .b32 %r<9>; .reg .b64 %q<3>; .reg .f32 %f<4>; .reg .f64 %d<3>; .reg .u32 %u;";

/// What is wrong with a body whose second line is `line`; the first declares registers.
fn body(line: &str, expected: Expect) {
    let text = format!(
        "{HEADER}.entry good() {{ ret; }}\n.entry bad(.param .b32 a)\n{{ {REGISTERS}\n{line}\n}}\n.entry fine() {{ ret; }}\n"
    );
    let module = parse(&text).expect("an error in a body leaves the module usable");
    assert_eq!(module.functions.len(), 3);
    assert!(module.functions[0].body.is_some() && module.functions[2].body.is_some());
    let error = module.functions[1].broken.as_ref().map_or("nothing".to_owned(), ToString::to_string);
    assert_eq!(module.functions[1].body.is_none(), module.functions[1].broken.is_some());
    expected.assert_eq(&error.replace("line 7, ", ""));
}

/// What makes a whole text unusable.
fn module(text: &str, expected: Expect) {
    let error = parse(&format!("{HEADER}{text}")).expect_err("the module is unusable");
    expected.assert_eq(&error.to_string());
}

#[test]
fn instructions() {
    body("frobnicate.u32 %r1, %r2;", expect!["column 1: unknown instruction `frobnicate.u32`"]);
    body("  @%p1 add.u33 %r1, %r2, %r3;", expect!["column 11: unknown word `.u33` of `add.u33`"]);
    body("add.ftz.f64 %d1, %d2, %d0;", expect!["column 1: `add.ftz.f64`: `.ftz` does not belong here"]);
    body(
        "shfl.sync.b32 %r1, %r2, 1, 31, -1;",
        expect!["column 1: `shfl.sync.b32`: one of `.up`, `.down`, `.bfly`, `.idx` is missing"],
    );
    body("add .sat .f64 %d1, %d2, %d0;", expect!["column 1: `add.sat.f64`: `.sat` does not belong here"]);
    body("cvt.u32.f32 %r1, %f1;", expect!["column 1: `cvt.u32.f32`: one of `.rni`, `.rzi`, `.rmi`, `.rpi` is missing"]);
    body("mul.u32 %r1, %r2, %r3;", expect!["column 1: `mul.u32`: one of `.hi`, `.lo` is missing"]);
    body("setp.lo.s32 %p1, %r1, %r2;", expect!["column 1: `setp.lo.s32`: `.lo` does not belong here"]);
}

#[test]
fn operands() {
    body("add.s32 %r1, %r2;", expect!["column 1: `add.s32`: 2 operands instead of 3"]);
    body("add.s32 %r1, %r2, %q1;", expect!["column 1: `add.s32`: operand 3: `%q1` is `.b64`, not `.s32`"]);
    body("add.s32 %r1, %f2, %r2;", expect!["column 1: `add.s32`: operand 2: `%f2` is `.f32`, not `.s32`"]);
    body("add.s32 5, %r1, %r2;", expect!["column 1: `add.s32`: operand 1: a register is needed"]);
    body("add.f32 %f1, %f2, 1;", expect!["column 1: `add.f32`: operand 3: an integer is no `.f32`"]);
    body("add.s32 %r1, %r2, 1.0;", expect!["column 1: `add.s32`: operand 3: a float is no `.s32`"]);
    body("add.s32 %r1, %r2, %p1;", expect!["column 1: `add.s32`: operand 3: `%p1` is a predicate"]);
    body("selp.b32 %r1, %r2, %r3, %r4;", expect!["column 1: `selp.b32`: operand 4: `%r4` is no predicate"]);
    body("ld.global.b32 %h1, [%q1];", expect!["column 1: `ld.global.b32`: operand 1: `%h1` is `.b16`, not `.b32`"]);
    body("ld.global.b32 %r1, [%f1];", expect!["column 1: `ld.global.b32`: operand 2: `%f1` (`.f32`) holds no address"]);
    body(
        "ld.global.v4.b32 {%r1, %r2}, [%q1];",
        expect!["column 1: `ld.global.v4.b32`: operand 1: 2 elements instead of 4"],
    );
    body("mov.u32 %r1, %nosuch;", expect!["column 14: unknown register `%nosuch`"]);
    body("mov.u32 %r1, %r99;", expect!["column 14: unknown register `%r99`"]);
    body("mov.u64 %q1, nosuch;", expect!["column 1: unknown name `nosuch`"]);
    body("mov.u32 %r1, %clock64;", expect!["column 1: `mov.u32`: operand 2: a special register of 64 bits"]);
    body("bra $L__nowhere;", expect!["column 5: unknown label `$L__nowhere`"]);
    body("@%r1 bra L; L:", expect!["column 2: `%r1` is no predicate"]);
    body(
        "tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [%q1, {%f1}];",
        expect!["column 1: `tex.2d.v4.f32.f32`: operand 2: another number of coordinates is needed"],
    );
    body(
        "lop3.b32 %r1, %r2, %r3, %r4, %r5;",
        expect!["column 1: `lop3.b32`: operand 5: an integer constant is needed"],
    );
    body("mov.u32 %r1, 1/0;", expect!["column 15: division by zero"]);
}

#[test]
fn names_and_scopes() {
    body(".reg .b32 %x; .reg .b32 %x;", expect!["column 25: `%x` is declared twice"]);
    body("L: L: ret;", expect!["column 4: `L` is declared twice"]);
    body("{ .reg .b32 t; } mov.u32 t, 1;", expect!["column 18: `mov.u32`: operand 1: a register is needed"]);
    body(".local .b32 v; .local .b32 v;", expect!["column 28: `v` is declared twice"]);
    body(".frob x;", expect!["column 1: unknown directive `.frob`"]);
    body(
        "mov.u32 %r1, 0x1ffffffffffffffff;",
        expect!["column 14: expected a number of at most 64 bits, found `0x1ffffffffffffffff`"],
    );
}

#[test]
fn calls() {
    body("call nosuch;", expect!["column 1: call of unknown function `nosuch`"]);
    body("call good, (%r1);", expect!["column 1: 1 arguments for `good`, which has 0"]);
    body("call bad, (%q1);", expect!["column 1: arguments of `bad`: number 1 has another size"]);
    body("call bad, (%r1);", expect!["nothing"]);
    body("call (%r1), %q1, (%r2);", expect!["column 1: an indirect call names no prototype"]);
    body(
        "P: .callprototype _ (.param .b32 _); call %q1, (%q1), P;",
        expect!["column 38: arguments of `the prototype`: number 1 has another size"],
    );
}

#[test]
fn modules() {
    module(".frob", expect!["line 4, column 1: unknown directive `.frob`"]);
    module("add.s32", expect!["line 4, column 1: expected a directive, found `add.s32`"]);
    module(".entry f() { ret;", expect!["line 4, column 18: expected a closing bracket, but the text ends"]);
    module(".entry f() {}\n.entry f() {}", expect!["line 5, column 1: `f` is defined twice"]);
    module(".global .b8 x[0x7fffffffffffffff];", expect!["line 4, column 15: `x` is too large"]);
    module(".global .b8 x[1000000][1000000];", expect!["line 4, column 13: `x` is too large"]);
    module(".global .align 3 .b8 x;", expect!["line 4, column 16: alignment 3 is no power of two"]);
    module(".global .b8 x[2] = {1, 2, 3};", expect!["line 4, column 27: more initial values than elements"]);
    module(".global .u32 x = 1.5;", expect!["line 4, column 18: a float constant cannot initialise `.u32`"]);
    module(".global .b8 x[1] = {0xF0(x)};", expect!["line 4, column 21: the mask `0xF0` selects no byte"]);
    module(".global .b8 x[2][1 << 37] = {{1}, {2}};", expect!["line 4, column 33: initial values leave out too much"]);
    module(".address_size 32", expect!["line 4, column 1: only `.address_size 64` is supported"]);
    let error = parse("\u{7f}ELF").expect_err("this is no text");
    expect!["line 1, column 1: expected a directive, found `\u{7f}`"].assert_eq(&error.to_string());
    expect!["line 1, column 1: no `.version` directive: this is no PTX"]
        .assert_eq(&parse("").expect_err("nothing is no PTX").to_string());
}
