//! Which PTX is the program.

use crate::fatbin::{self, Entry, Kind};
use crate::{Architecture, Error, Variant, defines_device_runtime, machine_code};

/// One PTX text of a program, to be linked with the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The text.
    pub text: String,
    /// What it was generated for.
    pub architecture: Architecture,
    /// Major and minor PTX version that the fat binary declares.
    pub version: (u16, u16),
}

/// The PTX entry for `device`: the highest architecture that it can run, as the driver chooses.
///
/// Of two for the same number the baseline one is taken (`compute_90` before `compute_90a`): both mean the same program, and the other one is
/// there for instructions that only the silicon makes worth while.
pub fn select<'e, 'a>(entries: &'e [Entry<'a>], device: Architecture) -> Option<&'e Entry<'a>> {
    let rank = |entry: &Entry<'_>| (entry.architecture.number, entry.architecture.variant == Variant::Baseline);
    // `rev`: of equal ones the first is taken.
    entries
        .iter()
        .rev()
        .filter(|entry| entry.kind == Kind::Ptx && entry.architecture.ptx_runs_on(device))
        .max_by_key(|entry| rank(entry))
}

/// The PTX units that a registered fat binary stands for.
///
/// `prelinked` are the fat binaries of the wrapper's list, empty for a wrapper of version 1. If the registered fat binary has PTX, that is the
/// program. Otherwise it is what is linked of the list's units, NVIDIA's device runtime left out: the result is empty if nothing else is there.
pub fn program(registered: &[u8], prelinked: &[&[u8]], device: Architecture) -> Result<Vec<Unit>, Error> {
    let entries = fatbin::parse(registered)?;
    if let Some(entry) = select(&entries, device) {
        let unit = read(entry)?;
        return Ok(if defines_device_runtime(&unit.text) { Vec::new() } else { vec![unit] });
    }
    if prelinked.is_empty() {
        return if is_device_runtime(&entries)? { Ok(Vec::new()) } else { Err(nothing_to_run(device, &entries)) };
    }
    let mut units = Vec::new();
    for (index, unit) in prelinked.iter().enumerate() {
        let in_list = |mut error: Error| {
            error.message = format!("unit {} of {}: {}", index + 1, prelinked.len(), error.message);
            error
        };
        let entries = fatbin::parse(unit).map_err(in_list)?;
        match select(&entries, device) {
            Some(entry) => {
                let unit = read(entry).map_err(in_list)?;
                if !defines_device_runtime(&unit.text) {
                    units.push(unit);
                }
            }
            None if is_device_runtime(&entries).map_err(in_list)? => {}
            None => return Err(in_list(nothing_to_run(device, &entries))),
        }
    }
    Ok(units)
}

fn read(entry: &Entry<'_>) -> Result<Unit, Error> {
    Ok(Unit { text: entry.text()?, architecture: entry.architecture, version: entry.version })
}

/// The device runtime comes with PTX for newer devices only, beside machine code for older ones.
fn is_device_runtime(entries: &[Entry<'_>]) -> Result<bool, Error> {
    match entries.iter().find(|entry| entry.kind == Kind::Ptx) {
        Some(entry) => Ok(defines_device_runtime(&entry.text()?)),
        None => Ok(false),
    }
}

fn nothing_to_run(device: Architecture, entries: &[Entry<'_>]) -> Error {
    let of = |kind| {
        let mut found: Vec<_> = entries.iter().filter(|entry| entry.kind == kind).map(|e| e.architecture).collect();
        found.sort();
        found.dedup();
        found
    };
    Error::no_image(machine_code::advice(device, &of(Kind::Elf), &of(Kind::Ptx)))
}
