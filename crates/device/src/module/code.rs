//! Addresses of functions as programs hold them.
//!
//! They are numbers in a range where no memory can ever be, so that reading or writing through one faults; each is given
//! out once, so that a stale one never means another function.

use super::{Function, Image};

use hotfire_jit::abi::EntryKind;
use parking_lot::RwLock;
use std::ffi::c_void;
use std::sync::{Arc, Weak};

/// The first address; not canonical on any machine.
const BASE: u64 = 0x00f0_0000_0000_0000;
/// Distance of two addresses.
const STEP: u64 = 16;

/// What an address stands for.
#[derive(Clone)]
pub(crate) enum Code {
    /// A kernel.
    Kernel(Weak<Function>),
    /// A device function: index in the linked module.
    Device(Weak<Image>, usize),
}

static TABLE: RwLock<Vec<Code>> = RwLock::new(Vec::new());

/// Gives out addresses for so many functions: the first one and the distance. They mean nothing until [`define`]d.
pub(super) fn reserve(count: usize) -> u64 {
    let mut table = TABLE.write();
    let first = table.len();
    table.resize(first + count, Code::Kernel(Weak::new()));
    BASE + first as u64 * STEP
}

/// The address of the `index`th function from `first` on.
pub(super) fn address(first: u64, index: usize) -> u64 {
    first + index as u64 * STEP
}

/// Says what an address stands for.
pub(super) fn define(address: u64, code: Code) {
    TABLE.write()[((address - BASE) / STEP) as usize] = code;
}

fn find(address: u64) -> Option<Code> {
    let offset = address.checked_sub(BASE).filter(|offset| offset.is_multiple_of(STEP))?;
    TABLE.read().get(usize::try_from(offset / STEP).ok()?).cloned()
}

/// The kernel whose address a program holds.
pub(crate) fn resolve(address: u64) -> Option<Arc<Function>> {
    match find(address)? {
        Code::Kernel(function) => function.upgrade(),
        Code::Device(..) => None,
    }
}

/// Native code of the device function whose address a program holds ([`crate::exec::GridCode::call_target`]).
pub(crate) fn call_target(_owner: *const c_void, address: u64) -> Option<*const u8> {
    let Code::Device(image, index) = find(address)? else { return None };
    // The caller's grid keeps the image alive, if it is the caller's own; modules do not call each other.
    let kernel = image.upgrade()?.device_function(index)?;
    match kernel.entry {
        EntryKind::Function(function) => Some(function as *const u8),
        EntryKind::Loop(_) | EntryKind::Phases(..) | EntryKind::Thread(_) => None,
    }
}
