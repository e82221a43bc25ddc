//! Which device this is (`hotfire run --profile`): what differs between devices of compute capability 7.5 to 9.0.
//!
//! Limits are those of the CUDA Programming Guide's table of compute capabilities; counts, clocks and sizes those of the products' data
//! sheets. Device memory of all but the H200, whose number is measured, is the nominal one.

use std::sync::OnceLock;

/// What differs from device to device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The name that programs print.
    pub name: String,
    /// Ten times the major compute capability and the minor one.
    pub capability: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Threads a multiprocessor.
    pub threads_per_multiprocessor: u32,
    /// Blocks a multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// Bytes of shared memory a multiprocessor.
    pub shared_per_multiprocessor: u32,
    /// Bytes of device memory.
    pub memory: u64,
    /// Clock in kHz.
    pub clock_khz: u32,
    /// Memory clock in kHz.
    pub memory_clock_khz: u32,
    /// Width of the memory bus in bits.
    pub memory_bus_bits: u32,
    /// Bytes of L2 cache.
    pub l2_bytes: u32,
}

/// The names that need no file.
pub const NAMES: [&str; 4] = ["h200", "a100", "rtx4090", "t4"];
/// Blocks that may be resident: more have no shared windows.
const MOST_BLOCKS: u32 = 8000;

impl Profile {
    /// The device of a name.
    pub fn named(name: &str) -> Option<Self> {
        let of = |name: &str, capability, multiprocessors, memory| {
            let (threads, blocks, shared) = limits(capability)?;
            Some(Self {
                name: name.into(),
                capability,
                multiprocessors,
                threads_per_multiprocessor: threads,
                blocks_per_multiprocessor: blocks,
                shared_per_multiprocessor: shared,
                memory,
                clock_khz: 1_980_000,
                memory_clock_khz: 3_201_000,
                memory_bus_bits: 6144,
                l2_bytes: 62_914_560,
            })
        };
        let with = |profile: Option<Self>, clock_khz, memory_clock_khz, memory_bus_bits, l2_bytes| {
            Some(Self { clock_khz, memory_clock_khz, memory_bus_bits, l2_bytes, ..profile? })
        };
        match name {
            "h200" => of("NVIDIA H200", 90, 132, 150_110_011_392),
            "a100" => with(of("NVIDIA A100-SXM4-80GB", 80, 108, 80 << 30), 1_410_000, 1_593_000, 5120, 40 << 20),
            "rtx4090" => with(of("NVIDIA GeForce RTX 4090", 89, 128, 24 << 30), 2_520_000, 10_501_000, 384, 72 << 20),
            "t4" => with(of("Tesla T4", 75, 40, 16 << 30), 1_590_000, 5_001_000, 256, 4 << 20),
            _ => None,
        }
    }

    /// A device that a text describes: lines `key = value`, `#` begins a comment. `base` names the device that the rest is taken from
    /// (h200 if nothing else is said); a `capability` brings its limits. Keys are those of this structure.
    ///
    /// # Errors
    /// The line that means nothing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lines =
            || text.lines().map(|line| line.split('#').next().unwrap_or("").trim()).filter(|line| !line.is_empty());
        let pair = |line: &'_ str| -> Option<(String, String)> {
            let (key, value) = line.split_once('=')?;
            Some((key.trim().into(), value.trim().trim_matches('"').into()))
        };
        let mut profile = Self::named("h200").ok_or("there is no base")?;
        let of = |wanted: &str| lines().filter_map(pair).find(|(key, _)| key == wanted).map(|(_, value)| value);
        if let Some(base) = of("base") {
            profile = Self::named(&base).ok_or_else(|| format!("base = {base}: one of {}", NAMES.join(", ")))?;
        }
        if let Some(capability) = of("capability") {
            let known = capability.replace('.', "").parse().ok().and_then(|number| Some((number, limits(number)?)));
            let (number, (threads, blocks, shared)) =
                known.ok_or_else(|| format!("capability = {capability}: 7.5 to 9.0 are known"))?;
            (profile.capability, profile.threads_per_multiprocessor) = (number, threads);
            (profile.blocks_per_multiprocessor, profile.shared_per_multiprocessor) = (blocks, shared);
        }
        for line in lines() {
            let (key, value) = pair(line).ok_or_else(|| format!("{line}: no `key = value`"))?;
            let number = || size(&value).filter(|&number| number > 0).ok_or_else(|| format!("{line}: no number"));
            let small = || number()?.try_into().map_err(|_| format!("{line}: too large"));
            match key.as_str() {
                "base" | "capability" => {}
                "name" => profile.name = value.clone(),
                "multiprocessors" => profile.multiprocessors = small()?,
                "threads_per_multiprocessor" => profile.threads_per_multiprocessor = small()?,
                "blocks_per_multiprocessor" => profile.blocks_per_multiprocessor = small()?,
                "shared_per_multiprocessor" => profile.shared_per_multiprocessor = small()?,
                "memory" => profile.memory = number()?,
                "clock_khz" => profile.clock_khz = small()?,
                "memory_clock_khz" => profile.memory_clock_khz = small()?,
                "memory_bus_bits" => profile.memory_bus_bits = small()?,
                "l2_bytes" => profile.l2_bytes = small()?,
                _ => return Err(format!("{line}: there is no such key")),
            }
        }
        let blocks = profile.multiprocessors.checked_mul(profile.blocks_per_multiprocessor);
        let sound = blocks.is_some_and(|blocks| blocks <= MOST_BLOCKS)
            && (1024..=2048).contains(&profile.threads_per_multiprocessor)
            && ((49 << 10)..=(228 << 10)).contains(&profile.shared_per_multiprocessor);
        if sound {
            Ok(profile)
        } else {
            Err("no such device can be: too many blocks, or too little of something".into())
        }
    }

    /// Bytes of shared memory that each block costs besides its own.
    pub fn shared_reserved_per_block(&self) -> u32 {
        if self.capability >= 80 { 1024 } else { 0 }
    }

    /// Bytes of shared memory a block may ask for by opt-in.
    pub fn shared_per_block_optin(&self) -> u32 {
        self.shared_per_multiprocessor - self.shared_reserved_per_block()
    }

    /// Blocks of the largest cluster; 1 where there are none.
    pub fn largest_cluster(&self) -> u32 {
        if self.capability >= 90 { 16 } else { 1 }
    }
}

/// Threads, blocks and bytes of shared memory of a multiprocessor, by compute capability.
fn limits(capability: u32) -> Option<(u32, u32, u32)> {
    Some(match capability {
        75 => (1024, 16, 64 << 10),
        80 => (2048, 32, 164 << 10),
        86 => (1536, 16, 100 << 10),
        87 => (1536, 16, 164 << 10),
        89 => (1536, 24, 100 << 10),
        90 => (2048, 32, 228 << 10),
        _ => return None,
    })
}

/// A number of bytes or of anything: `24G`, `512M`, `64K`, `1000`.
pub fn size(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches(['B', 'b']).trim_end_matches('i');
    let (digits, shift) = match text.char_indices().next_back()? {
        (at, 'K' | 'k') => (&text[..at], 10),
        (at, 'M' | 'm') => (&text[..at], 20),
        (at, 'G' | 'g') => (&text[..at], 30),
        (at, 'T' | 't') => (&text[..at], 40),
        _ => (text, 0),
    };
    let digits: u64 = digits.trim().replace('_', "").parse().ok()?;
    digits.checked_mul(1 << shift)
}

/// What `HOTFIRE_PROFILE` says this device is: a name, or a file.
pub fn profile() -> &'static Profile {
    static PROFILE: OnceLock<Profile> = OnceLock::new();
    PROFILE.get_or_init(|| {
        let word = std::env::var("HOTFIRE_PROFILE").unwrap_or_else(|_| "h200".into());
        let found = Profile::named(&word).map_or_else(
            || {
                let text = std::fs::read_to_string(&word);
                let text = text.map_err(|error| format!("{error}; known names are {}", NAMES.join(", ")))?;
                Profile::parse(&text)
            },
            Ok,
        );
        found.unwrap_or_else(|error| {
            eprintln!("hotfire: no profile {word}: {error}");
            std::process::exit(125)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_guides_limits() {
        let of = |name: &str| {
            let it = Profile::named(name).expect("it is known");
            (it.capability, it.multiprocessors, it.threads_per_multiprocessor, it.shared_per_block_optin() >> 10)
        };
        assert_eq!(of("h200"), (90, 132, 2048, 227));
        assert_eq!(of("a100"), (80, 108, 2048, 163));
        assert_eq!(of("rtx4090"), (89, 128, 1536, 99));
        assert_eq!(of("t4"), (75, 40, 1024, 64));
        assert!(NAMES.iter().all(|name| Profile::named(name).is_some()) && Profile::named("h2").is_none());
    }

    #[test]
    fn files_change_a_base() {
        let text = "# half of one\nbase = t4\nname = \"Half a T4\"\nmultiprocessors = 20\nmemory = 8G # bytes\n";
        let half = Profile::parse(text).expect("it is a profile");
        assert_eq!(
            (half.name.as_str(), half.capability, half.multiprocessors, half.memory),
            ("Half a T4", 75, 20, 8 << 30)
        );
        let ampere = Profile::parse("multiprocessors = 8\ncapability = 8.6").expect("it is a profile");
        assert_eq!((ampere.capability, ampere.blocks_per_multiprocessor), (86, 16));
        for wrong in [
            "base = h300",
            "capability = 12.0",
            "speed = 9",
            "multiprocessors",
            "memory = much",
            "multiprocessors = 100000",
        ] {
            assert!(Profile::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_have_suffixes() {
        assert_eq!(["1000", "64K", "2GiB", "1_0M"].map(size), [Some(1000), Some(65536), Some(2 << 30), Some(10 << 20)]);
        assert!(["", "G", "-1", "1.5G", "99999999999T"].iter().all(|text| size(text).is_none()));
    }
}
