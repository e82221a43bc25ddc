//! The instruction table: every form of every instruction, section by section as the manual has them (PTX ISA, section 9.7).
//!
//! A form says which words may stand between the dots and which must, which types, which operands follow, and since which PTX
//! version and architecture it exists. The parser finds the form of an instruction here, the verifier judges operands by it, and
//! [`coverage`] lists it; what a form *does* is written once, in the `jit` crate. `call` has a syntax of its own (section 9.7.12.5).

mod asynchronous;
mod control;
mod conversion;
mod floats;
mod integers;
mod logic;
mod matrices;
mod memory;
mod opcode;
mod synchronisation;
mod textures;

pub use opcode::Opcode;

use std::fmt;

/// One form of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The mnemonic.
    pub opcode: Opcode,
    /// Words between the dots, in groups: alternatives are joined by `|`, a group that may be absent ends with `?`.
    pub words: &'static str,
    /// One list of types for each type position.
    pub types: &'static [&'static str],
    /// Operands, a letter each:
    ///
    /// | letter | operand |
    /// |---|---|
    /// | `0` to `3` | a register or constant of that type position |
    /// | `w` | twice as wide as position 0 |
    /// | `v` | of position 0, as many as `.v2`, `.v4`, `.v8` says |
    /// | `u` | a vector that together is as wide as position 0 |
    /// | `h`, `r`, `q` | 16, 32 and 64 bits |
    /// | `4r`, `2q`, … | a vector of so many |
    /// | `p`, `n` | a predicate; one that may be negated, or a constant |
    /// | `i` | an integer constant |
    /// | `_` | a result that nobody takes |
    /// | `x` | anything |
    /// | `m` | an address |
    /// | `M` | the address of a texture or surface |
    /// | `T` | a place in a texture or surface |
    /// | `l`, `t` | a label; a list of labels |
    /// | `c` | a cache policy: there if and only if the instruction says `L2::cache_hint` |
    ///
    /// `=` marks what is written, a final `?` what may be absent, `|p` and `|r` a second destination that may be absent (not if a `!`
    /// follows).
    pub operands: &'static str,
    /// First PTX version, times ten.
    pub version: u16,
    /// First architecture: 90 for `sm_90`.
    pub target: u16,
}

const fn form(
    opcode: Opcode,
    words: &'static str,
    types: &'static [&'static str],
    operands: &'static str,
    version: u16,
    target: u16,
) -> Form {
    Form { opcode, words, types, operands, version, target }
}

/// The sections of the manual with their forms.
pub const SECTIONS: &[(&str, &[Form])] = &[
    ("Integer arithmetic", integers::FORMS),
    ("Floating point", floats::FORMS),
    ("Half precision floating point", floats::HALF),
    ("Comparison and selection, logic and shift", logic::FORMS),
    ("Loads and stores", memory::ACCESSES),
    ("Data movement", memory::FORMS),
    ("Conversion", conversion::FORMS),
    ("Asynchronous copies, mbarrier", asynchronous::FORMS),
    ("Textures and surfaces", textures::FORMS),
    ("Control flow, stack, miscellaneous", control::FORMS),
    ("Parallel synchronisation and communication", synchronisation::FORMS),
    ("Atomics", synchronisation::ATOMICS),
    ("Matrices", matrices::FORMS),
    ("Video", integers::VIDEO),
];

/// Every form.
pub fn forms() -> impl Iterator<Item = &'static Form> {
    SECTIONS.iter().flat_map(|(_, forms)| *forms)
}

// Lists that several forms share.
const INTEGERS: &str = "u16 u32 u64 s16 s32 s64";
const BITS: &str = "b16 b32 b64";
const ANY: &str = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64";

impl fmt::Display for Form {
    /// In the manual's manner: `shfl.sync.{up|down|bfly|idx}.b32  d|p, …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.opcode.text())?;
        for group in self.words.split_whitespace() {
            match group.strip_suffix('?') {
                Some(group) => write!(f, "{{.{}}}", group.replace('|', "|."))?,
                None if group.contains('|') => write!(f, ".({group})")?,
                None => write!(f, ".{group}")?,
            }
        }
        for types in self.types {
            match types.contains(' ') {
                true => write!(f, ".({})", types.replace(' ', "|"))?,
                false => write!(f, ".{types}")?,
            }
        }
        Ok(())
    }
}

/// The table as Markdown, for a page that says what is read. `note` may add a remark to each form, such as what the compiler
/// does not translate yet.
pub fn coverage(note: &dyn Fn(&'static Form) -> String) -> String {
    let mut page = String::new();
    for (title, forms) in SECTIONS {
        page.push_str(&format!("## {title}\n\n| form | PTX | architecture | |\n|---|---|---|---|\n"));
        for form in *forms {
            let text = form.to_string().replace('|', "\\|");
            let (major, minor) = (form.version / 10, form.version % 10);
            page.push_str(&format!("| `{text}` | {major}.{minor} | sm_{} | {} |\n", form.target, note(form)));
        }
        page.push('\n');
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mnemonic_has_a_form_and_every_word_a_meaning() {
        for &opcode in Opcode::ALL {
            assert!(forms().any(|form| form.opcode == opcode), "{opcode:?} has no form");
            assert_eq!(Opcode::from_text(opcode.text()), Some(opcode));
        }
        for form in forms() {
            for word in form.types.iter().flat_map(|types| types.split_whitespace()) {
                assert!(crate::types::type_of(word).is_some(), "{form}: {word} is no type");
            }
            for word in form.words.split_whitespace().flat_map(|group| group.trim_end_matches('?').split('|')) {
                assert!(crate::types::type_of(word).is_none(), "{form}: {word} is a type");
                assert!(
                    crate::words::apply(form.opcode, word, &mut Default::default()),
                    "{form}: {word} means nothing"
                );
            }
        }
    }

    #[test]
    fn forms_print_like_the_manual() {
        let shfl = forms().find(|form| form.opcode == Opcode::Shfl).expect("shfl has a form");
        assert_eq!(shfl.to_string(), "shfl.sync.(up|down|bfly|idx).b32");
        assert!(
            coverage(&|_| "yes".to_owned())
                .contains("| `griddepcontrol.(launch_dependents\\|wait)` | 7.8 | sm_90 | yes |")
        );
    }
}
