//! Programs under a check that touch pinned memory while a kernel may: themselves, through the kernel, with handlers of their own.

use std::path::PathBuf;
use std::process::Command;

mod common;

/// What all programs begin with: a kernel that adds to a cell, one that waits for a flag and answers by another, and pinned memory.
const START: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
int cuInit(unsigned); int cuDevicePrimaryCtxRetain(void **, int); int cuCtxSetCurrent(void *);
int cuModuleLoadData(void **, const void *); int cuModuleGetFunction(void **, void *, const char *);
int cuModuleGetGlobal_v2(void **, size_t *, void *, const char *);
int cuMemHostAlloc(void **, size_t, unsigned); int cuCtxSynchronize(void);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
#define CHECK(x) do { if (!(x)) { printf("line %d: %s (errno %d)\n", __LINE__, #x, errno); exit(1); } } while (0)
static const char ptx[] =
  ".version 8.0\n.target sm_90\n.address_size 64\n"
  ".visible .global .attribute(.managed) .align 4 .u32 shared_cell = 5;\n"
  ".visible .entry store(.param .u64 at) { .reg .b64 %a; ld.param.u64 %a, [at]; st.global.u32 [%a], 42; ret; }\n"
  ".visible .entry answer(.param .u64 at) { .reg .b64 %a; .reg .b32 %v; .reg .pred %p;\n"
  "ld.param.u64 %a, [at];\n"
  "again: ld.acquire.sys.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra again;\n"
  "ld.global.u32 %v, [%a+8]; add.u32 %v, %v, 1; st.global.u32 [%a+12], %v;\n"
  "st.release.sys.global.u32 [%a+4], 1; ret; }\n";
static void *store, *answer;
static volatile int *cell;
static char *memory;
static void launch(void *kernel, void *at) { void *arguments[] = {&at}; CHECK(!cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0)); }
static void start(void) {
  void *context, *module;
  CHECK(!cuInit(0) && !cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxSetCurrent(context));
  CHECK(!cuModuleLoadData(&module, ptx) && !cuModuleGetFunction(&store, module, "store") && !cuModuleGetFunction(&answer, module, "answer"));
  size_t size;
  CHECK(!cuModuleGetGlobal_v2((void **)&cell, &size, module, "shared_cell") && *cell == 5);
  CHECK(!cuMemHostAlloc((void **)&memory, 16384, 0));
}
"#;

/// Builds and runs a program under a check; answers what it printed, and the report.
fn check(name: &str, body: &str) -> (String, serde_json::Value) {
    let scratch = |end: &str| PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("host-memory-{name}{end}"));
    let (text, program, reports) = (scratch(".c"), scratch(""), scratch(".reports"));
    std::fs::write(&text, format!("{START}{body}")).unwrap();
    let built = Command::new("cc")
        .args(["-w", "-g", "-O1", "-pthread"])
        .arg(&text)
        .arg("-o")
        .arg(&program)
        .arg(common::path())
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let _ = std::fs::remove_dir_all(&reports);
    std::fs::create_dir(&reports).unwrap();
    let path = common::path();
    let output = Command::new("timeout")
        .arg("60")
        .arg(&program)
        .env("LD_PRELOAD", &path)
        .env("LD_LIBRARY_PATH", path.parent().unwrap())
        .env("HOTFIRE_CHECK", &reports)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}\n{printed}\n{errors}", output.status);
    let report = std::fs::read_dir(&reports).unwrap().next().expect("a report").unwrap().path();
    (printed, serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap())
}

/// Rules of the findings, with the line of the program's side.
fn findings(report: &serde_json::Value) -> Vec<(String, u64)> {
    let line = |finding: &serde_json::Value| {
        let sides = finding["accesses"].as_array()?;
        sides.iter().find(|side| side["thread"]["agent"] == "host")?["place"]["line"].as_u64()
    };
    let rule = |finding: &serde_json::Value| finding["rule"].as_str().unwrap_or_default().to_owned();
    let all = report["findings"].as_array().unwrap();
    all.iter().map(|finding| (rule(finding), line(finding).unwrap_or(0))).collect()
}

#[test]
fn the_kernel_may_touch_closed_memory_for_the_program() {
    let body = r#"
int main(void) {
  int pipes[2], sockets[2];
  start();
  CHECK(!pipe(pipes) && !socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
  launch(store, memory);
  char *from = memory + 4096, *to = memory + 8192;
  struct iovec out[2] = {{from, 5}, {"local", 5}}, in[2] = {{to, 4}, {to + 4000, 200}};
  CHECK(write(pipes[1], from, 100) == 100 && read(pipes[0], to, 4096) == 100);
  CHECK(writev(pipes[1], out, 2) == 10 && readv(pipes[0], in, 2) == 10);
  CHECK(send(sockets[0], from, 10, 0) == 10 && recv(sockets[1], to, 10, 0) == 10);
  struct msghdr message = {.msg_iov = out, .msg_iovlen = 2}, answer = {.msg_iov = in, .msg_iovlen = 2};
  CHECK(sendmsg(sockets[0], &message, 0) == 10 && recvmsg(sockets[1], &answer, 0) == 10);
  FILE *file = tmpfile();
  CHECK(fwrite(from, 100, 30, file) == 30 && !fflush(file));
  rewind(file);
  CHECK(fread(to, 100, 40, file) == 30);
  CHECK(pwrite(fileno(file), from, 10, 5) == 10 && pread(fileno(file), to, 10, 5) == 10);
  errno = 0;
  CHECK(read(-1, to, 10) == -1 && errno == EBADF);
  CHECK(!cuCtxSynchronize());
  puts("done");
  return 0;
}
"#;
    let (printed, report) = check("kernel", body);
    assert_eq!(printed, "done\n");
    // The kernel writes elsewhere.
    assert_eq!(findings(&report), [], "{report:#}");
}

#[test]
fn signals_of_the_program_stay_apart() {
    let body = r#"
static volatile sig_atomic_t handled;
static void handler(int signal) { handled++; }
static void *blocked(void *at) {
  sigset_t all;
  sigfillset(&all);
  CHECK(!pthread_sigmask(SIG_BLOCK, &all, 0));
  *(volatile char *)at += 1;
  return 0;
}
int main(void) {
  start();
  launch(store, memory);
  signal(SIGSEGV, handler);
  memory[5000] = 1;
  struct sigaction action = {.sa_handler = handler}, before;
  CHECK(!sigaction(SIGTRAP, &action, &before));
  memory[5001] = 1;
  pthread_t thread;
  CHECK(!pthread_create(&thread, 0, blocked, memory + 5001) && !pthread_join(thread, 0));
  CHECK(memory[5001] == 2 && handled == 0);
  raise(SIGTRAP);
  CHECK(handled == 1);
  CHECK(!cuCtxSynchronize());
  puts("done");
  return 0;
}
"#;
    let (printed, report) = check("signals", body);
    assert_eq!(printed, "done\n");
    assert_eq!(findings(&report), [], "{report:#}");
}

#[test]
fn flags_go_both_ways() {
    let body = r#"
int main(void) {
  start();
  volatile unsigned *words = (volatile unsigned *)memory;
  for (int round = 0; round < 20; round++) {
    words[0] = words[1] = 0;
    launch(answer, memory);
    words[2] = 10 + round;
    words[0] = 1;
    while (!words[1]);
    CHECK(words[3] == 11 + round);
    CHECK(!cuCtxSynchronize());
  }
  puts("done");
  return 0;
}
"#;
    let (printed, report) = check("flags", body);
    assert_eq!(printed, "done\n");
    assert_eq!(findings(&report), [], "{report:#}");
}
/// The line of a text in a program's source.
fn line(body: &str, text: &str) -> u64 {
    let source = format!("{START}{body}");
    source.lines().position(|line| line.contains(text)).unwrap() as u64 + 1
}

#[test]
fn an_access_that_nothing_orders_is_reported_with_its_line() {
    let body = r#"
int main(void) {
  start();
  launch(store, memory);
  int value = *(int *)memory; // early
  CHECK(!cuCtxSynchronize());
  value += *(int *)memory;
  launch(store, memory + 64);
  CHECK(!memcpy(memory + 128, memory + 60, 8) == 0); // through the library
  CHECK(write(2, memory + 66, 1) == 1); // through the kernel
  CHECK(!cuCtxSynchronize());
  launch(store, (void *)cell);
  value += *cell; // managed
  CHECK(!cuCtxSynchronize());
  CHECK(*cell == 42);
  puts("done");
  return value == 0;
}
"#;
    let (printed, report) = check("race", body);
    assert_eq!(printed, "done\n");
    let race = |text| (String::from("race/host"), line(body, text));
    assert_eq!(
        findings(&report),
        [race("// early"), race("// through the library"), race("// through the kernel"), race("// managed")],
        "{report:#}"
    );
}
