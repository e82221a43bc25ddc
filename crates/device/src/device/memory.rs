//! Allocation (CUDA Runtime API, memory management).

use super::{Allocation, Device, MemoryKind, Stream};
use crate::checking::{Class, Origin, Stack};
use crate::engine::Operation;
use crate::graph::{AllocNode, NodeParams};
use crate::memory::{Kind, RegisterError};
use crate::status::Status;

/// What `cudaMalloc` promises about alignment.
const ALIGNMENT: u64 = 512;

impl Device {
    fn allocate(&self, kind: Kind, bytes: u64) -> Result<u64, Status> {
        self.healthy()?;
        self.refuse_unsafe()?;
        if bytes == 0 {
            return Ok(0);
        }
        if kind != Kind::PinnedHost && bytes > self.mem_info().0 {
            return Err(Status::MEMORY_ALLOCATION);
        }
        let address = self.memory().alloc(kind, bytes, ALIGNMENT).ok_or(Status::MEMORY_ALLOCATION)?;
        self.note_made(
            match kind {
                Kind::Managed => Class::Managed,
                Kind::PinnedHost => Class::Pinned,
                _ => Class::Device,
            },
            address,
            bytes,
        );
        if matches!(kind, Kind::Managed | Kind::PinnedHost)
            && let Some(checking) = &self.checking
        {
            checking.share(address, bytes);
        }
        Ok(address)
    }

    /// Tells the checker what a host thread allocated.
    pub(super) fn note_made(&self, class: Class, address: u64, bytes: u64) {
        if let Some(checking) = &self.checking {
            checking.made(class, address, bytes, Origin::Host(Stack::here()));
        }
    }

    /// Tells the checker what a host thread freed.
    pub(super) fn note_freed(&self, address: u64) {
        if let Some(checking) = &self.checking {
            checking.freed(address, Origin::Host(Stack::here()));
        }
    }

    /// Host code shares an allocation no more.
    fn unshare(&self, address: u64) {
        if let Some(checking) = &self.checking {
            checking.unshare(address);
        }
    }

    /// `cudaMalloc`. 0 bytes give address 0.
    ///
    /// # Errors
    /// 2 when there is no room; the sticky error.
    pub fn malloc(&self, bytes: u64) -> Result<u64, Status> {
        self.allocate(Kind::Device, bytes)
    }

    /// `cudaMallocPitch`: the address and the pitch in bytes.
    ///
    /// # Errors
    /// As [`Device::malloc`].
    pub fn malloc_pitch(&self, width: u64, height: u64) -> Result<(u64, u64), Status> {
        let pitch = width.checked_next_multiple_of(ALIGNMENT).ok_or(Status::MEMORY_ALLOCATION)?;
        let bytes = pitch.checked_mul(height).ok_or(Status::MEMORY_ALLOCATION)?;
        Ok((self.malloc(bytes)?, pitch))
    }

    /// `cudaMallocManaged`.
    ///
    /// # Errors
    /// As [`Device::malloc`]; 1 for 0 bytes.
    pub fn malloc_managed(&self, bytes: u64, flags: u32) -> Result<u64, Status> {
        if bytes == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let address = self.allocate(Kind::Managed, bytes)?;
        self.flags.lock().insert(address, flags);
        Ok(address)
    }

    /// `cudaFree`, for device and managed memory; waits for all work as CUDA's implicit synchronisation does. 0 is legal.
    pub fn free(&self, address: u64) -> Status {
        self.free_kind(address, |kind| matches!(kind, Kind::Device | Kind::Managed))
    }

    fn free_kind(&self, address: u64, legal: impl Fn(Kind) -> bool) -> Status {
        let sticky = self.sticky();
        if !sticky.is_success() || address == 0 {
            return sticky;
        }
        if let Err(status) = self.refuse_unsafe() {
            return status;
        }
        if let Some(freed) = self.free_if_of_graph(address) {
            return freed;
        }
        let known = |device: &Self| {
            device.memory().find(address).is_some_and(|found| found.base == address && legal(found.kind))
        };
        if !known(self) {
            return Status::INVALID_VALUE;
        }
        if let Err(status) = self.drain().ok() {
            return status;
        }
        self.flags.lock().remove(&address);
        self.unshare(address);
        // Another thread may have been faster.
        if known(self) && self.memory().free(address).is_ok() {
            self.note_freed(address);
            Status::SUCCESS
        } else {
            Status::INVALID_VALUE
        }
    }

    /// Memory of a CUDA array.
    pub(crate) fn malloc_array(&self, bytes: u64) -> Result<u64, Status> {
        self.allocate(Kind::Array, bytes)
    }

    /// Frees that of an array.
    pub(crate) fn free_array(&self, address: u64) -> Status {
        self.free_kind(address, |kind| kind == Kind::Array)
    }

    /// `cudaMallocAsync`: the address is valid at once.
    ///
    /// # Errors
    /// As [`Device::malloc`]; 400.
    pub fn malloc_async(&'static self, bytes: u64, stream: Stream) -> Result<u64, Status> {
        let stream = self.resolve(stream);
        self.engine.look(|state| state.stream(stream))?;
        let mut address = 0;
        let node = self.capture_work(stream, false, || {
            address = self.graph_memory.reserve(self, bytes)?;
            Ok(NodeParams::MemAlloc(AllocNode { bytes, address }))
        });
        if let Some(captured) = node {
            if captured.is_err() && address != 0 {
                self.graph_memory.unreserve(self, address);
            }
            return captured.map(|_| address);
        }
        self.malloc(bytes)
    }

    /// `cudaFreeAsync`: freed when the stream gets there.
    pub fn free_async(&'static self, address: u64, stream: Stream) -> Status {
        let found = self.memory().find(address);
        if !found.is_some_and(|found| found.base == address && found.kind == Kind::Device) {
            return Status::INVALID_VALUE;
        }
        let handle = self.resolve(stream);
        let of_graph = self.graph_memory.owns(address);
        let node = self.capture_work(handle, false, || match of_graph {
            true => Ok(NodeParams::MemFree(address)),
            false => Err(Status::INVALID_VALUE),
        });
        if let Some(captured) = node {
            return captured.map(drop).into();
        }
        if of_graph {
            if !self.graph_memory.is_promised(address) {
                return Status::INVALID_VALUE;
            }
            self.graph_memory.promise(address, false);
        }
        let operation = if of_graph { Operation::GraphFree(address) } else { Operation::Free(address) };
        let submitted = self.healthy().and_then(|()| {
            self.with(|state| {
                let stream = state.stream(handle)?;
                let item = state.model.submit_aside(stream);
                if let Some(checking) = &self.checking {
                    checking.submitted_operation(state, item, "cudaFreeAsync", handle);
                }
                state.attach_operation(item, operation);
                Ok(())
            })
        });
        submitted.into()
    }

    /// `cudaHostAlloc`: pinned memory, mapped and portable whatever the flags say.
    ///
    /// # Errors
    /// As [`Device::malloc`].
    pub fn host_alloc(&self, bytes: u64, flags: u32) -> Result<u64, Status> {
        let address = self.allocate(Kind::PinnedHost, bytes)?;
        if address != 0 {
            self.flags.lock().insert(address, flags);
        }
        Ok(address)
    }

    /// `cudaFreeHost`.
    pub fn host_free(&self, address: u64) -> Status {
        self.free_kind(address, |kind| kind == Kind::PinnedHost)
    }

    /// `cudaHostRegister`.
    pub fn host_register(&self, address: u64, bytes: u64, flags: u32) -> Status {
        if let Err(status) = self.healthy() {
            return status;
        }
        match self.memory().register_host(address, bytes) {
            Ok(()) => {
                self.flags.lock().insert(address, flags);
                self.note_made(Class::Registered, address, bytes);
                if let Some(checking) = &self.checking {
                    checking.share_registered(address, bytes);
                }
                Status::SUCCESS
            }
            Err(RegisterError::Overlap) => Status::HOST_MEMORY_ALREADY_REGISTERED,
            Err(RegisterError::Full) => Status::MEMORY_ALLOCATION,
            Err(RegisterError::Invalid | RegisterError::NotRegistered) => Status::INVALID_VALUE,
        }
    }

    /// `cudaHostUnregister`.
    pub fn host_unregister(&self, address: u64) -> Status {
        if let Err(status) = self.drain().ok() {
            return status;
        }
        self.unshare(address);
        match self.memory().unregister_host(address) {
            Ok(_) => {
                self.flags.lock().remove(&address);
                self.note_freed(address);
                Status::SUCCESS
            }
            Err(_) => Status::HOST_MEMORY_NOT_REGISTERED,
        }
    }

    /// The allocation that an address lies in; `None` for ordinary host memory.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        let (base, size, kind) = match self.memory().find(address) {
            Some(found) => {
                let kind = match found.kind {
                    Kind::Device | Kind::Module | Kind::Constant | Kind::Mapped => MemoryKind::Device,
                    Kind::Managed => MemoryKind::Managed,
                    Kind::PinnedHost => MemoryKind::Host,
                    Kind::Parameters | Kind::Array => return None,
                };
                (found.base, found.size, kind)
            }
            None => {
                let (base, size) = self.memory().find_registered(address)?;
                (base, size, MemoryKind::Registered)
            }
        };
        let flags = self.flags.lock().get(&base).copied().unwrap_or(0);
        Some(Allocation { base, size, kind, flags })
    }

    /// Free and total bytes of device memory (`cudaMemGetInfo`).
    pub fn mem_info(&self) -> (u64, u64) {
        let total = self.memory().limit();
        let used = self.memory().used() + self.limits.lock().pool_bytes();
        (total.saturating_sub(used), total)
    }

    /// Frees whatever the program left. Nothing runs.
    pub(super) fn free_all(&self) {
        self.memory().forget_mapped();
        for allocation in self.memory().allocations() {
            self.unshare(allocation.base);
            let _ = self.memory().free(allocation.base);
        }
        for base in std::mem::take(&mut *self.flags.lock()).into_keys() {
            self.unshare(base);
            let _ = self.memory().unregister_host(base);
        }
    }
}
