//! Places in a module's text as findings show them.

use super::Image;
use hotfire_check::Place;
use hotfire_jit::Kernel;
use hotfire_ptx::ast::{Function, Inline, Location, Module, SourceLine};

/// Longest statement of PTX that is shown whole, in characters and in lines.
const LONGEST_LINE: usize = 240;
const MOST_LINES: usize = 16;
/// Inlined calls that are looked through.
const MOST_INLINED: usize = 64;

impl Image {
    /// The place that code for checks noted, and its function, in the code of functions called by address.
    pub fn site_by_address(&self, site: u32) -> Option<(Location, usize)> {
        self.by_address.iter().find_map(|kernel| kernel.get()?.as_ref()?.place(site))
    }

    /// The place of an access, and its function, in the code of functions called by address.
    pub fn access_by_address(&self, number: u32) -> Option<(Location, usize)> {
        self.by_address.iter().find_map(|kernel| kernel.get()?.as_ref()?.access(number))
    }

    /// The function that a place of a kernel's code is in: index in the module.
    pub fn function_at(&self, kernel: &Kernel, location: Location) -> Option<usize> {
        let find = |kernel: &Kernel| {
            let site = kernel.sites.iter().position(|known| *known == location)?;
            kernel.function_of(site as u32)
        };
        find(kernel).or_else(|| self.by_address.iter().find_map(|kernel| find(kernel.get()?.as_ref()?)))
    }

    /// A place in a function of the module.
    pub fn place(&self, location: Location, function: Option<usize>, name: impl Fn(&str) -> String) -> Place {
        describe(self.text(), location, function, |unit, line| self.line(unit, line), name)
    }

    /// What the author of the code sees as one place: equal for statements of one source line.
    pub fn source_place(&self, location: Location, function: usize) -> Option<(u32, u32)> {
        let (source, _) = frame(self.text(), self.text().functions.get(function), location.source?);
        Some((source.file, source.line))
    }

    /// A line of a kept text.
    fn line(&self, unit: usize, line: u32) -> Option<String> {
        let text = self.text().texts.get(unit)?;
        let starts = self.lines.get(unit)?.get_or_init(|| {
            let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
            std::iter::once(0).chain(breaks).collect()
        });
        let start = *starts.get(line.checked_sub(1)? as usize)? as usize;
        text.get(start..).map(shown)
    }
}

/// The statement at the start of a text as it is shown, on one line.
fn shown(text: &str) -> String {
    let mut statement = String::new();
    for line in text.lines().take(MOST_LINES).map(str::trim).filter(|line| !line.is_empty()) {
        if !statement.is_empty() {
            statement.push(' ');
        }
        statement.push_str(line);
        if line.contains([';', '{', '}', ':']) {
            break;
        }
    }
    if let Some((end, _)) = statement.char_indices().nth(LONGEST_LINE) {
        statement.truncate(end);
        statement.push_str(" …");
    }
    statement
}

/// A place in a module that is not loaded.
pub(crate) fn in_text(text: &Module, location: Location, function: usize, name: impl Fn(&str) -> String) -> Place {
    let line = |unit: usize, line: u32| {
        let text = text.texts.get(unit)?;
        let before = text.split_inclusive('\n').take(line.checked_sub(1)? as usize);
        text.get(before.map(str::len).sum()..).map(shown)
    };
    describe(text, location, Some(function), line, name)
}

fn describe(
    text: &Module,
    location: Location,
    function: Option<usize>,
    line: impl Fn(usize, u32) -> Option<String>,
    name: impl Fn(&str) -> String,
) -> Place {
    let function = function.and_then(|index| text.functions.get(index));
    let frame = location.source.map(|source| frame(text, function, source));
    let inlined = frame.and_then(|(_, inlined)| inlined);
    Place {
        file: frame.and_then(|(source, _)| text.files.get(source.file as usize).cloned()),
        line: frame.map(|(source, _)| source.line),
        function: inlined.or_else(|| function.map(|function| &*function.name)).map(name),
        ptx_line: (location.line > 0).then_some(location.line),
        ptx: function.and_then(|function| line(function.unit as usize, location.line)),
    }
}

/// Of a line and the calls that it was inlined through, the innermost that is not in a header of CUDA's, and the inlined function
/// that it is in.
fn frame<'a>(text: &Module, function: Option<&'a Function>, source: SourceLine) -> (SourceLine, Option<&'a str>) {
    let inlined = |source: SourceLine| -> Option<&'a Inline> {
        function?.body.as_ref()?.inlines.get(source.inlined.checked_sub(1)? as usize)
    };
    let of = |source: SourceLine| (source, inlined(source).and_then(|inline| inline.function.as_deref()));
    let mut at = source;
    for _ in 0..MOST_INLINED {
        if !text.files.get(at.file as usize).is_some_and(|file| is_toolkit(file)) {
            return of(at);
        }
        match inlined(at) {
            Some(inline) => at = inline.at,
            None => break,
        }
    }
    of(source)
}

/// Whether a file comes with CUDA's toolkit: a call that was inlined from there is the business of whoever called.
fn is_toolkit(file: &str) -> bool {
    let Some((_, inside)) = file.rsplit_once("include/") else { return false };
    let name = inside.rsplit('/').next().unwrap_or(inside);
    const FOLDERS: [&str; 7] = ["crt/", "cooperative_groups/", "cub/", "thrust/", "cuda/", "nv/", "cccl/"];
    const NAMES: [&str; 9] =
        ["cuda_", "device_", "sm_", "math_functions", "vector_", "cooperative_groups", "texture_", "surface_", "mma"];
    FOLDERS.iter().any(|folder| inside.starts_with(folder)) || NAMES.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_toolkit() {
        for file in [
            "/usr/local/cuda/include/cuda_device_runtime_api.h",
            "include/sm_32_intrinsics.hpp",
            "a/include/cub/block/x.cuh",
        ] {
            assert!(is_toolkit(file), "{file}");
        }
        for file in ["kernel.cu", "/home/me/include/kernel.cuh", "cuda_things.cu", "/src/cub/agent.cuh"] {
            assert!(!is_toolkit(file), "{file}");
        }
    }

    #[test]
    fn statements_are_shown_whole() {
        assert_eq!(shown("  call.uni (r),\n  f,\n  (\n  a,\n  b\n  );\n ret;\n"), "call.uni (r), f, ( a, b );");
        assert_eq!(shown("ret;"), "ret;");
    }
}
