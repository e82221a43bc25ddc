//! Shapes of copies and sets (CUDA Runtime API, memory management). launch-model.md section 2.5.

/// `cudaMemcpyKind`. Addresses are unified, so that it only decides what is checked and who is synchronised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Host to host.
    HostToHost,
    /// Host to device.
    HostToDevice,
    /// Device to host.
    DeviceToHost,
    /// Device to device.
    DeviceToDevice,
    /// Told from the addresses.
    Default,
}

/// Whether the call is one of the `…Async` ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Without `Async`: in the stream's order, synchronising the host as section 2.5 says.
    Sync,
    /// `…Async`.
    Async,
}

/// A copy of `depth` slices of `height` rows of `width` bytes.
#[derive(Clone, Copy, Debug)]
pub struct Copy3d {
    /// First byte written.
    pub destination: u64,
    /// Bytes from row to row there.
    pub destination_pitch: u64,
    /// Rows from slice to slice there.
    pub destination_rows: u64,
    /// First byte read.
    pub source: u64,
    /// Bytes from row to row there.
    pub source_pitch: u64,
    /// Rows from slice to slice there.
    pub source_rows: u64,
    /// Bytes a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Slices.
    pub depth: u64,
}

impl Copy3d {
    /// A copy of bytes that lie one behind the other.
    pub fn linear(destination: u64, source: u64, bytes: u64) -> Self {
        Self {
            destination,
            destination_pitch: bytes,
            destination_rows: 1,
            source,
            source_pitch: bytes,
            source_rows: 1,
            width: bytes,
            height: 1,
            depth: 1,
        }
    }
}

/// A set of `depth` slices of `height` rows of `width` elements.
#[derive(Clone, Copy, Debug)]
pub struct Fill3d {
    /// First byte written.
    pub destination: u64,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Rows from slice to slice.
    pub rows: u64,
    /// What to write.
    pub value: u32,
    /// Bytes an element: 1, 2 or 4.
    pub element: u32,
    /// Elements a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Slices.
    pub depth: u64,
}
