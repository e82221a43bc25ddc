//! The objects of the process by handle. A lookup takes no lock: threads of the device make one for every fetch.
//!
//! A handle is a place in the table and a serial number, so that one that was destroyed is not another's. An object that was destroyed is
//! dropped once nothing runs on its device.

use super::Object;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Where a handle has its serial number; below is the place.
const PLACE: u32 = 20;
/// Objects that may be live.
const MOST: u32 = 1 << PLACE;
/// Places that are made together.
const TOGETHER: usize = 1 << 10;

/// Places, made as they are needed: most programs have no objects.
struct Table {
    places: [OnceLock<Box<[AtomicPtr<Object>]>>; MOST as usize / TOGETHER],
    free: Mutex<Free>,
}

struct Free {
    places: Vec<u32>,
    /// The first place that was never used. Place 0 is nobody's.
    next: u32,
    serial: u64,
}

static TABLE: Table = Table {
    places: [const { OnceLock::new() }; MOST as usize / TOGETHER],
    free: Mutex::new(Free { places: Vec::new(), next: 1, serial: 1 }),
};

impl Table {
    fn place(&self, place: u32) -> &AtomicPtr<Object> {
        let fresh = || (0..TOGETHER).map(|_| AtomicPtr::new(std::ptr::null_mut())).collect();
        let (chunk, at) = (place as usize / TOGETHER, place as usize % TOGETHER);
        &self.places[chunk].get_or_init(fresh)[at]
    }
}

fn place_of(handle: u64) -> u32 {
    (handle & u64::from(MOST - 1)) as u32
}

/// The object of a handle, if it is a live one.
///
/// # Safety
/// The reference must not outlive the grid, or the lock of `Objects`, under which the caller runs.
pub unsafe fn find<'a>(handle: u64) -> Option<&'a Object> {
    let place = place_of(handle) as usize;
    let place = TABLE.places.get(place / TOGETHER)?.get()?.get(place % TOGETHER)?;
    // SAFETY: what a place points to is dropped only behind `Objects::sweep`, when nobody can hold a reference.
    let object = unsafe { place.load(Ordering::Acquire).as_ref() }?;
    (object.handle == handle).then_some(object)
}

/// The objects of a device.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    live: HashSet<u64>,
    retired: Vec<*mut Object>,
}

// SAFETY: the pointers are owned, and only used to drop what they point to.
unsafe impl Send for Objects {}

impl Objects {
    /// Gives an object a handle. `None` when there are too many.
    pub fn insert(&mut self, mut object: Box<Object>) -> Option<u64> {
        let mut free = TABLE.free.lock();
        let place = match free.places.pop() {
            Some(place) => place,
            None if free.next < MOST => {
                free.next += 1;
                free.next - 1
            }
            None => return None,
        };
        let handle = free.serial << PLACE | u64::from(place);
        free.serial += 1;
        drop(free);
        object.handle = handle;
        self.live.insert(handle);
        TABLE.place(place).store(Box::into_raw(object), Ordering::Release);
        Some(handle)
    }

    /// Whether a live handle is this device's.
    pub fn owns(&self, handle: u64) -> bool {
        self.live.contains(&handle)
    }

    /// Takes a handle out of use. False if it is none.
    pub fn remove(&mut self, handle: u64) -> bool {
        let known = self.live.remove(&handle);
        if known {
            self.take_out(handle);
        }
        known
    }

    fn take_out(&mut self, handle: u64) {
        let place = place_of(handle);
        let object = TABLE.place(place).swap(std::ptr::null_mut(), Ordering::AcqRel);
        if !object.is_null() {
            self.retired.push(object);
        }
        TABLE.free.lock().places.push(place);
    }

    /// Takes all handles out of use.
    pub fn clear(&mut self) {
        for handle in std::mem::take(&mut self.live) {
            self.take_out(handle);
        }
    }

    /// Drops what was destroyed. Nothing runs on the device meanwhile.
    pub fn sweep(&mut self) {
        for object in self.retired.drain(..) {
            // SAFETY: it came from `Box::into_raw`, is in the table no more, and whoever found it before has ended.
            drop(unsafe { Box::from_raw(object) });
        }
    }

    /// Objects that were destroyed and not dropped yet.
    pub fn retired(&self) -> usize {
        self.retired.len()
    }
}
