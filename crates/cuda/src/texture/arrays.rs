//! Handles of arrays: what a program's `cudaArray_t` is, and where copies from and to it go.

use std::collections::HashMap;
use std::sync::Arc;

use hotfire_device::texture::{Array, ArrayFlags, ArrayShape, Format};
use hotfire_device::{Device, Status};
use parking_lot::Mutex;

use crate::notice;
use crate::table::Table;
use crate::types::Handle;

/// An array as a handle names it: one level of what the device has.
pub(super) struct Level {
    pub array: Arc<Array>,
    pub level: u32,
    /// It belongs to a mipmapped array, which is freed as a whole.
    lent: bool,
}

/// A mipmapped array, and the handles given out for its levels.
pub(super) struct Mipmap {
    pub array: Arc<Array>,
    levels: Mutex<HashMap<u32, usize>>,
}

static ARRAYS: Table<Level> = Table::new();
static MIPMAPS: Table<Mipmap> = Table::new();

/// Flags that ask for what this device's arrays are not.
const UNKNOWN: [(u32, &str); 4] = [
    (0x10, "depth textures"),
    (0x40, "sparse arrays"),
    (0x80, "arrays that are mapped later"),
    (0x100, "arrays for video"),
];

/// Makes an array.
pub(super) fn create(format: Format, extent: [usize; 3], flags: u32, levels: u32) -> Result<Arc<Array>, Status> {
    if let Some((_, what)) = UNKNOWN.iter().find(|(flag, _)| flags & flag != 0) {
        notice::once(&format!("{what} are not implemented by this device"));
        return Err(Status::NOT_SUPPORTED);
    }
    let [width, height, depth] = extent.map(|size| size as u64);
    let shape = ArrayShape { format, width, height, depth, flags: ArrayFlags(flags) };
    Device::get().array_create(shape, levels)
}

/// A handle for a new array.
pub(super) fn handle(array: Arc<Array>) -> Handle {
    ARRAYS.insert(Arc::new(Level { array, level: 0, lent: false }))
}

/// A handle for a new mipmapped array.
pub(super) fn mipmap_handle(array: Arc<Array>) -> Handle {
    MIPMAPS.insert(Arc::new(Mipmap { array, levels: Mutex::default() }))
}

/// The array of a handle.
pub(super) fn find(handle: Handle) -> Result<Arc<Level>, Status> {
    ARRAYS.get(handle)
}

/// The mipmapped array of a handle.
pub(super) fn find_mipmap(handle: Handle) -> Result<Arc<Mipmap>, Status> {
    MIPMAPS.get(handle)
}

impl Level {
    /// What it is.
    pub fn shape(&self) -> Result<ArrayShape, Status> {
        self.array.shape_of(self.level).ok_or(Status::INVALID_VALUE)
    }
}

/// Frees an array.
pub(super) fn destroy(handle: Handle) -> Result<(), Status> {
    let array = ARRAYS.get(handle)?;
    if array.lent {
        return Err(Status::INVALID_VALUE);
    }
    ARRAYS.remove(handle)?;
    Device::get().array_destroy(&array.array).ok()
}

/// Frees a mipmapped array, and with it the handles of its levels.
pub(super) fn destroy_mipmap(handle: Handle) -> Result<(), Status> {
    let mipmap = MIPMAPS.remove(handle)?;
    for level in mipmap.levels.lock().values() {
        let _ = ARRAYS.remove(*level as Handle);
    }
    Device::get().array_destroy(&mipmap.array).ok()
}

/// The handle of one level of a mipmapped array: the same each time.
pub(super) fn level_handle(mipmap: Handle, level: u32) -> Result<Handle, Status> {
    let mipmap = MIPMAPS.get(mipmap)?;
    if level as usize >= mipmap.array.levels().len() {
        return Err(Status::INVALID_VALUE);
    }
    let fresh = || ARRAYS.insert(Arc::new(Level { array: Arc::clone(&mipmap.array), level, lent: true })) as usize;
    let handle = *mipmap.levels.lock().entry(level).or_insert_with(fresh);
    Ok(handle as Handle)
}

/// Arrays that were made before a device reset are gone.
pub(crate) fn forget_all() {
    ARRAYS.retain(|_| false);
    MIPMAPS.retain(|_| false);
}

/// Bytes of an element of an array.
pub(crate) fn element_bytes(handle: Handle) -> Result<usize, Status> {
    Ok(find(handle)?.array.shape.format.bytes() as usize)
}

/// Where a part of an array begins: bytes within the row, rows, and slices or layers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Corner {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}

/// One side of a copy: where it starts, bytes from row to row, rows from slice to slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub start: u64,
    pub pitch: u64,
    pub rows: u64,
}

/// Where a part of an array lies, so many bytes, rows and slices large. 1 if it is not all inside.
pub(crate) fn place(handle: Handle, corner: Corner, extent: [usize; 3]) -> Result<Place, Status> {
    let found = find(handle)?;
    let region = found.array.levels().get(found.level as usize).ok_or(Status::INVALID_VALUE)?;
    let row = u64::from(region.width) * u64::from(found.array.shape.format.bytes());
    let slices = u64::from(region.depth.max(found.array.layers()));
    let sizes = [row, u64::from(region.height), slices];
    let inside = [corner.x, corner.y, corner.z]
        .iter()
        .zip(extent)
        .zip(sizes)
        .all(|((&from, count), size)| (from as u64).checked_add(count as u64).is_some_and(|end| end <= size));
    if !inside {
        return Err(Status::INVALID_VALUE);
    }
    let start = region.base + corner.z as u64 * region.slice + corner.y as u64 * region.pitch + corner.x as u64;
    Ok(Place { start, pitch: region.pitch, rows: region.slice / region.pitch.max(1) })
}
