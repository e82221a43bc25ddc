//! Shared windows: 4 GiB of addresses a block, its shared memory open at the start.
//!
//! Any signed 32-bit offset from a window's base hits the block's memory or faults by itself, also if a little is added, so that generated code
//! checks nothing.
//! Blocks without shared memory use the *null window*, of which nothing is ever open. Windows are reused as they are: shared
//! memory is not initialised (CUDA guide, "Shared memory"), and one that fits needs no system call.

use crate::memory::map::{PAGE, Reservation, round_up};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;

/// Bytes of addresses of one window.
pub const WINDOW: u64 = 4 << 30;
/// More than the 132 x 32 blocks that may be resident.
const MOST: u64 = 8192;
const LEAST: u64 = 64;

/// A block's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Real address of shared offset 0.
    pub base: u64,
    /// Bytes open, a multiple of the page.
    pub open: u64,
}

/// All windows of the process.
#[derive(Debug)]
pub struct Windows {
    reservation: Reservation,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Windows handed out so far, the null window and what lies before it included.
    made: u64,
    /// Bases of free windows, by bytes open.
    free: BTreeMap<u64, Vec<u64>>,
}

impl Windows {
    /// Reserves as many windows as there are addresses for.
    ///
    /// # Errors
    /// The operating system's, if not even a few are to be had.
    pub fn new() -> io::Result<Self> {
        let mut count = MOST;
        loop {
            match Reservation::new(0, count * WINDOW, WINDOW) {
                Ok(reservation) => {
                    return Ok(Self { reservation, state: Mutex::new(State { made: 2, free: BTreeMap::new() }) });
                }
                Err(error) if count <= LEAST => return Err(error),
                Err(_) => count /= 2,
            }
        }
    }

    /// Whether `address` lies in some block's window. Async-signal-safe.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.reservation.base()) < self.reservation.size()
    }

    /// The window of every block without shared memory. Not to be given back.
    pub fn null(&self) -> Window {
        Window { base: self.reservation.base() + WINDOW, open: 0 }
    }

    /// A window with `bytes` open, rounded up to pages.
    ///
    /// # Errors
    /// The operating system's, or out of memory when all windows are taken.
    pub fn take(&self, bytes: u32) -> io::Result<Window> {
        let open = round_up(u64::from(bytes), PAGE);
        if open == 0 {
            return Ok(self.null());
        }
        let mut state = self.state.lock();
        if let Some(base) = state.free.get_mut(&open).and_then(Vec::pop) {
            return Ok(Window { base, open });
        }
        let mut window = if state.made < self.reservation.size() / WINDOW {
            state.made += 1;
            Window { base: self.reservation.base() + (state.made - 1) * WINDOW, open: 0 }
        } else {
            let other = state.free.iter_mut().find_map(|(&open, bases)| Some((open, bases.pop()?)));
            other.map(|(open, base)| Window { base, open }).ok_or(io::ErrorKind::OutOfMemory)?
        };
        drop(state);
        let result = self.resize(&mut window, open);
        if let Err(error) = result {
            self.give(window);
            return Err(error);
        }
        Ok(window)
    }

    fn resize(&self, window: &mut Window, open: u64) -> io::Result<()> {
        if window.open < open {
            self.reservation.open(window.base + window.open, open - window.open)?;
        } else if window.open > open {
            self.reservation.close(window.base + open, window.open - open)?;
        }
        window.open = open;
        Ok(())
    }

    /// Takes a window back.
    pub fn give(&self, window: Window) {
        if window != self.null() {
            self.state.lock().free.entry(window.open).or_default().push(window.base);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_reused_by_size_and_hold_what_they_held() {
        let windows = Windows::new().unwrap();
        let a = windows.take(5000).unwrap();
        let b = windows.take(5000).unwrap();
        assert_eq!((a.open, b.open), (8192, 8192));
        assert!(a.base.abs_diff(b.base) >= WINDOW && windows.contains(a.base + WINDOW - 1));
        // SAFETY: the window's first 8192 bytes are open.
        unsafe { ((a.base + 8188) as *mut u32).write(3) };
        windows.give(a);
        assert_ne!(windows.take(4096).unwrap().base, a.base);
        assert_eq!(windows.take(8192).unwrap(), a);
        // SAFETY: as above.
        assert_eq!(unsafe { ((a.base + 8188) as *const u32).read() }, 3);
        assert_eq!(windows.take(0).unwrap(), windows.null());
        let largest = windows.take(227 << 10).unwrap();
        assert_eq!(largest.open, 228 << 10);
    }
}
