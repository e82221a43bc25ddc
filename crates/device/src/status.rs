//! What a call of the device answers: CUDA's error numbers, on which the driver and the runtime API agree
//! (CUDA Driver API, `CUresult`; CUDA Runtime API, `cudaError`).

use std::fmt;

/// A CUDA error number; 0 is success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[must_use]
pub struct Status(pub u32);

#[expect(missing_docs, reason = "named as CUDA names them")]
impl Status {
    pub const SUCCESS: Self = Self(0);
    pub const INVALID_VALUE: Self = Self(1);
    pub const MEMORY_ALLOCATION: Self = Self(2);
    pub const NOT_INITIALIZED: Self = Self(3);
    pub const DEINITIALIZED: Self = Self(4);
    pub const INVALID_CONFIGURATION: Self = Self(9);
    pub const INVALID_PITCH: Self = Self(12);
    pub const INVALID_SYMBOL: Self = Self(13);
    pub const INVALID_MEMCPY_DIRECTION: Self = Self(21);
    pub const LAUNCH_PENDING_COUNT_EXCEEDED: Self = Self(69);
    pub const INVALID_DEVICE_FUNCTION: Self = Self(98);
    pub const NO_DEVICE: Self = Self(100);
    pub const INVALID_DEVICE: Self = Self(101);
    pub const INVALID_IMAGE: Self = Self(200);
    pub const INVALID_CONTEXT: Self = Self(201);
    pub const NO_KERNEL_IMAGE: Self = Self(209);
    pub const UNSUPPORTED_LIMIT: Self = Self(215);
    pub const INVALID_PTX: Self = Self(218);
    pub const INVALID_SOURCE: Self = Self(300);
    pub const FILE_NOT_FOUND: Self = Self(301);
    pub const SHARED_OBJECT_SYMBOL_NOT_FOUND: Self = Self(302);
    pub const OPERATING_SYSTEM: Self = Self(304);
    pub const INVALID_RESOURCE_HANDLE: Self = Self(400);
    pub const ILLEGAL_STATE: Self = Self(401);
    pub const LOSSY_QUERY: Self = Self(402);
    pub const SYMBOL_NOT_FOUND: Self = Self(500);
    pub const NOT_READY: Self = Self(600);
    pub const ILLEGAL_ADDRESS: Self = Self(700);
    pub const LAUNCH_OUT_OF_RESOURCES: Self = Self(701);
    pub const LAUNCH_TIMEOUT: Self = Self(702);
    pub const HOST_MEMORY_ALREADY_REGISTERED: Self = Self(712);
    pub const HOST_MEMORY_NOT_REGISTERED: Self = Self(713);
    pub const ASSERT: Self = Self(710);
    pub const INVALID_ADDRESS_SPACE: Self = Self(717);
    pub const LAUNCH_FAILURE: Self = Self(719);
    pub const COOPERATIVE_LAUNCH_TOO_LARGE: Self = Self(720);
    pub const NOT_PERMITTED: Self = Self(800);
    pub const NOT_SUPPORTED: Self = Self(801);
    pub const STREAM_CAPTURE_UNSUPPORTED: Self = Self(900);
    pub const STREAM_CAPTURE_INVALIDATED: Self = Self(901);
    pub const STREAM_CAPTURE_MERGE: Self = Self(902);
    pub const STREAM_CAPTURE_UNMATCHED: Self = Self(903);
    pub const STREAM_CAPTURE_UNJOINED: Self = Self(904);
    pub const STREAM_CAPTURE_ISOLATION: Self = Self(905);
    pub const STREAM_CAPTURE_IMPLICIT: Self = Self(906);
    pub const CAPTURED_EVENT: Self = Self(907);
    pub const STREAM_CAPTURE_WRONG_THREAD: Self = Self(908);
    pub const GRAPH_EXEC_UPDATE_FAILURE: Self = Self(910);
    pub const INVALID_CLUSTER_SIZE: Self = Self(912);
    pub const UNKNOWN: Self = Self(999);
}

impl Status {
    /// True for 0.
    pub fn is_success(self) -> bool {
        self == Self::SUCCESS
    }

    /// `Err` unless success, for `?`.
    ///
    /// # Errors
    /// The status itself.
    pub fn ok(self) -> Result<(), Self> {
        if self.is_success() { Ok(()) } else { Err(self) }
    }
}

impl Status {
    /// `cudaErrorInvalidValue (1)`
    pub(crate) fn named(self) -> String {
        let name = crate::error::runtime_name(self.0).map_or("error".into(), |name| name.to_string_lossy());
        format!("{name} ({})", self.0)
    }
}

impl From<Result<(), Status>> for Status {
    fn from(result: Result<(), Status>) -> Self {
        result.err().unwrap_or(Self::SUCCESS)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CUDA error {}", self.0)
    }
}

impl std::error::Error for Status {}
