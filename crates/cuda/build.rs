//! Turns the committed tables of names into code: an extern declaration and a table row for every exported name, and
//! a stub for every name that no `export!` item implements. Also gives the shared object its symbol versions.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=names");
    println!("cargo:rerun-if-changed=src");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let driver = rows("names/driver.txt");
    let runtime = rows("names/runtime.txt");
    let implemented = implemented(Path::new("src"));

    let known: BTreeSet<&str> = driver.iter().chain(&runtime).map(|row| row[0].as_str()).collect();
    let stray: Vec<_> = implemented.iter().filter(|name| !known.contains(name.as_str())).collect();
    assert!(stray.is_empty(), "exported, but not in names/: {stray:?}");

    let mut stubs = String::new();
    for (rows, kind) in [(&driver, "driver"), (&runtime, "runtime")] {
        for row in rows.iter().filter(|row| !implemented.contains(&row[0]) && !is_alias(row)) {
            writeln!(stubs, "stub!({kind} {});", row[0]).expect("writing to a string");
        }
    }
    fs::write(out.join("stubs.rs"), stubs).expect("writing stubs.rs");
    fs::write(out.join("names.rs"), tables(&driver, &runtime, &implemented)).expect("writing names.rs");
    link_arguments(&out);
}

/// The words of each line that is no comment.
fn rows(path: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split_whitespace().map(String::from).collect())
        .collect()
}

/// Whether the row gives an exported function a second base name.
fn is_alias(row: &[String]) -> bool {
    row.get(4).is_some_and(|word| word == "alias")
}

/// Names that an `export!` item defines: lines of the form `KIND fn NAME(…` or `KIND fn NAME | NAME as …`.
fn implemented(directory: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(directory).expect("reading src") {
        let path = entry.expect("reading src").path();
        if path.is_dir() {
            names.extend(implemented(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("reading a source file");
            let mut rest = text.as_str();
            while let Some((line, _)) = rest.split_once('\n') {
                if let Some((kind, from)) = line.trim_start().split_once(" fn ")
                    && ["driver", "context", "runtime", "runtime_plain", "both", "plain"].contains(&kind)
                {
                    // Names may go on in the next lines.
                    let head = &rest[line.len() - from.len()..];
                    let head =
                        head.split(['(', ':']).next().unwrap_or_default().split(" as").next().unwrap_or_default();
                    names.extend(head.split('|').map(|name| name.trim().to_string()));
                }
                rest = &rest[line.len() + 1..];
            }
        }
    }
    names
}

fn tables(driver: &[Vec<String>], runtime: &[Vec<String>], implemented: &BTreeSet<String>) -> String {
    let mut text = String::from("unsafe extern \"C\" {\n");
    for row in driver.iter().chain(runtime).filter(|row| !is_alias(row)) {
        writeln!(text, "    fn {}();", row[0]).expect("writing to a string");
    }
    writeln!(text, "}}\npub(crate) static DRIVER: [Driver; {}] = [", driver.len()).expect("writing to a string");
    for row in driver {
        let [symbol, base, version, form] = &row[..row.len().min(4)] else { panic!("names/driver.txt: {row:?}") };
        writeln!(
            text,
            "    Driver {{ base: {base:?}, version: {version}, per_thread: {}, alias: {}, export: Export {{ symbol: {symbol:?}, \
             implemented: {}, function: {symbol} }} }},",
            form == "ptds",
            is_alias(row),
            implemented.contains(symbol)
        )
        .expect("writing to a string");
    }
    writeln!(text, "];\npub(crate) static RUNTIME: [Export; {}] = [", runtime.len()).expect("writing to a string");
    for row in runtime {
        writeln!(
            text,
            "    Export {{ symbol: {:?}, implemented: {}, function: {} }},",
            row[0],
            implemented.contains(&row[0]),
            row[0]
        )
        .expect("writing to a string");
    }
    text.push_str("];\n");
    let rows = driver.iter().map(|row| ("driver", row)).chain(runtime.iter().map(|row| ("runtime", row)));
    let list: String = rows
        .filter(|(_, row)| !is_alias(row))
        .map(|(api, row)| format!("{api} {} {}\n", row[0], u8::from(implemented.contains(&row[0]))))
        .collect();
    writeln!(text, "#[used]\n#[unsafe(link_section = \".hotfire.names\")]").expect("writing to a string");
    writeln!(text, "static LIST: [u8; {}] = *b{list:?};", list.len()).expect("writing to a string");
    text
}

/// - Programs linked with `-cudart shared` ask for symbol version `libcudart.so.13`; the loader warns unless the object
///   that stands in defines it. The versions hold no symbols: an unversioned definition satisfies any request.
/// - Constructors of libraries that the program needs run before those of preloaded ones, unless the preloaded one is
///   marked `initfirst`; their static runtimes must be redirected before they register anything.
/// - Our own references must never end in a `cuda*` function of the program.
fn link_arguments(out: &Path) {
    let script = out.join("versions.map");
    fs::write(&script, "libcudart.so.11.0 {};\nlibcudart.so.12 {};\nlibcudart.so.13 {};\n")
        .expect("writing versions.map");
    println!("cargo:rustc-cdylib-link-arg=-Wl,--version-script={}", script.display());
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,initfirst");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
