//! The wrapper that host code hands to `__cudaRegisterFatBinary`.
//!
//! 24 bytes in `.nvFatBinSegment`: magic, version, address of the fat binary, and a second address. In version 1 the second one is of no use here; in
//! version 2 (nvcc `-rdc=true`) it is that of the *prelinked list*: addresses of the fat binaries of the units that were linked, ended by a zero address.

use crate::{Error, bytes};

/// A wrapper, with addresses as numbers: whoever has the memory follows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// 1 or 2.
    pub version: u32,
    /// Address of the fat binary.
    pub data: u64,
    /// Address of the list of prelinked fat binaries: only in version 2, and only if it is not zero.
    pub prelinked: Option<u64>,
}

impl Wrapper {
    /// Size in bytes.
    pub const SIZE: usize = 24;
    /// The first four bytes, little-endian.
    pub const MAGIC: u32 = 0x4662_43b1;

    /// Reads a wrapper.
    pub fn parse(wrapper: &[u8]) -> Result<Wrapper, Error> {
        const WHAT: &str = "a fat binary wrapper";
        let magic = bytes::u32(wrapper, 0, WHAT)?;
        if magic != Self::MAGIC {
            return Err(Error::malformed(0, format!("{magic:#010x} is not the magic number of a fat binary wrapper")));
        }
        let version = bytes::u32(wrapper, 4, WHAT)?;
        if !(1..=2).contains(&version) {
            return Err(Error::malformed(4, format!("fat binary wrappers of version {version} are not known")));
        }
        let list = bytes::u64(wrapper, 16, WHAT)?;
        Ok(Wrapper {
            version,
            data: bytes::u64(wrapper, 8, WHAT)?,
            prelinked: (version == 2 && list != 0).then_some(list),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapper(version: u32, list: u64) -> Vec<u8> {
        [&Wrapper::MAGIC.to_le_bytes()[..], &version.to_le_bytes(), &0x1000_u64.to_le_bytes(), &list.to_le_bytes()]
            .concat()
    }

    #[test]
    fn only_version_2_has_a_list() {
        assert_eq!(Wrapper::parse(&wrapper(1, 7)).unwrap().prelinked, None);
        assert_eq!(Wrapper::parse(&wrapper(2, 0)).unwrap().prelinked, None);
        let two = Wrapper::parse(&wrapper(2, 0x2000)).unwrap();
        assert_eq!((two.data, two.prelinked), (0x1000, Some(0x2000)));
    }

    #[test]
    fn damage_is_located() {
        assert_eq!(Wrapper::parse(&wrapper(3, 0)).unwrap_err().offset, 4);
        assert_eq!(Wrapper::parse(&wrapper(2, 0)[..20]).unwrap_err().offset, 16);
        assert_eq!(Wrapper::parse(b"\x7fELF....").unwrap_err().offset, 0);
    }
}
