//! Texture and surface objects (CUDA Runtime API, "Texture Object Management", "Surface Object Management").

use super::Device;
use crate::status::Status;
use crate::texture::{self, ArrayFlags, Format, Object, ObjectKind, Reading, Region, Resource, Sampler, View};

/// Alignment of memory that textures read, in bytes (attribute `cudaDevAttrTextureAlignment`).
const ALIGNMENT: u64 = 512;
/// That of rows (`cudaDevAttrTexturePitchAlignment`).
const PITCH_ALIGNMENT: u64 = 32;
/// Texels of linear memory (`cudaDevAttrMaxTexture1DLinearWidth`).
pub(crate) const LINEAR_TEXELS: u64 = 268_435_456;
/// Width, height and pitch in bytes of pitched memory.
const PITCHED: [u64; 3] = [131_072, 65_000, 2_097_120];
/// Objects that may wait for the device to rest before they are dropped.
const RETIRED: usize = 64;

/// What an object is made of, worked out.
struct Texels {
    levels: Vec<Region>,
    layers: u32,
    format: Format,
    is_linear: bool,
}

impl Device {
    /// `cudaCreateTextureObject`.
    ///
    /// # Errors
    /// 1 for what does not fit together; 26 for linear filtering of what is no number, 27 for fractions of what has none; 2 when there are
    /// too many.
    pub fn texture_create(&self, resource: Resource, sampler: Sampler, view: Option<View>) -> Result<u64, Status> {
        let texels = self.texels(&resource, view.as_ref())?;
        let element = texels.format.element;
        let fraction = texels.format.fraction || (sampler.fraction && element.may_be_fraction());
        if sampler.fraction && !fraction && !element.is_float() {
            return Err(Status(27)); // cudaErrorInvalidNormSetting
        }
        let filters = !texels.is_linear && (sampler.linear || (sampler.mip_linear && texels.levels.len() > 1));
        if filters && !element.is_float() && !fraction {
            return Err(Status(26)); // cudaErrorInvalidFilterSetting
        }
        let reading = match (fraction, sampler.srgb) {
            (false, _) => Reading::Element,
            (true, true) if element == texture::Element::Unsigned8 => Reading::Srgb,
            (true, _) => Reading::Fraction,
        };
        self.object_insert(ObjectKind::Texture(sampler), resource, view, texels, reading)
    }

    /// `cudaCreateSurfaceObject`.
    ///
    /// # Errors
    /// 1 unless it is an array that was made for surfaces; 2 when there are too many.
    pub fn surface_create(&self, resource: Resource) -> Result<u64, Status> {
        let Resource::Array { array, .. } = &resource else { return Err(Status::INVALID_VALUE) };
        if !array.shape.flags.has(ArrayFlags::SURFACE) {
            return Err(Status::INVALID_VALUE);
        }
        let texels = self.texels(&resource, None)?;
        self.object_insert(ObjectKind::Surface, resource, None, texels, Reading::Element)
    }

    fn object_insert(
        &self,
        kind: ObjectKind,
        resource: Resource,
        view: Option<View>,
        texels: Texels,
        reading: Reading,
    ) -> Result<u64, Status> {
        self.healthy()?;
        let Texels { levels, layers, format, is_linear } = texels;
        let object = Object { handle: 0, kind, resource, view, format, reading, levels, layers, is_linear };
        self.objects.lock().insert(Box::new(object)).ok_or(Status::MEMORY_ALLOCATION)
    }

    /// Destroys an object; false if there is none of that handle, or it is of the other kind. Programs do so right behind a launch that
    /// uses it, so this waits for all work, as freeing memory does.
    pub fn texture_destroy(&self, handle: u64, surface: bool) -> bool {
        if self.texture_object(handle, surface, |_| ()).is_none() {
            return false;
        }
        let _ = self.drain();
        let mut objects = self.objects.lock();
        let known = objects.remove(handle);
        if objects.retired() >= RETIRED {
            // Nothing begins to run while the engine is looked at.
            self.engine.look(|state| {
                if state.quiet() {
                    objects.sweep();
                }
            });
        }
        known
    }

    /// Looks at a live object of this device.
    pub fn texture_object<R>(&self, handle: u64, surface: bool, look: impl FnOnce(&Object) -> R) -> Option<R> {
        let objects = self.objects.lock();
        if !objects.owns(handle) {
            return None;
        }
        // SAFETY: the lock is held as long as the reference.
        let object = unsafe { texture::find(handle) }?;
        (matches!(object.kind, ObjectKind::Surface) == surface).then(|| look(object))
    }

    /// All objects are gone. Nothing runs.
    pub(super) fn forget_objects(&self) {
        let mut objects = self.objects.lock();
        objects.clear();
        objects.sweep();
    }

    /// Where a resource's texels are.
    fn texels(&self, resource: &Resource, view: Option<&View>) -> Result<Texels, Status> {
        let (levels, layers, format, is_linear) = match resource {
            Resource::Array { array, level, .. } => {
                let region = *array.levels().get(*level as usize).ok_or(Status::INVALID_VALUE)?;
                (vec![region], array.layers(), array.shape.format, false)
            }
            Resource::Mipmapped { array, .. } => (array.levels().to_vec(), array.layers(), array.shape.format, false),
            &Resource::Linear { address, format, bytes } => {
                let width = bytes / u64::from(format.bytes());
                self.check_range(address, bytes)?;
                if width == 0 || width > LINEAR_TEXELS {
                    return Err(Status::INVALID_VALUE);
                }
                let region =
                    Region { base: address, width: width as u32, height: 1, depth: 1, pitch: bytes, slice: bytes };
                (vec![region], 1, format, true)
            }
            &Resource::Pitched { address, format, width, height, pitch } => {
                let row = width.saturating_mul(u64::from(format.bytes()));
                let within = width <= PITCHED[0] && height <= PITCHED[1] && pitch <= PITCHED[2];
                if width == 0 || height == 0 || row > pitch || !within || !pitch.is_multiple_of(PITCH_ALIGNMENT) {
                    return Err(Status::INVALID_VALUE);
                }
                self.check_range(address, pitch * (height - 1) + row)?;
                let slice = pitch * height;
                let region =
                    Region { base: address, width: width as u32, height: height as u32, depth: 1, pitch, slice };
                (vec![region], 1, format, false)
            }
        };
        let texels = Texels { levels, layers, format, is_linear };
        match view {
            Some(view) => texels.part(resource, view),
            None => Ok(texels),
        }
    }

    /// Whether textures may read that memory.
    fn check_range(&self, address: u64, bytes: u64) -> Result<(), Status> {
        let legal = address.is_multiple_of(ALIGNMENT) && self.memory().is_device_accessible(address, bytes);
        if legal { Ok(()) } else { Err(Status::INVALID_VALUE) }
    }
}

impl Texels {
    /// What a view (`cudaResourceViewDesc`) shows of an array.
    fn part(mut self, resource: &Resource, view: &View) -> Result<Self, Status> {
        if !matches!(resource, Resource::Array { .. } | Resource::Mipmapped { .. }) {
            return Err(Status::INVALID_VALUE);
        }
        let Some(format) = view.format else { return Ok(self) };
        let base = self.levels.first().copied().ok_or(Status::INVALID_VALUE)?;
        let [first, last] = view.levels.map(|level| level as usize);
        let [top, bottom] = view.layers;
        let fits = format.bytes() == self.format.bytes()
            && view.extent[0] == u64::from(base.width)
            && view.extent[1].max(1) == u64::from(base.height)
            && first <= last
            && last < self.levels.len()
            && top <= bottom
            && bottom < self.layers;
        if !fits {
            return Err(Status::INVALID_VALUE);
        }
        self.format = format;
        self.levels = self.levels[first..=last].to_vec();
        for level in &mut self.levels {
            level.base += level.slice * u64::from(top);
        }
        self.layers = bottom - top + 1;
        Ok(self)
    }
}
