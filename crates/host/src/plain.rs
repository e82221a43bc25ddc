//! Types that may cross between host and device byte by byte.

/// Types without padding or niches: whatever bytes the device leaves are a value.
///
/// # Safety
///
/// Every pattern of bytes is a value of the type, it owns nothing, and it is laid out as the kernels declare it (`repr(C)`).
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain {
    ($($kind:ty)*) => { $(
        // SAFETY: a number of the machine.
        unsafe impl Plain for $kind {}
    )* };
}

plain!(u8 i8 u16 i16 u32 i32 u64 i64 usize isize f32 f64);

// SAFETY: elements of such a type, one after the other.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
