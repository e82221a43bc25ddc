//! The instruction table against NVIDIA's assembler: what the table makes must be PTX, and what is PTX must parse.
//!
//! The assembler names the line of each instruction that it refuses, so that one text holds thousands of them. Every instruction stands in
//! a function of its own for our parser, which marks functions.

mod instances;

use hotfire_ptx::Opcode;
use hotfire_ptx::table::forms;
use instances::{DECLARATIONS, Instance, Random, WIDEST};
use std::collections::{BTreeMap, HashMap};
use std::process::Stdio;

/// The instructions, by number, that the assembler refuses, and why.
fn refused(instructions: &[String], version: u16, target: &str) -> HashMap<usize, String> {
    let chunks = instructions.chunks(500).enumerate();
    let refusals = chunks.flat_map(|(chunk, instructions)| {
        assemble(instructions, version, target)
            .into_iter()
            .map(move |(number, refusal)| (chunk * 500 + number, refusal))
    });
    refusals.collect()
}

fn assemble(instructions: &[String], version: u16, target: &str) -> HashMap<usize, String> {
    let toolkit = xtask::toolkit::fetch().expect("CUDA's compiler is there");
    let mut text = format!(
        ".version {}.{}\n.target {target}\n.address_size 64\n.entry kernel(.param .align 16 .b8 parameter[128])\n{{\n{DECLARATIONS}{}\
         targets: .branchtargets label;\n",
        version / 10,
        version % 10,
        if version >= 83 { WIDEST } else { "" }
    );
    let first = text.lines().count();
    for instruction in instructions {
        text += instruction;
        text.push('\n');
    }
    // If this one is not refused the assembler gave up before.
    text += "add.f32 %q1, %q2, %q3;\nlabel: ret;\n}\n";
    let name = format!("hotfire-ptx-{}-{:?}.ptx", std::process::id(), std::thread::current().id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, &text).expect("the text can be written");
    let output = toolkit
        .ptxas()
        .args([&format!("-arch={target}"), "-O0", "-o", "/dev/null"])
        .arg(&file)
        .stdin(Stdio::null())
        .output();
    let output = output.expect("ptxas runs");
    let _ = std::fs::remove_file(&file);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let mut refused = HashMap::new();
    for error in errors.lines() {
        // `ptxas file, line 7; error   : Illegal modifier …`
        let Some((line, message)) = error.split_once("line ").and_then(|(_, rest)| rest.split_once(';')) else {
            continue;
        };
        if let Some(number) = line.trim().parse::<usize>().ok().and_then(|line| (line - 1).checked_sub(first))
            && message.contains("error")
        {
            refused.entry(number).or_insert_with(|| message.trim().to_owned());
        }
    }
    assert!(refused.remove(&instructions.len()).is_some(), "ptxas gave up: {errors}");
    refused
}

/// Why our parser refuses each instruction, if it does.
fn complaints(instructions: &[String]) -> Vec<Option<String>> {
    let mut text = ".version 9.0\n.target sm_90a\n.address_size 64\n".to_owned();
    for (number, instruction) in instructions.iter().enumerate() {
        text += &format!(
            ".entry kernel{number}(.param .align 16 .b8 parameter[128])\n{{\n{DECLARATIONS}{WIDEST}targets: .branchtargets label;\n{instruction}\nlabel: ret;\n}}\n"
        );
    }
    let module = hotfire_ptx::parse(&text).expect("the text is a module");
    assert_eq!(module.functions.len(), instructions.len());
    module.functions.into_iter().map(|function| function.broken.map(|error| error.message)).collect()
}

fn instances() -> Vec<Instance> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let forms = forms().filter(|form| form.target <= 90);
    forms.flat_map(|form| instances::of(form, &mut random)).collect()
}

#[test]
fn what_the_table_makes_is_ptx() {
    let texts: Vec<String> = instances().iter().map(Instance::text).collect();
    let refused = refused(&texts, 90, "sm_90a");
    for (number, complaint) in complaints(&texts).into_iter().enumerate() {
        assert_eq!(complaint, None, "{}", texts[number]);
    }
    let mut wrong: Vec<String> =
        refused.iter().map(|(&number, message)| format!("{} {message}", texts[number])).collect();
    wrong.sort();
    assert!(wrong.is_empty(), "{} of {} are no PTX: {wrong:#?}", wrong.len(), texts.len());
}

/// What is wrong by one word, type or register class: whatever of it the assembler takes, our parser takes; and it refuses nearly
/// everything else, which is what makes a diagnosis useful.
#[test]
fn what_is_ptx_parses() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let instances = instances();
    let spoiled = |instance: &Instance| {
        let other = &instances[random.below(instances.len())];
        let same = instances.iter().filter(|other| other.form.opcode == instance.form.opcode);
        let same: Vec<&Instance> = same.collect();
        let other = if random.below(4) == 0 { other } else { same[random.below(same.len())] };
        instance.spoiled(other, &mut random).text()
    };
    let mut texts: Vec<String> = instances.iter().map(spoiled).collect();
    texts.sort();
    texts.dedup();
    let refused = refused(&texts, 90, "sm_90a");
    let (mut too_strict, mut too_lenient) = (Vec::new(), Vec::new());
    for (number, complaint) in complaints(&texts).into_iter().enumerate() {
        match (complaint, refused.get(&number)) {
            (Some(_), None) if is_careless(&texts[number]) => {}
            (Some(complaint), None) => too_strict.push(format!("{} {complaint}", texts[number])),
            // Of fragments and coordinates we judge the sizes alone.
            (None, Some(_))
                if ["tex.", "tld4.", "suld.", "sust.", "sured."].iter().any(|s| texts[number].starts_with(s)) => {}
            (None, Some(_)) if texts[number].starts_with(['m', 'w']) && texts[number].contains("ma.") => {}
            (None, Some(refusal)) => too_lenient.push(format!("{} {refusal}", texts[number])),
            _ => {}
        }
    }
    assert!(too_strict.is_empty(), "{} are PTX: {too_strict:#?}", too_strict.len());
    assert!(
        too_lenient.len() * 50 < refused.len(),
        "{} of {} are no PTX: {too_lenient:#?}",
        too_lenient.len(),
        refused.len()
    );
}

/// Where the assembler takes more than the manual has, and means nothing by it.
fn is_careless(text: &str) -> bool {
    let careless = [
        // Any accumulator for any shape, words of loads.
        "wmma.load.",
        "wmma.store.",
        // A fourth operand without the operation that would use it.
        "vadd.",
        "vsub.",
        "vabsdiff.",
        "vmin.",
        "vmax.",
        // Integer coordinates with gradients.
        "tex.grad.",
        "st.async.",
        // Signed addresses, 16-bit carries, floats as matrices.
        "mapa.shared::cluster.s",
        "getctarank.",
        "mapa.s",
        "madc.",
        "movmatrix.",
        "wmma.mma.",
        // A test of nothing.
        "testp.f",
        // Rounding that is missing, or not there to choose.
        "fma.rz.bf16",
        "fma.rm.bf16",
        "fma.rp.bf16",
        "rcp.",
    ];
    // Words of `testp` are words of every instruction.
    let number = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
    let widens = text.starts_with("cvt.") && text.contains(".bf16");
    widens
        || careless.iter().any(|start| text.starts_with(start))
        || text.starts_with("mma.") && text.contains("4.s32.")
        || text.split(['.', ' ']).any(|word| number.contains(&word))
}

/// A form's first version and architecture, as far as this assembler still knows them: from sm_75 and PTX 6.3 on.
#[test]
fn forms_begin_where_the_table_says() {
    let mut random = Random(1);
    let mut groups: BTreeMap<(u16, u16), Vec<String>> = BTreeMap::new();
    // `setmaxnreg` is of sm_90a alone.
    for form in forms().filter(|form| form.target <= 90 && form.opcode != Opcode::Setmaxnreg) {
        let text = instances::of(form, &mut random)[0].text();
        groups.entry((form.version.max(63), form.target.max(75))).or_default().push(text);
    }
    let mut wrong = Vec::new();
    for ((version, target), texts) in groups {
        // The assembler reads an architecture's texts from this version on.
        let earliest = |target| match target {
            90 => 78,
            // What is new there came to this architecture later than to sm_90.
            89 => 81,
            86 => 71,
            80 => 70,
            _ => 63,
        };
        let name = format!("sm_{target}");
        let first = version.max(earliest(target));
        for (number, refusal) in refused(&texts, first, &name) {
            wrong.push(format!("{} is not in {first} {name} yet: {refusal}", texts[number]));
        }
        if version > 63 && version > earliest(75) {
            // Newest target, so that only the version is wanting.
            let before = match version {
                70 => 65,
                80 => 78,
                90 => 88,
                _ => version - 1,
            };
            let (before, name) = if before >= 78 { (before, "sm_90a") } else { (before, "sm_75") };
            let refused = refused(&texts, before, name);
            let early = texts.iter().enumerate().filter(|(number, _)| !refused.contains_key(number));
            wrong.extend(early.map(|(_, text)| format!("{text} is in {before} {name} already")));
        }
        if target > 75 {
            let before = match target {
                90 => "sm_89",
                89 => "sm_86",
                86 => "sm_80",
                _ => "sm_75",
            };
            let refused = refused(&texts, 90, before);
            let early = texts.iter().enumerate().filter(|(number, _)| !refused.contains_key(number));
            wrong.extend(early.map(|(_, text)| format!("{text} is on {before} already")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
