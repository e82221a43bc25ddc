//! The instruction table.

macro_rules! opcodes {
    ($($name:ident $text:literal),* $(,)?) => {
        /// Every mnemonic of PTX that the table knows (the word before the first dot).
        #[expect(missing_docs, reason = "named as PTX names them")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode { $($name),* }
        impl Opcode {
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
