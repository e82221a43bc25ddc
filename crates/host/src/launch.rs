//! Launches with attributes.
//!
//! Rules kept here: the arguments must be as many and as large as the kernel declares; a programmatic edge is accepted only towards a
//! kernel that contains a wait, for without one it orders nothing; memory under a guard is not given to the device.

use std::ffi::c_void;

use cudarc::driver::sys::{
    self, CUlaunchAttribute, CUlaunchAttributeID as Id, CUlaunchAttributeValue, CUlaunchConfig, CUstream,
};

use crate::argument::{Packed, Told};
use crate::driver::check;
use crate::module::none;
use crate::{Arguments, Error, Event, Kernel, Result, Stream};

/// Extents in up to three dimensions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Shape(pub u32, pub u32, pub u32);

impl From<u32> for Shape {
    fn from(x: u32) -> Self {
        Self(x, 1, 1)
    }
}

impl From<(u32, u32)> for Shape {
    fn from((x, y): (u32, u32)) -> Self {
        Self(x, y, 1)
    }
}

impl From<(u32, u32, u32)> for Shape {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self(x, y, z)
    }
}

/// How a kernel is to be launched. It may be launched many times.
#[derive(Clone)]
#[must_use = "nothing is launched before `on`"]
pub struct Launch {
    kernel: Kernel,
    grid: Shape,
    block: Shape,
    shared_bytes: u32,
    programmatic: bool,
    attributes: Vec<CUlaunchAttribute>,
}

impl Launch {
    pub(crate) fn new(kernel: Kernel, grid: Shape, block: Shape) -> Self {
        Self { kernel, grid, block, shared_bytes: 0, programmatic: false, attributes: Vec::new() }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Dynamic shared memory in bytes.
    pub fn shared(mut self, bytes: u32) -> Self {
        self.shared_bytes = bytes;
        self
    }

    /// May start when all blocks of the kernel in front have triggered or exited (programmatic dependent launch).
    ///
    /// # Errors
    ///
    /// [`Error::NoWait`] if the kernel certainly never waits.
    pub fn programmatic(mut self) -> Result<Self> {
        if self.kernel.waits() == Some(false) {
            return Err(Error::NoWait { kernel: self.kernel.name().to_owned() });
        }
        self.programmatic = true;
        Ok(self)
    }

    fn with(mut self, id: Id, set: impl FnOnce(&mut CUlaunchAttributeValue)) -> Self {
        let mut value = CUlaunchAttributeValue { pad: [0; 64] };
        set(&mut value);
        self.attributes.push(CUlaunchAttribute { id, pad: [0; 4], value });
        self
    }

    /// All blocks resident at once; refused by the device if they do not fit.
    pub fn cooperative(self) -> Self {
        self.with(Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, |value| value.cooperative = 1)
    }

    /// Blocks in clusters of that shape, resident together.
    pub fn clusters(self, shape: impl Into<Shape>) -> Self {
        let Shape(x, y, z) = shape.into();
        self.with(Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, |value| {
            value.clusterDim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
        })
    }

    /// Its blocks come before those of kernels with a higher number.
    pub fn priority(self, priority: i32) -> Self {
        self.with(Id::CU_LAUNCH_ATTRIBUTE_PRIORITY, |value| value.priority = priority)
    }

    /// `event` is recorded when all blocks have triggered or exited. That is not completion: another stream's kernel behind it must wait.
    /// The event must be one without timing.
    pub fn records_when_triggered(self, event: &Event) -> Self {
        self.with(Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, |value| {
            value.programmaticEvent = sys::CUlaunchAttributeValue_union__bindgen_ty_2 {
                event: event.handle(),
                flags: 0,
                triggerAtBlockStart: 0,
            };
        })
    }

    /// `event` is recorded when all blocks have started.
    pub fn records_when_started(self, event: &Event) -> Self {
        self.with(Id::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, |value| {
            value.launchCompletionEvent =
                sys::CUlaunchAttributeValue_union__bindgen_ty_3 { event: event.handle(), flags: 0 };
        })
    }

    /// Launches.
    ///
    /// # Safety
    ///
    /// The kernel gets the arguments' bytes: they must be of the types that it declares. It keeps within the memory that they name,
    /// writes only what was given as `&mut` or by address, and all of that memory outlives its completion. ([`crate::DeviceBuffer`], [`crate::Mapped`]
    /// wait when they are dropped.)
    #[inline(always)]
    pub unsafe fn on(&self, stream: &Stream, arguments: &impl Arguments) -> Result<()> {
        let (mut pointers, mut sizes) = (Vec::with_capacity(12), Vec::with_capacity(12));
        let mut told = Told::default();
        arguments.each(&mut |argument| {
            let (place, size) = argument.place();
            pointers.push(place.cast_mut());
            sizes.push(size);
            argument.uses(&mut told);
        });
        self.kernel.expect(&sizes)?;
        told.allow()?;
        // SAFETY: the caller's promise; as many pointers as the kernel has parameters.
        unsafe { self.submit(stream.handle(), &mut pointers, self.programmatic) }?;
        told.mark(stream.id(), self.kernel.device().submit());
        Ok(())
    }

    /// Launches with arguments that were packed before; `programmatic` besides what was asked for.
    ///
    /// # Safety
    /// As for [`Launch::on`].
    pub(crate) unsafe fn repeat(&self, stream: CUstream, packed: &Packed, programmatic: bool) -> Result<()> {
        // SAFETY: the caller's promise; `Chain` has compared the sizes.
        unsafe { self.submit(stream, &mut packed.pointers(), programmatic || self.programmatic) }
    }

    /// # Safety
    /// As for [`Launch::on`]; `pointers` has one entry a parameter.
    unsafe fn submit(&self, stream: CUstream, pointers: &mut [*mut c_void], programmatic: bool) -> Result<()> {
        let mut attributes = self.attributes.clone();
        if programmatic {
            let mut value = CUlaunchAttributeValue { pad: [0; 64] };
            value.programmaticStreamSerializationAllowed = 1;
            let id = Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
            attributes.push(CUlaunchAttribute { id, pad: [0; 4], value });
        }
        let config = CUlaunchConfig {
            gridDimX: self.grid.0,
            gridDimY: self.grid.1,
            gridDimZ: self.grid.2,
            blockDimX: self.block.0,
            blockDimY: self.block.1,
            blockDimZ: self.block.2,
            sharedMemBytes: self.shared_bytes,
            hStream: stream,
            attrs: attributes.as_mut_ptr(),
            numAttrs: attributes.len() as u32,
        };
        self.kernel.device().bind()?;
        self.kernel.device().note_kernel();
        // SAFETY: the configuration and its lists live during the call; the rest is the caller's promise.
        let answer = unsafe { sys::cuLaunchKernelEx(&config, self.kernel.handle(), pointers.as_mut_ptr(), none()) };
        check("cuLaunchKernelEx", answer)
    }

    /// Whether a programmatic edge to it makes sense.
    pub(crate) fn can_follow_early(&self) -> bool {
        self.kernel.waits() == Some(true)
    }

    pub(crate) fn expect(&self, packed: &Packed) -> Result<()> {
        self.kernel.expect(packed.sizes())
    }
}

impl std::fmt::Debug for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}<<<{:?}, {:?}>>>", self.kernel.name(), self.grid, self.block)
    }
}
