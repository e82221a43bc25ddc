//! Local memory and recursion: `cudaLimitStackSize`, and what overflows.

mod common;

use common::{Fixture, fixture_of};
use hotfire_device::{Config, Limit, Status};

const KERNELS: &str = r#"
.version 8.0
.target sm_90
.address_size 64

.func (.param .b32 result) sum(.param .b32 n, .param .b32 waits)
{
    .reg .b32 %r<6>;
    .reg .pred %p<3>;
    ld.param.b32 %r1, [n];
    ld.param.b32 %r5, [waits];
    mov.b32 %r2, 0;
    setp.eq.s32 %p1, %r1, 0;
    @%p1 bra DONE;
    setp.eq.s32 %p2, %r5, 0;
    @%p2 bra DEEPER;
    bar.sync 0;
DEEPER:
    sub.s32 %r3, %r1, 1;
    {
        .param .b32 n1;
        .param .b32 w1;
        .param .b32 r1;
        st.param.b32 [n1], %r3;
        st.param.b32 [w1], %r5;
        call.uni (r1), sum, (n1, w1);
        ld.param.b32 %r4, [r1];
    }
    add.s32 %r2, %r4, %r1;
DONE:
    st.param.b32 [result], %r2;
    ret;
}

.visible .entry recurse(.param .u64 out, .param .u32 depth, .param .u32 waits)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [depth];
    ld.param.u32 %r2, [waits];
    {
        .param .b32 n1;
        .param .b32 w1;
        .param .b32 r1;
        st.param.b32 [n1], %r1;
        st.param.b32 [w1], %r2;
        call.uni (r1), sum, (n1, w1);
        ld.param.b32 %r3, [r1];
    }
    mov.u32 %r4, %tid.x;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}

.visible .entry large_frame(.param .u64 out, .param .u32 index)
{
    .local .align 16 .b8 array[100000];
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [index];
    mov.u32 %r2, %tid.x;
    mov.u64 %rd2, array;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.local.u32 [%rd4], %r2;
    bar.sync 0;
    ld.local.u32 %r3, [%rd4];
    mul.wide.u32 %rd5, %r2, 4;
    add.s64 %rd6, %rd1, %rd5;
    st.global.u32 [%rd6], %r3;
    ret;
}
"#;

fn fixture() -> Fixture {
    fixture_of(Config { workers: Some(2), memory: Some(1 << 30), ..Config::default() }, KERNELS)
}

fn recurse(f: &Fixture, threads: u32, depth: i32, waits: i32) -> Status {
    let out = f.device.malloc(4096).unwrap();
    f.launch("recurse", 1, threads, &parameters!(out, depth, waits));
    let status = f.device.synchronize();
    if status == Status::SUCCESS {
        assert_eq!(f.read::<i32>(out, threads as usize), vec![depth * (depth + 1) / 2; threads as usize]);
    }
    status
}

#[test]
fn functions_may_call_themselves() {
    let f = fixture();
    assert_eq!(recurse(&f, 33, 100, 0), Status::SUCCESS);
    // Every thread waits at every depth.
    assert_eq!(recurse(&f, 200, 100, 1), Status::SUCCESS);
}

#[test]
fn the_stack_limit_allows_more() {
    let f = fixture();
    assert_eq!(f.device.set_limit(Limit::StackSize, 64 << 10), Status::SUCCESS);
    assert_eq!(recurse(&f, 64, 4000, 1), Status::SUCCESS);
}

#[test]
fn endless_recursion_is_a_stack_error() {
    for waits in [0, 1] {
        assert_eq!(recurse(&fixture(), 64, -1, waits), Status(714));
    }
}

#[test]
fn large_local_arrays_belong_to_each_thread() {
    let f = fixture();
    let out = f.device.malloc(4096).unwrap();
    for index in [0, 24_999] {
        f.run("large_frame", 1, 64, &parameters!(out, index));
        assert_eq!(f.read::<i32>(out, 64), (0..64).collect::<Vec<_>>());
    }
}
