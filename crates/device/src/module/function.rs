//! Kernels of loaded modules.

use super::Image;
use crate::profile;
use crate::status::Status;
use hotfire_jit::Kernel;
use hotfire_ptx::ast;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// What `cudaFuncGetAttributes` answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionAttributes {
    /// Bytes of static shared memory.
    pub static_shared: u32,
    /// Bytes of constant memory of its module.
    pub constant: u32,
    /// Bytes of local memory a thread.
    pub local: u32,
    /// Most threads a block.
    pub max_threads: u32,
    /// Registers a thread (nominal: machine code here has none of a GPU's).
    pub registers: u32,
    /// `.version` of the PTX, 10 * major + minor.
    pub ptx_version: u32,
    /// Architecture it was compiled for: 90.
    pub binary_version: u32,
    /// Most bytes of dynamic shared memory, as set by [`Function::set_max_dynamic_shared`].
    pub max_dynamic_shared: u32,
    /// `cudaFuncAttributePreferredSharedMemoryCarveout`, -1 by default.
    pub carveout: i32,
}

/// `max_dynamic` while nobody set it.
const UNSET: u32 = u32::MAX;

/// A kernel of a loaded module.
pub struct Function {
    image: Arc<Image>,
    /// Index in the linked module.
    index: usize,
    parameter_bytes: u32,
    kernel: OnceLock<Result<Arc<Kernel>, Status>>,
    max_dynamic: AtomicU32,
    carveout: AtomicI32,
    large_clusters: AtomicBool,
    /// Whether code that it can reach waits, and triggers.
    dependency: OnceLock<(bool, bool)>,
}

impl Function {
    pub(super) fn new(image: Arc<Image>, index: usize) -> Self {
        let parameters = &image.text().functions[index].parameters;
        let parameter_bytes = parameters.last().map_or(0, |last| last.offset + last.size);
        Self {
            image,
            index,
            parameter_bytes,
            kernel: OnceLock::new(),
            max_dynamic: AtomicU32::new(UNSET),
            carveout: AtomicI32::new(-1),
            large_clusters: AtomicBool::new(false),
            dependency: OnceLock::new(),
        }
    }

    /// The module that it is part of.
    pub(crate) fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// The place of an access by its number in the shadow, and the function (index in the module) that it is in: this kernel's code,
    /// or that of a function called by address.
    pub(crate) fn access(&self, number: u32) -> Option<(ast::Location, usize)> {
        let kernel = self.kernel.get()?.as_ref().ok()?;
        kernel.access(number).or_else(|| self.image.access_by_address(number))
    }

    /// The place that code for checks noted ([`hotfire_jit::abi::ThreadContext::site`]), and the function (index in the module)
    /// that it is in: this kernel's code, or that of a function called by address.
    pub(crate) fn site(&self, site: u32) -> Option<(ast::Location, usize)> {
        let kernel = self.kernel.get()?.as_ref().ok()?;
        kernel.place(site).or_else(|| self.image.site_by_address(site))
    }

    fn text(&self) -> &ast::Function {
        &self.image.text().functions[self.index]
    }

    /// Whether its code, or code that it can call, has a `griddepcontrol.wait`.
    pub(crate) fn waits(&self) -> bool {
        self.dependency().0
    }

    /// The same for `griddepcontrol.launch_dependents`.
    pub(crate) fn triggers(&self) -> bool {
        self.dependency().1
    }

    /// Whether its code, or code that it can call, launches grids (CDP).
    pub(crate) fn launches(&self) -> bool {
        let module = self.image.text();
        let reach = hotfire_ptx::reach(module, self.name()).unwrap_or_default();
        let declared = reach.functions.iter().map(|&index| &module.functions[index]);
        let declared = declared.filter(|function| function.body.is_none()).map(|function| &*function.name);
        declared.chain(reach.unknown.iter().map(|name| &**name)).any(|name| {
            let name = name.strip_prefix("__cudaCDP2").or_else(|| name.strip_prefix("cuda"));
            name.is_some_and(|name| name.starts_with("LaunchDevice"))
        })
    }

    fn dependency(&self) -> (bool, bool) {
        *self.dependency.get_or_init(|| {
            let module = self.image.text();
            let reach = hotfire_ptx::reach(module, self.name()).unwrap_or_default();
            let bodies = reach.functions.iter().filter_map(|&index| module.functions[index].body.as_ref());
            let (mut waits, mut triggers) = (false, false);
            for statement in bodies.flat_map(|body| &body.statements) {
                if let ast::Statement::Instruction(instruction) = statement
                    && instruction.opcode == hotfire_ptx::Opcode::Griddepcontrol
                {
                    let trigger = instruction.modifiers.mode == Some(ast::Mode::LaunchDependents);
                    waits |= !trigger;
                    triggers |= trigger;
                }
            }
            (waits, triggers)
        })
    }

    /// Its mangled name.
    pub fn name(&self) -> &str {
        &self.text().name
    }

    /// Its parameters with offsets, sizes and alignments.
    pub fn parameters(&self) -> &[ast::Parameter] {
        &self.text().parameters
    }

    /// Bytes of its parameter block.
    pub fn parameter_bytes(&self) -> u32 {
        self.parameter_bytes
    }

    /// Its code, compiled now if it was not.
    pub(crate) fn kernel(&self) -> Result<Arc<Kernel>, Status> {
        self.kernel.get_or_init(|| self.image.compile(self.name())).clone()
    }

    /// Its attributes; compiles it if that has not happened.
    ///
    /// # Errors
    /// What launching it would answer.
    pub fn attributes(&self) -> Result<FunctionAttributes, Status> {
        let kernel = self.kernel()?;
        let (major, minor) = self.image.text().version;
        let local = self.text().body.iter().flat_map(|body| &body.variables);
        let local = local.filter(|variable| variable.space == ast::Space::Local);
        Ok(FunctionAttributes {
            static_shared: kernel.static_shared,
            constant: self.image.constant_bytes(),
            local: local.filter_map(|variable| variable.size).sum::<u64>().try_into().unwrap_or(u32::MAX),
            max_threads: self.max_threads(),
            registers: profile::NOMINAL_REGISTERS,
            ptx_version: major * 10 + minor,
            binary_version: profile::profile().capability,
            max_dynamic_shared: self.max_dynamic_shared(kernel.static_shared),
            carveout: self.carveout.load(Ordering::Relaxed),
        })
    }

    /// Most threads a block (`.maxntid`, `.reqntid`).
    pub(crate) fn max_threads(&self) -> u32 {
        let directives = &self.text().directives;
        let bound = directives.required_threads.or(directives.max_threads);
        let threads = bound.map_or(u64::MAX, |size| size.iter().map(|&n| u64::from(n.max(1))).product());
        threads.min(u64::from(profile::THREADS_PER_BLOCK)) as u32
    }

    /// Whether blocks of this shape are what the kernel was compiled for.
    pub(crate) fn allows_block(&self, block: [u32; 3]) -> bool {
        match self.text().directives.required_threads {
            Some(required) => required.map(|n| n.max(1)) == block,
            None => block.iter().product::<u32>() <= self.max_threads(),
        }
    }

    /// The cluster that the kernel was compiled for (`__cluster_dims__`).
    pub fn required_cluster(&self) -> Option<[u32; 3]> {
        self.text().directives.required_cluster.map(|cluster| cluster.map(|n| n.max(1)))
    }

    /// Blocks of the largest cluster that a launch may ask for: 8, or 16 where that was allowed; 1 on devices without clusters.
    pub fn largest_cluster(&self) -> u32 {
        let largest = profile::profile().largest_cluster();
        if self.large_clusters.load(Ordering::Relaxed) { largest } else { largest.min(profile::PORTABLE_CLUSTER) }
    }

    /// `cudaFuncAttributeNonPortableClusterSizeAllowed`
    pub fn allow_large_clusters(&self, allowed: bool) {
        self.large_clusters.store(allowed, Ordering::Relaxed);
    }

    /// Most bytes of dynamic shared memory that a launch may ask for.
    pub(crate) fn max_dynamic_shared(&self, static_shared: u32) -> u32 {
        match self.max_dynamic.load(Ordering::Relaxed) {
            UNSET => profile::SHARED_PER_BLOCK.saturating_sub(static_shared),
            bytes => bytes,
        }
    }

    /// `cudaFuncAttributeMaxDynamicSharedMemorySize`; device launches obey it too.
    pub fn set_max_dynamic_shared(&self, bytes: u32) -> Status {
        let kernel = match self.kernel() {
            Ok(kernel) => kernel,
            Err(status) => return status,
        };
        if bytes > profile::profile().shared_per_block_optin().saturating_sub(kernel.static_shared) {
            return Status::INVALID_VALUE;
        }
        self.max_dynamic.store(bytes, Ordering::Relaxed);
        Status::SUCCESS
    }

    /// `cudaFuncAttributePreferredSharedMemoryCarveout`: kept, otherwise a hint.
    pub fn set_carveout(&self, percent: i32) -> Status {
        if !(-1..=100).contains(&percent) {
            return Status::INVALID_VALUE;
        }
        self.carveout.store(percent, Ordering::Relaxed);
        Status::SUCCESS
    }
}
