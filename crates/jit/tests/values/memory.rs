//! `ld`, `st`, `mov`: widths, signs, vectors, local variables, packing.

use crate::harness::{Code, check};

#[test]
fn narrow_loads_extend() {
    for (ty, model) in [
        ("u8", (|a| a & 0xff) as fn(u64) -> u64),
        ("s8", |a| i64::from(a as i8) as u64),
        ("u16", |a| a & 0xffff),
        ("s16", |a| i64::from(a as i16) as u64),
        ("u32", |a| a & 0xffff_ffff),
        ("s32", |a| i64::from(a as i32) as u64),
    ] {
        check(&format!("ld.{ty} %d, [%at];"), "u64", &["u64"], |[a, ..]| model(a));
    }
}

#[test]
fn narrow_stores_leave_the_rest() {
    check("st.u8 [%at], %b;\nld.u64 %d, [%at];", "u64", &["u64", "u64"], |[a, b, ..]| a & !0xff | b & 0xff);
    check("st.u16 [%at+2], %b;\nld.u64 %d, [%at];", "u64", &["u64", "u64"], |[a, b, ..]| {
        a & !0xffff_0000 | (b & 0xffff) << 16
    });
}

#[test]
fn strong_accesses_are_accesses() {
    for (store, load) in [
        ("st.volatile", "ld.volatile"),
        ("st.relaxed.gpu", "ld.relaxed.gpu"),
        ("st.release.sys", "ld.acquire.sys"),
        ("st.release.cta", "ld.acquire.cta"),
    ] {
        let text = format!("{store}.global.u64 [%at], %b;\n{load}.global.u64 %d, [%at];");
        check(&text, "u64", &["u64", "u64"], |[_, b, ..]| b);
        let text = format!("{store}.global.f32 [%at], %b;\n{load}.global.f32 %d, [%at];");
        check(&text, "f32", &["u64", "f32"], |[_, b, ..]| b);
    }
}

/// An elided element is neither read nor written.
#[test]
fn vectors() {
    let text = ".reg .b32 %x<3>;\n.reg .b64 %l<3>;\nld.v2.u32 {%x1, %x2}, [%at];\nst.v2.u32 [%at], {%x2, %x1};\nld.u64 %d, [%at];";
    check(text, "u64", &["u64"], |[a, ..]| a.rotate_left(32));
    let text = ".reg .b16 %x<5>;\nld.v4.u16 {%x1, _, %x3, %x4}, [%at];\nmov.u16 %x2, 7;\nst.v4.u16 [%at], {%x4, %x3, %x2, %x1};\nld.u64 %d, [%at];";
    check(text, "u64", &["u64"], |[a, ..]| a >> 48 | (a >> 32 & 0xffff) << 16 | 7 << 32 | (a & 0xffff) << 48);
}

#[test]
fn packing_and_unpacking() {
    let text = ".reg .b32 %x, %y;\nmov.b64 {%x, %y}, %a;\nmov.b64 %d, {%y, %x};";
    check(text, "u64", &["u64"], |[a, ..]| a.rotate_left(32));
    let text = ".reg .b16 %x, %y;\nmov.b32 {%x, %y}, %a;\nmov.b32 %d, {%y, %x};";
    check(text, "u32", &["u32"], |[a, ..]| u64::from((a as u32).rotate_left(16)));
}

/// By name and through a register.
#[test]
fn local_variables() {
    let text = ".local .align 8 .b8 v[16];\n.reg .b64 %p;\nst.local.u64 [v+8], %a;\nmov.u64 %p, v;\nst.local.u32 [%p+12], 5;\nld.local.u64 %d, [v+8];";
    check(text, "u64", &["u64"], |[a, ..]| a & 0xffff_ffff | 5 << 32);
}

#[test]
fn threads_know_who_they_are() {
    let code = Code::new("mov.u32 %d, %tid.x;\nmov.u32 %e, %ntid.x;", &["u32", "u32"], &[]);
    assert_eq!(code.run(&[[0; 4]; 3]), [[0, 3], [1, 3], [2, 3]]);
}
