//! Address space from the operating system: reserve, open, close.
//!
//! A reservation is `PROT_NONE` and costs nothing but addresses. Opening a part makes it readable and writable; closing it
//! gives the pages back and makes stale pointers fault.

use std::io;
use std::os::fd::RawFd;

/// Bytes of a page. x86-64 Linux.
pub const PAGE: u64 = 4096;

/// Rounds up to a multiple of `to`, a power of two.
pub fn round_up(value: u64, to: u64) -> u64 {
    debug_assert!(to.is_power_of_two());
    (value + (to - 1)) & !(to - 1)
}

/// An owned range of reserved addresses; unmapped on drop.
#[derive(Debug)]
pub struct Reservation {
    base: u64,
    size: u64,
}

impl Reservation {
    /// Reserves `size` bytes at a multiple of `align`, at `hint` if that is free.
    ///
    /// # Errors
    /// The operating system's, when no such range is free.
    pub fn new(hint: u64, size: u64, align: u64) -> io::Result<Self> {
        debug_assert!(align.is_power_of_two() && size.is_multiple_of(PAGE));
        if hint != 0 && hint.is_multiple_of(align) {
            match map(hint, size, libc::MAP_FIXED_NOREPLACE) {
                Ok(base) if base == hint => return Ok(Self { base, size }),
                // Kernels before 4.17 take the flag as a mere hint.
                Ok(base) => drop(Self { base, size }),
                Err(_) => {}
            }
        }
        let whole = size.checked_add(align).ok_or(io::ErrorKind::OutOfMemory)?;
        let start = map(0, whole, 0)?;
        let base = round_up(start, align);
        for (from, to) in [(start, base), (base + size, start + whole)] {
            if from < to {
                drop(Self { base: from, size: to - from });
            }
        }
        Ok(Self { base, size })
    }

    /// First address.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// First address behind.
    pub fn end(&self) -> u64 {
        self.base + self.size
    }

    /// Whether `address` lies inside.
    #[cfg(test)]
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.size
    }

    fn check(&self, address: u64, size: u64) {
        assert!(address >= self.base && size <= self.size && address - self.base <= self.size - size);
        assert!(address.is_multiple_of(PAGE) && size.is_multiple_of(PAGE));
    }

    /// Makes a range readable and writable; what was never open before, or closed since, reads as zero.
    ///
    /// # Errors
    /// The operating system's: out of memory, or too many separate ranges.
    pub fn open(&self, address: u64, size: u64) -> io::Result<()> {
        self.check(address, size);
        // SAFETY: the range lies inside this reservation, which nothing but its owner uses.
        let result = unsafe { libc::mprotect(address as *mut _, size as usize, libc::PROT_READ | libc::PROT_WRITE) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Asks for huge pages in a range; a hint only.
    pub fn prefer_huge(&self, address: u64, size: u64) {
        self.check(address, size);
        // SAFETY: as in `open`; the advice does not change contents.
        unsafe { libc::madvise(address as *mut _, size as usize, libc::MADV_HUGEPAGE) };
    }

    /// Gives the pages of a range back; any access faults from now on.
    ///
    /// # Errors
    /// The operating system's (too many separate ranges); the range may then still be open, but holds zeros.
    pub fn close(&self, address: u64, size: u64) -> io::Result<()> {
        self.check(address, size);
        // One call would do (a new mapping over the old one), but could leave a hole if it failed halfway.
        // SAFETY: as in `open`; the owner gave up the contents.
        let result = unsafe {
            libc::madvise(address as *mut _, size as usize, libc::MADV_DONTNEED);
            libc::mprotect(address as *mut _, size as usize, libc::PROT_NONE)
        };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Puts a part of a file over a range, closed.
    ///
    /// # Errors
    /// The operating system's.
    pub fn map_file(&self, address: u64, size: u64, file: RawFd, offset: u64) -> io::Result<()> {
        self.replace(address, size, libc::MAP_SHARED, file, offset)
    }

    /// Puts closed pages over a range that a file lies over.
    ///
    /// # Errors
    /// The operating system's.
    pub fn unmap_file(&self, address: u64, size: u64) -> io::Result<()> {
        self.replace(address, size, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, 0)
    }

    fn replace(&self, address: u64, size: u64, flags: i32, file: RawFd, offset: u64) -> io::Result<()> {
        self.check(address, size);
        let offset = i64::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput)?;
        let flags = flags | libc::MAP_FIXED;
        // SAFETY: as in `open`; what the range held is the owner's, who gives it up.
        let base = unsafe { libc::mmap(address as *mut _, size as usize, libc::PROT_NONE, flags, file, offset) };
        if base == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Opens a range that a file lies over, or closes it; what it holds stays.
    ///
    /// # Errors
    /// The operating system's.
    pub fn set_open(&self, address: u64, size: u64, open: bool) -> io::Result<()> {
        self.check(address, size);
        let protection = if open { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
        // SAFETY: as in `open`.
        let result = unsafe { libc::mprotect(address as *mut _, size as usize, protection) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the range is ours alone.
        unsafe { libc::munmap(self.base as *mut _, self.size as usize) };
    }
}

fn map(address: u64, size: u64, flags: i32) -> io::Result<u64> {
    let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: without MAP_FIXED nothing existing is replaced.
    let base = unsafe { libc::mmap(address as *mut _, size as usize, libc::PROT_NONE, flags, -1, 0) };
    if base == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(base as u64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_are_aligned_and_do_not_overlap() {
        let a = Reservation::new(0, 1 << 20, 1 << 30).unwrap();
        let b = Reservation::new(a.base(), 1 << 20, 1 << 20).unwrap();
        assert!(a.base().is_multiple_of(1 << 30) && b.base().is_multiple_of(1 << 20));
        assert!(!a.contains(b.base()) && !b.contains(a.base()));
    }

    #[test]
    fn closed_pages_read_zero_when_opened_again() {
        let r = Reservation::new(0, 1 << 20, PAGE).unwrap();
        r.open(r.base(), 2 * PAGE).unwrap();
        let p = (r.base() + PAGE) as *mut u32;
        // SAFETY: the page was opened above.
        unsafe { p.write(7) };
        r.close(r.base(), 2 * PAGE).unwrap();
        r.open(r.base() + PAGE, PAGE).unwrap();
        // SAFETY: opened again.
        assert_eq!(unsafe { p.read() }, 0);
    }
}
