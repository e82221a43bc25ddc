//! Fat binaries: entries, compression, selection, damage.

use crate::synthetic::{ELF, FAMILY, PTX, SPECIFIC, Stored, entry, fatbin as build};
use hotfire_image::fatbin::{self, Kind};
use hotfire_image::{Architecture, ErrorKind, Variant, program, select};

const DEVICE: Architecture = Architecture::DEVICE;

fn text(tag: &str) -> Vec<u8> {
    format!(
        "//\n// {tag}\n.version 9.0\n.target sm_90\n.address_size 64\n{}",
        ".visible .entry k() { ret; }\n".repeat(40)
    )
    .into_bytes()
}

#[test]
fn text_comes_out_of_every_kind_of_storage() {
    let plain = text("hello");
    for stored in [Stored::Plain, Stored::Lz4, Stored::Zstd] {
        let bytes = build(&[entry(ELF, 90, 0, stored, b"\x7fELF machine code"), entry(PTX, 90, 0, stored, &plain)]);
        assert_eq!(fatbin::size(&bytes[..16]).unwrap(), bytes.len());
        let entries = fatbin::parse(&bytes).unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!((entries[0].kind, entries[1].kind), (Kind::Elf, Kind::Ptx));
        assert_eq!(entries[1].version, (9, 0));
        assert_eq!(entries[1].text().unwrap().as_bytes(), plain, "{stored:?}");
        assert!(entries[0].text().is_err());
    }
}

#[test]
fn bytes_after_the_end_do_not_matter() {
    let mut bytes = build(&[entry(PTX, 80, 0, Stored::Zstd, &text("x"))]);
    bytes.extend([0xff; 100]);
    assert_eq!(fatbin::parse(&bytes).unwrap().len(), 1);
}

#[test]
fn the_best_ptx_for_the_device_is_taken() {
    let chosen = |candidates: &[(u32, u64)]| {
        let entries: Vec<_> =
            candidates.iter().map(|&(number, flags)| entry(PTX, number, flags, Stored::Plain, &text("t"))).collect();
        let bytes = build(&entries);
        let entries = fatbin::parse(&bytes).unwrap();
        select(&entries, DEVICE).map(|entry| entry.architecture.to_string())
    };
    assert_eq!(chosen(&[(52, 0), (90, 0), (80, 0), (100, 0)]).as_deref(), Some("sm_90"));
    assert_eq!(chosen(&[(80, 0), (90, SPECIFIC)]).as_deref(), Some("sm_90a"));
    assert_eq!(chosen(&[(90, SPECIFIC), (90, 0)]).as_deref(), Some("sm_90"));
    assert_eq!(chosen(&[(80, SPECIFIC), (75, 0)]).as_deref(), Some("sm_75"));
    assert_eq!(chosen(&[(100, 0), (100, FAMILY)]), None);
    let family = build(&[entry(PTX, 100, FAMILY, Stored::Plain, &text("t"))]);
    assert_eq!(fatbin::parse(&family).unwrap()[0].architecture.variant, Variant::Family);
}

#[test]
fn machine_code_only_says_what_is_there_and_how_to_build() {
    let bytes = build(&[
        entry(ELF, 80, 0, Stored::Plain, b"\x7fELF"),
        entry(ELF, 90, SPECIFIC, Stored::Plain, b"\x7fELF"),
        entry(PTX, 100, 0, Stored::Zstd, &text("newer")),
    ]);
    let error = program(&bytes, &[], DEVICE).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NoImage);
    for part in ["sm_80, sm_90a", "PTX for compute_100", "-gencode arch=compute_90,code=compute_90"] {
        assert!(error.message.contains(part), "{error}");
    }
}

#[test]
fn the_prelinked_list_is_the_program_without_the_device_runtime() {
    let linked = build(&[entry(ELF, 90, 0, Stored::Plain, b"\x7fELF linked")]);
    let first = build(&[entry(ELF, 90, 0, Stored::Zstd, b"\x7fELF"), entry(PTX, 90, 0, Stored::Zstd, &text("first"))]);
    let second = build(&[entry(PTX, 90, 0, Stored::Lz4, &text("second"))]);
    let mut runtime = text("runtime");
    runtime.extend(b".visible .func (.param .b32 r) __cudaCDP2Free(\n.param .b64 p\n)\n{\nret;\n}\n");
    let newer = build(&[entry(ELF, 90, 0, Stored::Zstd, b"\x7fELF"), entry(PTX, 121, 0, Stored::Zstd, &runtime)]);
    let same = build(&[entry(PTX, 90, 0, Stored::Zstd, &runtime)]);
    let units = program(&linked, &[&first, &newer, &second, &same], DEVICE).unwrap();
    let tags: Vec<_> = units.iter().map(|unit| unit.text.lines().nth(1).unwrap()).collect();
    assert_eq!(tags, ["// first", "// second"]);

    let error = program(&linked, &[&first, &linked], DEVICE).unwrap_err();
    assert!(error.kind == ErrorKind::NoImage && error.message.starts_with("unit 2 of 2: no PTX"), "{error}");
    let error = program(&linked, &[&first, &first[..40]], DEVICE).unwrap_err();
    assert!(error.kind == ErrorKind::Malformed && error.message.starts_with("unit 2 of 2: "), "{error}");
    // A registered fat binary with PTX is whole.
    assert_eq!(program(&second, &[&first], DEVICE).unwrap().len(), 1);
}

#[test]
fn every_truncation_is_a_located_error() {
    let bytes = build(&[entry(ELF, 90, 0, Stored::Plain, b"\x7fELF"), entry(PTX, 90, 0, Stored::Zstd, &text("x"))]);
    for length in 0..bytes.len() {
        let error = fatbin::parse(&bytes[..length]).unwrap_err();
        assert!(error.offset <= length.max(8), "{length}: {error}");
    }
}

/// Changes one field of a good entry and expects the error at that field.
fn damaged(at: usize, with: &[u8], expected_offset: usize) {
    let mut bytes = build(&[entry(PTX, 90, 0, Stored::Zstd, &text("x"))]);
    bytes[at..at + with.len()].copy_from_slice(with);
    let error = match fatbin::parse(&bytes) {
        Ok(entries) => entries[0].text().unwrap_err(),
        Err(error) => error,
    };
    assert_eq!((error.kind, error.offset), (ErrorKind::Malformed, expected_offset), "{error}");
}

#[test]
fn damaged_fields_are_located() {
    const ENTRY: usize = 16;
    const PAYLOAD: usize = ENTRY + 80;
    damaged(0, &[0; 4], 0);
    damaged(4, &[9, 0], 4);
    damaged(6, &[15, 0], 6);
    damaged(8, &u64::MAX.to_le_bytes(), 8);
    damaged(8, &1_000_000_u64.to_le_bytes(), 8);
    damaged(ENTRY + 4, &63_u32.to_le_bytes(), ENTRY + 4);
    damaged(ENTRY + 4, &u32::MAX.to_le_bytes(), ENTRY + 8);
    damaged(ENTRY + 8, &u64::MAX.to_le_bytes(), ENTRY + 8);
    damaged(ENTRY + 16, &u32::MAX.to_le_bytes(), ENTRY + 16);
    damaged(ENTRY + 40, &0_u64.to_le_bytes(), PAYLOAD); // compressed, but how?
    damaged(ENTRY + 40, &0x2000_u64.to_le_bytes(), PAYLOAD); // zstd read as LZ4
    damaged(ENTRY + 56, &7_u64.to_le_bytes(), PAYLOAD); // plain length
    damaged(ENTRY + 56, &u64::MAX.to_le_bytes(), PAYLOAD);
    damaged(PAYLOAD, &[0; 4], PAYLOAD); // zstd's magic number
}

#[test]
fn a_small_payload_cannot_claim_much_memory() {
    let mut bytes = build(&[entry(PTX, 90, 0, Stored::Lz4, &text("x"))]);
    bytes[16 + 56..16 + 64].copy_from_slice(&(400_u64 << 20).to_le_bytes());
    let error = fatbin::parse(&bytes).unwrap()[0].text().unwrap_err();
    assert!(error.message.contains("cannot hold"), "{error}");
}
