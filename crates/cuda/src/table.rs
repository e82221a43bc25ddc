//! Handles: opaque values that programs hold, checked at every use, never dereferenced.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hotfire_device::Status;
use parking_lot::RwLock;

use crate::types::Handle;

/// Live objects of one kind. Handles are not used again, and those of different kinds differ.
pub(crate) struct Table<T> {
    live: RwLock<Option<HashMap<u64, Arc<T>>>>,
}

/// The last handle given out. Far from addresses that a process has, 16 apart as pointers to objects would be.
static LAST: AtomicU64 = AtomicU64::new(0x4f46_0000_0000_0000);

impl<T> Table<T> {
    /// An empty table.
    pub(crate) const fn new() -> Self {
        Self { live: RwLock::new(None) }
    }

    /// A new handle for an object.
    pub(crate) fn insert(&self, object: Arc<T>) -> Handle {
        let handle = LAST.fetch_add(16, Ordering::Relaxed) + 16;
        self.live.write().get_or_insert_default().insert(handle, object);
        handle as Handle
    }

    /// The object of a handle; `None` for one that is not live.
    pub(crate) fn find(&self, handle: Handle) -> Option<Arc<T>> {
        self.live.read().as_ref()?.get(&(handle as u64)).cloned()
    }

    /// The object of a handle, or the error that CUDA answers for one that is not live.
    pub(crate) fn get(&self, handle: Handle) -> Result<Arc<T>, Status> {
        self.find(handle).ok_or(Status::INVALID_RESOURCE_HANDLE)
    }

    /// Takes a handle out of use.
    pub(crate) fn remove(&self, handle: Handle) -> Result<Arc<T>, Status> {
        self.live.write().as_mut().and_then(|live| live.remove(&(handle as u64))).ok_or(Status::INVALID_RESOURCE_HANDLE)
    }

    /// Takes every handle out of use whose object the predicate does not keep.
    pub(crate) fn retain(&self, keep: impl Fn(&T) -> bool) {
        if let Some(live) = self.live.write().as_mut() {
            live.retain(|_, object| keep(object));
        }
    }

    /// A handle whose object the predicate accepts.
    pub(crate) fn handle(&self, accept: impl Fn(&T) -> bool) -> Option<Handle> {
        let live = self.live.read();
        live.as_ref()?.iter().find(|(_, object)| accept(object)).map(|(handle, _)| *handle as Handle)
    }

    /// How many handles are live.
    pub(crate) fn len(&self) -> usize {
        self.live.read().as_ref().map_or(0, HashMap::len)
    }
}
