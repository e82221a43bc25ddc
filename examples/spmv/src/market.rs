//! Matrix Market files in coordinate format, gzip or not: real, integer or pattern (every entry 1); general, symmetric or
//! skew-symmetric. Format: "The Matrix Market Exchange Formats", NISTIR 5935.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressStyle};

use crate::matrix::{Entry, MOST_ENTRIES, Matrix};

/// Reads a file, showing how far it is on a terminal.
pub fn read(path: &Path) -> Result<Matrix, String> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| format!("{shown}: {error}"))?;
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    let style =
        ProgressStyle::with_template("  reading  {bar:40} {bytes}/{total_bytes}").expect("the template is valid");
    let bar = ProgressBar::new(size).with_style(style);
    let mut file = BufReader::new(bar.wrap_read(file));
    let start = file.fill_buf().map_err(|error| format!("{shown}: {error}"))?;
    let compressed = start.starts_with(&[0x1f, 0x8b]);
    let text: Box<dyn Read> = if compressed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let matrix = parse(name, BufReader::new(text)).map_err(|(line, what)| format!("{shown}:{line}: {what}"));
    bar.finish_and_clear();
    matrix
}

/// A line number, from 1, and what is wrong there.
type Located = (usize, String);

#[derive(Clone, Copy, Eq, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

fn parse(name: String, text: impl BufRead) -> Result<Matrix, Located> {
    let mut number = 0;
    let mut lines = text.lines().map(|line| {
        number += 1;
        line.map(|line| (number, line)).map_err(|error| (number, error.to_string()))
    });
    let (number, banner) = lines.next().unwrap_or_else(|| Err((1, "the file is empty".to_owned())))?;
    let (pattern, symmetry) = parse_banner(&banner).map_err(|what| (number, what))?;

    let mut lines =
        lines.filter(|line| line.as_ref().map_or(true, |(_, line)| !line.starts_with('%') && !line.trim().is_empty()));
    let mut last = number;
    let mut next = || {
        let line = lines.next().unwrap_or_else(|| Err((last, "the file ends early".to_owned())))?;
        last = line.0;
        Ok::<_, Located>(line)
    };

    let (number, sizes) = next()?;
    let mut words = sizes.split_whitespace();
    let mut size = |what| {
        integer(words.next(), MOST_ENTRIES as u32).ok_or_else(|| (number, format!("{what} is missing or out of range")))
    };
    let rows = size("the number of rows")?;
    let columns = size("the number of columns")?;
    let count = size("the number of entries")? as usize;
    if symmetry != Symmetry::General && rows != columns {
        return Err((number, "a symmetric matrix must be square".to_owned()));
    }

    let mut entries = Vec::new();
    for _ in 0..count {
        let (number, line) = next()?;
        let entry = parse_entry(&line, rows, columns, pattern).map_err(|what| (number, what))?;
        entries.push(entry);
        if symmetry != Symmetry::General && entry.row != entry.column {
            let value = if symmetry == Symmetry::Skew { -entry.value } else { entry.value };
            entries.push(Entry { row: entry.column, column: entry.row, value });
        }
        if entries.len() > MOST_ENTRIES {
            return Err((number, "more than 2^30 entries".to_owned()));
        }
    }
    Ok(Matrix::from_entries(name, rows as usize, columns as usize, &entries))
}

fn parse_banner(line: &str) -> Result<(bool, Symmetry), String> {
    let line = line.to_ascii_lowercase();
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["%%matrixmarket", "matrix", "coordinate", field, symmetry] = words[..] else {
        return Err("expected a line `%%MatrixMarket matrix coordinate FIELD SYMMETRY`".to_owned());
    };
    let pattern = match field {
        "pattern" => true,
        "real" | "integer" => false,
        _ => return Err(format!("field `{field}` is not supported")),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        _ => return Err(format!("symmetry `{symmetry}` is not supported")),
    };
    Ok((pattern, symmetry))
}

fn parse_entry(line: &str, rows: u32, columns: u32, pattern: bool) -> Result<Entry, String> {
    let mut words = line.split_whitespace();
    let mut place = |what, most| {
        let found = integer(words.next(), most).filter(|&place| place > 0);
        found.map(|place| place - 1).ok_or_else(|| format!("{what} is missing or out of range"))
    };
    let row = place("the row", rows)?;
    let column = place("the column", columns)?;
    let value = if pattern { Some(1.0) } else { words.next().and_then(|word| word.parse().ok()) };
    let value = value.filter(|value: &f32| value.is_finite()).ok_or("the value is missing or not finite")?;
    Ok(Entry { row, column, value })
}

fn integer(word: Option<&str>, most: u32) -> Option<u32> {
    word?.parse().ok().filter(|&value| value <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Matrix, Located> {
        parse("m".to_owned(), text.as_bytes())
    }

    #[test]
    fn pattern_symmetric_is_mirrored() {
        let matrix = parsed("%%MatrixMarket matrix coordinate pattern symmetric\n% note\n\n3 3 2\n2 1\n3 3\n").unwrap();
        assert_eq!(matrix.start, [0, 1, 2, 3]);
        assert_eq!(matrix.column, [1, 0, 2]);
        assert_eq!(matrix.value, [1.0; 3]);
    }

    #[test]
    fn skew_entries_change_sign() {
        let matrix = parsed("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 0.5\n").unwrap();
        assert_eq!((matrix.column, matrix.value), (vec![1, 0], vec![-0.5, 0.5]));
    }

    #[test]
    fn errors_name_their_line() {
        let bad = [
            ("", 1),
            ("%%MatrixMarket matrix array real general\n", 1),
            ("%%MatrixMarket matrix coordinate complex general\n", 1),
            ("%%MatrixMarket matrix coordinate real general\n2 2 9999999999\n", 2),
            ("%%MatrixMarket matrix coordinate real general\n2 2 1\n", 2),
            ("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", 3),
            ("%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n", 3),
            ("%%MatrixMarket matrix coordinate real general\n2 2 1\n%\n1 1 nan\n", 4),
        ];
        for (text, line) in bad {
            assert_eq!(parsed(text).unwrap_err().0, line, "{text}");
        }
    }
}
