//! Source lines to show: from the file that the compiler named if it can be read, else the line of PTX.

use hotfire_check::Place;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// More than any source file that a person looks at.
const LARGEST: u64 = 16 << 20;

/// Source files, each read once.
#[derive(Default)]
pub struct Sources {
    files: HashMap<String, Option<Arc<str>>>,
}

/// A place as it is shown.
pub struct Shown {
    /// What stands behind the arrow.
    pub path: String,
    /// The text that the line is in, if there is any.
    pub source: Option<Arc<str>>,
    /// Number of the text's first line.
    pub first_line: usize,
    /// The line, or 0.
    pub line: usize,
    /// The file that was named and could not be read.
    pub missing: Option<String>,
}

impl Shown {
    /// Bytes of a line without its indentation; an empty range where the text has no such line.
    pub fn span(&self, line: usize) -> Range<usize> {
        let source = self.source.as_deref().unwrap_or("");
        let mut start = 0;
        for text in source.split_inclusive('\n').take(line.saturating_sub(self.first_line)) {
            start += text.len();
        }
        let text = source.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("");
        let indentation = text.len() - text.trim_start().len();
        start + indentation..start + text.trim_end().len().max(indentation)
    }
}

impl Sources {
    /// Nothing read yet.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Takes this text for that file instead of reading it.
    pub fn insert(&mut self, file: impl Into<String>, text: impl Into<Arc<str>>) {
        self.files.insert(file.into(), Some(text.into()));
    }

    fn read(&mut self, file: &str) -> Option<Arc<str>> {
        if let Some(known) = self.files.get(file) {
            return known.clone();
        }
        let text = read(Path::new(file));
        self.files.insert(file.to_owned(), text.clone());
        text
    }

    /// What to show of a place.
    pub fn show(&mut self, place: &Place) -> Shown {
        let mut missing = None;
        if let Some(file) = &place.file {
            let line = place.line.unwrap_or(0) as usize;
            let path = printable(file);
            let source = self.read(file).filter(|text| line > 0 && text.lines().count() >= line);
            if source.is_some() || place.ptx.is_none() {
                return Shown { path, source, first_line: 1, line, missing: None };
            }
            missing = Some(words_of(file, place.line));
        }
        let line = place.ptx_line.unwrap_or(0) as usize;
        let function = place.function.as_deref();
        let path = match (place.ptx_line, function) {
            (Some(_), Some(function)) => format!("PTX of {function}"),
            (Some(_), None) => "PTX".to_owned(),
            (None, Some(function)) => function.to_owned(),
            (None, None) => "an unknown place".to_owned(),
        };
        let source = place.ptx.as_deref().filter(|_| line > 0).map(Arc::from);
        Shown { path: printable(&path), source, first_line: line.max(1), line, missing }
    }
}

fn words_of(file: &str, line: Option<u32>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// A regular file of a sensible size. What is no UTF-8 in it is replaced: comments may be in any encoding.
fn read(path: &Path) -> Option<Arc<str>> {
    let is_source = fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
    let mut bytes = Vec::new();
    let read = is_source.then(|| File::open(path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()).flatten();
    read.map(|_| Arc::from(String::from_utf8_lossy(&bytes)))
}

/// Without characters that would move a terminal's cursor. Names come from the program.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{FFFD}' } else { c }).collect()
}
