//! Whole files: executables, objects, archives, PTX.

use crate::synthetic::{ELF, PTX, Stored, archive, elf, entry, fatbin};
use hotfire_image::ErrorKind;
use hotfire_image::container::{Code, Contents, Form, Role, Runtime, inspect};

const KERNEL: &[u8] = b"\n.version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";

fn with_ptx() -> Vec<u8> {
    fatbin(&[entry(ELF, 90, 0, Stored::Plain, b"\x7fELF"), entry(PTX, 90, 0, Stored::Zstd, KERNEL)])
}

fn machine_code() -> Vec<u8> {
    fatbin(&[entry(ELF, 90, 0, Stored::Plain, b"\x7fELF linked")])
}

fn roles(contents: &Contents<'_>) -> Vec<(Role, usize)> {
    let entries = |code: &Code<'_>| if let Code::Fatbin(entries) = code { entries.len() } else { 0 };
    contents.images.iter().map(|image| (image.role, entries(&image.code))).collect()
}

#[test]
fn an_executable_has_linked_code_and_units() {
    let units = [with_ptx(), vec![0; 8], with_ptx()].concat();
    let file = elf(2, &[(".text", b"code"), (".nv_fatbin", &machine_code()), ("__nv_relfatbin", &units)]);
    let contents = inspect(&file).unwrap();
    assert_eq!(contents.form, Form::Executable);
    assert_eq!(contents.runtimes, [Runtime::StaticStripped]);
    assert_eq!(roles(&contents), [(Role::Loaded, 1), (Role::Unit, 2), (Role::Unit, 2)]);
    for image in &contents.images {
        assert_eq!(file[image.offset..image.offset + 4], 0xba55_ed50_u32.to_le_bytes());
    }
}

#[test]
fn objects_and_archives_of_them() {
    let object = elf(1, &[(".nv_fatbin", &with_ptx())]);
    let contents = inspect(&object).unwrap();
    assert_eq!((contents.form, contents.runtimes.len(), contents.images.len()), (Form::Object, 0, 1));

    let library = archive(&[("a.o", &object), ("notes.txt", b"odd"), ("b.o", &object)]);
    let contents = inspect(&library).unwrap();
    let members: Vec<_> = contents.images.iter().map(|image| image.member.as_deref().unwrap()).collect();
    assert_eq!((contents.form, members), (Form::Archive, vec!["a.o", "b.o"]));
    for image in &contents.images {
        assert_eq!(library[image.offset..image.offset + 4], 0xba55_ed50_u32.to_le_bytes());
    }
}

#[test]
fn damage_in_one_fat_binary_leaves_the_others() {
    let mut bad = with_ptx();
    bad[16 + 8] = 0xff;
    let section = [with_ptx(), bad, with_ptx()].concat();
    let file = elf(3, &[(".nv_fatbin", &section)]);
    let contents = inspect(&file).unwrap();
    assert_eq!(contents.form, Form::SharedObject);
    let [Code::Fatbin(_), Code::Damaged(error), Code::Fatbin(_)] =
        &contents.images.iter().map(|i| &i.code).collect::<Vec<_>>()[..]
    else {
        panic!("{contents:?}")
    };
    assert_eq!(error.offset, contents.images[1].offset + 16 + 8);
}

#[test]
fn fat_binaries_cubins_and_ptx_stand_alone() {
    assert_eq!(inspect(&with_ptx()).unwrap().form, Form::Fatbin);
    assert!(matches!(&inspect(KERNEL).unwrap().images[0].code, Code::Ptx(text) if text.as_bytes() == KERNEL));
    let mut cubin = elf(2, &[]);
    cubin[8] = 8;
    cubin[18] = 190;
    cubin[48..52].copy_from_slice(&0x0600_5a04_u32.to_le_bytes());
    assert!(matches!(inspect(&cubin).unwrap().images[0].code, Code::Cubin(a) if a.number == 90));
}

#[test]
fn what_is_not_understood_says_so() {
    for bytes in [&b"hello"[..], b"", b"\x7fELF", b"!<arch>\nx", b"!<thin>\n", b"\xb1\x43\x62\x46"] {
        assert_eq!(inspect(bytes).unwrap_err().kind, ErrorKind::Malformed, "{bytes:?}");
    }
}

#[test]
fn truncated_files_do_not_panic() {
    let object = elf(1, &[(".nv_fatbin", &with_ptx())]);
    let library = archive(&[("a.o", &object)]);
    for file in [elf(2, &[(".nv_fatbin", &with_ptx()), ("__nv_relfatbin", &with_ptx())]), library] {
        for length in 0..file.len() {
            if let Ok(contents) = inspect(&file[..length]) {
                assert!(contents.images.len() <= 2);
            }
        }
    }
}
