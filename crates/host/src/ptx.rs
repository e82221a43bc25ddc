//! What the text of a module says about its kernels.

/// Whether a kernel waits for its prerequisites (`griddepcontrol.wait`), as far as its own body shows: `None` if it has no such
/// instruction but calls functions that may.
pub(crate) fn waits(text: &str, kernel: &str) -> Option<bool> {
    let body = body(text, kernel)?;
    if body.contains("griddepcontrol.wait") {
        return Some(true);
    }
    // Calls of the device runtime do not wait.
    let mut calls = body.lines().map(str::trim).skip_while(|line| !line.starts_with("call"));
    let others = calls.any(|line| {
        let name = line.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        line.starts_with("call") && line.contains('%') || !name.is_empty() && is_function(text, name)
    });
    if others { None } else { Some(false) }
}

/// Whether a kernel's own body triggers (`griddepcontrol.launch_dependents`).
pub(crate) fn triggers(text: &str, kernel: &str) -> bool {
    body(text, kernel).is_some_and(|body| body.contains("griddepcontrol.launch_dependents"))
}

fn is_function(text: &str, name: &str) -> bool {
    !name.starts_with("__cudaCDP2") && text.lines().any(|line| line.starts_with(".func") && line.contains(name))
}

/// The braces behind `.entry NAME(`.
fn body<'a>(text: &'a str, kernel: &str) -> Option<&'a str> {
    let head = format!(".entry {kernel}(");
    let rest = &text[text.find(&head)? + head.len()..];
    let start = rest.find('{')?;
    let mut depth = 0usize;
    for (at, character) in rest[start..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(&rest[start..start + at]),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{triggers, waits};

    const TEXT: &str = "\
.func helper()
{
ret;
}
.visible .entry waits(
.param .u64 p)
{ { mov.u32 %r1, 0; } griddepcontrol.wait; ret; }
.visible .entry plain(
)
{
griddepcontrol.launch_dependents;
ret;
}
.visible .entry calls(
)
{
call.uni
helper,
(
);
}
";

    #[test]
    fn a_wait_is_found_in_its_own_kernel_only() {
        assert_eq!(waits(TEXT, "waits"), Some(true));
        assert_eq!(waits(TEXT, "plain"), Some(false));
        assert_eq!(waits(TEXT, "calls"), None);
        assert_eq!(waits(TEXT, "wait"), None, "there is no such kernel");
        assert!(triggers(TEXT, "plain") && !triggers(TEXT, "waits"));
    }
}
