//! Good inputs: images built as nvcc lays them out, and the PTX that is committed with the examples.

#[path = "../../crates/image/tests/image/synthetic.rs"]
mod synthetic;

use std::path::Path;
use synthetic::{ELF, FAMILY, PTX, SPECIFIC, Stored, archive, elf, entry, fatbin};

const KERNEL: &str = include_str!("../../examples/vector-add/src/add.ptx");

/// Fat binaries with every kind of entry, alone and within host files.
pub fn images() -> Vec<Vec<u8>> {
    let runtime = format!("{KERNEL}\n.visible .func (.param .b32 r) __cudaCDP2Free(.param .b64 p) {{ ret; }}\n");
    let mut images = Vec::new();
    let mut sections = Vec::new();
    for stored in [Stored::Plain, Stored::Lz4, Stored::Zstd] {
        let program = fatbin(&[
            entry(ELF, 90, SPECIFIC, stored, b"\x7fELF machine code"),
            entry(PTX, 100, FAMILY, stored, runtime.as_bytes()),
            entry(PTX, 90, 0, stored, KERNEL.as_bytes()),
        ]);
        sections.extend_from_slice(&program);
        images.push(program);
    }
    let linked = fatbin(&[entry(ELF, 90, 0, Stored::Plain, b"\x7fELF linked")]);
    let object = elf(1, &[("__nv_relfatbin", &images[2])]);
    images.push(elf(2, &[(".text", b"code"), (".nv_fatbin", &linked), ("__nv_relfatbin", &sections)]));
    images.push(elf(3, &[(".nv_fatbin", &sections)]));
    images.push(archive(&[("a.o", &object), ("text", b"odd"), ("b.o", &object)]));
    images.push(object);
    images.push(KERNEL.into());
    images
}

/// Magic numbers and names that the readers look for.
pub fn image_dictionary() -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> =
        [0xba55_ed50_u32, 0x4662_43b1, 0xfd2f_b528].iter().map(|magic| magic.to_le_bytes().to_vec()).collect();
    words.extend(
        [&b"\x7fELF\x02\x01\x01"[..], b"!<arch>\n", b"!<thin>\n", b".nv_fatbin\0", b"__nv_relfatbin\0"].map(Vec::from),
    );
    words.extend([&b".version 9.0\n"[..], b"__cudaCDP2", b"#1/20", b"//"].map(Vec::from));
    words
}

/// Every PTX file of the workspace's sources, and a few lines that none of them has.
pub fn ptx() -> Vec<Vec<u8>> {
    let mut seeds = vec![KERNEL.into(), RARE.into()];
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..")];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(&folder)
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        // The order decides the run.
        entries.sort();
        for path in entries {
            let name = path.file_name().unwrap_or_default();
            if path.is_dir() {
                if name != "target" && !name.as_encoded_bytes().starts_with(b".") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                seeds.extend(std::fs::read(path));
            }
        }
    }
    seeds
}

/// What nvcc writes seldom.
const RARE: &str = r#"
.version 8.0
.target sm_90, debug
.address_size 64
.file 1 "a.cu", 1700000000, 123
.extern .func (.param .b32 r) f (.param .b64 p, .param .align 8 .b8 q[24]) ;
.extern .shared .align 16 .b8 dynamic[];
.global .align 8 .u64 table[4] = { generic(g)+8, 0xFF(g), 1, k };
.const .align 4 .f32 c[2][2] = { { 0f3F800000, 1.5 }, { 0d3FF0000000000000, -2 } };
.global .v4 .f32 g = { 1.0, 2.0, 3.0, 4.0 };
.weak .func (.reg .u32 r) h (.reg .u32 a) { add.u32 r, a, 1; ret; }
.alias name, h;
.visible .entry k (.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 s[16])
.maxntid 128, 1, 1 .minnctapersm 2 .reqntid 32
{
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .b16 %h; .reg .f64 %fd<3>;
  .local .align 4 .b8 depot[16];
  .shared .align 4 .u32 tile[32];
  proto: .callprototype (.param .b32 _) _ (.param .b32 _);
  targets: .branchtargets L0, L1;
  .loc 1 7 3, function_name $str+4, inlined_at 1 9 2
  setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p1;
  @!%p1 bra.uni L1;
  brx.idx %r1, targets;
L0:
  shfl.sync.bfly.b32 %r3|%p2, %r4, 16, 0x1f, 0xffffffff;
  atom.global.acq_rel.gpu.cas.b32 %r5, [%rd1+-4], %r6, %r7;
  ld.global.nc.L1::no_allocate.v4.u32 {%r1, %r2, %r3, _}, [%rd1];
  { .reg .b32 %r1; mov.b64 {%r1, %r2}, %rd1; }
  cvt.rni.sat.s32.f64 %r1, %fd1;
  bar.red.popc.u32 %r1, 0, 32, %p1;
  call (%r1), %rd2, (%r2), proto;
  lop3.b32 %r1, %r2, %r3, %r4, 0b1101;
  mov.u32 %r1, %tid.x; mov.u64 %rd2, k; fma.rn.f64 %fd1, %fd1, 0d4000000000000000, %fd2;
L1: ret;
}
.section .debug_str { info: .b8 1, 2 .b64 info+4 }
"#;

/// Words of PTX; ends of numbers, strings, comments and braces are where parsers go wrong.
pub fn ptx_dictionary() -> Vec<Vec<u8>> {
    const WORDS: &str = ".version .target .address_size .entry .func .visible .extern .weak .common .global .const .shared .local .param .reg .align .b8 .b16 .b32 .b64 .b128 .u32 .s64 .f32 .f64 .f16x2 .bf16 .pred .v2 .v4 .loc .file .section .pragma .maxntid .reqntid .branchtargets .callprototype .callargs .alias .noreturn .ptr .attribute( .managed @ @! { } ( ) [ ] < > , ; : + - | ! = _ %r1 %rd1 %f1 %p1 %tid.x %clock64 %laneid WARP_SZ 0x 0b 07 0f3F800000 0dFFFFFFFFFFFFFFFF 0f 1e400 1.5 99999999999999999999999999999999999999999 -9223372036854775808 18446744073709551615 0xFFFFFFFFFFFFFFFFU /* */ // \" \\ generic( mask( 0xFF00( ld.global st.param cvta.to.global mad.wide.u32 setp.eq.s32 bra.uni brx.idx call.uni ret; exit; trap; membar.gl bar.sync shfl.sync.idx.b32 vote.sync.ballot.b32 atom.add cvt.rn.f32.s32 mma.sync wgmma tensormap";
    WORDS
        .split(' ')
        .flat_map(|word| [word.as_bytes().to_vec(), format!(" {word} ").into_bytes()])
        .chain([b"\n".to_vec(), b"\0".to_vec(), "\u{fffd}".into(), b"<1000000000>".to_vec(), b"[4294967296]".to_vec()])
        .collect()
}
