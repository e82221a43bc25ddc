//! The tables of names against the headers, and the shared object against the tables.

use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_int};
use std::path::PathBuf;

mod common;
#[path = "common/library.rs"]
mod library;

use library::Library;

/// Words that a header declares as functions: those that follow `marker` and are followed by a parenthesis.
fn declared(header: &str, marker: &str) -> BTreeSet<String> {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/cuda/site/nvidia/cu13/include").join(header);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}: run `cargo xtask fetch`", path.display()));
    let word = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    text.split(marker)
        .skip(1)
        .filter_map(|rest| {
            let rest = rest.trim_start();
            let name = word(rest);
            rest[name.len()..].trim_start().starts_with('(').then_some(name)
        })
        .filter(|name| name.starts_with("cu") || name.starts_with("__cu"))
        .collect()
}

/// A header gives some functions other names by macros: `#define cuMemAlloc cuMemAlloc_v2`.
fn redefined(header: &str) -> BTreeSet<(String, String)> {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/cuda/site/nvidia/cu13/include").join(header);
    let text = std::fs::read_to_string(path).expect("checked by the caller");
    text.lines()
        .filter_map(|line| {
            let mut words = line.trim_start().strip_prefix("#define ")?.split_whitespace();
            let (from, to) = (words.next()?, words.next()?);
            let to = to.split(['(', ')']).nth(1).unwrap_or(to);
            (from.starts_with("cu") && to.starts_with(from)).then(|| (from.to_string(), to.to_string()))
        })
        .collect()
}

/// What `cuGetProcAddress_v2` gives.
fn proc_address(library: &Library, base: &str, version: u32, flags: u64) -> Option<usize> {
    type Function = unsafe extern "C" fn(*const c_char, *mut usize, c_int, u64, *mut u32) -> u32;
    // SAFETY: the function of that name has this type.
    let function: Function = unsafe { std::mem::transmute(library.symbol("cuGetProcAddress_v2")) };
    let name = CString::new(base).expect("a name");
    let (mut address, mut status) = (1usize, 9u32);
    // SAFETY: valid pointers.
    let result = unsafe { function(name.as_ptr(), &mut address, version as c_int, flags, &mut status) };
    assert_eq!(result, 0, "cuGetProcAddress_v2({base})");
    assert_eq!(status == 0, address != 0, "{base}: status {status} with address {address:#x}");
    (address != 0).then_some(address)
}

fn known() -> BTreeSet<String> {
    hotfire_cuda::coverage().map(|(name, _)| name.to_string()).collect()
}

#[test]
fn every_declared_function_is_in_the_tables() {
    let known = known();
    let mut wanted = declared("cuda.h", "CUDAAPI");
    for header in ["cudaGL.h", "cudaEGL.h", "cudaVDPAU.h"] {
        wanted.extend(declared(header, "CUDAAPI"));
    }
    wanted.extend(declared("cuda_runtime_api.h", "CUDARTAPI"));
    wanted.extend(redefined("cuda.h").into_iter().map(|(_, to)| to));
    assert!(wanted.len() > 800, "only {} declarations found", wanted.len());
    // An inline function of the header, not a symbol.
    wanted.remove("cuGetProcAddress_v2_ptsz");
    let missing: Vec<_> = wanted.difference(&known).collect();
    assert!(missing.is_empty(), "declared, but not in crates/cuda/names: {missing:?}");
}

#[test]
fn what_a_header_means_by_a_name_is_what_proc_address_gives() {
    let library = Library::open();
    // 12.5 gave this name a second form without making it what the header means; a version of 13.0 means the newest.
    let exceptions = ["cuStreamGetCtx"];
    for (base, symbol) in redefined("cuda.h") {
        if exceptions.contains(&base.as_str()) {
            continue;
        }
        if base == "cuGetProcAddress_v2" || !known().contains(&symbol) || base.ends_with("_v2") {
            continue;
        }
        let given = proc_address(&library, &base, 13000, 0);
        assert_eq!(given, Some(library.symbol(&symbol)), "{base}, which cuda.h makes {symbol}");
    }
}

#[test]
fn the_shared_object_exports_every_name() {
    let library = Library::open();
    let missing: Vec<_> = known().into_iter().filter(|name| library.find(name).is_none()).collect();
    assert!(missing.is_empty(), "in the tables, but not exported: {missing:?}");
}

#[test]
fn proc_address_is_exact_by_version_and_stream() {
    let library = Library::open();
    let cases: &[(&str, u32, u64, Option<&str>)] = &[
        ("cuMemAlloc", 2000, 0, Some("cuMemAlloc")),
        ("cuMemAlloc", 3019, 0, Some("cuMemAlloc")),
        ("cuMemAlloc", 3020, 0, Some("cuMemAlloc_v2")),
        ("cuMemAlloc", 13000, 0, Some("cuMemAlloc_v2")),
        ("cuMemAlloc", 13000, 2, Some("cuMemAlloc_v2")),
        ("cuMemcpyHtoD", 13000, 1, Some("cuMemcpyHtoD_v2")),
        ("cuMemcpyHtoD", 13000, 2, Some("cuMemcpyHtoD_v2_ptds")),
        ("cuMemcpyHtoD", 6000, 2, Some("cuMemcpyHtoD_v2")),
        ("cuCtxCreate", 11040, 0, Some("cuCtxCreate_v3")),
        ("cuCtxCreate", 13000, 0, Some("cuCtxCreate_v4")),
        ("cuStreamGetCaptureInfo", 11030, 2, Some("cuStreamGetCaptureInfo_v2_ptsz")),
        ("cuStreamGetCaptureInfo", 12020, 0, Some("cuStreamGetCaptureInfo_v2")),
        ("cuGetProcAddress", 11030, 0, Some("cuGetProcAddress")),
        ("cuGetProcAddress", 12000, 0, Some("cuGetProcAddress_v2")),
        ("cuLibraryLoadData", 11000, 0, None),
        ("cuNoSuchFunction", 13000, 0, None),
        ("", 13000, 0, None),
    ];
    for (base, version, flags, symbol) in cases {
        let given = proc_address(&library, base, *version, *flags);
        assert_eq!(given, symbol.map(|symbol| library.symbol(symbol)), "{base} for {version}, flags {flags}");
    }
}
