//! `memory/params`: parameter buffers of the device launch API that were not filled as the child reads them (launch-model 3.7).
//!
//! A fresh buffer is filled with a pattern that no program stores by chance. What still holds it at the launch was never
//! written. Bytes of padding may be anything; so may a part of a struct, whose members are not known. Few bytes could hold the
//! pattern by chance: a parameter of one or two bytes is not judged.

use super::{Checking, Who};
use crate::module::Function;
use hotfire_check::{Action, Bytes, Finding, Rule};

/// A run of unwritten bytes in a scalar is a fault from this length on.
const RUN: usize = 4;
/// A struct of which nothing was written is a fault from this size on: empty ones have one byte, which is never written.
const STRUCT: usize = 8;

/// The pattern at an offset.
fn pattern(offset: usize) -> u8 {
    let mut word = (offset as u64 / 8 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (word ^ (word >> 31)).to_le_bytes()[offset % 8]
}

/// Fills a fresh buffer.
pub(crate) fn prepare(buffer: &mut [u8]) {
    buffer.iter_mut().enumerate().for_each(|(offset, byte)| *byte = pattern(offset));
}

/// Eight bytes of a buffer, if they were written.
pub(super) fn word(buffer: &[u8], at: u64) -> Option<u64> {
    let at = at as usize;
    let bytes: [u8; 8] = buffer.get(at..at + 8)?.try_into().ok()?;
    let unwritten = bytes.iter().enumerate().all(|(i, byte)| *byte == pattern(at + i));
    (!unwritten).then_some(u64::from_le_bytes(bytes))
}

/// Lengths of the longest run of unwritten bytes, and whether nothing of the range was written.
fn unwritten(buffer: &[u8], from: usize, size: usize) -> (usize, bool) {
    let (mut longest, mut run, mut count) = (0, 0, 0);
    for (offset, byte) in buffer.iter().enumerate().skip(from).take(size) {
        if *byte == pattern(offset) {
            run += 1;
            count += 1;
            longest = longest.max(run);
        } else {
            run = 0;
        }
    }
    (longest, count == size)
}

impl Checking {
    /// A buffer is about to become the parameters of `child`; `size` bytes were asked for. The finding that speaks of it, if any.
    pub fn parameters(&self, who: Who, child: &Function, buffer: &[u8], size: u64) -> Option<usize> {
        let private = self.private_parameters(who, child, buffer);
        self.heap_parameters(who, child, buffer);
        self.layout(who, child, buffer, size as usize).or(private)
    }

    fn layout(&self, who: Who, child: &Function, buffer: &[u8], size: usize) -> Option<usize> {
        let parameters = child.parameters();
        let mut covered = vec![false; buffer.len()];
        let mut faults = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let (from, bytes) = (parameter.offset as usize, parameter.size as usize);
            covered.iter_mut().skip(from).take(bytes).for_each(|covered| *covered = true);
            let (run, nothing) = unwritten(buffer, from, bytes);
            let is_struct = parameter.size > parameter.ty.size();
            let missing = if is_struct { nothing && bytes >= STRUCT } else { run >= RUN };
            if missing {
                let how = if nothing { "was never written" } else { "was written in part only" };
                faults.push((
                    format!("parameter {} (bytes {from} to {}) {how}", index + 1, from + bytes - 1),
                    from,
                    bytes,
                ));
            }
        }
        let stray: Vec<usize> = (0..buffer.len()).filter(|&at| !covered[at] && buffer[at] != pattern(at)).collect();
        if let (Some(&first), Some(&last)) = (stray.first(), stray.last()) {
            let fault = format!(
                "{} bytes were written where the kernel has no parameter (between byte {first} and {last})",
                stray.len()
            );
            faults.push((fault, first, last + 1 - first));
        }
        // A single byte at the end may be an empty struct.
        let ends = parameters.iter().filter(|parameter| parameter.size > 1);
        let needed = ends.map(|parameter| (parameter.offset + parameter.size) as usize).max().unwrap_or(0);
        if size < needed {
            faults.push((format!("the buffer has {size} bytes, the parameters take {needed}"), 0, size));
        }
        let (first, offset, bytes) = faults.first()?;
        let kernel = self.kernel_name(child);
        let mut finding =
            Finding::new(Rule::MemoryParams, format!("the parameter buffer of `{kernel}` is filled wrongly: {first}"));
        let mut access = self.access(who, Action::Launch);
        access.bytes =
            Some(Bytes { allocation: "parameter buffer".into(), offset: *offset as u64, size: *bytes as u64 });
        finding.accesses = vec![access];
        finding.notes = faults[1..].iter().map(|(fault, ..)| fault.clone()).collect();
        let layout: Vec<String> = parameters
            .iter()
            .map(|parameter| format!("{} bytes at offset {}", parameter.size, parameter.offset))
            .collect();
        finding.help = vec![
            format!("`{kernel}` reads {}", layout.join(", ")),
            "each parameter lies at the next multiple of its alignment: offset = (offset + alignof(T) - 1) / alignof(T) * alignof(T);".into(),
            format!("or let the compiler do it: {kernel}<<<grid, block, shared, stream>>>(…)"),
        ];
        finding.hardware = Some("the child reads whatever the buffer held".into());
        Some(self.collector.add(finding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwritten_bytes_are_known() {
        let mut buffer = [0; 32];
        prepare(&mut buffer);
        assert_eq!(unwritten(&buffer, 0, 32), (32, true));
        buffer[8..16].copy_from_slice(&7u64.to_le_bytes());
        assert_eq!(unwritten(&buffer, 8, 8), (0, false));
        assert_eq!((word(&buffer, 8), word(&buffer, 0), word(&buffer, 28)), (Some(7), None, None));
        assert_eq!(unwritten(&buffer, 4, 12), (4, false));
    }
}
