//! Places in a module's text as findings show them.

use super::Image;
use hotfire_check::Place;
use hotfire_jit::Kernel;
use hotfire_ptx::ast::Location;

/// Longest line of PTX that is shown whole.
const LONGEST_LINE: usize = 400;

impl Image {
    /// The place that code for checks noted, and its function, in the code of functions called by address.
    pub fn site_by_address(&self, site: u32) -> Option<(Location, usize)> {
        self.by_address.iter().find_map(|kernel| kernel.get()?.as_ref()?.place(site))
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
        let text = self.text();
        let function = function.and_then(|index| text.functions.get(index));
        let inlined = location.source.and_then(|source| {
            let inline = function?.body.as_ref()?.inlines.get(source.inlined.checked_sub(1)? as usize)?;
            inline.function.as_ref()
        });
        Place {
            file: location.source.and_then(|source| text.files.get(source.file as usize).cloned()),
            line: location.source.map(|source| source.line),
            function: inlined.or_else(|| function.map(|function| &function.name)).map(|found| name(found)),
            ptx_line: (location.line > 0).then_some(location.line),
            ptx: function.and_then(|function| self.line(function.unit as usize, location.line)),
        }
    }

    /// A line of a kept text.
    fn line(&self, unit: usize, line: u32) -> Option<String> {
        let text = self.text().texts.get(unit)?;
        let starts = self.lines.get(unit)?.get_or_init(|| {
            let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
            std::iter::once(0).chain(breaks).collect()
        });
        let start = *starts.get(line.checked_sub(1)? as usize)? as usize;
        let shown = text.get(start..)?.lines().next()?.trim();
        Some(match shown.char_indices().nth(LONGEST_LINE) {
            Some((end, _)) => format!("{} …", &shown[..end]),
            None => shown.to_owned(),
        })
    }
}
