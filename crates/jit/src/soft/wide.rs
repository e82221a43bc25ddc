//! Atomics of 128 bits.

/// Whether the processor has them.
pub(crate) fn has_wide_atomics() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("cmpxchg16b");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

fn join(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// Answers the old value in `result`, and stores the new one if it is the expected one.
pub(crate) unsafe extern "C" fn compare_and_swap_wide(
    address: *mut u128,
    result: *mut [u64; 2],
    expected_low: u64,
    expected_high: u64,
    low: u64,
    high: u64,
) -> u64 {
    // SAFETY: generated code gives the address of 16 aligned bytes that are there, and a buffer of its own.
    unsafe {
        let old = swap(address, join(expected_low, expected_high), join(low, high));
        *result = [old as u64, (old >> 64) as u64];
    }
    0
}

/// Answers the old value in `result`, and stores the new one.
pub(crate) unsafe extern "C" fn exchange_wide(address: *mut u128, result: *mut [u64; 2], low: u64, high: u64) -> u64 {
    let new = join(low, high);
    let mut expected = 0;
    // SAFETY: as above.
    unsafe {
        loop {
            let old = swap(address, expected, new);
            if old == expected {
                *result = [old as u64, (old >> 64) as u64];
                return 0;
            }
            expected = old;
        }
    }
}

/// # Safety
/// The address is that of 16 aligned bytes; the processor has the instruction.
#[cfg(target_arch = "x86_64")]
unsafe fn swap(address: *mut u128, expected: u128, new: u128) -> u128 {
    let (mut low, mut high) = (expected as u64, (expected >> 64) as u64);
    // SAFETY: the caller's promise; `rbx`, which the compiler keeps for itself, is as it was.
    unsafe {
        std::arch::asm!(
            "xchg {new}, rbx",
            "lock cmpxchg16b [{address}]",
            "mov rbx, {new}",
            address = in(reg) address,
            new = inout(reg) new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") low,
            inout("rdx") high,
            options(nostack),
        );
    }
    join(low, high)
}

/// Code that would call it is not made elsewhere.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn swap(_address: *mut u128, _expected: u128, new: u128) -> u128 {
    new
}
