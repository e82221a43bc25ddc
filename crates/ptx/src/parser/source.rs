//! Source places: `.file`, `.loc`, and the debug strings that name inlined functions (PTX ISA, section 11.5).

use super::{Parser, Result, error, integer};
use crate::ast::{Inline, Location, Module, Name, SourceLine};
use crate::lexer::{Kind, Token};
use std::collections::HashMap;

/// What the text has said of source files so far. `.file` may follow the `.loc` directives that use it.
#[derive(Default)]
pub(super) struct Sources<'t> {
    /// `.file` number to index in [`Module::files`].
    indices: HashMap<u64, u32>,
    paths: Vec<String>,
    /// The place in force.
    pub current: Option<SourceLine>,
    /// Inlined calls of the function being parsed, and where they are known.
    pub inlines: Vec<Inline>,
    known: HashMap<(Option<&'t str>, SourceLine), u32>,
    /// Labels of `.debug_str`.
    strings: HashMap<&'t str, Name>,
}

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
    }

    /// Hands the files to the module and gives the inlined functions their names.
    pub fn finish(self, module: &mut Module) {
        module.files = self.paths;
        for body in module.functions.iter_mut().filter_map(|function| function.body.as_mut()) {
            for inline in &mut body.inlines {
                inline.function = inline.function.take().and_then(|label| self.strings.get(&*label).cloned());
            }
        }
    }
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
        while self.peek().kind == Kind::Comma {
            self.next();
            let word = self.expect(Kind::Identifier, "`function_name` or `inlined_at`")?;
            match word.text {
                "function_name" => {
                    let label = self.expect(Kind::Identifier, "a label")?.text;
                    if self.accept(Kind::Plus) {
                        self.unsigned(u64::MAX)?;
                    }
                    self.expect(Kind::Comma, "`,`")?;
                    if !self.accept_word("inlined_at") {
                        return Err(error(self.peek(), "expected `inlined_at`"));
                    }
                    place.inlined = self.inlined_at(Some(label))?;
                }
                "inlined_at" => place.inlined = self.inlined_at(None)?,
                _ => return Err(error(word, format!("unknown word `{}` of `.loc`", word.text))),
            }
        }
        self.sources.current = Some(place);
        Ok(())
    }

    fn inlined_at(&mut self, function: Option<&'t str>) -> Result<u32> {
        // The caller's place may itself be inlined; its own `.loc` came first.
        let mut at = self.line()?;
        if let Some((_, outer)) = self.sources.known.iter().find(|((_, known), _)| {
            (known.file, known.line, known.column) == (at.file, at.line, at.column) && known.inlined != 0
        }) {
            at.inlined = outer.saturating_sub(1);
        }
        if let Some(&index) = self.sources.known.get(&(function, at)) {
            return Ok(index);
        }
        self.sources.inlines.push(Inline { function: function.map(Name::from), at: SourceLine { inlined: 0, ..at } });
        let index = self.sources.inlines.len() as u32;
        self.sources.known.insert((function, at), index);
        Ok(index)
    }

    /// Behind `.section`: skipped, but for the strings of `.debug_str`.
    pub(super) fn section(&mut self) -> Result<()> {
        let name = self.next();
        self.expect(Kind::OpenBrace, "`{`")?;
        let end = {
            let start = self.at;
            self.skip_to_close(Kind::OpenBrace, Kind::CloseBrace)?;
            start..self.at
        };
        if name.text == ".debug_str" {
            let tokens = self.tokens;
            self.debug_strings(&tokens[end]);
        }
        Ok(())
    }

    fn debug_strings(&mut self, tokens: &'t [Token<'t>]) {
        let mut label = None;
        let mut bytes = Vec::new();
        for pair in tokens.windows(2) {
            match (pair[0].kind, pair[1].kind) {
                (Kind::Identifier, Kind::Colon) => {
                    label = Some(pair[0].text);
                    bytes.clear();
                }
                (Kind::Integer, _) => match integer(pair[0].text) {
                    Some(0) => {
                        if let Some(label) = label.take() {
                            self.sources.strings.insert(label, Name::from(&*String::from_utf8_lossy(&bytes)));
                        }
                        bytes.clear();
                    }
                    Some(byte) => bytes.push(byte as u8),
                    None => {}
                },
                _ => {}
            }
        }
    }

    /// A token's place with the source line in force.
    pub(super) fn place(&self, token: Token<'_>) -> Location {
        Location { source: self.sources.current, ..token.location() }
    }
}
