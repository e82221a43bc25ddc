//! Control flow, stack, miscellaneous (PTX ISA, sections 9.7.12, 9.7.17, 9.7.19).

use super::{Form, Opcode::*, form};

pub(super) const FORMS: &[Form] = &[
    form(Bra, "uni?", &[], "l", 10, 10),
    form(Brx, "idx uni?", &[], "r t", 60, 30),
    form(Ret, "uni?", &[], "", 10, 10),
    form(Exit, "", &[], "", 10, 10),
    form(Stacksave, "", &["u32 u64"], "=0", 73, 52),
    form(Stackrestore, "", &["u32 u64"], "0", 73, 52),
    form(Alloca, "", &["u32 u64"], "=0 0 i?", 73, 52),
    form(Brkpt, "", &[], "", 10, 11),
    form(Nanosleep, "", &["u32"], "0", 63, 70),
    form(Pmevent, "mask?", &[], "i", 14, 10),
    form(Setmaxnreg, "inc|dec sync aligned", &["u32"], "i", 80, 90),
    form(Trap, "", &[], "", 10, 10),
];
