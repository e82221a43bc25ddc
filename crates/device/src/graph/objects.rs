//! User objects (CUDA guide, "CUDA User Objects"): things of the program that live as long as graphs refer to them.

use crate::device::Device;
use crate::status::Status;
use std::collections::HashMap;
use std::ffi::c_void;

#[derive(Clone, Copy, Debug)]
struct Object {
    destroy: extern "C" fn(*mut c_void),
    data: u64,
    count: u64,
}

/// All of them, by handle.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    live: HashMap<u64, Object>,
    /// Those to which nothing refers any more.
    over: Vec<Object>,
}

impl Objects {
    pub fn retain(&mut self, object: u64, count: u32) -> Result<(), Status> {
        let object = self.live.get_mut(&object).ok_or(Status::INVALID_VALUE)?;
        object.count += u64::from(count);
        Ok(())
    }

    pub fn release(&mut self, handle: u64, count: u32) -> Result<(), Status> {
        let object = self.live.get_mut(&handle).ok_or(Status::INVALID_VALUE)?;
        object.count = object.count.checked_sub(u64::from(count)).ok_or(Status::INVALID_VALUE)?;
        if object.count == 0 {
            let object = self.live.remove(&handle);
            self.over.extend(object);
        }
        Ok(())
    }

    /// Calls the destructors that are due, on a thread of their own: they may not call CUDA, and nobody waits for them.
    pub fn run(&mut self) -> Result<(), Status> {
        let over = std::mem::take(&mut self.over);
        if over.is_empty() {
            return Ok(());
        }
        let run = move || over.iter().for_each(|object| (object.destroy)(object.data as *mut c_void));
        let thread = std::thread::Builder::new().name("hotfire-objects".into()).spawn(run);
        thread.map(drop).map_err(|_| Status::MEMORY_ALLOCATION)
    }
}

impl Device {
    /// `cudaUserObjectCreate`.
    ///
    /// # Errors
    /// 1 without references.
    pub fn object_create(&self, destroy: extern "C" fn(*mut c_void), data: u64, count: u32) -> Result<u64, Status> {
        if count == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let mut graphs = self.graphs.lock();
        let handle = graphs.handle();
        graphs.objects.live.insert(handle, Object { destroy, data, count: u64::from(count) });
        Ok(handle)
    }

    /// `cudaUserObjectRetain`.
    ///
    /// # Errors
    /// 1 for a handle that is none.
    pub fn object_retain(&self, object: u64, count: u32) -> Result<(), Status> {
        self.graphs.lock().objects.retain(object, count)
    }

    /// `cudaUserObjectRelease`.
    ///
    /// # Errors
    /// 1 for a handle that is none, or more references than there are.
    pub fn object_release(&self, object: u64, count: u32) -> Result<(), Status> {
        let mut graphs = self.graphs.lock();
        graphs.objects.release(object, count)?;
        graphs.objects.run()
    }

    /// `cudaGraphRetainUserObject`; `moved`: the references were the caller's.
    ///
    /// # Errors
    /// 1 for handles that are none.
    pub fn graph_retain(&self, graph: u64, object: u64, count: u32, moved: bool) -> Result<(), Status> {
        let mut graphs = self.graphs.lock();
        graphs.graph(graph)?;
        graphs.objects.retain(object, if moved { 0 } else { count })?;
        let held = &mut graphs.graph_mut(graph)?.objects;
        match held.iter_mut().find(|(known, _)| *known == object) {
            Some((_, known)) => *known += count,
            None => held.push((object, count)),
        }
        Ok(())
    }

    /// `cudaGraphReleaseUserObject`.
    ///
    /// # Errors
    /// 1 for handles that are none, or more references than the graph has.
    pub fn graph_release(&self, graph: u64, object: u64, count: u32) -> Result<(), Status> {
        let mut graphs = self.graphs.lock();
        let held = &mut graphs.graph_mut(graph)?.objects;
        let entry = held.iter_mut().find(|(known, _)| *known == object).ok_or(Status::INVALID_VALUE)?;
        entry.1 = entry.1.checked_sub(count).ok_or(Status::INVALID_VALUE)?;
        held.retain(|&(_, count)| count > 0);
        graphs.objects.release(object, count)?;
        graphs.objects.run()
    }
}
