//! Recursive descent over the tokens of a PTX text (PTX ISA, sections 4 to 11).
//!
//! An error at module level makes the whole text unusable. An error inside a function body marks that function
//! [`broken`](crate::ast::Function::broken); the parser resumes behind the body, so that the other kernels of the module run.

mod body;
mod expression;
mod function;
mod instruction;
mod operand;
mod scope;
mod source;
mod special;
mod symbols;
mod variable;

use crate::Diagnostic;
use crate::ast::{Function, Linkage, Location, Module, Name};
use crate::form::Spelling;
use crate::hash::{NameHash, NameMap};
use crate::lexer::{Kind, Token, Tokens};
use source::Sources;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

/// Parses a PTX text.
///
/// # Errors
/// What makes the text as a whole unusable, with its place.
pub fn parse(text: &str) -> Result<Module> {
    if u32::try_from(text.len()).is_err() {
        return Err(Diagnostic::new(Location::default(), "the text is larger than 4 GiB"));
    }
    // Texts in fat binaries end with a NUL.
    let text = text.trim_end_matches('\0');
    let tokens = Tokens::new(text);
    let parser = Parser {
        tokens: &tokens,
        at: 0,
        module: Module::default(),
        sources: Sources::default(),
        names: HashSet::default(),
        defined: HashMap::new(),
        declared: HashMap::new(),
        spellings: NameMap::default(),
        budget: 4 * text.len() + (1 << 16),
    };
    let mut module = parser.module()?;
    symbols::check(&mut module);
    Ok(module)
}

struct Parser<'t> {
    tokens: &'t Tokens<'t>,
    at: usize,
    module: Module,
    sources: Sources<'t>,
    /// Interned symbol names.
    names: HashSet<Name, NameHash>,
    /// Functions with code, and declarations, as indices into the module's functions.
    defined: HashMap<Name, usize>,
    declared: HashMap<Name, usize>,
    /// Instructions up to their operands, as spelled so far.
    spellings: NameMap<&'t str, Rc<Spelling>>,
    /// What the module may still hold beyond what its text spells out: bytes of initial values that it leaves out, statements
    /// that `.alias` repeats.
    budget: usize,
}

impl<'t> Parser<'t> {
    fn module(mut self) -> Result<Module> {
        self.module.address_size = 64;
        let mut linkage = Linkage::Internal;
        loop {
            let token = self.next();
            match token.kind {
                Kind::End => break,
                Kind::Semicolon => {}
                Kind::Dot => match token.text {
                    ".version" => self.module.version = self.version()?,
                    ".target" => self.target()?,
                    ".address_size" => {
                        self.module.address_size = self.unsigned(64)? as u32;
                        if self.module.address_size != 64 {
                            return Err(error(token, "only `.address_size 64` is supported"));
                        }
                    }
                    ".visible" => linkage = Linkage::Visible,
                    ".extern" => linkage = Linkage::Extern,
                    ".weak" => linkage = Linkage::Weak,
                    ".common" => linkage = Linkage::Common,
                    ".entry" | ".func" => {
                        self.function(token, linkage)?;
                        linkage = Linkage::Internal;
                    }
                    ".global" | ".const" | ".shared" | ".tex" => {
                        let variables = self.variables(token, linkage)?;
                        self.module.variables.extend(variables.into_iter().map(|(_, variable)| variable));
                        linkage = Linkage::Internal;
                    }
                    ".file" => self.file()?,
                    ".loc" => {
                        self.loc()?;
                    }
                    ".section" => self.section()?,
                    ".alias" => self.alias(token)?,
                    ".pragma" => self.skip_statement()?,
                    ".attribute" => self.skip_parentheses()?,
                    text if text.starts_with(".debug") => self.skip_statement()?,
                    // Debug directives of `@@DWARF` style texts: `.4byte …`, `.b8 …` lines.
                    ".byte" | ".4byte" | ".quad" | ".b8" | ".b16" | ".b32" | ".b64" => self.skip_line(token.line),
                    text => return Err(error(token, format!("unknown directive `{text}`"))),
                },
                Kind::At if self.peek().kind == Kind::At => self.skip_line(token.line),
                _ => return Err(error(token, format!("expected a directive, found `{}`", token.text))),
            }
        }
        if self.module.version == (0, 0) {
            return Err(error(self.tokens.get(0), "no `.version` directive: this is no PTX"));
        }
        self.sources.finish(&mut self.module);
        Ok(self.module)
    }

    fn version(&mut self) -> Result<(u32, u32)> {
        let token = self.next();
        let parts = token.text.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        parts.filter(|_| token.kind == Kind::Decimal).ok_or_else(|| error(token, "expected a version such as `8.5`"))
    }

    fn target(&mut self) -> Result<()> {
        self.module.target = self.expect(Kind::Identifier, "a target")?.text.to_owned();
        while self.accept(Kind::Comma) {
            self.expect(Kind::Identifier, "a target")?;
        }
        Ok(())
    }

    /// `.alias a, b;`: `a` is another name of function `b`.
    fn alias(&mut self, directive: Token<'t>) -> Result<()> {
        let name = self.symbol_name()?;
        self.expect(Kind::Comma, "`,`")?;
        let aliasee = self.symbol_name()?;
        self.expect(Kind::Semicolon, "`;`")?;
        let Some(function) = self.defined.get(&aliasee).map(|&index| &self.module.functions[index]) else {
            return Err(error(directive, format!("`.alias` of `{aliasee}`, which is not defined before it")));
        };
        let size = function.body.as_ref().map_or(0, |body| body.statements.len() + body.registers.len());
        self.budget = self.budget.checked_sub(size).ok_or_else(|| error(directive, "too many aliases"))?;
        let mut function = function.clone();
        // Who sees the alias is said by its own declaration.
        if let Some(&declared) = self.declared.get(&name) {
            function.linkage = self.module.functions[declared].linkage;
        }
        function.name = name;
        self.add(function);
        Ok(())
    }

    fn add(&mut self, function: Function) {
        let index = self.module.functions.len();
        let names =
            if function.body.is_some() || function.broken.is_some() { &mut self.defined } else { &mut self.declared };
        names.insert(function.name.clone(), index);
        self.module.functions.push(function);
    }

    // Tokens.

    fn peek(&self) -> Token<'t> {
        self.tokens.get(self.at)
    }

    fn peek_second(&self) -> Token<'t> {
        self.tokens.get((self.at + 1).min(self.tokens.len() - 1))
    }

    /// The next token; at the end, [`Kind::End`] for ever.
    fn next(&mut self) -> Token<'t> {
        let token = self.tokens.get(self.at);
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn accept(&mut self, kind: Kind) -> bool {
        let found = self.peek().kind == kind;
        if found {
            self.next();
        }
        found
    }

    fn accept_word(&mut self, text: &str) -> bool {
        let found = self.peek().text == text;
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Result<Token<'t>> {
        let token = self.next();
        if token.kind == kind { Ok(token) } else { Err(unexpected(token, what)) }
    }

    fn symbol_name(&mut self) -> Result<Name> {
        let token = self.expect(Kind::Identifier, "a name")?;
        Ok(self.intern(token.text))
    }

    fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name = Name::from(text);
        self.names.insert(name.clone());
        name
    }

    /// A non-negative constant no greater than `limit`.
    fn unsigned(&mut self, limit: u64) -> Result<u64> {
        let token = self.expect(Kind::Integer, "a number")?;
        match integer(token.text) {
            Some(value) if value <= limit => Ok(value),
            _ => Err(error(token, format!("`{}` is too large here (limit {limit})", token.text))),
        }
    }

    /// Skips to behind the next `;`.
    fn skip_statement(&mut self) -> Result<()> {
        loop {
            let token = self.next();
            match token.kind {
                Kind::Semicolon => return Ok(()),
                Kind::End => return Err(unexpected(token, "`;`")),
                _ => {}
            }
        }
    }

    fn skip_line(&mut self, line: u32) {
        while self.peek().line == line && self.peek().kind != Kind::End {
            self.next();
        }
    }

    fn skip_parentheses(&mut self) -> Result<()> {
        self.expect(Kind::OpenParenthesis, "`(`")?;
        self.skip_to_close(Kind::OpenParenthesis, Kind::CloseParenthesis)
    }

    /// Behind an opening token, skips to behind the one that closes it.
    fn skip_to_close(&mut self, open: Kind, close: Kind) -> Result<()> {
        let mut depth = 1u32;
        while depth > 0 {
            let token = self.next();
            if token.kind == open {
                depth = depth.saturating_add(1);
            } else if token.kind == close {
                depth -= 1;
            } else if token.kind == Kind::End {
                return Err(unexpected(token, "a closing bracket"));
            }
        }
        Ok(())
    }
}

fn error(token: Token<'_>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(token.location(), message)
}

fn unexpected(token: Token<'_>, wanted: &str) -> Diagnostic {
    match token.kind {
        Kind::End => error(token, format!("expected {wanted}, but the text ends")),
        _ => error(token, format!("expected {wanted}, found `{}`", token.text)),
    }
}

/// The value of an integer constant: decimal, octal, hexadecimal or binary, with or without `U`.
fn integer(text: &str) -> Option<u64> {
    let text = text.trim_end_matches('U');
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    u64::from_str_radix(digits, radix).ok()
}
