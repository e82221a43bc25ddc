//! Finds the forms of the table that an instruction's words and types fit.
//!
//! A module spells a few hundred different instructions and uses each many times: what `ld.global.v4.f32` means is worked out once a
//! module and kept as a [`Spelling`].

use crate::Opcode;
use crate::ast::{Modifiers, Type};
use crate::table::{Form, forms};
use crate::types::type_of;
use crate::words::apply;
use std::sync::LazyLock;

/// What an operand must be; the letters of [`Form::operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Typed(usize),
    Wide,
    Vector,
    Unpacked,
    /// Bytes.
    Sized(u32),
    /// Elements and the bytes of each.
    Fragment(usize, u32),
    Predicate,
    Condition,
    Constant,
    Address,
    Object,
    Texel,
    Label,
    Targets,
    Policy,
    Sink,
    Any,
}

/// One operand of a form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub kind: Kind,
    pub written: bool,
    pub optional: bool,
    /// The second destination behind `|`, and whether it must be there.
    pub second: Option<(Kind, bool)>,
}

/// A form, ready for comparison.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Alternatives of each group, and whether the group may be absent.
    groups: Vec<(Vec<&'static str>, bool)>,
    /// A bit for each allowed [`Type`].
    types: Vec<u64>,
    pub slots: Vec<Slot>,
}

static PATTERNS: LazyLock<Vec<Vec<Pattern>>> = LazyLock::new(|| {
    let mut patterns: Vec<Vec<Pattern>> = Opcode::ALL.iter().map(|_| Vec::new()).collect();
    for form in forms() {
        patterns[form.opcode as usize].push(Pattern::new(form));
    }
    patterns
});

fn optional(text: &str) -> (&str, bool) {
    text.strip_suffix('?').map_or((text, false), |text| (text, true))
}

impl Kind {
    fn new(text: &str) -> Self {
        let bytes = |letter| match letter {
            'h' => 2,
            'q' => 8,
            _ => 4,
        };
        match text {
            "w" => Kind::Wide,
            "v" => Kind::Vector,
            "u" => Kind::Unpacked,
            "h" | "r" | "q" => Kind::Sized(bytes(text.chars().next().unwrap_or('r'))),
            "p" => Kind::Predicate,
            "n" => Kind::Condition,
            "i" => Kind::Constant,
            "m" => Kind::Address,
            "M" => Kind::Object,
            "T" => Kind::Texel,
            "l" => Kind::Label,
            "t" => Kind::Targets,
            "c" => Kind::Policy,
            "_" => Kind::Sink,
            _ => match text.strip_suffix(['h', 'r', 'q']).and_then(|count| count.parse().ok()) {
                Some(count) => Kind::Fragment(count, bytes(text.chars().last().unwrap_or('r'))),
                None => text.parse().map_or(Kind::Any, Kind::Typed),
            },
        }
    }
}

impl Slot {
    fn new(text: &str) -> Self {
        let (text, optional) = optional(text);
        let (text, written) = text.strip_prefix('=').map_or((text, false), |text| (text, true));
        let (text, second) = text.split_once('|').map_or((text, None), |(text, second)| (text, Some(second)));
        let second = second.map(|second| match second.strip_suffix('!') {
            Some(second) => (Kind::new(second), true),
            None => (Kind::new(second), false),
        });
        Self { kind: Kind::new(text), written, optional, second }
    }
}

/// Why words or types do not fit.
#[derive(Clone, Copy)]
enum Misfit<'w> {
    Foreign(&'w str),
    /// Index of a group.
    Missing(usize),
    Types(usize),
    Type(Type),
}

impl Pattern {
    fn new(form: &'static Form) -> Self {
        let groups = form.words.split_whitespace().map(optional);
        let types = form
            .types
            .iter()
            .map(|types| types.split_whitespace().filter_map(type_of).fold(0, |types, ty| types | 1 << ty as u32));
        Self {
            groups: groups.map(|(group, absent)| (group.split('|').collect(), absent)).collect(),
            types: types.collect(),
            slots: form.operands.split_whitespace().map(Slot::new).collect(),
        }
    }

    /// A form whose types fit comes closer than one whose words fit.
    fn judge<'w>(&self, words: &[&'w str], types: &[Type]) -> Result<(), (u32, Misfit<'w>)> {
        match (self.judge_words(words), self.judge_types(types)) {
            (Ok(()), Ok(())) => Ok(()),
            (Err(misfit), Ok(())) => Err((2, misfit)),
            (Ok(()), Err(misfit)) => Err((1, misfit)),
            (Err(misfit), Err(_)) => Err((0, misfit)),
        }
    }

    fn judge_words<'w>(&self, words: &[&'w str]) -> Result<(), Misfit<'w>> {
        let mut used = 0u64;
        // Each word takes the first group that has it and is free: `.row.col` are two groups of the same words.
        for word in words {
            let mut groups = self.groups.iter().enumerate();
            match groups.position(|(index, (group, _))| used & 1 << index == 0 && group.contains(word)) {
                Some(index) => used |= 1 << index,
                None => return Err(Misfit::Foreign(word)),
            }
        }
        let missing = |&index: &usize| !self.groups[index].1 && used & 1 << index == 0;
        (0..self.groups.len()).find(missing).map_or(Ok(()), |index| Err(Misfit::Missing(index)))
    }

    fn judge_types(&self, types: &[Type]) -> Result<(), Misfit<'static>> {
        if types.len() != self.types.len() {
            return Err(Misfit::Types(types.len()));
        }
        let strange = types.iter().zip(&self.types).find(|(ty, allowed)| *allowed & 1 << **ty as u32 == 0);
        strange.map_or(Ok(()), |(ty, _)| Err(Misfit::Type(*ty)))
    }

    fn describe(&self, misfit: Misfit<'_>) -> String {
        match misfit {
            Misfit::Foreign(word) => format!("`.{word}` does not belong here"),
            Misfit::Missing(index) => {
                let group = &self.groups[index].0;
                let what = if group.len() > 1 { "one of " } else { "" };
                format!("{what}`.{}` is missing", group.join("`, `."))
            }
            Misfit::Types(given) => format!("{given} types instead of {}", self.types.len()),
            Misfit::Type(ty) => format!("`.{}` is none of its types", ty.text()),
        }
    }
}

/// What an instruction is, up to its operands.
#[derive(Debug)]
pub(crate) struct Spelling {
    pub opcode: Opcode,
    pub modifiers: Modifiers,
    pub types: Vec<Type>,
    /// The forms that its words and types fit: never empty.
    pub patterns: Vec<&'static Pattern>,
}

impl Spelling {
    /// Reads `mnemonic.word.word`.
    ///
    /// # Errors
    /// The byte of the text where it goes wrong, and what is wrong.
    pub fn new(text: &str) -> Result<Self, (usize, String)> {
        let mut parts = text.split('.');
        let mnemonic = parts.next().unwrap_or_default();
        let opcode = Opcode::from_text(mnemonic).ok_or_else(|| (0, format!("unknown instruction `{text}`")))?;
        let mut modifiers = Modifiers { vector: 1, ..Modifiers::default() };
        let (mut words, mut types) = (Vec::new(), Vec::new());
        let mut at = mnemonic.len();
        for word in parts {
            if let Some(ty) = type_of(word) {
                types.push(ty);
            } else if apply(opcode, word, &mut modifiers) {
                words.push(word);
            } else {
                return Err((at, format!("unknown word `.{word}` of `{text}`")));
            }
            at += 1 + word.len();
        }
        let mut closest: Option<(u32, Misfit<'_>, &Pattern)> = None;
        let mut patterns = Vec::new();
        for pattern in &PATTERNS[opcode as usize] {
            match pattern.judge(&words, &types) {
                Ok(()) => patterns.push(pattern),
                Err((rank, misfit)) => {
                    if closest.is_none_or(|closest| closest.0 < rank) {
                        closest = Some((rank, misfit, pattern));
                    }
                }
            }
        }
        match closest {
            Some((_, misfit, pattern)) if patterns.is_empty() => {
                Err((0, format!("`{text}`: {}", pattern.describe(misfit))))
            }
            _ => Ok(Self { opcode, modifiers, types, patterns }),
        }
    }
}
