//! From the bytes that a program hands over to PTX units: fat binaries, wrappers, PTX text, files that contain them,
//! and the images that `cuLinkComplete` makes.

use std::ffi::{CStr, c_char};

use hotfire_device::{LoadError, Status};
use hotfire_image::container::{self, Code};
use hotfire_image::{Architecture, ErrorKind, Format, Variant, fatbin, machine_code};
use hotfire_ptx::ast;

use crate::types::FatBinaryWrapper;

/// The first bytes of an image that `cuLinkComplete` made: then a 64-bit length of the whole, a 32-bit count of
/// texts, and each text behind its 32-bit length. Little-endian.
const LINKED: &[u8; 8] = b"HOTFIRE\x01";
/// More than any program links: a bound for counts in damaged images.
const MOST_UNITS: usize = 1 << 16;

/// An error of ours in the form that loading answers.
pub(crate) fn failure(status: Status, log: impl Into<String>) -> LoadError {
    LoadError { status, log: log.into() }
}

fn image_error(error: &hotfire_image::Error) -> LoadError {
    let status = match error.kind {
        ErrorKind::Malformed => Status::INVALID_IMAGE,
        ErrorKind::NoImage => Status::NO_KERNEL_IMAGE,
    };
    failure(status, error.to_string())
}

/// The architecture that this device is.
fn architecture() -> Architecture {
    Architecture::baseline(hotfire_device::profile::profile().capability)
}

/// Whether PTX with that `.target` may be compiled for this device; what names no architecture is not judged.
fn runs_here(target: &str) -> bool {
    let Some(number) = target.strip_prefix("sm_") else { return true };
    let (digits, variant) = match number.strip_suffix(['a', 'f']) {
        Some(digits) if number.ends_with('a') => (digits, Variant::Specific),
        Some(digits) => (digits, Variant::Family),
        None => (number, Variant::Baseline),
    };
    digits.parse().map_or(true, |number| Architecture { number, variant }.ptx_runs_on(architecture()))
}

/// Parses units.
pub(crate) fn parse(texts: &[String]) -> Result<Vec<ast::Module>, LoadError> {
    let keep = hotfire_device::Device::get().is_checking();
    let one = |text: &String| {
        let mut unit = hotfire_ptx::parse(text).map_err(|d| failure(Status::INVALID_PTX, format!("PTX {d}")))?;
        // Text that a program hands over need not suit this device; what a fat binary has does.
        if !runs_here(&unit.target) {
            let device = architecture();
            return Err(failure(Status::NO_KERNEL_IMAGE, format!("PTX for {} does not run on {device}", unit.target)));
        }
        if keep {
            unit.texts = vec![text.as_str().into()];
        }
        Ok(unit)
    };
    texts.iter().map(one).collect()
}

/// The bytes of the fat binary at an address: its header says how many.
///
/// # Safety
/// A fat binary lies there and stays as long as `'a`.
unsafe fn fatbin_at<'a>(data: *const u8) -> Result<&'a [u8], LoadError> {
    // SAFETY: the caller answers for a fat binary, whose header has this size.
    let header = unsafe { std::slice::from_raw_parts(data, fatbin::HEADER_SIZE) };
    let size = fatbin::size(header).map_err(|error| image_error(&error))?;
    // SAFETY: the same; the header says how long it is.
    Ok(unsafe { std::slice::from_raw_parts(data, size) })
}

/// The PTX texts behind a wrapper: of its fat binary, or of the units of its prelinked list.
///
/// # Safety
/// `wrapper` is as nvcc's host code lays it out, with everything that it points to.
pub(crate) unsafe fn registered(wrapper: &FatBinaryWrapper) -> Result<Vec<String>, LoadError> {
    if wrapper.magic != hotfire_image::Wrapper::MAGIC || wrapper.data.is_null() {
        return Err(failure(Status::INVALID_IMAGE, "what was registered is no fat binary"));
    }
    // SAFETY: the caller's.
    let data = unsafe { fatbin_at(wrapper.data) }?;
    let mut prelinked = Vec::new();
    if wrapper.version == 2 && !wrapper.prelinked.is_null() {
        loop {
            // SAFETY: the list is terminated by null.
            let unit = unsafe { *wrapper.prelinked.add(prelinked.len()) };
            if unit.is_null() {
                break;
            }
            if prelinked.len() == MOST_UNITS {
                return Err(failure(Status::INVALID_IMAGE, "the list of linked units has no end"));
            }
            // SAFETY: each entry points to a fat binary.
            prelinked.push(unsafe { fatbin_at(unit) }?);
        }
    }
    program(data, &prelinked)
}

fn program(data: &[u8], prelinked: &[&[u8]]) -> Result<Vec<String>, LoadError> {
    let units = hotfire_image::program(data, prelinked, architecture()).map_err(|error| image_error(&error))?;
    Ok(units.into_iter().map(|unit| unit.text).collect())
}

/// The PTX texts of an image in memory, as `cuModuleLoadData` gets it: without a length.
///
/// # Safety
/// `image` points to a whole image of one of the kinds that CUDA accepts.
pub(crate) unsafe fn in_memory(image: *const u8) -> Result<Vec<String>, LoadError> {
    if image.is_null() {
        return Err(failure(Status::INVALID_VALUE, "the image is null"));
    }
    let mut first = [0u8; 4];
    for (index, byte) in first.iter_mut().enumerate() {
        // SAFETY: a text may be shorter than four bytes, but has its terminator; nothing is read behind that.
        *byte = unsafe { *image.add(index) };
        if *byte == 0 {
            break;
        }
    }
    match Format::of(&first) {
        // SAFETY: the caller's.
        Format::Fatbin => program(unsafe { fatbin_at(image) }?, &[]),
        // SAFETY: the caller's; the wrapper may lie unaligned.
        Format::Wrapper => unsafe { registered(&image.cast::<FatBinaryWrapper>().read_unaligned()) },
        Format::Elf | Format::Archive => Err(failure(
            Status::NO_KERNEL_IMAGE,
            "the image is machine code, which this device cannot run; give it PTX (nvcc -ptx, or -gencode \
             arch=compute_90,code=compute_90)",
        )),
        Format::Text if first == LINKED[..4] => {
            // SAFETY: an image of cuLinkComplete has this header, and the length in it.
            let header = unsafe { std::slice::from_raw_parts(image, 16) };
            let length = u64::from_le_bytes(header[8..16].try_into().unwrap_or_default());
            if header[..8] != *LINKED || length > isize::MAX as u64 {
                return Err(failure(Status::INVALID_IMAGE, "the linked image is damaged"));
            }
            // SAFETY: as above.
            linked_texts(unsafe { std::slice::from_raw_parts(image, length as usize) })
        }
        Format::Text => {
            // SAFETY: PTX in memory is terminated by a zero byte.
            let text = unsafe { CStr::from_ptr(image.cast::<c_char>()) };
            let text = hotfire_image::ptx_text(text.to_bytes().to_vec()).map_err(|error| image_error(&error))?;
            Ok(vec![text])
        }
    }
}

/// The PTX texts of an image whose length is known: a file, or an input of the linker. NVIDIA's device runtime is left
/// out: the device brings its own.
pub(crate) fn of_bytes(bytes: &[u8]) -> Result<Vec<String>, LoadError> {
    match Format::of(bytes) {
        Format::Fatbin => program(bytes, &[]),
        Format::Wrapper => {
            Err(failure(Status::INVALID_IMAGE, "a fat binary's wrapper has no meaning outside its program"))
        }
        Format::Elf | Format::Archive => contained(bytes),
        Format::Text if bytes.starts_with(LINKED) => linked_texts(bytes),
        Format::Text => {
            let text = hotfire_image::ptx_text(bytes.to_vec()).map_err(|error| image_error(&error))?;
            Ok(if hotfire_image::defines_device_runtime(&text) { Vec::new() } else { vec![text] })
        }
    }
}

/// Fat binaries inside a host object, an executable or an archive.
fn contained(bytes: &[u8]) -> Result<Vec<String>, LoadError> {
    let contents = container::inspect(bytes).map_err(|error| image_error(&error))?;
    let mut texts = Vec::new();
    let mut refused = None;
    for image in contents.images {
        let place = image.member.unwrap_or_else(|| format!("byte {:#x}", image.offset));
        match image.code {
            Code::Ptx(text) => texts.push(text),
            Code::Damaged(error) => return Err(image_error(&error)),
            Code::Cubin(architecture) => {
                refused = Some(machine_code::advice(self::architecture(), &[architecture], &[]))
            }
            Code::Fatbin(entries) => match hotfire_image::select(&entries, architecture()) {
                Some(entry) => texts.push(entry.text().map_err(|error| image_error(&error))?),
                // NVIDIA's device runtime has PTX for newer devices only, beside machine code for older ones.
                None if of_device_runtime(&entries)? => {}
                None => {
                    let of = |kind| {
                        entries.iter().filter(|entry| entry.kind == kind).map(|e| e.architecture).collect::<Vec<_>>()
                    };
                    let advice = machine_code::advice(architecture(), &of(fatbin::Kind::Elf), &of(fatbin::Kind::Ptx));
                    refused = Some(format!("{place}: {advice}"));
                }
            },
        }
    }
    if let Some(message) = refused {
        return Err(failure(Status::NO_KERNEL_IMAGE, message));
    }
    texts.retain(|text| !hotfire_image::defines_device_runtime(text));
    Ok(texts)
}

fn of_device_runtime(entries: &[fatbin::Entry<'_>]) -> Result<bool, LoadError> {
    let Some(entry) = entries.iter().find(|entry| entry.kind == fatbin::Kind::Ptx) else { return Ok(false) };
    Ok(hotfire_image::defines_device_runtime(&entry.text().map_err(|error| image_error(&error))?))
}

/// An image of texts to be linked at load.
pub(crate) fn linked_image(texts: &[String]) -> Vec<u8> {
    let mut image = LINKED.to_vec();
    image.extend(0u64.to_le_bytes());
    image.extend((texts.len() as u32).to_le_bytes());
    for text in texts {
        image.extend((text.len() as u32).to_le_bytes());
        image.extend(text.as_bytes());
    }
    let length = image.len() as u64;
    image[8..16].copy_from_slice(&length.to_le_bytes());
    image
}

fn linked_texts(image: &[u8]) -> Result<Vec<String>, LoadError> {
    let damaged = || failure(Status::INVALID_IMAGE, "the linked image is damaged");
    let word = |at: usize| -> Option<usize> {
        let bytes = image.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    };
    let count = word(16).filter(|&count| count <= MOST_UNITS).ok_or_else(damaged)?;
    let mut texts = Vec::new();
    let mut at = 20usize;
    for _ in 0..count {
        let length = word(at).ok_or_else(damaged)?;
        at += 4;
        let bytes = at.checked_add(length).and_then(|end| image.get(at..end)).ok_or_else(damaged)?;
        texts.push(String::from_utf8(bytes.to_vec()).map_err(|_| damaged())?);
        at += length;
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linked_image_gives_back_its_texts() {
        let texts = vec![String::from(".version 9.0\n"), String::new(), String::from("b")];
        let image = linked_image(&texts);
        assert_eq!(of_bytes(&image).unwrap(), texts);
        // SAFETY: the image is whole.
        assert_eq!(unsafe { in_memory(image.as_ptr()) }.unwrap(), texts);
    }

    #[test]
    fn a_damaged_linked_image_is_refused() {
        let image = linked_image(&[String::from("abc")]);
        for length in 8..image.len() {
            assert_eq!(of_bytes(&image[..length]).unwrap_err().status, Status::INVALID_IMAGE, "{length} bytes");
        }
        let mut many = image.clone();
        many[16..20].fill(0xff);
        assert_eq!(of_bytes(&many).unwrap_err().status, Status::INVALID_IMAGE);
    }
}
