//! Cubins: machine code, which this device does not run, and what to tell their owner.
//!
//! A cubin is an ELF file of machine 190 (`EM_CUDA`). Its architecture stands in `e_flags`: bits 8 to 15 since ABI version 8, bits 0 to 7 before.

use crate::Architecture;

const EM_CUDA: u16 = 190;

/// The architecture of the cubin whose first 64 bytes are given; `None` if they are not a cubin's.
pub fn architecture(header: &[u8]) -> Option<Architecture> {
    let header = header.first_chunk::<64>()?;
    let machine = u16::from_le_bytes([header[18], header[19]]);
    if !header.starts_with(b"\x7fELF\x02\x01") || machine != EM_CUDA {
        return None;
    }
    let flags = u32::from_le_bytes([header[48], header[49], header[50], header[51]]);
    let abi_version = header[8];
    Some(Architecture::baseline(if abi_version >= 8 { flags >> 8 & 0xff } else { flags & 0xff }))
}

/// What to say when there is no PTX to run.
///
/// `machine_code` and `ptx` are the architectures that were found; `device` is what they should run on.
pub fn advice(device: Architecture, machine_code: &[Architecture], ptx: &[Architecture]) -> String {
    let mut found = Vec::new();
    if !machine_code.is_empty() {
        let names: Vec<_> = machine_code.iter().map(Architecture::to_string).collect();
        found.push(format!("machine code for {}", names.join(", ")));
    }
    if !ptx.is_empty() {
        let names: Vec<_> = ptx.iter().map(|architecture| architecture.virtual_name()).collect();
        found.push(format!("PTX for {}", names.join(", ")));
    }
    let number = device.number;
    let found = if found.is_empty() { "nothing".to_string() } else { found.join(" and ") };
    format!(
        "no PTX that runs on compute capability {}.{}: found {found}; build with \
         `-gencode arch=compute_{number},code=compute_{number}` (or `-arch=sm_{number}`, which embeds PTX too)",
        number / 10,
        number % 10
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(abi_version: u8, flags: u32) -> Vec<u8> {
        let mut header = vec![0; 64];
        header[..6].copy_from_slice(b"\x7fELF\x02\x01");
        header[8] = abi_version;
        header[18..20].copy_from_slice(&EM_CUDA.to_le_bytes());
        header[48..52].copy_from_slice(&flags.to_le_bytes());
        header
    }

    #[test]
    fn architecture_of_cubins() {
        assert_eq!(architecture(&header(8, 0x0600_5a04)), Some(Architecture::baseline(90)));
        assert_eq!(architecture(&header(7, 0x0050_0550)), Some(Architecture::baseline(80)));
        assert_eq!(architecture(&header(8, 0)[..63]), None);
        let mut host = header(0, 0);
        host[18] = 62;
        assert_eq!(architecture(&host), None);
    }
}
