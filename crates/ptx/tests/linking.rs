//! Several units to one module; what a kernel reaches; calls of the first dynamic parallelism.

use hotfire_ptx::ast::*;
use hotfire_ptx::{cdp1_calls, link, parse, reach};

fn unit(text: &str) -> Module {
    parse(&format!(".version 8.0\n.target sm_80\n.address_size 64\n{text}")).expect("the unit parses")
}

fn linked(units: &[&str]) -> Module {
    link(units.iter().map(|text| unit(text)).collect()).expect("the units link")
}

fn function<'m>(module: &'m Module, name: &str) -> &'m Function {
    module.functions.iter().find(|function| *function.name == *name).unwrap_or_else(|| panic!("no function {name}"))
}

fn callees(function: &Function) -> Vec<String> {
    let statements = function.body.iter().flat_map(|body| &body.statements);
    let call = |statement: &Statement| match statement {
        Statement::Call(Call { target: CallTarget::Direct(name), .. }) => Some(name.to_string()),
        _ => None,
    };
    statements.filter_map(call).collect()
}

#[test]
fn declarations_find_their_definitions() {
    let module = linked(&[
        ".extern .func f(.param .b32 a);\n.extern .global .b32 g[2];\n.entry k() { call f, (1); ret; }",
        ".visible .func f(.param .b32 x) { ret; }\n.visible .global .b32 g[2] = {1, 2};\n.extern .func vprintf();",
    ]);
    assert!(function(&module, "f").body.is_some());
    assert!(function(&module, "vprintf").body.is_none(), "what nobody defines stays declared");
    assert_eq!(module.variables.len(), 1);
    assert_eq!((module.variables[0].linkage, module.variables[0].init.bytes.len()), (Linkage::Visible, 8));
}

#[test]
fn weak_and_common_merge() {
    let module = linked(&[
        ".weak .func f() { ret; }\n.weak .global .b32 w = 1;\n.common .global .b32 c;",
        ".weak .func f() { trap; }\n.weak .global .b32 w = 2;\n.common .global .b32 c[4];",
        ".visible .func f() { exit; }",
    ]);
    assert_eq!(module.functions.len(), 1);
    assert_eq!(function(&module, "f").linkage, Linkage::Visible, "a strong definition wins");
    let variable = |name: &str| module.variables.iter().find(|variable| *variable.name == *name).expect("it is there");
    assert_eq!((variable("w").init.bytes[0], variable("c").size), (1, Some(16)));
}

#[test]
fn internal_names_of_units_stay_apart() {
    let text = ".global .b32 v = 1;\n.global .u64 p = v;\n.func f() { ret; }\n.visible .entry NAME() { .reg .b64 %q<2>; mov.u64 %q1, v; ld.global.b64 %q1, [p]; call f; ret; }";
    let module = linked(&[&text.replace("NAME", "first"), &text.replace("NAME", "second")]);
    assert_eq!((module.functions.len(), module.variables.len()), (4, 4));
    let (first, second) = (callees(function(&module, "first")), callees(function(&module, "second")));
    assert_ne!(first, second);
    for name in first.iter().chain(&second) {
        assert!(function(&module, name).body.is_some());
    }
    let targets: Vec<&str> = module.variables.iter().flat_map(|v| &v.init.relocations).map(|r| &*r.symbol).collect();
    assert_ne!(targets[0], targets[1]);
    // Another unit's external name is not hidden by an internal one.
    let module = linked(&[
        ".func f() { ret; }\n.visible .entry k() { call f; }",
        ".visible .func f() { trap; }\n.visible .entry l() { call f; }",
    ]);
    assert_eq!(callees(function(&module, "l")), ["f"]);
    assert_ne!(callees(function(&module, "k")), ["f"]);
}

#[test]
fn files_merge() {
    let text = ".file 1 \"NAME\"\n.visible .entry NAME() {\n.loc 1 5 0\nret;\n}";
    let module = linked(&[&text.replace("NAME", "a"), &text.replace("NAME", "b")]);
    let file = |name: &str| match &function(&module, name).body.as_ref().expect("it has a body").statements[0] {
        Statement::Instruction(instruction) => instruction.location.source.map(|source| source.file as usize),
        _ => None,
    };
    assert_eq!(module.files[file("b").expect("it has a place")], "b");
    assert_eq!(module.files[file("a").expect("it has a place")], "a");
}

#[test]
fn contradictions() {
    let error =
        |units: [&str; 2]| link(units.map(unit).to_vec()).expect_err("the units contradict each other").to_string();
    assert_eq!(
        error([".visible .func f() { ret; }", ".visible .func f() { ret; }"]),
        "line 4, column 10: `f` is defined in two units"
    );
    let twice = [".visible .global .b32 v;", ".visible .global .b32 v;"];
    assert_eq!(error(twice), "line 4, column 23: `v` is defined in two units");
    let parameters = [".extern .func f(.param .b32 a);", ".visible .func f(.param .b64 a) { ret; }"];
    assert_eq!(error(parameters), "line 4, column 10: `f` is declared in different ways");
    let spaces = [".extern .shared .b32 v;", ".visible .global .b32 v;"];
    assert_eq!(error(spaces), "line 4, column 23: `v` is declared in different ways");
}

#[test]
fn reachable_functions() {
    let module = unit(
        ".func later();\n.func leaf() { ret; }\n.func stored() { ret; }\n.func lonely() { ret; }\n.func taken() { call leaf; ret; }\n\
         .global .u64 table[1] = {stored};\n.global .u64 outer[1] = {table};\n.func later() { call later; ret; }\n\
         .entry k() { .reg .b64 %q<2>; mov.u64 %q1, outer; mov.u64 %q1, taken; call later; P: .callprototype _; call %q1, P; ret; }",
    );
    let found = reach(&module, "k").expect("there is k");
    let names: Vec<&str> = found.functions.iter().map(|&index| &*module.functions[index].name).collect();
    assert_eq!(names, ["k", "stored", "taken", "later", "leaf"]);
    assert!(found.functions.iter().all(|&index| module.functions[index].body.is_some()));
    assert!(found.indirect && found.unknown.is_empty());
    assert_eq!(reach(&module, "nosuch"), None);
    let leaf = reach(&module, "leaf").expect("there is leaf");
    assert_eq!((leaf.functions.len(), leaf.indirect), (1, false));
}

#[test]
fn cdp1() {
    let module = unit(
        ".file 1 \"a.cu\"\n.extern .func (.param .b32 r) cudaDeviceSynchronize();\n.extern .func (.param .b64 r) cudaGetParameterBufferV2();\n\
         .extern .func (.param .b32 r) __cudaCDP2DeviceSynchronizeNot();\n.entry clean() { .reg .b32 %r; call (%r), __cudaCDP2DeviceSynchronizeNot; ret; }\n\
         .entry old() {\n.reg .b32 %r; .reg .b64 %q;\n.loc 1 7 3\ncall (%q), cudaGetParameterBufferV2;\n.loc 1 8 3\n  call.uni (%r), cudaDeviceSynchronize;\nret;\n}",
    );
    let calls = cdp1_calls(&module);
    assert_eq!(
        calls.iter().map(|call| (&*call.function, &*call.callee)).collect::<Vec<_>>(),
        [("old", "cudaGetParameterBufferV2"), ("old", "cudaDeviceSynchronize")]
    );
    assert_eq!(calls.iter().map(|call| call.synchronises()).collect::<Vec<_>>(), [false, true]);
    let place = calls[1].location;
    assert_eq!((place.line, place.column, place.source.map(|source| source.line)), (14, 3, Some(8)));
}
