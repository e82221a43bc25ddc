//! Compute capabilities, and which code runs on which device.
//!
//! CUDA Programming Guide, "Compute Capability and Streaming Multiprocessor Versions" and "Family-Specific / Architecture-Specific
//! Features": PTX for `compute_X` can be compiled for any device of capability >= X; for `compute_Xa` only for exactly X; for
//! `compute_Xf` for X and later ones of the same family.

use std::fmt;

/// Which devices besides its own an architecture's code is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variant {
    /// `sm_90`: this and all later devices (PTX).
    #[default]
    Baseline,
    /// `sm_100f`: this device and later ones of its family.
    Family,
    /// `sm_90a`: exactly this device.
    Specific,
}

/// A compute capability as nvcc spells it: `sm_90a` is number 90, [`Variant::Specific`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Architecture {
    /// Ten times the major capability plus the minor one.
    pub number: u32,
    /// The suffix.
    pub variant: Variant,
}

impl Architecture {
    /// The device that Hotfire is: an H200, compute capability 9.0.
    pub const DEVICE: Architecture = Architecture::baseline(90);

    /// `sm_{number}`.
    pub const fn baseline(number: u32) -> Self {
        Self { number, variant: Variant::Baseline }
    }

    /// Whether PTX for this architecture may be compiled for a device of capability `device`.
    pub fn ptx_runs_on(self, device: Architecture) -> bool {
        match self.variant {
            Variant::Baseline => self.number <= device.number,
            Variant::Family => self.number <= device.number && self.number / 10 == device.number / 10,
            Variant::Specific => self.number == device.number,
        }
    }

    fn suffix(self) -> &'static str {
        match self.variant {
            Variant::Baseline => "",
            Variant::Family => "f",
            Variant::Specific => "a",
        }
    }

    /// `compute_90a`, the name of PTX for it.
    pub fn virtual_name(self) -> String {
        format!("compute_{}{}", self.number, self.suffix())
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.number, self.suffix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_on_compute_capability_9_0() {
        let runs = |number, variant| Architecture { number, variant }.ptx_runs_on(Architecture::DEVICE);
        assert!(runs(52, Variant::Baseline) && runs(90, Variant::Baseline) && !runs(100, Variant::Baseline));
        assert!(runs(90, Variant::Specific) && !runs(80, Variant::Specific) && !runs(100, Variant::Specific));
        assert!(!runs(100, Variant::Family) && !runs(86, Variant::Family));
        let hopper = Architecture { number: 90, variant: Variant::Specific };
        assert_eq!((hopper.to_string(), hopper.virtual_name()), ("sm_90a".into(), "compute_90a".into()));
    }
}
