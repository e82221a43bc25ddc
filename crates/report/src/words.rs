//! The phrases of reports: who did what, to which bytes, where.

use hotfire_check::{Access, Action, Bytes, Finding, Frame, Launch, Place, Severity, Thread};

/// `1 error`, `2 errors`
pub fn counted(number: u64, word: &str) -> String {
    if number == 1 {
        format!("1 {word}")
    } else {
        format!("{number} {word}{}", if word.ends_with("ch") { "es" } else { "s" })
    }
}

/// As the JSON has it.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// With the preposition that leads to the bytes.
fn verb(action: Action) -> (&'static str, &'static str) {
    match action {
        Action::Read => ("read", "of"),
        Action::Write => ("write", "of"),
        Action::Atomic => ("atomic update", "of"),
        Action::CopyFrom => ("copy", "from"),
        Action::CopyTo => ("copy", "to"),
        Action::Set => ("set", "of"),
        Action::Launch => ("launch", "with"),
        Action::Allocate => ("allocation", "of"),
        Action::Free => ("free", "of"),
        Action::Wait => ("wait", "for"),
        Action::Call => ("call", "with"),
    }
}

/// The number of a side, for findings that have two: (1) happened first.
pub fn number(finding: &Finding, side: usize) -> Option<usize> {
    let sides = finding.accesses.len();
    (sides > 1).then(|| sides - side)
}

/// `(1) `, or nothing if there is but one side.
pub fn mark(finding: &Finding, side: usize) -> String {
    number(finding, side).map_or_else(String::new, |number| format!("({number}) "))
}

/// `write of bytes 0..4 of cudaMalloc #1 (64 bytes) by child, grid 2, block (0,0,0), thread (3,0,0)`
pub fn access(access: &Access) -> String {
    let (verb, preposition) = verb(access.action);
    let mut words = verb.to_owned();
    if let Some(bytes) = &access.bytes {
        words.push_str(&format!(" {preposition} {}", self::bytes(bytes)));
    }
    words.push_str(&format!(" by {}", thread(&access.thread)));
    if let (Some(Place { function: Some(function), .. }), Thread::Device { kernel, .. }) =
        (&access.place, &access.thread)
        && function != kernel
    {
        words.push_str(&format!(", in {function}"));
    }
    words
}

fn bytes(bytes: &Bytes) -> String {
    let Bytes { allocation, offset, size } = bytes;
    match size {
        1 => format!("byte {offset} of {allocation}"),
        _ => format!("bytes {offset}..{} of {allocation}", u128::from(*offset) + u128::from(*size)),
    }
}

/// The agent, with its coordinates.
pub fn thread(thread: &Thread) -> String {
    match thread {
        Thread::Device { kernel, grid, block, thread } => {
            format!("{kernel}, grid {grid}, block {}, thread {}", point(*block), point(*thread))
        }
        Thread::Host => "host code".to_owned(),
        Thread::HostFunction => "a host function".to_owned(),
        Thread::Operation { call } => call.clone(),
    }
}

fn point([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}

/// `scale.cu:14`, else the PTX line, else the function.
pub fn place(place: &Place) -> String {
    let function = place.function.as_deref();
    match (&place.file, place.line, place.ptx_line) {
        (Some(file), Some(line), _) => format!("{file}:{line}"),
        (Some(file), None, _) => file.clone(),
        (None, _, Some(line)) => match function {
            Some(function) => format!("PTX line {line} in {function}"),
            None => format!("PTX line {line}"),
        },
        (None, _, None) => function.unwrap_or("an unknown place").to_owned(),
    }
}

/// `main at scale.cu:14`, or the function alone.
pub fn frame(frame: &Frame) -> String {
    match (&frame.file, frame.line) {
        (Some(file), Some(line)) => format!("{} at {file}:{line}", frame.function),
        (Some(file), None) => format!("{} in {file}", frame.function),
        (None, _) => frame.function.clone(),
    }
}

/// How one grid came to be, a line for its launch and one for each call of the host that led to it.
pub fn launch(launch: &Launch) -> Vec<String> {
    let mut by = format!("by {}", thread(&launch.by));
    // Calls of the host say it themselves.
    if let Some(place) = launch.place.as_ref().filter(|_| launch.stack.is_empty()) {
        by.push_str(&format!(", at {}", self::place(place)));
    }
    let mut lines = vec![format!("{} ({})", launch.what, launch.stream), format!("  {by}")];
    lines.extend(launch.stack.iter().map(|call| format!("    from {}", frame(call))));
    lines
}

/// Where a side is to be shown: its own place, else the innermost call of the host with a source line, else where it was queued.
pub fn shown_place(access: &Access) -> Option<Place> {
    let called = |stack: &[Frame]| {
        let frame = stack.iter().find(|frame| frame.file.is_some())?;
        let Frame { function, file, line } = frame.clone();
        Some(Place { file, line, function: Some(function), ..Place::default() })
    };
    let own = access.place.clone().or_else(|| called(&access.stack));
    let queued = || access.launches.iter().find_map(|launch| launch.place.clone().or_else(|| called(&launch.stack)));
    own.or_else(queued)
}
