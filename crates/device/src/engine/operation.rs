//! Copies, sets and host functions: what a stream holds besides grids.

use crate::copy::{Copy3d, Fill3d};
use crate::graph::{Decision, Expansion};

/// What `cudaLaunchHostFunc` runs.
pub(crate) type HostFunction = Box<dyn FnOnce() + Send>;

/// Work that is no grid.
pub(crate) enum Operation {
    /// A copy between checked ranges.
    Copy(Copy3d),
    /// A copy from host memory that was read when the call was made.
    CopyFrom(Copy3d, Box<[u8]>),
    /// A set of a checked range.
    Fill(Fill3d),
    /// Frees device memory (`cudaFreeAsync`).
    Free(u64),
    /// `cudaLaunchHostFunc`; runs on the thread for host functions.
    Host(HostFunction),
    /// Memory of a graph comes to life, by a launch; dies.
    GraphAlloc(u64, u32),
    GraphFree(u64),
    /// Nodes of a graph are added within the item.
    Graph(Expansion),
    /// A conditional node decides.
    Decide(Decision),
    /// Carried out by the host thread that made the call and waits for its turn.
    Caller,
}

/// Rows that lie one behind the other are one row.
fn rows(width: u64, height: u64, depth: u64, pitches: &[(u64, u64)]) -> (u64, u64, u64) {
    let dense_rows = height == 1 || pitches.iter().all(|&(pitch, _)| pitch == width);
    if !dense_rows {
        return (width, height, depth);
    }
    let slice = width * height;
    let dense_slices = depth == 1 || pitches.iter().all(|&(pitch, rows)| pitch * rows == slice);
    if dense_slices { (slice * depth, 1, 1) } else { (slice, 1, depth) }
}

/// Carries out a copy.
///
/// # Safety
/// All rows are valid to read and to write.
pub(crate) unsafe fn copy(copy: &Copy3d) {
    let pitches = [(copy.destination_pitch, copy.destination_rows), (copy.source_pitch, copy.source_rows)];
    let (width, height, depth) = rows(copy.width, copy.height, copy.depth, &pitches);
    for z in 0..depth {
        for y in 0..height {
            let to = copy.destination + (z * copy.destination_rows + y) * copy.destination_pitch;
            let from = copy.source + (z * copy.source_rows + y) * copy.source_pitch;
            // SAFETY: the caller's promise. Other agents may access the same bytes at the same time, as on a GPU; ranges may overlap.
            unsafe { std::ptr::copy(from as *const u8, to as *mut u8, width as usize) };
        }
    }
}

/// Carries out a set.
///
/// # Safety
/// All rows are valid to write, and aligned to the element.
pub(crate) unsafe fn fill(fill: &Fill3d) {
    let element = u64::from(fill.element);
    let (width, height, depth) = rows(fill.width * element, fill.height, fill.depth, &[(fill.pitch, fill.rows)]);
    for z in 0..depth {
        for y in 0..height {
            let to = fill.destination + (z * fill.rows + y) * fill.pitch;
            let count = (width / element) as usize;
            // SAFETY: the caller's promise.
            unsafe {
                match fill.element {
                    1 => std::ptr::write_bytes(to as *mut u8, fill.value as u8, count),
                    2 => std::slice::from_raw_parts_mut(to as *mut u16, count).fill(fill.value as u16),
                    _ => std::slice::from_raw_parts_mut(to as *mut u32, count).fill(fill.value),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pitched_copies_leave_the_gaps_alone() {
        let source: Vec<u8> = (0..64).collect();
        let mut destination = vec![255u8; 128];
        let shape = Copy3d {
            destination: destination.as_mut_ptr() as u64,
            destination_pitch: 16,
            destination_rows: 4,
            source: source.as_ptr() as u64,
            source_pitch: 8,
            source_rows: 4,
            width: 5,
            height: 3,
            depth: 2,
        };
        // SAFETY: both vectors are large enough for the rows.
        unsafe { copy(&shape) };
        for z in 0..2 {
            for y in 0..4 {
                for x in 0..16 {
                    let expected = if y < 3 && x < 5 { (z * 32 + y * 8 + x) as u8 } else { 255 };
                    assert_eq!(destination[z * 64 + y * 16 + x], expected, "{z} {y} {x}");
                }
            }
        }
    }

    #[test]
    fn dense_rows_become_one() {
        assert_eq!(rows(8, 4, 2, &[(8, 4), (8, 4)]), (64, 1, 1));
        assert_eq!(rows(8, 4, 2, &[(8, 4), (8, 5)]), (32, 1, 2));
        assert_eq!(rows(8, 4, 2, &[(9, 4), (8, 4)]), (8, 4, 2));
        assert_eq!(rows(8, 1, 1, &[(9, 4)]), (8, 1, 1));
    }

    #[test]
    fn elements_have_their_width() {
        let mut words = vec![0u32; 8];
        let destination = words.as_mut_ptr() as u64;
        let shape =
            Fill3d { destination, pitch: 16, rows: 2, value: 0x0102_0304, element: 2, width: 3, height: 2, depth: 1 };
        // SAFETY: the vector is large enough and aligned.
        unsafe { fill(&shape) };
        assert_eq!(words, [0x0304_0304, 0x0304, 0, 0, 0x0304_0304, 0x0304, 0, 0]);
    }
}
