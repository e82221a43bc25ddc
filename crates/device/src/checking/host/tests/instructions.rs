//! Exact bytes and directions.

use super::{Fixture, Seen};
use crate::memory::map::PAGE;
use std::arch::asm;

const READ: bool = false;
const WRITE: bool = true;

/// Runs code on watched memory and answers what was reported.
macro_rules! run {
    ($fixture:expr, $($code:tt)*) => {{
        // SAFETY: the code touches the fixture's memory only.
        unsafe { asm!($($code)*) };
        $fixture.seen()
    }};
}

#[test]
fn moves() {
    let f = Fixture::new(2);
    let at = f.at(16);
    let mut value: u64 = 0x1122_3344_5566_7788;
    assert_eq!(run!(f, "mov [{}], {}", in(reg) at, in(reg) value), [(16, 8, WRITE)]);
    assert_eq!(run!(f, "mov {1:e}, [{0} + 4]", in(reg) at, out(reg) value), [(20, 4, READ)]);
    assert_eq!(value, 0x1122_3344);
    assert_eq!(run!(f, "mov byte ptr [{} + 3], 5", in(reg) at), [(19, 1, WRITE)]);
    assert_eq!(
        run!(f, "movzx {1:e}, word ptr [{0} + 2*{2}]", in(reg) at, out(reg) value, in(reg) 1u64),
        [(18, 2, READ)]
    );
    assert_eq!(value, 0x0566);
    assert_eq!(run!(f, "add dword ptr [{}], 1", in(reg) at), [(16, 4, READ), (16, 4, WRITE)]);
    assert_eq!(run!(f, "cmp qword ptr [{}], 1", in(reg) at), [(16, 8, READ)]);
    // The first address and the last one.
    assert_eq!(run!(f, "mov [{}], al", in(reg) f.at(0)), [(0, 1, WRITE)]);
    assert_eq!(run!(f, "mov [{}], al", in(reg) f.at(2 * PAGE - 1)), [(2 * PAGE - 1, 1, WRITE)]);
}

#[test]
fn across_pages() {
    let f = Fixture::new(3);
    let at = f.at(PAGE - 3);
    assert_eq!(run!(f, "mov qword ptr [{}], 7", in(reg) at), [(PAGE - 3, 8, WRITE)]);
    let value: u64;
    assert_eq!(run!(f, "mov {1}, [{0}]", in(reg) at, out(reg) value), [(PAGE - 3, 8, READ)]);
    assert_eq!(value, 7);
}

#[test]
fn vectors() {
    let f = Fixture::new(2);
    let all: [Seen; 2] = [(32, 16, READ), (64, 16, WRITE)];
    assert_eq!(run!(f, "movups xmm0, [{0} + 32]", "movups [{0} + 64], xmm0", in(reg) f.at(0), out("xmm0") _), all);
    if !is_x86_feature_detected!("avx2") {
        return;
    }
    let all: [Seen; 2] = [(PAGE - 8, 32, READ), (64, 32, WRITE)];
    assert_eq!(run!(f, "vmovdqu ymm0, [{0} + 4088]", "vmovdqu [{0} + 64], ymm0", in(reg) f.at(0), out("ymm0") _), all);
    let mask: [i32; 8] = [0, -1, -1, 0, 0, 0, -1, 0];
    assert_eq!(
        run!(
            f,
            "vmovdqu ymm1, [{1}]",
            "vpmaskmovd ymm0, ymm1, [{0}]",
            "vmaskmovps [{0} + 64], ymm1, ymm0",
            in(reg) f.at(0), in(reg) mask.as_ptr(), out("ymm0") _, out("ymm1") _
        ),
        [(4, 8, READ), (24, 4, READ), (68, 8, WRITE), (88, 4, WRITE)]
    );
    let indices: [i32; 8] = [0, 1, -1, 3, 4, 5, 1030, 7];
    assert_eq!(
        run!(
            f,
            "vmovdqu ymm1, [{1}]",
            "vmovdqu ymm2, [{2}]",
            "vpgatherdd ymm0, [{0} + 4*ymm2], ymm1",
            in(reg) f.at(8), in(reg) mask.as_ptr(), in(reg) indices.as_ptr(),
            out("ymm0") _, out("ymm1") _, out("ymm2") _
        ),
        [(12, 4, READ), (4, 4, READ), (4128, 4, READ)]
    );
}

#[test]
fn wide_vectors() {
    if !is_x86_feature_detected!("avx512f") {
        return;
    }
    let f = Fixture::new(2);
    assert_eq!(
        run!(
            f,
            "kmovw k1, {1:e}",
            "vmovdqu32 zmm16, [{0}]",
            "vmovdqu32 [{0} + 64]{{k1}}, zmm16",
            in(reg) f.at(0), in(reg) 0b1_0110, out("zmm16") _, out("k1") _
        ),
        [(0, 64, READ), (68, 8, WRITE), (80, 4, WRITE)]
    );
}

#[test]
fn repeated() {
    let f = Fixture::new(4);
    let mut local: Vec<u8> = (0..200u8).collect();
    let (to, from, count): (*mut u8, *const u8, usize);
    let seen = run!(
        f, "rep movsb", inout("rdi") f.at(PAGE - 100) => to, inout("rsi") local.as_ptr() => from, inout("rcx") 200usize => count
    );
    assert_eq!(seen, [(PAGE - 100, 200, WRITE)]);
    assert_eq!((to, from, count), (f.at(PAGE + 100), local.as_ptr_range().end, 0));
    local.fill(0);
    let seen = run!(
        f, "rep movsq", inout("rdi") local.as_mut_ptr() => _, inout("rsi") f.at(PAGE - 100) => _, inout("rcx") 25usize => _
    );
    assert_eq!(seen, [(PAGE - 100, 200, READ)]);
    assert!((0..200u8).eq(local.iter().copied()));
    // From one watched place to another; downwards.
    let seen = run!(
        f, "std", "rep movsd", "cld",
        inout("rdi") f.at(2 * PAGE + 36) => _, inout("rsi") f.at(36) => _, inout("rcx") 10usize => _
    );
    assert_eq!(seen, [(0, 40, READ), (2 * PAGE, 40, WRITE)]);
    let seen = run!(
        f, "rep stosw", inout("rdi") f.at(PAGE - 2) => _, in("ax") 0x0303u16, inout("rcx") 1000usize => _
    );
    assert_eq!(seen, [(PAGE - 2, 2000, WRITE)]);
    f.watch.lift();
    // SAFETY: the fixture's memory, open now.
    unsafe {
        assert!((PAGE - 2..PAGE + 1998).all(|at| f.at(at).read() == 3));
        assert!(f.at(PAGE - 3).read() != 3 && f.at(PAGE + 1998).read() != 3);
    }
    f.watch.guard();
    // Stops where the bytes differ, and reads nothing behind that.
    let seen = run!(
        f, "repe scasb", inout("rdi") f.at(PAGE + 1997 - 3) => _, in("al") 3u8, inout("rcx") 100usize => _
    );
    assert_eq!(seen.len(), 5, "{seen:?}");
    assert!(seen.iter().zip(PAGE + 1994..).all(|(&seen, at)| seen == (at, 1, READ)));
}

#[test]
fn stack_operations() {
    let f = Fixture::new(2);
    assert_eq!(run!(f, "push qword ptr [{}]", "add rsp, 8", in(reg) f.at(8)), [(8, 8, READ)]);
    assert_eq!(run!(f, "push 5", "pop qword ptr [{}]", in(reg) f.at(8)), [(8, 8, WRITE)]);
    // A stack in watched memory: no signal comes between, but for the trap, which has a stack of its own.
    let before = AlternateStack::new();
    let seen = run!(
        f, "mov {0}, rsp", "mov rsp, {1}", "push 7", "pop {1}", "mov rsp, {0}", out(reg) _, inout(reg) f.at(PAGE) => _
    );
    drop(before);
    assert_eq!(seen, [(PAGE - 8, 8, WRITE), (PAGE - 8, 8, READ)]);
    // The trap flag of a step stays out of saved flags.
    let flags: u64;
    let before = AlternateStack::new();
    let _ = run!(
        f, "mov {0}, rsp", "mov rsp, {1}", "pushfq", "pop {1}", "mov rsp, {0}", out(reg) _, inout(reg) f.at(PAGE) => flags
    );
    drop(before);
    assert_eq!(flags & 0x100, 0);
}

#[test]
fn atomics() {
    let f = Fixture::new(1);
    let both: [Seen; 2] = [(8, 4, READ), (8, 4, WRITE)];
    assert_eq!(run!(f, "lock xadd [{}], {:e}", in(reg) f.at(8), inout(reg) 3 => _), both);
    assert_eq!(run!(f, "lock inc dword ptr [{}]", in(reg) f.at(8)), both);
    let value: u32;
    assert_eq!(run!(f, "xchg [{}], {:e}", in(reg) f.at(8), inout(reg) 9 => value), both);
    assert_eq!(value, 4);
    // One that succeeds, and one that fails and so writes nothing.
    for (expected, seen) in [(9, &both[..]), (9, &both[..1])] {
        assert_eq!(run!(f, "lock cmpxchg [{}], {:e}", in(reg) f.at(8), in(reg) 10, inout("eax") expected => _), seen);
    }
}

/// A small alternate stack for the calling thread.
struct AlternateStack(#[allow(dead_code, reason = "lives as long as it is used")] Vec<u8>, libc::stack_t);

impl AlternateStack {
    fn new() -> Self {
        let mut memory = vec![0u8; 16 << 10];
        // SAFETY: valid arguments; the stack lives until it is replaced.
        unsafe {
            let stack = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: memory.len() };
            let mut before = std::mem::zeroed();
            assert_eq!(libc::sigaltstack(&raw const stack, &raw mut before), 0);
            Self(memory, before)
        }
    }
}

impl Drop for AlternateStack {
    fn drop(&mut self) {
        // SAFETY: what was there before.
        unsafe { libc::sigaltstack(&raw const self.1, std::ptr::null_mut()) };
    }
}
