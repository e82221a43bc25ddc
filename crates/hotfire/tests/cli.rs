//! The command line from outside: how it starts programs, and what it says of files.
//!
//! The library here is a copy of one that does nothing, so that only the starting is tested.

mod scratch;

use scratch::{Scratch, text};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

#[test]
fn the_program_finds_the_library_under_every_name() {
    let scratch = Scratch::new("names");
    let output = scratch.hotfire(&["run", "--workers", "3", "--", "env"]);
    let variables = text(&output.stdout);
    let variable =
        |name: &str| variables.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).map(String::from);
    assert_eq!(variable("HOTFIRE_WORKERS").as_deref(), Some("3"));
    let library = scratch.0.join("libhotfire_cuda.so").canonicalize().unwrap();
    assert_eq!(variable("LD_PRELOAD").as_deref().map(OsStr::new), Some(library.as_os_str()));
    let path = variable("LD_LIBRARY_PATH").unwrap();
    let (directory, rest) = path.split_once(':').unwrap();
    assert_eq!(rest, "/elsewhere");
    for name in ["libcuda.so", "libcuda.so.1", "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"] {
        assert_eq!(Path::new(directory).join(name).canonicalize().unwrap(), library);
    }
    // The loader took it: no complaint, and it is mapped.
    let output = scratch.hotfire(&["run", "cat", "/proc/self/maps"]);
    assert!(text(&output.stdout).contains(library.to_str().unwrap()));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn exit_codes_and_signals_are_the_programs() {
    let scratch = Scratch::new("codes");
    assert_eq!(scratch.hotfire(&["run", "--", "sh", "-c", "exit 7"]).status.code(), Some(7));
    assert_eq!(scratch.hotfire(&["run", "--", "sh", "-c", "kill -9 $$"]).status.signal(), Some(9));
    assert_eq!(scratch.hotfire(&["run", "sh", "-c", "exit 0", "--flag"]).status.code(), Some(0));
    let missing = scratch.hotfire(&["run", "--", "./no-such-program"]);
    assert_eq!(missing.status.code(), Some(127));
    assert!(text(&missing.stderr).starts_with("hotfire: cannot run ./no-such-program: "));
    let file = scratch.file("data", "");
    assert_eq!(scratch.hotfire(&["run", "--", &file]).status.code(), Some(126));
}

#[test]
fn without_the_library_nothing_is_started() {
    let scratch = Scratch::new("missing");
    fs::remove_file(scratch.0.join("libhotfire_cuda.so")).unwrap();
    let output = scratch.hotfire(&["run", "--", "echo", "started"]);
    assert_eq!(output.status.code(), Some(125));
    assert_eq!(text(&output.stdout), "");
    assert!(text(&output.stderr).contains("HOTFIRE_LIBRARY"));
}

#[test]
fn doctor_fails_where_the_library_is_missing() {
    let scratch = Scratch::new("doctor");
    fs::remove_file(scratch.0.join("libhotfire_cuda.so")).unwrap();
    let output = scratch.hotfire(&["doctor"]);
    let page = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(page.contains("!! library") && page.contains("ok processor"), "{page}");
}

#[test]
fn files_that_are_not_understood_are_errors() {
    let scratch = Scratch::new("files");
    let file = scratch.file("text", "hello");
    for file in [&file[..], "/no/such/file", "/"] {
        let output = scratch.hotfire(&["inspect", file]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).starts_with(&format!("hotfire: {file}: ")), "{}", text(&output.stderr));
    }
    let output = scratch.hotfire(&["inspect", env!("CARGO_BIN_EXE_hotfire")]);
    assert!(output.status.success() && text(&output.stdout).ends_with("no device code\n"));
}

const LAUNCHER: &str = r#"
.version 9.0
.target sm_90
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2 (.param .b64 a, .param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 a, .param .b64 b);
.visible .entry _Z5childPi(.param .u64 p) { ret; }
.func helper()
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<3>;
    mov.b64 %rd1, _Z5childPi;
    {
    .param .b64 param0;
    .param .align 4 .b8 param1[12];
    .param .align 4 .b8 param2[12];
    .param .b32 param3;
    .param .b64 retval0;
    st.param.b64 [param0], %rd1;
    st.param.b32 [param1], 1;
    st.param.b32 [param2], 1;
    st.param.b32 [param3], 0;
    call.uni (retval0), __cudaCDP2GetParameterBufferV2, (param0, param1, param2, param3);
    ld.param.b64 %rd2, [retval0];
    }
    {
    .param .b64 param0;
    .param .b64 param1;
    .param .b32 retval0;
    st.param.b64 [param0], %rd2;
    st.param.b64 [param1], 3;
    call.uni (retval0), __cudaCDP2LaunchDeviceV2, (param0, param1);
    }
    ret;
}
.visible .entry parent(.param .u64 p, .param .f32 x, .param .align 8 .b8 s[24]) .maxntid 128, 1, 1
{
    call.uni helper, ();
    ret;
}
.visible .entry exotic() { frobnicate.u32 %r1; ret; }
"#;

#[test]
fn kernels_parameters_launches_and_faults_are_shown() {
    let scratch = Scratch::new("kernels");
    let file = scratch.file("launcher.ptx", LAUNCHER);
    let output = scratch.hotfire(&["inspect", &file]);
    let page = text(&output.stdout);
    for part in [
        "kernel child(int*)\n",
        "parameters  u64, f32, 24 bytes\n",
        "threads     at most 128 x 1 x 1 a block\n",
        "launches    child(int*), tail, PTX line 32\n",
        "kernel exotic\n",
        "cannot run  line 41, column 28",
        "frobnicate",
        "3 kernels; 1 of the above cannot run here\n",
    ] {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&scratch.hotfire(&["inspect", "--mangled", &file]).stdout).contains("kernel _Z5childPi\n"));
}

#[test]
fn cdp1_synchronisation_is_named() {
    let scratch = Scratch::new("cdp1");
    let file = scratch.file(
        "cdp1.ptx",
        ".version 9.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) cudaDeviceSynchronize ();\n\
         .visible .entry k()\n{\n{\n.param .b32 retval0;\ncall.uni (retval0), cudaDeviceSynchronize, ();\n}\nret;\n}\n",
    );
    let output = scratch.hotfire(&["inspect", &file]);
    let page = text(&output.stdout);
    assert!(
        page.contains("cannot run  waits for its children by cudaDeviceSynchronize (CDP1), PTX line 9\n"),
        "{page}"
    );
    assert_eq!(output.status.code(), Some(1));
}
