//! What memory is called: allocations in the order of their creation, who made them, and who freed them.
//!
//! Addresses differ from run to run; a kind of allocation and its number do not.

use super::{Checking, Origin};
use crate::exec;
use crate::memory::Kind;
use hotfire_check::{Access, Action, Bytes};
use std::collections::{BTreeMap, VecDeque};

/// What the shared memory of a block is called.
pub(super) const SHARED_MEMORY: &str = "shared memory";

/// Freed allocations whose names are remembered.
const REMEMBERED: usize = 1 << 14;

/// What kind of allocation, and so what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// `cudaMalloc` and its relatives.
    Device,
    /// `cuMemMap`: what it holds may have come there by another address.
    Mapped,
    /// `cudaMallocManaged`
    Managed,
    /// `cudaHostAlloc`
    Pinned,
    /// `cudaHostRegister`
    Registered,
    /// `malloc` of device code.
    Heap,
    /// A module variable: its name as its author wrote it.
    Variable(String),
}

impl Class {
    fn numbered(&self) -> Option<usize> {
        Some(match self {
            Self::Device => 0,
            Self::Managed => 1,
            Self::Pinned => 2,
            Self::Registered => 3,
            Self::Heap => 4,
            Self::Mapped => 5,
            Self::Variable(_) => return None,
        })
    }

    fn name(&self, call: &str, number: u64, size: u64) -> String {
        match self {
            Self::Device => format!("{call} #{number} ({size} bytes)"),
            Self::Mapped => format!("mapped #{number} ({size} bytes)"),
            Self::Managed => format!("managed #{number}"),
            Self::Pinned => format!("pinned #{number}"),
            Self::Registered => format!("registered #{number}"),
            Self::Heap => format!("device malloc #{number}"),
            Self::Variable(name) => format!("variable {name}"),
        }
    }
}

/// One allocation.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub base: u64,
    pub size: u64,
    class: Class,
    number: u64,
    /// The call that made it, if it is memory of the device.
    call: &'static str,
    pub made: Origin,
    /// Who freed it; `None` while it lives.
    pub freed: Option<Origin>,
}

impl Known {
    /// `cudaMalloc #3 (4096 bytes)`
    pub fn name(&self) -> String {
        self.class.name(self.call, self.number, self.size)
    }

    /// What kind of allocation it is.
    pub fn class(&self) -> &Class {
        &self.class
    }

    fn bytes(&self, address: u64, size: u64) -> Bytes {
        Bytes { allocation: self.name(), offset: address - self.base, size }
    }
}

/// All allocations.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    live: BTreeMap<u64, Known>,
    /// The latest frees last.
    freed: VecDeque<Known>,
    made: [u64; 6],
}

impl Allocations {
    /// Something was allocated.
    pub fn made(&mut self, class: Class, base: u64, size: u64, by: Origin) {
        let number = class.numbered().map_or(0, |index| {
            self.made[index] += 1;
            self.made[index]
        });
        let call = super::Call::name().unwrap_or("cudaMalloc");
        self.live.insert(base, Known { base, size, class, number, call, made: by, freed: None });
    }

    /// Something was freed.
    pub fn freed(&mut self, base: u64, by: Origin) {
        let Some(known) = self.live.remove(&base) else { return };
        if self.freed.len() == REMEMBERED {
            self.freed.pop_front();
        }
        self.freed.push_back(Known { freed: Some(by), ..known });
    }

    /// All live ones: first address and bytes.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        self.live.values().map(|known| (known.base, known.size)).collect()
    }

    /// All live ones, by address.
    pub fn all(&self) -> impl Iterator<Item = &Known> {
        self.live.values()
    }

    /// The live allocation that an address lies in.
    pub fn live(&self, address: u64) -> Option<&Known> {
        let known = self.live.range(..=address).next_back().map(|(_, known)| known);
        known.filter(|known| address - known.base < known.size)
    }

    /// The allocation that an address lies in; else one that was freed, the latest first.
    pub fn find(&self, address: u64) -> Option<&Known> {
        let inside = |known: &&Known| address.wrapping_sub(known.base) < known.size;
        let live = self.live.range(..=address).next_back().map(|(_, known)| known).filter(inside);
        live.or_else(|| self.freed.iter().rev().find(inside))
    }

    /// The live allocation that ends last before an address: what an access just behind it missed.
    pub fn before(&self, address: u64) -> Option<&Known> {
        self.live.range(..=address).next_back().map(|(_, known)| known)
    }
}

impl Checking {
    /// A module variable was placed.
    pub fn variable(&self, name: &str, base: u64, size: u64) {
        let name = self.names.show(name);
        self.made(Class::Variable(name), base, size, Origin::Load);
    }

    /// A range as a finding shows it; `None` for memory that is nobody's. Recently freed allocations keep their names.
    pub fn bytes(&self, address: u64, size: u64) -> Option<Bytes> {
        if let Some(known) = self.allocations.lock().find(address) {
            return Some(known.bytes(address, size));
        }
        let named = |allocation: &str, offset| Some(Bytes { allocation: allocation.into(), offset, size });
        if let Some(offset) = exec::shared_offset(address) {
            return named(SHARED_MEMORY, offset);
        }
        if exec::is_private(address) {
            return named("local memory", 0);
        }
        match self.memory.find(address) {
            Some(found) if found.kind == Kind::Parameters => named("parameter buffer", address - found.base),
            Some(found) => named("memory of the device runtime", address - found.base),
            None => None,
        }
    }

    /// Who allocated what an address lies in, and who freed it if it is freed.
    pub fn allocation(&self, address: u64) -> Option<(Known, Option<Access>, Option<Access>)> {
        let known = self.allocations.lock().find(address)?.clone();
        let made = self.origin(&known.made, Action::Allocate);
        let freed = known.freed.as_ref().and_then(|by| self.origin(by, Action::Free));
        Some((known, made, freed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_by_kind_and_survive_a_free() {
        let mut all = Allocations::default();
        all.made(Class::Device, 0x1000, 64, Origin::Load);
        all.made(Class::Managed, 0x2000, 64, Origin::Load);
        all.made(Class::Device, 0x3000, 4096, Origin::Load);
        all.made(Class::Variable("counter".into()), 0x5000, 4, Origin::Load);
        let name = |all: &Allocations, address| all.find(address).map(Known::name);
        assert_eq!(name(&all, 0x3fff).as_deref(), Some("cudaMalloc #2 (4096 bytes)"));
        assert_eq!(name(&all, 0x2000).as_deref(), Some("managed #1"));
        assert_eq!(name(&all, 0x5003).as_deref(), Some("variable counter"));
        assert_eq!(name(&all, 0x1040), None);
        all.freed(0x3000, Origin::Load);
        assert_eq!(name(&all, 0x3000).as_deref(), Some("cudaMalloc #2 (4096 bytes)"));
        all.made(Class::Device, 0x3000, 16, Origin::Load);
        assert_eq!(name(&all, 0x3000).as_deref(), Some("cudaMalloc #3 (16 bytes)"));
        assert!(all.find(0x3020).is_some_and(|known| known.freed.is_some()));
    }
}
