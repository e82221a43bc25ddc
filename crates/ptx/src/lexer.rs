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
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub line: u32,
    pub column: u32,
}

impl Token<'_> {
    pub fn location(&self) -> Location {
        Location { line: self.line, column: self.column, source: None }
    }
}

/// All tokens of a text, closed by one [`Kind::End`].
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let (mut line, mut line_start, mut seen) = (1u32, 0usize, 0usize);
    let mut advance = |to: usize| {
        for (at, byte) in text.as_bytes()[seen..to].iter().enumerate() {
            if *byte == b'\n' {
                line = line.saturating_add(1);
                line_start = seen + at + 1;
            }
        }
        seen = to;
        (line, u32::try_from(to - line_start + 1).unwrap_or(u32::MAX))
    };
    for (kind, span) in Kind::lexer(text).spanned() {
        let (line, column) = advance(span.start);
        tokens.push(Token { kind: kind.unwrap_or(Kind::Unknown), text: &text[span], line, column });
    }
    let (line, column) = advance(text.len());
    tokens.push(Token { kind: Kind::End, text: "", line, column });
    tokens
}
