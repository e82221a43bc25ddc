//! A compiled kernel: its entry, what it needs, and its machine code.

use crate::abi::EntryKind;
use crate::registry::{CodeSite, Registration};
use cranelift_jit::JITModule;
use hotfire_ptx::ast::Location;

/// A compiled kernel (or device function called by address). Owns its machine code.
pub struct Kernel {
    /// How to run it.
    pub entry: EntryKind,
    /// Bytes of statically declared shared memory, its variables laid out from offset 0; dynamic shared memory follows,
    /// at the next multiple of its alignment, which is part of this number.
    pub static_shared: u32,
    /// Bytes between the static and the dynamic part that CUDA keeps for its own use; 0 unless code asks where they are. Part of no number that
    /// programs see or that limits them.
    pub reserved_shared: u32,
    /// Stack bytes that one thread needs at most, if the call graph has no cycle and no indirect call; generous rounding is the caller's.
    pub stack: u32,
    /// True if `stack` is not a bound (recursion, indirect calls).
    pub unbounded_stack: bool,
    /// True if it has loops that may wait for what others write.
    pub polls: bool,
    /// Source places; `site` arguments of the runtime functions index it.
    pub sites: Vec<Location>,
    /// Number of the first site among those of all kernels that were compiled for checks; 0 in others.
    pub(crate) first_site: u32,
    /// For each function of the kernel, in the order of its sites: its first site, and its index in the module.
    pub(crate) functions: Vec<(u32, usize)>,
    /// Places that access memory, and the number of the first.
    pub(crate) accesses: Vec<u32>,
    pub(crate) first_access: u32,
    code: Option<Code>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("entry", &self.entry)
            .field("static_shared", &self.static_shared)
            .field("stack", &self.stack)
            .field("unbounded_stack", &self.unbounded_stack)
            .finish_non_exhaustive()
    }
}

/// Machine code in memory; freed on drop.
pub(crate) struct Code {
    /// Taken on drop.
    pub module: Option<JITModule>,
    /// Removed from the table before the memory goes.
    pub registration: Option<Registration>,
}

// SAFETY: the code is immutable after compilation, and a `JITModule` that is only ever dropped has no thread affinity.
unsafe impl Send for Code {}
// SAFETY: as above; nothing is reachable through a shared reference.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        drop(self.registration.take());
        if let Some(module) = self.module.take() {
            // SAFETY: the kernel that owned the entry is gone, so nobody may call it any more.
            unsafe { module.free_memory() };
        }
    }
}

impl Kernel {
    /// A kernel whose code is not generated: for tests of what runs kernels.
    #[must_use]
    pub fn from_raw(entry: EntryKind, static_shared: u32, stack: u32) -> Self {
        Self {
            entry,
            static_shared,
            reserved_shared: 0,
            stack,
            unbounded_stack: false,
            polls: false,
            sites: Vec::new(),
            first_site: 0,
            functions: Vec::new(),
            accesses: Vec::new(),
            first_access: 0,
            code: None,
        }
    }

    pub(crate) fn with_code(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }

    /// The place that code for checks noted ([`crate::abi::ThreadContext::site`]), and the function that it is in (index in the
    /// module). `None` if it is another kernel's.
    #[must_use]
    pub fn place(&self, site: u32) -> Option<(Location, usize)> {
        let site = site.checked_sub(self.first_site).filter(|_| self.first_site != 0)?;
        Some((*self.sites.get(site as usize)?, self.function_of(site)?))
    }

    /// The place of an access by its number ([`crate::abi::Checks`]), and the function that it is in. `None` if it is in a function that
    /// was compiled by itself.
    #[must_use]
    pub fn access(&self, number: u32) -> Option<(Location, usize)> {
        let index = number.checked_sub(self.first_access).filter(|_| self.first_access != 0)?;
        let site = *self.accesses.get(index as usize)?;
        Some((*self.sites.get(site as usize)?, self.function_of(site)?))
    }

    /// The function (index in the module) that an entry of [`Kernel::sites`] lies in.
    #[must_use]
    pub fn function_of(&self, site: u32) -> Option<usize> {
        let after = self.functions.partition_point(|(first, _)| *first <= site);
        self.functions[..after].last().map(|(_, function)| *function)
    }

    /// The place in this or any other kernel's code that a program counter lies in: [`crate::find`].
    #[must_use]
    pub fn locate(pc: usize) -> Option<CodeSite> {
        crate::registry::find(pc)
    }
}
