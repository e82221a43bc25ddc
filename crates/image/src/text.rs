//! PTX as text.

use crate::Error;

/// What the device runtime of dynamic parallelism (CDP2) names its functions with; see launch-model.md section 3.7.
const DEVICE_RUNTIME: &str = "__cudaCDP2";

/// Bytes that should be PTX, as text: up to the first zero byte, which ends it in memory and pads it in fat binaries.
///
/// PTX ISA 4.1: source modules are ASCII. File names in `.file` directives need not be, so other bytes are let through, replaced if they
/// are not UTF-8; but the text must begin like text.
pub fn ptx_text(mut bytes: Vec<u8>) -> Result<String, Error> {
    if let Some(end) = bytes.iter().position(|&byte| byte == 0) {
        bytes.truncate(end);
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Error::malformed(0, "there is no PTX text"));
    }
    if let Some(at) = bytes.iter().take(64).position(|&byte| byte < b' ' && !byte.is_ascii_whitespace()) {
        return Err(Error::malformed(at, format!("byte {:#04x} is not text", bytes[at])));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Whether this unit *defines* functions of NVIDIA's device runtime, which `-lcudadevrt` links into programs that launch from the device.
/// Hotfire brings its own, so such a unit is left out.
pub fn defines_device_runtime(ptx: &str) -> bool {
    // A definition has nothing but directives between the end of the statement before it and its body.
    ptx.contains(DEVICE_RUNTIME)
        && ptx.split_inclusive([';', '{', '}']).any(|statement| {
            statement.ends_with('{')
                && statement.find(".func").is_some_and(|at| statement[at..].contains(DEVICE_RUNTIME))
                && !statement.contains(".extern")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_the_first_zero_byte() {
        assert_eq!(ptx_text(b"\n.version 9.0\n\0\0\0".to_vec()).unwrap(), "\n.version 9.0\n");
        assert_eq!(ptx_text(b".file 1 \"\xe4.cu\"".to_vec()).unwrap(), ".file 1 \"\u{fffd}.cu\"");
    }

    #[test]
    fn what_is_not_text_is_refused() {
        assert_eq!(ptx_text(b"ab\x01c".to_vec()).unwrap_err().offset, 2);
        assert!(ptx_text(b"\0.version 9.0".to_vec()).is_err());
        assert!(ptx_text(b" \n".to_vec()).is_err());
    }

    #[test]
    fn the_device_runtime_is_told_by_what_it_defines() {
        let declared = ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2\n(\n.param .b64 p\n)\n;\n";
        let called = ".visible .entry k()\n{\ncall.uni (retval0), \n__cudaCDP2LaunchDeviceV2, (a);\n}\n";
        assert!(!defines_device_runtime(declared));
        assert!(!defines_device_runtime(&format!("{declared}{called}")));
        assert!(!defines_device_runtime(".visible .func (.param .b32 r) __cudaCDP2Free(.param .b64 p);"));
        let defined =
            "// .globl __cudaCDP2Free\n.visible .func (.param .b32 r) __cudaCDP2Free(\n.param .b64 p\n)\n{\nret;\n}";
        assert!(defines_device_runtime(defined));
        assert!(defines_device_runtime(&format!("{declared}{called}{defined}")));
    }
}
