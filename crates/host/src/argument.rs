//! What may be an argument of a kernel, and which memory a launch therefore uses.

use std::ffi::c_void;
use std::mem;
use std::sync::Arc;

use crate::uses::{Kind, Uses};
use crate::{DeviceBuffer, FailureLedger, Mapped, Plain, Result};

/// One argument.
///
/// # Safety
///
/// `place` is the address of as many initialised bytes as it says, which live as long as the argument.
pub unsafe trait Argument {
    /// Where the value lies that the kernel gets, and its size in bytes.
    fn place(&self) -> (*const c_void, usize);

    /// Tells the uses of host memory that a launch with this argument has.
    #[doc(hidden)]
    fn uses(&self, _tell: &mut Told) {}
}

/// Host memory that a launch uses.
#[derive(Clone, Debug, Default)]
pub struct Told(Vec<(Arc<Uses>, Kind)>);

impl Told {
    pub(crate) fn allow(&self) -> Result<()> {
        self.0.iter().try_for_each(|(uses, kind)| uses.allow(*kind))
    }

    pub(crate) fn mark(&self, stream: u64, number: u64) {
        for (uses, kind) in &self.0 {
            uses.mark(*kind, stream, number);
        }
    }
}

// SAFETY: the value itself.
unsafe impl<T: Plain> Argument for T {
    fn place(&self) -> (*const c_void, usize) {
        ((&raw const *self).cast(), mem::size_of::<T>())
    }
}

// SAFETY: the address inside the buffer.
unsafe impl<T: Plain> Argument for &DeviceBuffer<T> {
    fn place(&self) -> (*const c_void, usize) {
        (self.address_place(), 8)
    }
}

// SAFETY: as above.
unsafe impl<T: Plain> Argument for &mut DeviceBuffer<T> {
    fn place(&self) -> (*const c_void, usize) {
        (self.address_place(), 8)
    }
}

// SAFETY: as above.
unsafe impl Argument for &FailureLedger {
    fn place(&self) -> (*const c_void, usize) {
        (self.address_place(), 8)
    }
}

// SAFETY: as above.
unsafe impl<T: Plain> Argument for &Mapped<T> {
    fn place(&self) -> (*const c_void, usize) {
        (self.address_place(), 8)
    }

    fn uses(&self, tell: &mut Told) {
        tell.0.push((Mapped::uses(self).clone(), Kind::Read));
    }
}

// SAFETY: as above.
unsafe impl<T: Plain> Argument for &mut Mapped<T> {
    fn place(&self) -> (*const c_void, usize) {
        (self.address_place(), 8)
    }

    fn uses(&self, tell: &mut Told) {
        tell.0.push((Mapped::uses(self).clone(), Kind::Write));
    }
}

/// All arguments of a kernel: a tuple of up to twelve.
pub trait Arguments {
    /// Calls `each` with every argument in order.
    fn each(&self, each: &mut dyn FnMut(&dyn Argument));
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Argument),*> Arguments for ($($name,)*) {
            #[expect(non_snake_case, reason = "a variable a type")]
            fn each(&self, _each: &mut dyn FnMut(&dyn Argument)) {
                let ($($name,)*) = self;
                $(_each($name);)*
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);

impl Arguments for () {
    fn each(&self, _: &mut dyn FnMut(&dyn Argument)) {}
}

/// Arguments copied for later launches.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    /// Each in its own room, aligned for whatever it is.
    values: Vec<Vec<u128>>,
    sizes: Vec<usize>,
    told: Told,
}

impl Packed {
    pub(crate) fn new(arguments: &impl Arguments) -> Self {
        let mut packed = Self { values: Vec::new(), sizes: Vec::new(), told: Told::default() };
        arguments.each(&mut |argument| {
            let (place, size) = argument.place();
            let mut room = vec![0u128; size.div_ceil(16)];
            // SAFETY: `place` has so many bytes, and so has the room.
            unsafe { std::ptr::copy_nonoverlapping(place.cast::<u8>(), room.as_mut_ptr().cast(), size) };
            packed.values.push(room);
            packed.sizes.push(size);
            argument.uses(&mut packed.told);
        });
        packed
    }

    pub(crate) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    pub(crate) fn pointers(&self) -> Vec<*mut c_void> {
        self.values.iter().map(|room| room.as_ptr().cast_mut().cast()).collect()
    }

    pub(crate) fn told(&self) -> &Told {
        &self.told
    }
}
