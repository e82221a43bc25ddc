//! What is fuzzed. Each target has the shape of a libFuzzer entry function: bytes in, panic if a property is broken.

use crate::seeds;
use hotfire_image::container::{self, Code};
use hotfire_image::fatbin::{self, Entry};
use hotfire_image::{Architecture, Wrapper, defines_device_runtime, machine_code, program, ptx_text};
use std::fmt::Write as _;

/// A target.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Runs it on one input. The answer describes what happened: inputs with new answers are kept.
    pub run: fn(&[u8]) -> String,
    /// Good inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Pieces that mean something in such inputs.
    pub dictionary: fn() -> Vec<Vec<u8>>,
}

/// All of them.
pub const TARGETS: [Target; 2] = [
    Target { name: "image", run: image, seeds: seeds::images, dictionary: seeds::image_dictionary },
    Target { name: "ptx", run: ptx, seeds: seeds::ptx, dictionary: seeds::ptx_dictionary },
];

/// Every reader of `hotfire-image`.
fn image(data: &[u8]) -> String {
    let mut answer = String::new();
    let mut note_error = |error: &hotfire_image::Error| {
        // A field that should be there may begin right behind the end.
        assert!(error.offset <= data.len() + 64, "the error is at {:#x} of {:#x}: {error}", error.offset, data.len());
        note(&mut answer, &error.message);
    };
    match container::inspect(data) {
        Err(error) => note_error(&error),
        Ok(contents) => {
            for image in &contents.images {
                assert!(image.offset <= data.len());
                match &image.code {
                    Code::Fatbin(entries) => entries.iter().for_each(|e| entry(e, data.len(), &mut note_error)),
                    Code::Damaged(error) => note_error(error),
                    Code::Ptx(_) | Code::Cubin(_) => {}
                }
            }
            let shape = (contents.form, contents.runtimes.len(), contents.images.len().min(8));
            let _ = write!(answer, "{shape:?}");
        }
    }
    // What the loaders do with memory that a program hands over.
    let half = data.len() / 2;
    for (registered, prelinked) in [(data, &[][..]), (data, &[data][..]), (&data[..half], &[&data[half..]][..])] {
        match program(registered, prelinked, Architecture::DEVICE) {
            Ok(units) => drop(write!(answer, "{}", units.len())),
            Err(error) => note(&mut answer, &error.message),
        }
    }
    let _ = (Wrapper::parse(data), fatbin::size(data), machine_code::architecture(data), ptx_text(data.to_vec()));
    let _ = container::is_static_executable(data);
    answer
}

fn entry(entry: &Entry<'_>, length: usize, note_error: &mut impl FnMut(&hotfire_image::Error)) {
    assert!(entry.payload.len() <= length);
    match entry.plain(u64::MAX) {
        Ok(plain) => assert_eq!(plain.len() as u64, entry.plain_length),
        Err(error) => note_error(&error),
    }
    match entry.text() {
        Ok(text) => drop(defines_device_runtime(&text)),
        Err(error) => note_error(&error),
    }
}

/// The parser and the linker of `hotfire-ptx`.
fn ptx(data: &[u8]) -> String {
    let text = String::from_utf8_lossy(data);
    let lines = text.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let mut answer = String::new();
    let mut note_error = |error: &hotfire_ptx::Diagnostic| {
        assert!(error.location.line as usize <= lines, "the error is in line {} of {lines}", error.location.line);
        note(&mut answer, &error.message);
    };
    match hotfire_ptx::parse(&text) {
        Err(error) => note_error(&error),
        Ok(module) => {
            module.functions.iter().filter_map(|function| function.broken.as_ref()).for_each(&mut note_error);
            if let Err(error) = hotfire_ptx::link(vec![module.clone(), module]) {
                note(&mut answer, &error.message);
            }
        }
    }
    answer
}

/// Adds a message once, without what varies from input to input: numbers, and what it quotes. Two say enough of an input: combinations
/// of more would always be new.
fn note(answer: &mut String, message: &str) {
    let constant = message.split(['`', '"']).next().unwrap_or_default();
    let line: String = constant.chars().filter(|character| !character.is_ascii_digit()).take(80).collect();
    if answer.lines().count() < 2 && !answer.lines().any(|known| known == line) {
        answer.push_str(&line);
        answer.push('\n');
    }
}
