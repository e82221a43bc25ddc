//! Programs of their own: how they start with the shared object in place of CUDA's, how they fork and how they end.
//!
//! They are C, so that no CUDA compiler is needed; the wheel's headers and libraries are (`cargo xtask fetch`).

use std::path::PathBuf;
use std::process::{Command, Output};

mod common;

fn site() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/cuda/site/nvidia/cu13");
    assert!(path.join("lib").exists(), "{} has no lib: run `cargo xtask fetch`", path.display());
    path
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// How a program gets the runtime API.
#[derive(Clone, Copy, PartialEq)]
enum Link {
    Shared,
    Static,
    Stripped,
}

/// Compiles and links a C program.
fn build(name: &str, source: &str, link: Link) -> PathBuf {
    let (text, program) = (scratch(&format!("{name}.c")), scratch(name));
    std::fs::write(&text, source).expect("writing the C program");
    let mut compiler = Command::new("cc");
    compiler.arg("-w").arg("-I").arg(site().join("include")).arg(&text).arg("-o").arg(&program);
    match link {
        Link::Shared => compiler.arg(site().join("lib/libcudart.so.13")),
        Link::Static | Link::Stripped => {
            compiler.arg(site().join("lib/libcudart_static.a")).args(["-ldl", "-lrt", "-lpthread"])
        }
    };
    if link == Link::Stripped {
        compiler.arg("-s");
    }
    let output = compiler.output().expect("running cc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Runs a program as `hotfire run` does: the object preloaded, and linked under the names that programs load.
fn run(program: &PathBuf) -> Output {
    let links = scratch("links");
    std::fs::create_dir_all(&links).expect("making a directory");
    for name in ["libcuda.so.1", "libcudart.so.12", "libcudart.so.13"] {
        let link = links.join(name);
        // Another test may have made it already.
        let _ = std::os::unix::fs::symlink(common::path(), &link);
        assert!(link.exists());
    }
    Command::new(program).env("LD_PRELOAD", common::path()).env("LD_LIBRARY_PATH", &links).output().expect("running")
}

fn texts(output: &Output) -> (String, String) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Asks the runtime for its version and the device for its name.
const ASK: &str = r#"
#include <cuda_runtime_api.h>
#include <stdio.h>
int main(void) {
  int version = 0;
  struct cudaDeviceProp properties;
  printf("%d ", cudaRuntimeGetVersion(&version));
  printf("%d ", version);
  printf("%d ", cudaGetDeviceProperties(&properties, 0));
  printf("%s %d.%d\n", properties.name, properties.major, properties.minor);
  return 0;
}
"#;

#[test]
fn a_program_with_the_shared_runtime_starts_without_a_warning() {
    let output = run(&build("ask-shared", ASK, Link::Shared));
    assert_eq!(texts(&output), ("0 13000 0 NVIDIA H200 9.0\n".into(), String::new()));
}

#[test]
fn a_program_with_the_static_runtime_is_redirected() {
    let output = run(&build("ask-static", ASK, Link::Static));
    assert_eq!(texts(&output), ("0 13000 0 NVIDIA H200 9.0\n".into(), String::new()));
}

#[test]
fn a_stripped_program_is_told_what_to_do() {
    // A program without device code cannot be told from one that has nothing to do with CUDA: give it the section.
    let source = format!("{ASK}\n__attribute__((section(\".nv_fatbin\"), used)) static const int code[4];\n");
    let output = run(&build("ask-stripped", &source, Link::Stripped));
    let (stdout, stderr) = texts(&output);
    assert_eq!((output.status.code(), stdout.as_str()), (Some(1), ""));
    assert!(stderr.starts_with("hotfire: ") && stderr.contains("-cudart shared"), "{stderr}");
}

#[test]
fn a_program_that_nvcc_linked_for_the_driver_alone_starts() {
    // nvcc leaves the section in every program that it links.
    let source =
        "__attribute__((section(\".nv_fatbin\"), used)) static const int code[4];\nint main(void) { return 7; }\n";
    let output = run(&build("driver-alone", source, Link::Shared));
    assert_eq!((output.status.code(), texts(&output)), (Some(7), (String::new(), String::new())));
}

/// A library with the static runtime inside, and a program that calls it.
fn build_library(name: &str, late: bool) -> (PathBuf, PathBuf) {
    let (source, library) = (scratch(&format!("{name}-library.c")), scratch(&format!("lib{name}.so")));
    std::fs::write(&source, ASK.replace("int main(void)", "int ask(void)")).expect("writing the library");
    let mut compiler = Command::new("cc");
    compiler.args(["-w", "-shared", "-fPIC", "-I"]).arg(site().join("include")).arg(&source).arg("-o").arg(&library);
    compiler.arg(site().join("lib/libcudart_static.a")).args(["-ldl", "-lrt", "-lpthread"]);
    let output = compiler.output().expect("running cc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let (source, program) = (scratch(&format!("{name}.c")), scratch(name));
    let text = if late {
        format!(
            "#include <dlfcn.h>\nint main(void) {{\n  void *library = dlopen({:?}, RTLD_NOW);\n  return ((int (*)(void))dlsym(library, \"ask\"))();\n}}\n",
            library
        )
    } else {
        String::from("int ask(void);\nint main(void) { return ask(); }\n")
    };
    std::fs::write(&source, text).expect("writing the program");
    let mut compiler = Command::new("cc");
    compiler.arg("-w").arg(&source).arg("-o").arg(&program);
    if late {
        compiler.arg("-ldl");
    } else {
        compiler.arg(&library);
    }
    let output = compiler.output().expect("running cc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (program, library)
}

#[test]
fn a_library_with_the_static_runtime_is_redirected() {
    let (program, _) = build_library("ask-library", false);
    let output = run(&program);
    assert_eq!(texts(&output), ("0 13000 0 NVIDIA H200 9.0\n".into(), String::new()));
}

#[test]
fn a_static_runtime_that_is_loaded_late_is_explained() {
    let (program, _) = build_library("ask-late", true);
    let (stdout, stderr) = texts(&run(&program));
    assert!(!stdout.contains("H200"), "its own runtime answered: {stdout}");
    assert!(stderr.contains("-cudart shared"), "{stderr}");
}

#[test]
fn the_child_of_a_fork_is_refused() {
    let source = r#"
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  void *memory;
  printf("%d\n", cudaMalloc(&memory, 64));
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    printf("%d\n", cudaMalloc(&memory, 64));
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, 0, 0);
  printf("%d\n", cudaFree(memory));
  return 0;
}
"#;
    let output = run(&build("fork", source, Link::Shared));
    assert_eq!(texts(&output), ("0\n3\n0\n".into(), String::new()));
}

#[test]
fn a_fork_before_the_first_call_is_fine() {
    let source = r#"
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  void *memory;
  pid_t child = fork();
  if (child == 0) {
    printf("%d\n", cudaMalloc(&memory, 64));
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, 0, 0);
  printf("%d\n", cudaMalloc(&memory, 64));
  return 0;
}
"#;
    let output = run(&build("fork-first", source, Link::Shared));
    assert_eq!(texts(&output), ("0\n0\n".into(), String::new()));
}

/// Builds a C program against the library itself, as one for `libcuda`, and runs it.
fn run_with_driver(name: &str, source: &str) -> Output {
    let library = common::path();
    let text = scratch(&format!("{name}.c"));
    let program = scratch(name);
    std::fs::write(&text, source).expect("writing the C program");
    let output = Command::new("cc")
        .arg("-w")
        .arg("-I")
        .arg(site().join("include"))
        .args([&text, &library])
        .arg("-o")
        .arg(&program)
        .output()
        .expect("running cc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Command::new(&program).env("LD_PRELOAD", &library).output().expect("running")
}

#[test]
fn a_program_may_end_with_work_in_flight() {
    let source = r#"
#include <cuda.h>
#include <stdio.h>
static const char ptx[] =
  ".version 8.0\n.target sm_90\n.address_size 64\n"
  ".visible .entry forever(.param .u64 flag) { .reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p<2>;\n"
  "ld.param.u64 %rd1, [flag];\nAGAIN: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN; ret; }\n";
int main(void) {
  CUcontext context; CUmodule module; CUfunction function; CUdeviceptr flag;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  printf("%d ", cuModuleLoadData(&module, ptx));
  cuModuleGetFunction(&function, module, "forever");
  cuMemAlloc(&flag, 4);
  cuMemsetD32(flag, 0, 1);
  void *parameters[] = {&flag};
  printf("%d\n", cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, 0, parameters, 0));
  return 7;
}
"#;
    let output = run_with_driver("in-flight", source);
    assert_eq!((output.status.code(), texts(&output)), (Some(7), ("0 0\n".into(), String::new())));
}

/// A hint is dropped by name, what changes a result is refused by name, and what is followed needs no word.
#[test]
fn launch_attributes_are_followed_or_named() {
    let source = r#"
#include <cuda.h>
#include <stdio.h>
static const char ptx[] =
  ".version 8.0\n.target sm_90\n.address_size 64\n"
  ".visible .entry k()\n{\nret;\n}\n";
static int launch(CUfunction function, int id) {
  CUlaunchAttribute attribute = {0};
  attribute.id = (CUlaunchAttributeID)id;
  CUlaunchConfig config = {0};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cuLaunchKernelEx(&config, function, 0, 0);
}
int main(void) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  cuModuleLoadData(&module, ptx);
  cuModuleGetFunction(&function, module, "k");
  printf("%d %d %d %d %d\n", launch(function, CU_LAUNCH_ATTRIBUTE_IGNORE), launch(function, CU_LAUNCH_ATTRIBUTE_PRIORITY),
         launch(function, CU_LAUNCH_ATTRIBUTE_PRIORITY), launch(function, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION),
         launch(function, 99));
  return cuCtxSynchronize();
}
"#;
    let output = run_with_driver("attributes", source);
    let lines = "hotfire: launch attribute priority (8) is a hint that this device does not follow\n\
        hotfire: launch attribute number 99 is not implemented by this device\n";
    let (stdout, stderr) = texts(&output);
    assert_eq!(stdout, "0 0 0 0 801\n");
    // C evaluates arguments in any order.
    let mut printed: Vec<&str> = stderr.lines().collect();
    printed.sort_unstable_by_key(|line| line.contains("99"));
    assert_eq!(printed, lines.lines().collect::<Vec<_>>());
}
