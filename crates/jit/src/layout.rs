//! Where shared variables lie in a block's window.
//!
//! A kernel gets the shared variables that it and its callees mention, from offset 0, then the dynamic part that all
//! `extern .shared` arrays name. With calls through pointers the callees are unknown and compiled apart: then every shared
//! variable of the module gets its place, in an order that does not depend on the kernel.
//!
//! Between the two lies what CUDA reserves of shared memory, for kernels that ask where that is
//! (`%reserved_smem_offset_1`, which tiles of several warps meet in). It is nobody's variable and no part of what a kernel declares.

use crate::analysis::{Reach, asks_for_reserved, mentions};
use hotfire_ptx::ast::{Function, Module, Space, Variable};
use hotfire_ptx::{Diagnostic, ast::Location};
use std::collections::HashMap;

/// Bytes that CUDA reserves of a block's shared memory (attribute `cudaDevAttrReservedSharedMemoryPerBlock`).
pub(crate) const RESERVED: u32 = 1024;
/// Programs' own synchronisation has at least 288 bytes in it, from this offset on (CUDA's public header `cooperative_groups/details/memory.h`).
const RESERVED_1: u32 = 512;

/// Offsets of shared variables.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Module variables by name.
    module: HashMap<String, u32>,
    /// Variables of a function by name and index.
    local: HashMap<(String, u32), u32>,
    /// Bytes before the dynamic part, without those that are reserved.
    pub size: u32,
    /// Where the reserved part is, if code asks for it.
    reserved: Option<u32>,
}

impl Shared {
    /// Lays out what `reach` needs.
    pub fn new(module: &Module, reach: &Reach<'_>, whole: bool) -> Result<Self, Diagnostic> {
        let mut this = Self::default();
        let mut dynamic: Vec<&Variable> = Vec::new();
        let mut dynamic_align = 1u32;
        let mut place = |this: &mut Self, v: &Variable| -> Result<Option<u32>, Diagnostic> {
            let align = v.align.max(1);
            let Some(size) = v.size else {
                dynamic_align = dynamic_align.max(align);
                return Ok(None);
            };
            let at = this.size.checked_next_multiple_of(align);
            let end = at.and_then(|at| at.checked_add(u32::try_from(size).ok()?)).filter(|end| *end <= 1 << 24);
            let (Some(at), Some(end)) = (at, end) else {
                return Err(Diagnostic::new(v.location, format!("shared variable {} is too large", v.name)));
            };
            this.size = end;
            Ok(Some(at))
        };
        let mut wanted = std::collections::HashSet::new();
        if !whole {
            for f in &reach.functions {
                mentions(f.body, &mut |n| {
                    wanted.insert(&**n);
                });
            }
        }
        for v in module.variables.iter().filter(|v| v.space == Space::Shared) {
            if (whole || wanted.contains(&*v.name)) && !this.module.contains_key(&*v.name) {
                match place(&mut this, v)? {
                    Some(at) => drop(this.module.insert(v.name.to_string(), at)),
                    None => dynamic.push(v),
                }
            }
        }
        let functions: Vec<&Function> = if whole {
            module.functions.iter().filter(|f| f.body.is_some()).collect()
        } else {
            reach.functions.iter().map(|f| f.function).collect()
        };
        let reserves = functions.iter().any(|f| f.body.as_ref().is_some_and(asks_for_reserved));
        let mut dynamic_local = Vec::new();
        for f in functions {
            for (i, v) in f.body.iter().flat_map(|b| b.variables.iter().enumerate()) {
                if v.space == Space::Shared {
                    let key = (f.name.to_string(), i as u32);
                    match place(&mut this, v)? {
                        Some(at) => drop(this.local.insert(key, at)),
                        None => dynamic_local.push(key),
                    }
                }
            }
        }
        let too_large = || Diagnostic::new(Location::default(), "shared memory is too large");
        if !dynamic.is_empty() || !dynamic_local.is_empty() {
            this.size = this.size.checked_next_multiple_of(dynamic_align).ok_or_else(too_large)?;
        }
        if reserves {
            this.reserved = Some(this.size.checked_next_multiple_of(dynamic_align.max(16)).ok_or_else(too_large)?);
        }
        let start = this.size + this.reserved_bytes();
        for v in dynamic {
            this.module.insert(v.name.to_string(), start);
        }
        for key in dynamic_local {
            this.local.insert(key, start);
        }
        Ok(this)
    }

    /// Bytes between what is declared and the dynamic part.
    pub fn reserved_bytes(&self) -> u32 {
        self.reserved.map_or(0, |start| start + RESERVED - self.size)
    }

    /// The value of `%reserved_smem_offset_…`, numbered as in `Special::ReservedSmemOffset`.
    pub fn reserved_offset(&self, number: u8) -> u32 {
        let start = self.reserved.unwrap_or(0);
        match number {
            0 | 2 => start,
            1 => start + RESERVED_1,
            3 => start + RESERVED,
            _ => RESERVED,
        }
    }

    /// Offset of a module variable.
    pub fn of_module(&self, name: &str) -> Option<u32> {
        self.module.get(name).copied()
    }

    /// Offset of a variable of a function.
    pub fn of_function(&self, function: &str, variable: u32) -> Option<u32> {
        self.local.get(&(function.to_string(), variable)).copied()
    }
}
