//! Memory given to the kernel.

use super::Fixture;
use crate::checking::host::lending::lend;
use crate::memory::map::PAGE;

#[test]
fn a_buffer_is_open_for_the_call() {
    let f = Fixture::new(3);
    let mut pipe = [0; 2];
    // SAFETY: plain system calls; the buffers are the fixture's.
    unsafe {
        assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
        // Without a loan the kernel refuses.
        assert_eq!(libc::write(pipe[1], f.at(10).cast(), 20), -1);
        assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::EFAULT));
        let loan = lend(f.base + PAGE - 10, 20, false).unwrap();
        f.watch.lift();
        f.watch.guard();
        assert_eq!(libc::write(pipe[1], f.at(PAGE - 10).cast(), 20), 20);
        drop(loan);
        assert_eq!(f.seen(), [(PAGE - 10, 20, false)]);
        let loan = lend(f.base, 3 * PAGE, true).unwrap();
        let got = libc::read(pipe[0], f.at(0).cast(), 3 * PAGE as usize);
        loan.filled(got as u64);
        drop(loan);
        assert_eq!(f.seen(), [(0, 20, true)]);
        // Closed again.
        f.at(0).read_volatile();
        assert_eq!(f.seen(), [(0, 1, false)]);
        libc::close(pipe[0]);
        libc::close(pipe[1]);
    }
}

#[test]
fn memory_that_is_not_watched_is_not_lent() {
    let f = Fixture::new(1);
    let local = [0u8; 64];
    assert!(lend(local.as_ptr() as u64, 64, false).is_none() && lend(f.base, 0, true).is_none());
    f.watch.quiet();
    // Open, but others may close it while the call goes on.
    let loan = lend(f.base, 8, false).unwrap();
    f.watch.submitted(None);
    f.watch.guard();
    // SAFETY: the fixture's memory.
    unsafe { f.at(0).read_volatile() };
    assert_eq!(f.seen(), []);
    drop(loan);
    // SAFETY: as above.
    unsafe { f.at(0).read_volatile() };
    assert_eq!(f.seen().len(), 1);
}
