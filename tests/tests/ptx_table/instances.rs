//! Instructions made from the table: every form with every one of its words and types, and spoiled ones.

use hotfire_ptx::Opcode;
use hotfire_ptx::table::Form;

/// What the operands of the instances name.
pub const DECLARATIONS: &str = "\
.reg .pred %p<8>; .reg .b8 %c<40>; .reg .b16 %h<40>; .reg .b32 %r<80>; .reg .b64 %q<80>; .reg .f32 %f<40>; .reg .f64 %d<40>; .reg .u32 %u<40>; .reg .s64 %s<40>;
";

/// Since PTX 8.3.
pub const WIDEST: &str = ".reg .b128 %x<10>;\n";

/// One instruction.
#[derive(Clone)]
pub struct Instance {
    pub form: &'static Form,
    /// Words in the table's order.
    words: Vec<&'static str>,
    types: Vec<&'static str>,
    /// Letters for registers of each size: `rf` draws 32-bit registers from `%r`.
    registers: Registers,
}

/// Which registers stand for values of 32 and 64 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Registers {
    Bits,
    Floats,
    Integers,
}

/// A small deterministic generator (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

fn groups(form: &Form) -> Vec<(Vec<&'static str>, bool)> {
    let group = |group: &'static str| match group.strip_suffix('?') {
        Some(group) => (group.split('|').collect(), true),
        None => (group.split('|').collect(), false),
    };
    form.words.split_whitespace().map(group).collect()
}

fn types(form: &Form) -> Vec<Vec<&'static str>> {
    form.types.iter().map(|types| types.split_whitespace().collect()).collect()
}

/// Each word and each type at least once, and some mixtures.
pub fn of(form: &'static Form, random: &mut Random) -> Vec<Instance> {
    let (groups, types) = (groups(form), types(form));
    // A choice: for each group which alternative (one past the end: none), for each type which.
    let lowest: Vec<usize> = groups.iter().map(|(words, absent)| if *absent { words.len() } else { 0 }).collect();
    let mut choices = vec![(lowest.clone(), vec![0; types.len()])];
    for (index, (words, absent)) in groups.iter().enumerate() {
        for choice in 0..words.len() + usize::from(*absent) {
            let mut chosen = lowest.clone();
            chosen[index] = choice;
            choices.push((chosen, vec![0; types.len()]));
        }
    }
    for (index, list) in types.iter().enumerate() {
        for choice in 0..list.len() {
            let mut chosen = vec![0; types.len()];
            chosen[index] = choice;
            choices.push((lowest.clone(), chosen));
        }
    }
    for _ in 0..24 {
        let words = groups.iter().map(|(words, absent)| random.below(words.len() + usize::from(*absent)));
        let words = words.collect();
        choices.push((words, types.iter().map(|list| random.below(list.len())).collect()));
    }
    // The first stays first: nothing that may be absent, otherwise what comes first.
    choices[1..].sort();
    choices.dedup();
    let instance = |(words, chosen): (Vec<usize>, Vec<usize>)| Instance {
        form,
        words: groups.iter().zip(words).filter_map(|((group, _), choice)| group.get(choice).copied()).collect(),
        types: types.iter().zip(chosen).map(|(list, choice)| list[choice]).collect(),
        registers: Registers::Bits,
    };
    choices.into_iter().map(instance).collect()
}

const TYPES: &[&str] = &[
    "pred", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "u16x2", "s16x2",
    "f16", "f16x2", "bf16", "bf16x2", "f32", "f64",
];

impl Instance {
    /// The same instruction with something changed that may make it wrong.
    pub fn spoiled(&self, other: &Instance, random: &mut Random) -> Instance {
        let mut spoiled = self.clone();
        match random.below(5) {
            0 if !spoiled.words.is_empty() => drop(spoiled.words.remove(random.below(self.words.len()))),
            1 if !spoiled.types.is_empty() => {
                spoiled.types[random.below(self.types.len())] = TYPES[random.below(TYPES.len())]
            }
            2 if !other.words.is_empty() => {
                let word = other.words[random.below(other.words.len())];
                if !spoiled.words.contains(&word) {
                    spoiled.words.push(word);
                }
            }
            3 => spoiled.registers = Registers::Floats,
            _ => spoiled.registers = Registers::Integers,
        }
        spoiled
    }

    /// The instruction up to its operands, in an order that the assembler takes.
    pub fn spelling(&self) -> String {
        let mut text = self.form.opcode.text().to_owned();
        // The assembler wants some words behind the types.
        let late = |word: &&&str| match self.form.opcode {
            Opcode::Sust | Opcode::Suld | Opcode::Sured => matches!(**word, "trap" | "clamp" | "zero"),
            Opcode::Mma | Opcode::Wmma => {
                matches!(**word, "satfinite" | "rn" | "rz" | "rm" | "rp" | "and" | "or" | "xor" | "popc")
            }
            Opcode::Vadd | Opcode::Vsub | Opcode::Vabsdiff | Opcode::Vmin | Opcode::Vmax => true,
            Opcode::Vadd2 | Opcode::Vsub2 | Opcode::Vavrg2 | Opcode::Vabsdiff2 | Opcode::Vmin2 | Opcode::Vmax2 => true,
            Opcode::Vadd4 | Opcode::Vsub4 | Opcode::Vavrg4 | Opcode::Vabsdiff4 | Opcode::Vmin4 | Opcode::Vmax4 => true,
            _ => false,
        };
        for word in self.words.iter().filter(|word| !late(word)) {
            text += &format!(".{word}");
        }
        for ty in &self.types {
            text += &format!(".{ty}");
        }
        for word in self.words.iter().filter(late) {
            text += &format!(".{word}");
        }
        text
    }

    /// The whole instruction.
    pub fn text(&self) -> String {
        let hinted = self.words.iter().any(|word| word.ends_with("cache_hint"));
        let mut operands = Vec::new();
        let mut next = 0;
        for slot in self.form.operands.split_whitespace() {
            if slot.ends_with('?') || slot == "c" && !hinted {
                continue;
            }
            let (slot, second) =
                slot.trim_start_matches('=').split_once('|').unwrap_or((slot.trim_start_matches('='), ""));
            let mut operand = self.operand(slot, operands.is_empty(), &mut next);
            if let Some(second) = second.strip_suffix('!') {
                operand = format!("{operand}|{}", self.operand(second, false, &mut next));
            }
            operands.push(operand);
        }
        format!("{} {};", self.spelling(), operands.join(", "))
    }

    fn size(&self, position: usize) -> u32 {
        match self.types.get(position).copied().unwrap_or("b32") {
            "pred" => 0,
            "b8" | "u8" | "s8" => 1,
            "b16" | "u16" | "s16" | "f16" | "bf16" | "e4m3x2" | "e5m2x2" => 2,
            "b64" | "u64" | "s64" | "f64" | "f32x2" | "texref" | "samplerref" | "surfref" => 8,
            "b128" => 16,
            _ => 4,
        }
    }

    fn register(&self, size: u32, next: &mut usize) -> String {
        *next += 1;
        let letter = match (size, self.registers) {
            (0, _) => return format!("%p{}", *next % 8),
            (1, _) if matches!(self.form.opcode, Opcode::Mov) || self.types.contains(&"bf16") => "c",
            (1 | 2, _) => "h",
            (8, Registers::Bits) => "q",
            (8, Registers::Floats) => "d",
            (8, Registers::Integers) => "s",
            (16, _) => return format!("%x{}", *next % 10),
            (_, Registers::Bits) => "r",
            (_, Registers::Floats) => "f",
            (_, Registers::Integers) => "u",
        };
        format!("%{letter}{}", *next % 40)
    }

    fn vector(&self, count: usize, size: u32, next: &mut usize) -> String {
        let elements: Vec<String> = (0..count).map(|_| self.register(size, next)).collect();
        format!("{{{}}}", elements.join(", "))
    }

    fn operand(&self, slot: &str, first: bool, next: &mut usize) -> String {
        let has = |word: &str| self.words.contains(&word);
        match slot {
            "0" | "1" | "2" | "3" => self.register(self.size(slot.parse().unwrap_or(0)), next),
            "w" => self.register(self.size(0) * 2, next),
            "v" => match self.words.iter().find_map(|word| word.strip_prefix('v')?.parse().ok()) {
                Some(count) => self.vector(count, self.size(0), next),
                None => self.register(self.size(0), next),
            },
            "u" => self.vector(2, self.size(0) / 2, next),
            "h" => self.register(2, next),
            "r" => self.register(4, next),
            "q" => self.register(8, next),
            "p" | "n" => self.register(0, next),
            "i" => match self.form.opcode {
                Opcode::Cp if has("ca") || has("cg") => "16",
                Opcode::Cp => "1",
                Opcode::Discard | Opcode::Applypriority | Opcode::Fence => "128",
                Opcode::Setmaxnreg => "64",
                _ => "3",
            }
            .to_owned(),
            "m" if self.words.iter().any(|word| word.starts_with("param")) && !first => "[parameter]".to_owned(),
            "m" | "M" => {
                *next += 1;
                format!("[%q{}]", 40 + *next % 40)
            }
            "T" => self.texel(next),
            "l" => "label".to_owned(),
            "t" => "targets".to_owned(),
            "c" => "%q79".to_owned(),
            "_" => "_".to_owned(),
            // Only texture instructions have operands of free form: level, gradients.
            "x" if has("level") => self.register(self.size(1), next),
            "x" => {
                let count = if has("1d") || has("a1d") {
                    1
                } else if has("2d") || has("a2d") {
                    2
                } else {
                    4
                };
                self.vector(count, 4, next)
            }
            _ => {
                let (count, letter) = slot.split_at(slot.len() - 1);
                let size = match letter {
                    "h" => 2,
                    "q" => 8,
                    _ => 4,
                };
                self.vector(count.parse().expect("a fragment has a count"), size, next)
            }
        }
    }

    fn texel(&self, next: &mut usize) -> String {
        let has = |word: &str| self.words.contains(&word);
        let count = if has("1d") {
            1
        } else if has("2d") || has("a1d") {
            2
        } else {
            4
        };
        format!("[%q50, {}]", self.vector(count, 4, next))
    }
}
