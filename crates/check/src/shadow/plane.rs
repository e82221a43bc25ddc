//! A huge array of stamps of which only the pages that were written exist.

use crate::stamp::Stamp;
use std::io;

const PAGE: u64 = 4096;

/// So many stamps, all zero at first.
pub struct Plane {
    base: *mut Stamp,
    bytes: u64,
}

// SAFETY: a plane is a range of memory that is owned like a box; who may access it when is its user's business.
unsafe impl Send for Plane {}

impl Plane {
    /// Reserves addresses for `count` stamps.
    ///
    /// # Errors
    /// The operating system's.
    pub fn new(count: u64) -> io::Result<Plane> {
        let bytes = (count * 8).next_multiple_of(PAGE);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a fresh mapping replaces nothing.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes as usize, access, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Plane { base: base.cast(), bytes })
    }

    /// The place of a stamp.
    #[inline(always)]
    pub fn at(&self, index: u64) -> *mut Stamp {
        debug_assert!(index * 8 < self.bytes);
        self.base.wrapping_add(index as usize)
    }

    /// Sets stamps to zero; whole pages are given back.
    pub fn clear(&self, first: u64, count: u64) {
        let (start, end) = (self.base as u64 + first * 8, self.base as u64 + (first + count) * 8);
        let (inner, inner_end) = (start.next_multiple_of(PAGE), end & !(PAGE - 1));
        let zero = |from: u64, to: u64| {
            // SAFETY: the range lies in this mapping.
            unsafe { std::ptr::write_bytes(from as *mut u8, 0, (to - from) as usize) };
        };
        if inner >= inner_end {
            return zero(start, end);
        }
        zero(start, inner);
        // SAFETY: as above; pages that are given back read as zero.
        unsafe { libc::madvise(inner as *mut _, (inner_end - inner) as usize, libc::MADV_DONTNEED) };
        zero(inner_end, end);
    }

    /// Asks for huge pages inside a range; a hint only.
    pub fn prefer_huge(&self, first: u64, count: u64) {
        let (start, end) = (self.base as u64 + first * 8, self.base as u64 + (first + count) * 8);
        let (start, end) = (start.next_multiple_of(PAGE), end & !(PAGE - 1));
        if start < end {
            // SAFETY: inside the mapping; the advice does not change contents.
            unsafe { libc::madvise(start as *mut _, (end - start) as usize, libc::MADV_HUGEPAGE) };
        }
    }

    /// Bytes of memory that a range takes: its pages that exist. And whether a stamp is set, for each of the range.
    pub fn usage(&self, first: u64, count: u64, mut set: impl FnMut(u64)) -> u64 {
        let (start, end) = (self.base as u64 + first * 8, self.base as u64 + (first + count) * 8);
        let mut bytes = 0;
        let mut page = start & !(PAGE - 1);
        while page < end {
            let mut resident = 0u8;
            // SAFETY: the page lies in this mapping, and one byte tells of one page.
            let known = unsafe { libc::mincore(page as *mut _, PAGE as usize, &mut resident) };
            if known == 0 && resident & 1 == 1 {
                bytes += PAGE;
                let (from, to) = (page.max(start), (page + PAGE).min(end));
                for at in (from..to).step_by(8) {
                    // SAFETY: inside the mapping; nobody writes now.
                    if unsafe { *(at as *const u64) } != 0 {
                        set((at - self.base as u64) / 8 - first);
                    }
                }
            }
            page += PAGE;
        }
        bytes
    }
}

impl Drop for Plane {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours alone.
        unsafe { libc::munmap(self.base.cast(), self.bytes as usize) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_ends_where_it_should() {
        let plane = Plane::new(1 << 30).unwrap();
        let get = |index| {
            // SAFETY: inside the plane.
            unsafe { plane.at(index).read() }
        };
        for (first, count) in [(3, 5), (500, 3000), (511, 514), (0, 512)] {
            for index in 0..4000 {
                // SAFETY: inside the plane.
                unsafe { plane.at(index).write(Stamp(index + 1)) };
            }
            plane.clear(first, count);
            for index in 0..4000 {
                let cleared = (first..first + count).contains(&index);
                assert_eq!(get(index), if cleared { Stamp::NONE } else { Stamp(index + 1) });
            }
        }
    }
}
