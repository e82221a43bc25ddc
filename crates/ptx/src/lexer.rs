//! PTX text to tokens (PTX ISA, section 4: syntax).

use crate::ast::Location;
use logos::Logos;

/// One kind of token; its text is the slice behind [`Token::text`].
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"\n")]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(crate) enum Kind {
    /// `%r1`, `%tid.x`, `$L__BB0_1`, `_Z3fooPf`; a whole instruction such as `ld.global.v4.f32`.
    #[regex(r"[A-Za-z][A-Za-z0-9_$]*(\.[A-Za-z0-9_]+(::[A-Za-z0-9_]+)*)*")]
    #[regex(r"[_$%][A-Za-z0-9_$]+(\.[xyzwrgba])?")]
    Identifier,
    /// `_` alone.
    #[token("_")]
    Underscore,
    /// `.b32`, `.shared::cta`
    #[regex(r"\.[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_0-9]+)*")]
    Dot,
    /// `.2d` of an instruction that is spelled with blanks.
    #[regex(r"\.[0-9]+[A-Za-z][A-Za-z0-9_]*", priority = 6)]
    DotNumber,
    #[regex(r"0[xX][0-9A-Fa-f]+U?")]
    #[regex(r"0[bB][01]+U?")]
    #[regex(r"[0-9]+U?")]
    Integer,
    /// `0f3F800000`
    #[regex(r"0[fF][0-9A-Fa-f]{8}", priority = 5)]
    Float32,
    /// `0d3FF0000000000000`
    #[regex(r"0[dD][0-9A-Fa-f]{16}", priority = 5)]
    Float64,
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")]
    Decimal,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    String,
    #[token("@")]
    At,
    #[token("!")]
    Not,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("(")]
    OpenParenthesis,
    #[token(")")]
    CloseParenthesis,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("=")]
    Equal,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("|")]
    Bar,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&")]
    And,
    #[token("^")]
    Caret,
    #[token("~")]
    Tilde,
    #[token("?")]
    Question,
    /// A character that starts no token.
    Unknown,
    /// The end of the text.
    End,
}

/// A token of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    pub line: u32,
    pub column: u32,
}

impl Token<'_> {
    pub fn location(&self) -> Location {
        Location { line: self.line, column: self.column, source: None }
    }
}

/// Where a token stands: 16 bytes, of which a large module has hundreds of thousands.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    end: u32,
    /// From 0.
    line: u32,
    kind: Kind,
}

/// All tokens of a text, closed by one [`Kind::End`].
pub(crate) struct Tokens<'t> {
    text: &'t str,
    spans: Vec<Span>,
    /// Where each line begins.
    lines: Vec<u32>,
}

impl<'t> Tokens<'t> {
    /// The text must be shorter than 4 GiB.
    pub fn new(text: &'t str) -> Self {
        let mut tokens = Self { text, spans: Vec::with_capacity(text.len() / 5), lines: vec![0] };
        let mut seen = 0;
        for (kind, span) in Kind::lexer(text).spanned() {
            tokens.add(kind.unwrap_or(Kind::Unknown), span.start..span.end, &mut seen);
        }
        tokens.add(Kind::End, text.len()..text.len(), &mut seen);
        tokens
    }

    fn add(&mut self, kind: Kind, span: std::ops::Range<usize>, seen: &mut usize) {
        // Lines end between tokens, or inside a string or comment before this one.
        for (at, byte) in self.text.as_bytes()[*seen..span.start].iter().enumerate() {
            if *byte == b'\n' {
                self.lines.push((*seen + at + 1) as u32);
            }
        }
        *seen = span.start;
        let line = self.lines.len() as u32 - 1;
        self.spans.push(Span { start: span.start as u32, end: span.end as u32, line, kind });
    }

    /// How many there are, the closing one among them.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    pub fn kind(&self, index: usize) -> Kind {
        self.spans[index].kind
    }

    pub fn get(&self, index: usize) -> Token<'t> {
        let Span { start, end, line, kind } = self.spans[index];
        let text = &self.text[start as usize..end as usize];
        Token { kind, text, line: line + 1, column: start - self.lines[line as usize] + 1 }
    }
}
