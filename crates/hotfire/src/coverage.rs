//! `hotfire coverage`: which functions of CUDA's two APIs are there.
//!
//! The shared object knows; it carries the list in a section of its own.

use crate::{library, report};
use object::{Object, ObjectSection};
use std::process::ExitCode;

const SECTION: &str = ".hotfire.names";

/// What to print.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only what is missing: such a function answers "not supported" and names itself on stderr
    #[arg(long, conflicts_with = "implemented")]
    missing: bool,
    /// Only what is implemented
    #[arg(long)]
    implemented: bool,
}

/// Prints `API NAME yes|no` lines, sorted, and how many there are.
pub fn coverage(arguments: &Arguments) -> ExitCode {
    let list = match library::find().and_then(|path| read(&path)) {
        Ok(list) => list,
        Err(message) => {
            report(&message);
            return ExitCode::FAILURE;
        }
    };
    crate::print(&page(&list, arguments))
}

fn read(path: &std::path::Path) -> Result<String, String> {
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let bytes = std::fs::read(path).map_err(|error| fail(&error))?;
    let file = object::File::parse(&*bytes).map_err(|error| fail(&error))?;
    let section = file.section_by_name(SECTION).ok_or_else(|| fail(&"it carries no list of names"))?;
    let data = section.uncompressed_data().map_err(|error| fail(&error))?;
    String::from_utf8(data.into_owned()).map_err(|error| fail(&error))
}

fn page(list: &str, arguments: &Arguments) -> String {
    let mut rows: Vec<(&str, &str, bool)> = list
        .lines()
        .filter_map(|line| {
            let (api, rest) = line.split_once(' ')?;
            let (name, is_there) = rest.split_once(' ')?;
            Some((api, name, is_there == "1"))
        })
        .collect();
    rows.sort_unstable();
    let mut page = String::new();
    for (api, name, is_there) in &rows {
        let shown = if *is_there { !arguments.missing } else { !arguments.implemented };
        if shown {
            page += &format!("{api:7} {:3} {name}\n", if *is_there { "yes" } else { "no" });
        }
    }
    for api in ["driver", "runtime"] {
        let of = |wanted: bool| rows.iter().filter(|row| row.0 == api && (row.2 || !wanted)).count();
        page += &format!("{api} API: {} of {} functions are implemented\n", of(true), of(false));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "runtime cudaMalloc 1\ndriver cuInit 1\ndriver cuFuture 0\n";

    #[test]
    fn rows_are_sorted_and_counted() {
        let all = page(LIST, &Arguments { missing: false, implemented: false });
        let counts = "driver API: 1 of 2 functions are implemented\nruntime API: 1 of 1 functions are implemented\n";
        assert_eq!(all, format!("driver  no  cuFuture\ndriver  yes cuInit\nruntime yes cudaMalloc\n{counts}"));
        let missing = page(LIST, &Arguments { missing: true, implemented: false });
        assert_eq!(missing, format!("driver  no  cuFuture\n{counts}"));
    }
}
