//! Formats of texels, between C's three ways to say them and the device's.

use hotfire_device::Status;
use hotfire_device::texture::{Element, Format};

use crate::notice;
use crate::types::ChannelFormat;

const INVALID_CHANNEL_DESCRIPTOR: Status = Status(20);

/// `cudaChannelFormatKind` of normalised formats: the first of three (1, 2 and 4 channels) and what they hold.
const NORMALISED: [(u32, Element); 4] =
    [(5, Element::Unsigned8), (8, Element::Unsigned16), (11, Element::Signed8), (14, Element::Signed16)];
/// `CUarray_format` of the same.
const DRIVER_NORMALISED: [(u32, Element); 4] =
    [(0xc0, Element::Unsigned8), (0xc3, Element::Unsigned16), (0xc6, Element::Signed8), (0xc9, Element::Signed16)];
/// `CUarray_format` of the others.
const DRIVER: [(u32, Element); 8] = [
    (0x01, Element::Unsigned8),
    (0x02, Element::Unsigned16),
    (0x03, Element::Unsigned32),
    (0x08, Element::Signed8),
    (0x09, Element::Signed16),
    (0x0a, Element::Signed32),
    (0x10, Element::Half),
    (0x20, Element::Float),
];
/// In the order of `cudaResourceViewFormat`, three of each from 1 on.
const VIEWS: [Element; 8] = [
    Element::Unsigned8,
    Element::Signed8,
    Element::Unsigned16,
    Element::Signed16,
    Element::Unsigned32,
    Element::Signed32,
    Element::Half,
    Element::Float,
];
const CHANNELS: [u32; 3] = [1, 2, 4];

fn refuse(what: &str) -> Status {
    notice::once(&format!("{what} are not implemented by this device"));
    Status::NOT_SUPPORTED
}

fn normalised(number: u32, table: &[(u32, Element); 4]) -> Option<Format> {
    table.iter().find_map(|&(first, element)| {
        let channels = *CHANNELS.get(number.checked_sub(first)? as usize)?;
        Some(Format { element, channels, fraction: true })
    })
}

/// `cudaChannelFormatDesc`
pub(super) fn of_channels(desc: &ChannelFormat) -> Result<Format, Status> {
    if let Some(format) = normalised(desc.kind, &NORMALISED) {
        return Ok(format);
    }
    let bits = [desc.x, desc.y, desc.z, desc.w];
    let channels = bits.iter().take_while(|&&bits| bits != 0).count();
    let alike = bits.iter().enumerate().all(|(n, &each)| each == if n < channels { bits[0] } else { 0 });
    let element = match (desc.kind, bits[0]) {
        (0, 8) => Element::Signed8,
        (0, 16) => Element::Signed16,
        (0, 32) => Element::Signed32,
        (1, 8) => Element::Unsigned8,
        (1, 16) => Element::Unsigned16,
        (1, 32) => Element::Unsigned32,
        (2, 16) => Element::Half,
        (2, 32) => Element::Float,
        (4 | 17..=31, _) => return Err(refuse("arrays of video and compressed formats")),
        _ => return Err(INVALID_CHANNEL_DESCRIPTOR),
    };
    match channels {
        1 | 2 | 4 if alike => Ok(Format { element, channels: channels as u32, fraction: false }),
        _ => Err(INVALID_CHANNEL_DESCRIPTOR),
    }
}

/// The same the other way.
pub(super) fn channels_of(format: Format) -> ChannelFormat {
    let bits = 8 * format.element.bytes() as i32;
    let [x, y, z, w] = [1, 2, 3, 4].map(|n| if n <= format.channels { bits } else { 0 });
    let kind = match format.element {
        element if format.fraction => {
            let first = NORMALISED.iter().find(|entry| entry.1 == element).map_or(0, |entry| entry.0);
            first + CHANNELS.iter().position(|&channels| channels == format.channels).unwrap_or(0) as u32
        }
        Element::Signed8 | Element::Signed16 | Element::Signed32 => 0,
        Element::Unsigned8 | Element::Unsigned16 | Element::Unsigned32 => 1,
        Element::Half | Element::Float => 2,
    };
    ChannelFormat { x, y, z, w, kind }
}

/// `CUarray_format` and a number of channels.
pub(super) fn of_driver(number: u32, channels: u32) -> Result<Format, Status> {
    if let Some(format) = normalised(number, &DRIVER_NORMALISED) {
        return if format.channels == channels { Ok(format) } else { Err(Status::INVALID_VALUE) };
    }
    match DRIVER.iter().find(|entry| entry.0 == number) {
        Some(&(_, element)) if CHANNELS.contains(&channels) => Ok(Format { element, channels, fraction: false }),
        None if matches!(number, 0x50 | 0x91..=0xb5) => Err(refuse("arrays of video and compressed formats")),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// The same the other way.
pub(super) fn driver_of(format: Format) -> (u32, u32) {
    let of = |table: &[(u32, Element)]| table.iter().find(|entry| entry.1 == format.element).map_or(0, |entry| entry.0);
    let number = if format.fraction {
        of(&DRIVER_NORMALISED) + CHANNELS.iter().position(|&channels| channels == format.channels).unwrap_or(0) as u32
    } else {
        of(&DRIVER)
    };
    (number, format.channels)
}

/// `cudaResourceViewFormat`, `CUresourceViewFormat`; `None` for 0.
pub(super) fn of_view(number: u32) -> Result<Option<Format>, Status> {
    let Some(index) = number.checked_sub(1) else { return Ok(None) };
    match VIEWS.get(index as usize / 3) {
        Some(&element) => Ok(Some(Format { element, channels: CHANNELS[index as usize % 3], fraction: false })),
        None if number <= 0x22 => Err(refuse("views of compressed formats")),
        None => Err(Status::INVALID_VALUE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_survive_both_ways() {
        for element in VIEWS {
            for channels in CHANNELS {
                let plain = Format { element, channels, fraction: false };
                let mut all = vec![plain];
                if element.may_be_fraction() {
                    all.push(Format { fraction: true, ..plain });
                }
                for format in all {
                    assert_eq!(of_channels(&channels_of(format)), Ok(format));
                    let (number, channels) = driver_of(format);
                    assert_eq!(of_driver(number, channels), Ok(format));
                }
            }
        }
        assert_eq!(of_view(0x16), Ok(Some(Format { element: Element::Float, channels: 1, fraction: false })));
        assert_eq!(of_view(6), Ok(Some(Format { element: Element::Signed8, channels: 4, fraction: false })));
        assert_eq!((of_view(0), of_view(0x23)), (Ok(None), Err(Status::INVALID_VALUE)));
    }

    #[test]
    fn odd_descriptions_are_refused() {
        let desc = |x, y, z, w, kind| of_channels(&ChannelFormat { x, y, z, w, kind });
        assert_eq!(desc(8, 8, 8, 0, 1), Err(INVALID_CHANNEL_DESCRIPTOR), "three channels");
        assert_eq!(desc(8, 16, 0, 0, 1), Err(INVALID_CHANNEL_DESCRIPTOR));
        assert_eq!(desc(8, 0, 8, 0, 1), Err(INVALID_CHANNEL_DESCRIPTOR));
        assert_eq!(desc(8, 0, 0, 0, 2), Err(INVALID_CHANNEL_DESCRIPTOR), "a float of 8 bits");
        assert_eq!(of_driver(1, 3), Err(Status::INVALID_VALUE));
        assert_eq!(of_driver(0xc1, 1), Err(Status::INVALID_VALUE));
    }
}
