//! Copies, stores and reductions that an object counts, in and across the blocks of a cluster; memory that a thread allocates on its stack.

mod common;

use common::{Fixture, fixture_of};
use hotfire_device::{Config, Status};

const KERNELS: &str = r#"
.version 8.3
.target sm_90
.address_size 64

// Block 0 copies 64 bytes into both blocks, each of which adds them to what it finds in its part of the output.
.visible .entry multicast(.param .u64 from, .param .u64 to)
.explicitcluster
.reqnctapercluster 2, 1, 1
{
    .reg .b64 %q<6>;
    .reg .b32 %r<8>;
    .reg .b16 %h<2>;
    .reg .pred %p<4>;
    .shared .align 128 .b8 tile[64];
    .shared .align 8 .b8 bar[8];
    ld.param.u64 %q1, [from];
    ld.param.u64 %q2, [to];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %cluster_ctarank;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra MEET;
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 %q3, [bar], 64;
MEET:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    or.b32 %r3, %r1, %r2;
    setp.ne.u32 %p2, %r3, 0;
    @%p2 bra WAIT;
    mov.u16 %h1, 3;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%q1], 64, [bar], %h1;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;
    @!%p3 bra WAIT;
    // Block 1 adds in bulk, block 0 element by element.
    setp.eq.u32 %p1, %r2, 1;
    mad.wide.u32 %q4, %r2, 64, %q2;
    @%p1 bra BULK;
    setp.ge.u32 %p2, %r1, 16;
    @%p2 bra DONE;
    mov.u32 %r4, tile;
    mad.lo.u32 %r4, %r1, 4, %r4;
    ld.shared.u32 %r5, [%r4];
    mad.wide.u32 %q4, %r1, 4, %q4;
    red.global.add.u32 [%q4], %r5;
    bra DONE;
BULK:
    setp.ne.u32 %p2, %r1, 0;
    @%p2 bra DONE;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%q4], [tile], 64;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
DONE:
    ret;
}

// Block 0 stores into block 1, adds to it, and has its tile added there; block 1 waits for all of it.
.visible .entry remote(.param .u64 to)
.explicitcluster
.reqnctapercluster 2, 1, 1
{
    .reg .b64 %q<6>;
    .reg .b32 %r<12>;
    .reg .pred %p<4>;
    .shared .align 128 .b8 tile[32];
    .shared .align 8 .b8 bar[8];
    ld.param.u64 %q2, [to];
    mov.u32 %r2, %cluster_ctarank;
    mov.u32 %r4, 10;
    add.u32 %r5, %r2, 1;
    st.shared.v4.u32 [tile], {%r4, %r5, %r4, %r4};
    st.shared.v4.u32 [tile+16], {%r4, %r4, %r4, %r4};
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 %q3, [bar], 28;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r6, tile;
    mov.u32 %r7, bar;
    mov.u32 %r8, 1;
    mapa.shared::cluster.u32 %r6, %r6, %r8;
    mapa.shared::cluster.u32 %r7, %r7, %r8;
    setp.eq.u32 %p1, %r2, 1;
    @%p1 bra WAIT;
    mov.u32 %r9, 77;
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r6+16], {%r9, %r8}, [%r7];
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6+24], %r9, [%r7];
    cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r6], [tile], 16, [%r7];
    bra LEAVE;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;
    @!%p3 bra WAIT;
    ld.shared.v4.u32 {%r4, %r5, %r8, %r9}, [tile];
    st.global.v4.u32 [%q2], {%r4, %r5, %r8, %r9};
    ld.shared.v4.u32 {%r4, %r5, %r8, %r9}, [tile+16];
    st.global.v4.u32 [%q2+16], {%r4, %r5, %r8, %r9};
LEAVE:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}

// The sum of n words that it allocates and fills.
.func (.param .b32 sum) filled(.param .b32 count, .param .b32 value)
{
    .reg .b64 %q<6>;
    .reg .b32 %r<6>;
    .reg .pred %p<2>;
    ld.param.b32 %r1, [count];
    ld.param.b32 %r2, [value];
    mul.wide.u32 %q1, %r1, 4;
    alloca.u64 %q2, %q1, 64;
    mov.u32 %r3, 0;
FILL:
    mad.wide.u32 %q3, %r3, 4, %q2;
    st.local.u32 [%q3], %r2;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, %r1;
    @%p1 bra FILL;
    bar.warp.sync 0xffffffff;
    mov.u32 %r3, 0;
    mov.u32 %r4, 0;
SUM:
    mad.wide.u32 %q3, %r3, 4, %q2;
    ld.u32 %r5, [%q3];
    add.u32 %r4, %r4, %r5;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, %r1;
    @%p1 bra SUM;
    and.b64 %q4, %q2, 63;
    cvt.u32.u64 %r5, %q4;
    add.u32 %r4, %r4, %r5;
    st.param.b32 [sum], %r4;
    ret;
}

// Each thread a thousand times, and once more with what it allocates itself around it.
.visible .entry grow(.param .u64 to, .param .u64 bytes)
{
    .reg .b64 %q<8>;
    .reg .b32 %r<8>;
    .reg .pred %p<2>;
    ld.param.u64 %q1, [to];
    ld.param.u64 %q2, [bytes];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
    alloca.u64 %q3, %q2;
    st.local.u64 [%q3], %q2;
AGAIN:
    stacksave.u64 %q4;
    alloca.u64 %q5, 256;
    st.local.u32 [%q5+252], %r1;
    {
        .param .b32 n1;
        .param .b32 v1;
        .param .b32 r1;
        add.u32 %r4, %r1, 1;
        st.param.b32 [n1], %r4;
        st.param.b32 [v1], %r1;
        call.uni (r1), filled, (n1, v1);
        ld.param.b32 %r4, [r1];
    }
    add.u32 %r2, %r2, %r4;
    ld.local.u32 %r5, [%q5+252];
    sub.u32 %r5, %r5, %r1;
    add.u32 %r2, %r2, %r5;
    stackrestore.u64 %q4;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 1000;
    @%p1 bra AGAIN;
    ld.local.u64 %q6, [%q3];
    cvt.u32.u64 %r6, %q6;
    add.u32 %r2, %r2, %r6;
    mad.wide.u32 %q7, %r1, 4, %q1;
    st.global.u32 [%q7], %r2;
    ret;
}
"#;

fn fixture() -> Fixture {
    fixture_of(Config { workers: Some(2), memory: Some(1 << 30), ..Config::default() }, KERNELS)
}

#[test]
fn a_copy_reaches_all_blocks_that_it_names() {
    let f = fixture();
    let (from, to) = (f.device.malloc(64).unwrap(), f.device.malloc(128).unwrap());
    let values: Vec<u32> = (0..16).map(|n| n * n + 1).collect();
    f.write(from, &values);
    f.write(to, &[100u32; 32]);
    f.run("multicast", 2, 32, &parameters![from, to]);
    let expected: Vec<u32> = values.iter().chain(&values).map(|value| value + 100).collect();
    assert_eq!(f.read::<u32>(to, 32), expected);
}

#[test]
fn values_come_from_other_blocks() {
    let f = fixture();
    let to = f.device.malloc(32).unwrap();
    f.run("remote", 2, 1, &parameters![to]);
    assert_eq!(f.read::<u32>(to, 8), [20, 3, 20, 20, 77, 1, 87, 10]);
}

#[test]
fn threads_allocate_on_their_stacks() {
    let f = fixture();
    let to = f.device.malloc(4 * 64).unwrap();
    f.run("grow", 1, 64, &parameters![to, 4096u64]);
    let expected: Vec<u32> = (0..64).map(|n| 1000 * n * (n + 1) + 4096).collect();
    assert_eq!(f.read::<u32>(to, 64), expected);
}

#[test]
fn too_much_on_a_stack_is_a_fault() {
    for bytes in [1u64 << 22, 1 << 40, u64::MAX - 64] {
        let f = fixture();
        let to = f.device.malloc(4 * 64).unwrap();
        f.launch("grow", 1, 64, &parameters![to, bytes]);
        assert_eq!(f.device.synchronize(), Status(714), "{bytes}");
    }
}
