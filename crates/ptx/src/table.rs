//! The instruction table: one row for every form of every instruction (PTX ISA, section 9.7).
//!
//! A row says which words may stand between the dots, which types, and which operands follow. The parser reads by it, the
//! verifier judges by it, and the coverage page is printed from it; what a form *does* is written once, in the `jit` crate.

use std::fmt;

macro_rules! opcodes {
    ($($name:ident $text:literal),* $(,)?) => {
        /// Every mnemonic of PTX that the table knows (the word before the first dot).
        #[expect(missing_docs, reason = "named as PTX names them")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode { $($name),* }
        impl Opcode {
            /// All of them, in alphabetical order.
            pub const ALL: &[Opcode] = &[$(Opcode::$name),*];
            /// The mnemonic of a PTX text.
            pub fn from_text(text: &str) -> Option<Self> {
                Some(match text { $($text => Self::$name,)* _ => return None })
            }
            /// As PTX writes it.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

opcodes! {
    Abs "abs", Activemask "activemask", Add "add", Addc "addc", Alloca "alloca", And "and", Atom "atom", Bar "bar", Barrier "barrier",
    Bfe "bfe", Bfi "bfi", Bfind "bfind", Bmsk "bmsk", Bra "bra", Brev "brev", Brkpt "brkpt", Brx "brx", Clz "clz", Cnot "cnot",
    Copysign "copysign", Cos "cos", Cvt "cvt", Cvta "cvta", Discard "discard", Div "div", Dp2a "dp2a", Dp4a "dp4a", Elect "elect",
    Ex2 "ex2", Exit "exit", Fence "fence", Fma "fma", Fns "fns", Griddepcontrol "griddepcontrol", Isspacep "isspacep", Ld "ld", Ldu "ldu",
    Lg2 "lg2", Lop3 "lop3", Mad "mad", Mad24 "mad24", Madc "madc", Match "match", Max "max", Membar "membar", Min "min", Mov "mov",
    Mul "mul", Mul24 "mul24", Nanosleep "nanosleep", Neg "neg", Not "not", Or "or", Pmevent "pmevent", Popc "popc", Prefetch "prefetch",
    Prefetchu "prefetchu", Prmt "prmt", Rcp "rcp", Red "red", Redux "redux", Rem "rem", Ret "ret", Rsqrt "rsqrt", Sad "sad", Selp "selp",
    Set "set", Setp "setp", Shf "shf", Shfl "shfl", Shl "shl", Shr "shr", Sin "sin", Slct "slct", Sqrt "sqrt", St "st",
    Stackrestore "stackrestore", Stacksave "stacksave", Sub "sub", Subc "subc", Szext "szext", Tanh "tanh", Testp "testp", Trap "trap",
    Vote "vote", Xor "xor",
}

/// One form of an instruction, written in the manual's manner.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The mnemonic.
    pub opcode: Opcode,
    /// Words between the dots, in groups: alternatives are joined by `|`, a group that may be absent ends with `?`. Cache hints
    /// may always stand on memory instructions.
    pub words: &'static str,
    /// One list of types for each type position.
    pub types: &'static [&'static str],
    /// Operands, destination first. `0`, `1`, `2`: a register or constant of that type position; `w`: twice as wide as position 0; `v`: that
    /// or a vector of it; `p`: a predicate; `n`: a predicate, possibly negated; `r`, `q`: 32 and 64 bits; `m`: an address; `l`: a label; `t`: a target
    /// list; `x`: anything; a final `?` marks what may be absent, `|p` a second predicate destination that may be absent.
    pub operands: &'static str,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.opcode.text())?;
        for group in self.words.split_whitespace() {
            match group.strip_suffix('?') {
                Some(group) => write!(f, "{{.{}}}", group.replace('|', "|."))?,
                None => write!(f, ".{}", group.replace('|', "|."))?,
            }
        }
        for types in self.types {
            write!(f, ".({})", types.replace(' ', "|"))?;
        }
        Ok(())
    }
}

const INT: &str = "u16 u32 u64 s16 s32 s64";
const BITS: &str = "b16 b32 b64";
const HALF: &str = "f16 f16x2 bf16 bf16x2";
const MEMORY: &str = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64";
const COMPARE: &str = "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor? ftz?";
const ROUND: &str = "rn|rz|rm|rp? ftz? sat?";
const SPACE: &str = "global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func";

const fn row(opcode: Opcode, words: &'static str, types: &'static [&'static str], operands: &'static str) -> Row {
    Row { opcode, words, types, operands }
}

/// Every form, grouped as the manual groups them.
pub static ROWS: &[Row] = &[
    // 9.7.1 integer arithmetic
    row(Opcode::Add, "sat?", &["s32"], "0 0 0"),
    row(Opcode::Add, "", &["u16 u32 u64 s16 s64 u16x2 s16x2"], "0 0 0"),
    row(Opcode::Add, "cc", &["u32 s32 u64 s64"], "0 0 0"),
    row(Opcode::Addc, "cc?", &["u32 s32 u64 s64"], "0 0 0"),
    row(Opcode::Sub, "sat?", &["s32"], "0 0 0"),
    row(Opcode::Sub, "", &["u16 u32 u64 s16 s64 u16x2 s16x2"], "0 0 0"),
    row(Opcode::Sub, "cc", &["u32 s32 u64 s64"], "0 0 0"),
    row(Opcode::Subc, "cc?", &["u32 s32 u64 s64"], "0 0 0"),
    row(Opcode::Mul, "hi|lo", &[INT], "0 0 0"),
    row(Opcode::Mul, "wide", &["u16 u32 s16 s32"], "w 0 0"),
    row(Opcode::Mad, "hi|lo sat?", &[INT], "0 0 0 0"),
    row(Opcode::Mad, "hi|lo cc", &["u32 s32 u64 s64"], "0 0 0 0"),
    row(Opcode::Mad, "wide", &["u16 u32 s16 s32"], "w 0 0 w"),
    row(Opcode::Madc, "hi|lo cc?", &["u32 s32 u64 s64"], "0 0 0 0"),
    row(Opcode::Mul24, "hi|lo", &["u32 s32"], "0 0 0"),
    row(Opcode::Mad24, "hi|lo sat?", &["u32 s32"], "0 0 0 0"),
    row(Opcode::Sad, "", &[INT], "0 0 0 0"),
    row(Opcode::Div, "", &[INT], "0 0 0"),
    row(Opcode::Rem, "", &[INT], "0 0 0"),
    row(Opcode::Abs, "", &["s16 s32 s64"], "0 0"),
    row(Opcode::Neg, "", &["s16 s32 s64"], "0 0"),
    row(Opcode::Min, "relu?", &["u16 u32 u64 s16 s32 s64 u16x2 s16x2"], "0 0 0"),
    row(Opcode::Max, "relu?", &["u16 u32 u64 s16 s32 s64 u16x2 s16x2"], "0 0 0"),
    row(Opcode::Popc, "", &["b32 b64"], "r 0"),
    row(Opcode::Clz, "", &["b32 b64"], "r 0"),
    row(Opcode::Bfind, "shiftamt?", &["u32 u64 s32 s64"], "r 0"),
    row(Opcode::Fns, "", &["b32"], "0 0 0 0"),
    row(Opcode::Brev, "", &["b32 b64"], "0 0"),
    row(Opcode::Bfe, "", &["u32 u64 s32 s64"], "0 0 r r"),
    row(Opcode::Bfi, "", &["b32 b64"], "0 0 0 r r"),
    row(Opcode::Szext, "clamp|wrap", &["u32 s32"], "0 0 r"),
    row(Opcode::Bmsk, "clamp|wrap", &["b32"], "0 r r"),
    row(Opcode::Dp4a, "", &["u32 s32", "u32 s32"], "r r r r"),
    row(Opcode::Dp2a, "lo|hi", &["u32 s32", "u32 s32"], "r r r r"),
    // 9.7.3 to 9.7.5 floating point
    row(Opcode::Testp, "finite|infinite|number|notanumber|normal|subnormal", &["f32 f64"], "p 0"),
    row(Opcode::Copysign, "", &["f32 f64"], "0 0 0"),
    row(Opcode::Add, ROUND, &["f32 f64 f32x2"], "0 0 0"),
    row(Opcode::Sub, ROUND, &["f32 f64 f32x2"], "0 0 0"),
    row(Opcode::Mul, ROUND, &["f32 f64 f32x2"], "0 0 0"),
    row(Opcode::Fma, "rn|rz|rm|rp ftz? sat?", &["f32 f64 f32x2"], "0 0 0 0"),
    row(Opcode::Mad, ROUND, &["f32 f64"], "0 0 0 0"),
    row(Opcode::Div, "approx|full|rn|rz|rm|rp ftz?", &["f32 f64"], "0 0 0"),
    row(Opcode::Abs, "ftz?", &["f32 f64"], "0 0"),
    row(Opcode::Neg, "ftz?", &["f32 f64"], "0 0"),
    row(Opcode::Min, "ftz? NaN? xorsign? abs?", &["f32 f64"], "0 0 0 0?"),
    row(Opcode::Max, "ftz? NaN? xorsign? abs?", &["f32 f64"], "0 0 0 0?"),
    row(Opcode::Rcp, "approx|rn|rz|rm|rp ftz?", &["f32 f64"], "0 0"),
    row(Opcode::Sqrt, "approx|rn|rz|rm|rp ftz?", &["f32 f64"], "0 0"),
    row(Opcode::Rsqrt, "approx ftz?", &["f32 f64"], "0 0"),
    row(Opcode::Sin, "approx ftz?", &["f32"], "0 0"),
    row(Opcode::Cos, "approx ftz?", &["f32"], "0 0"),
    row(Opcode::Lg2, "approx ftz?", &["f32"], "0 0"),
    row(Opcode::Ex2, "approx ftz?", &["f32 f16 f16x2 bf16 bf16x2"], "0 0"),
    row(Opcode::Tanh, "approx", &["f32 f16 f16x2 bf16 bf16x2"], "0 0"),
    row(Opcode::Add, "rn? ftz? sat?", &[HALF], "0 0 0"),
    row(Opcode::Sub, "rn? ftz? sat?", &[HALF], "0 0 0"),
    row(Opcode::Mul, "rn? ftz? sat?", &[HALF], "0 0 0"),
    row(Opcode::Fma, "rn ftz? sat? relu?", &[HALF], "0 0 0 0"),
    row(Opcode::Neg, "ftz?", &[HALF], "0 0"),
    row(Opcode::Abs, "ftz?", &[HALF], "0 0"),
    row(Opcode::Min, "ftz? NaN? xorsign? abs?", &[HALF], "0 0 0"),
    row(Opcode::Max, "ftz? NaN? xorsign? abs?", &[HALF], "0 0 0"),
    // 9.7.6, 9.7.7 comparison and selection
    row(
        Opcode::Set,
        COMPARE,
        &[
            "u32 s32 f32 f16 f16x2 bf16 bf16x2 u16 s16",
            "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 f16 f16x2 bf16 bf16x2",
        ],
        "0 1 1 n?",
    ),
    row(Opcode::Setp, COMPARE, &["b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 f16 f16x2 bf16 bf16x2"], "p|p 0 0 n?"),
    row(Opcode::Selp, "", &["b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"], "0 0 0 n"),
    row(Opcode::Slct, "ftz?", &["b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", "s32 f32"], "0 0 0 1"),
    // 9.7.8 logic and shift
    row(Opcode::And, "", &["pred b16 b32 b64"], "0 0 0"),
    row(Opcode::Or, "", &["pred b16 b32 b64"], "0 0 0"),
    row(Opcode::Xor, "", &["pred b16 b32 b64"], "0 0 0"),
    row(Opcode::Not, "", &["pred b16 b32 b64"], "0 0"),
    row(Opcode::Cnot, "", &[BITS], "0 0"),
    row(Opcode::Lop3, "and|or?", &["b32"], "0|p 0 0 0 x n?"),
    row(Opcode::Shf, "l|r clamp|wrap", &["b32"], "0 0 0 r"),
    row(Opcode::Shl, "", &[BITS], "0 0 r"),
    row(Opcode::Shr, "", &["b16 b32 b64 u16 u32 u64 s16 s32 s64"], "0 0 r"),
    // 9.7.9 data movement and conversion
    row(Opcode::Mov, "", &["pred b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64"], "x x"),
    row(Opcode::Prmt, "f4e|b4e|rc8|ecl|ecr|rc16?", &["b32"], "0 0 0 r"),
    row(Opcode::Ld, const_memory(), &[MEMORY], "v m x?"),
    row(Opcode::Ldu, "global? v2|v4?", &[MEMORY], "v m"),
    row(Opcode::St, const_memory(), &[MEMORY], "m v x?"),
    row(Opcode::Prefetch, "global|local?", &[], "m"),
    row(Opcode::Prefetchu, "", &[], "m"),
    row(Opcode::Discard, "global?", &[], "m x"),
    row(Opcode::Isspacep, SPACE, &[], "p q"),
    row(
        Opcode::Cvta,
        "to? global|shared|shared::cta|shared::cluster|local|const|param|param::entry",
        &["u32 u64"],
        "0 x",
    ),
    row(
        Opcode::Cvt,
        "rn|rz|rm|rp|rna|rs|rni|rzi|rmi|rpi? satfinite? relu? ftz? sat?",
        &[
            "u8 u16 u32 u64 s8 s16 s32 s64 b16 b32 b64 f16 bf16 f16x2 bf16x2 tf32 f32 f64 e4m3x2 e5m2x2",
            "u8 u16 u32 u64 s8 s16 s32 s64 b16 b32 b64 f16 bf16 f16x2 bf16x2 f32 f64 e4m3x2 e5m2x2",
        ],
        "0 1 1? x?",
    ),
    // 9.7.12 control flow (`call` has its own syntax)
    row(Opcode::Bra, "uni?", &[], "l"),
    row(Opcode::Brx, "idx uni?", &[], "r t"),
    row(Opcode::Ret, "uni?", &[], ""),
    row(Opcode::Exit, "", &[], ""),
    // 9.7.13 parallel synchronisation
    row(Opcode::Bar, "cta? sync|arrive aligned?", &[], "r r?"),
    row(Opcode::Bar, "cta? red popc aligned?", &["u32"], "r r n"),
    row(Opcode::Bar, "cta? red popc aligned?", &["u32"], "r r r n"),
    row(Opcode::Bar, "cta? red and|or aligned?", &["pred"], "p r n"),
    row(Opcode::Bar, "cta? red and|or aligned?", &["pred"], "p r r n"),
    row(Opcode::Bar, "warp sync", &[], "r"),
    row(Opcode::Barrier, "cta? sync|arrive aligned?", &[], "r r?"),
    row(Opcode::Barrier, "cta? red popc aligned?", &["u32"], "r r n"),
    row(Opcode::Barrier, "cta? red popc aligned?", &["u32"], "r r r n"),
    row(Opcode::Barrier, "cta? red and|or aligned?", &["pred"], "p r n"),
    row(Opcode::Barrier, "cta? red and|or aligned?", &["pred"], "p r r n"),
    row(Opcode::Barrier, "cluster arrive|wait release|relaxed|acquire? aligned?", &[], ""),
    row(Opcode::Membar, "cta|gl|sys", &[], ""),
    row(Opcode::Membar, "proxy alias", &[], ""),
    row(Opcode::Fence, "sc|acq_rel|acquire|release? cta|cluster|gpu|sys", &[], ""),
    row(Opcode::Fence, "proxy alias|async|async::generic|generic|tensormap", &[], ""),
    row(Opcode::Fence, "mbarrier_init release cluster", &[], ""),
    row(Opcode::Vote, "sync all|any|uni", &["pred"], "p n r"),
    row(Opcode::Vote, "sync ballot", &["b32"], "0 n r"),
    row(Opcode::Match, "any sync", &["b32 b64"], "r 0 r"),
    row(Opcode::Match, "all sync", &["b32 b64"], "r|p 0 r"),
    row(Opcode::Activemask, "", &["b32"], "0"),
    row(Opcode::Redux, "sync add|min|max", &["u32 s32"], "0 0 r"),
    row(Opcode::Redux, "sync and|or|xor", &["b32"], "0 0 r"),
    row(Opcode::Shfl, "sync up|down|bfly|idx", &["b32"], "0|p 0 r r r"),
    row(Opcode::Elect, "sync", &[], "x|p r"),
    row(
        Opcode::Atom,
        "relaxed|acquire|release|acq_rel? cta|cluster|gpu|sys? global|shared|shared::cta|shared::cluster? add|min|max|and|or|xor|exch|cas|inc|dec noftz? v2|v4|v8?",
        &["b16 b32 b64 b128 u32 u64 s32 s64 f32 f64 f16 f16x2 bf16 bf16x2"],
        "v m v v? x?",
    ),
    row(
        Opcode::Red,
        "relaxed|release? cta|cluster|gpu|sys? global|shared|shared::cta|shared::cluster? add|min|max|and|or|xor|inc|dec noftz? v2|v4|v8?",
        &["b32 b64 u32 u64 s32 s64 f32 f64 f16 f16x2 bf16 bf16x2"],
        "m v x?",
    ),
    row(Opcode::Griddepcontrol, "launch_dependents|wait", &[], ""),
    // 9.7.18, 9.7.19 stack and miscellaneous
    row(Opcode::Stacksave, "", &["u32 u64"], "0"),
    row(Opcode::Stackrestore, "", &["u32 u64"], "0"),
    row(Opcode::Alloca, "", &["u32 u64"], "0 0 x?"),
    row(Opcode::Brkpt, "", &[], ""),
    row(Opcode::Nanosleep, "", &["u32"], "0"),
    row(Opcode::Pmevent, "", &[], "x"),
    row(Opcode::Trap, "", &[], ""),
];

const fn const_memory() -> &'static str {
    "weak|relaxed|acquire|release|volatile|mmio? cta|cluster|gpu|sys? global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func? nc? v2|v4|v8?"
}

/// The forms of one mnemonic.
pub fn forms(opcode: Opcode) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.opcode == opcode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mnemonic_has_a_form_and_every_type_exists() {
        for &opcode in Opcode::ALL {
            assert!(forms(opcode).next().is_some(), "{opcode:?}");
            assert_eq!(Opcode::from_text(opcode.text()), Some(opcode));
        }
        for row in ROWS {
            for word in row.types.iter().flat_map(|types| types.split_whitespace()) {
                assert!(crate::words::type_of(word).is_some(), "{word}");
            }
            for word in row.words.split_whitespace().flat_map(|group| group.trim_end_matches('?').split('|')) {
                assert!(crate::words::apply(row.opcode, word, &mut Default::default()), "{row}: {word}");
            }
        }
    }

    #[test]
    fn rows_print_like_the_manual() {
        let row = forms(Opcode::Shfl).next().expect("shfl has a form");
        assert_eq!(row.to_string(), "shfl.sync.up|.down|.bfly|.idx.(b32)");
    }
}
