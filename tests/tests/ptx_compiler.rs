//! What nvcc makes of `kernels/*.cu`, for several architectures, parses as a whole: no function is broken.

use hotfire_ptx::ast::Module;
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn compiled(source: &str, architecture: &str, flags: &[&str]) -> Module {
    let toolkit = xtask::toolkit::fetch().expect("CUDA's compiler is there");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let name = format!("hotfire-{}-{source}-{architecture}-{}.ptx", std::process::id(), flags.len());
    let file: PathBuf = std::env::temp_dir().join(name);
    let output = toolkit
        .nvcc()
        .args(["-w", "-std=c++17", "-ptx", &format!("-arch={architecture}")])
        .args(flags)
        .arg(folder.join(source))
        .arg("-o")
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .expect("nvcc runs");
    assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&file).expect("nvcc wrote the PTX");
    let _ = std::fs::remove_file(&file);
    hotfire_ptx::parse(&text).unwrap_or_else(|error| panic!("{source} {architecture}: {error}"))
}

fn parses(source: &str, architecture: &str, flags: &[&str], kernels: &[&str]) {
    let module = compiled(source, architecture, flags);
    for function in &module.functions {
        assert_eq!(function.broken, None, "{source} {architecture}: {}", function.name);
    }
    for kernel in kernels {
        let found = hotfire_ptx::reach(&module, kernel).unwrap_or_else(|| panic!("{source} has no {kernel}"));
        assert!(module.functions[found.functions[0]].body.is_some());
        assert!(found.unknown.is_empty(), "{kernel}");
    }
    let linked = hotfire_ptx::link(vec![module.clone()]).expect("one unit links");
    assert!(linked.functions.len() <= module.functions.len());
}

const ARITHMETIC: &[&str] =
    &["mathematics_float", "rounding", "integers", "wide", "conversions", "halves", "half_conversions", "eights"];
const CONTROL: &[&str] = &["calls", "branches", "variables", "warps", "caches", "special", "textures"];
const GROUPS: &[&str] = &["atomic", "memory_orders", "copies", "groups", "matrices"];

#[test]
fn arithmetic() {
    parses("arithmetic.cu", "compute_75", &["-lineinfo"], ARITHMETIC);
    parses("arithmetic.cu", "compute_90", &[], ARITHMETIC);
    parses("arithmetic.cu", "compute_80", &["-use_fast_math"], ARITHMETIC);
}

#[test]
fn control() {
    parses("control.cu", "compute_75", &[], CONTROL);
    parses("control.cu", "compute_90", &["-lineinfo", "-rdc=true"], CONTROL);
    parses("control.cu", "compute_90", &["-G"], CONTROL);
    parses("control.cu", "compute_90", &[], &["clusters"]);
}

#[test]
fn groups() {
    parses("groups.cu", "compute_75", &[], GROUPS);
    parses("groups.cu", "compute_90", &["-lineinfo"], GROUPS);
    parses("groups.cu", "compute_90a", &["-G", "-rdc=true"], GROUPS);
}
