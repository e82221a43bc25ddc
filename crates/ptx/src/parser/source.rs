//! Source places: `.file`, `.loc`, and the debug strings that name inlined functions (PTX ISA, section 11.5).

use super::{Parser, Result, error, integer};
use crate::ast::{Inline, Location, Module, Name, SourceLine};
use crate::lexer::{Kind, Token};
use std::collections::HashMap;

/// File, line, column.
type Place = (u32, u32, u32);

/// What the text has said of source files so far. `.file` may follow the `.loc` directives that use it.
#[derive(Default)]
pub(super) struct Sources<'t> {
    /// `.file` number to index in [`Module::files`].
    indices: HashMap<u64, u32>,
    paths: Vec<String>,
    /// The place in force.
    current: Option<SourceLine>,
    inlines: Vec<Inline>,
    known: HashMap<(Option<Label<'t>>, SourceLine), u32>,
    /// What the last `.loc` for a place said of its inlining: the caller of an inlined call may be inlined itself.
    inlined: HashMap<Place, u32>,
    /// Labels of `.debug_str`, to the bytes behind them.
    strings: HashMap<&'t str, Vec<u8>>,
}

/// `$L__info_string3+4`
type Label<'t> = (&'t str, u64);

impl Sources<'_> {
    fn index(&mut self, number: u64) -> u32 {
        let next = self.paths.len() as u32;
        *self.indices.entry(number).or_insert_with(|| {
            self.paths.push(String::new());
            next
        })
    }

    /// A new function begins: no place is in force.
    pub fn begin_function(&mut self) {
        self.current = None;
        self.inlines.clear();
        self.known.clear();
        self.inlined.clear();
    }

    /// The inlined calls of the function that ends.
    pub fn take_inlines(&mut self) -> Vec<Inline> {
        std::mem::take(&mut self.inlines)
    }

    /// Hands the files to the module and gives the inlined functions their names.
    pub fn finish(self, module: &mut Module) {
        module.files = self.paths;
        let mut names: HashMap<Name, Option<Name>> = HashMap::new();
        for body in module.functions.iter_mut().filter_map(|function| function.body.as_mut()) {
            for inline in &mut body.inlines {
                if let Some(label) = inline.function.take() {
                    let strings = &self.strings;
                    inline.function = names.entry(label).or_insert_with_key(|label| named(strings, label)).clone();
                }
            }
        }
    }
}

/// The string at `label+offset`.
fn named(strings: &HashMap<&str, Vec<u8>>, label: &str) -> Option<Name> {
    let (label, offset) = label.split_once('+').unwrap_or((label, "0"));
    let bytes = strings.get(label)?.get(offset.parse().ok()?..)?;
    let name = bytes.split(|&byte| byte == 0).next()?;
    (!name.is_empty()).then(|| Name::from(&*String::from_utf8_lossy(name)))
}

impl<'t> Parser<'t> {
    /// Behind `.file`: `number "path" [, time, size]`.
    pub(super) fn file(&mut self) -> Result<()> {
        let number = self.unsigned(u64::from(u32::MAX))?;
        let path = self.expect(Kind::String, "a path")?.text;
        let index = self.sources.index(number) as usize;
        self.sources.paths[index] = path.trim_matches('"').to_owned();
        if self.accept(Kind::Comma) {
            self.unsigned(u64::MAX)?;
            self.expect(Kind::Comma, "`,`")?;
            self.unsigned(u64::MAX)?;
        }
        Ok(())
    }

    fn line(&mut self) -> Result<SourceLine> {
        let file = self.unsigned(u64::from(u32::MAX))?;
        let line = self.unsigned(u64::from(u32::MAX))? as u32;
        let column = self.unsigned(u64::from(u32::MAX))? as u32;
        Ok(SourceLine { file: self.sources.index(file), line, column, inlined: 0 })
    }

    /// Behind `.loc`: `file line column [, function_name label[+n], inlined_at file line column]`.
    pub(super) fn loc(&mut self) -> Result<()> {
        let mut place = self.line()?;
        let mut function = None;
        while self.accept(Kind::Comma) {
            let word = self.expect(Kind::Identifier, "`function_name` or `inlined_at`")?;
            match word.text {
                "function_name" => {
                    let label = self.expect(Kind::Identifier, "a label")?.text;
                    let offset = if self.accept(Kind::Plus) { self.unsigned(u64::MAX)? } else { 0 };
                    function = Some((label, offset));
                }
                "inlined_at" => place.inlined = self.inlined_at(function)?,
                _ => return Err(error(word, format!("unknown word `{}` of `.loc`", word.text))),
            }
        }
        self.sources.inlined.insert((place.file, place.line, place.column), place.inlined);
        self.sources.current = Some(place);
        Ok(())
    }

    /// The number (from 1) of the inlined call at the place that follows.
    fn inlined_at(&mut self, function: Option<Label<'t>>) -> Result<u32> {
        let mut at = self.line()?;
        // Only calls that came before can be around this one: no cycle can arise.
        at.inlined = self.sources.inlined.get(&(at.file, at.line, at.column)).copied().unwrap_or(0);
        if let Some(&number) = self.sources.known.get(&(function, at)) {
            return Ok(number);
        }
        let label = function.map(|(label, offset)| match offset {
            0 => Name::from(label),
            _ => Name::from(format!("{label}+{offset}")),
        });
        self.sources.inlines.push(Inline { function: label, at });
        let number = self.sources.inlines.len() as u32;
        self.sources.known.insert((function, at), number);
        Ok(number)
    }

    /// Behind `.section`: skipped, but for the strings of `.debug_str`.
    pub(super) fn section(&mut self) -> Result<()> {
        let name = self.next();
        self.expect(Kind::OpenBrace, "`{`")?;
        let start = self.at;
        self.skip_to_close(Kind::OpenBrace, Kind::CloseBrace)?;
        if name.text == ".debug_str" {
            self.debug_strings(start..self.at);
        }
        Ok(())
    }

    fn debug_strings(&mut self, range: std::ops::Range<usize>) {
        let mut bytes = None;
        for index in range {
            match self.tokens.kind(index) {
                Kind::Colon if self.tokens.kind(index - 1) == Kind::Identifier => {
                    bytes = Some(self.sources.strings.entry(self.tokens.get(index - 1).text).or_default());
                }
                Kind::Integer => {
                    if let (Some(bytes), Some(byte)) = (&mut bytes, integer(self.tokens.get(index).text)) {
                        bytes.push(byte as u8);
                    }
                }
                _ => {}
            }
        }
    }

    /// A token's place with the source line in force.
    pub(super) fn place(&self, token: Token<'_>) -> Location {
        Location { source: self.sources.current, ..token.location() }
    }
}
