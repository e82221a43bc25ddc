//! Launches: from C's arguments to a parameter block and the attributes that the device knows.

use std::ffi::c_void;
use std::sync::Arc;

use hotfire_device::{Device, Event, Function, LaunchAttributes, LaunchConfig, Status, Stream};

use crate::code::KERNELS;
use crate::notice;
use crate::types::{Attribute, Handle, number};

/// Most attributes that one launch may carry: a bound for a count that a program hands in.
const MOST_ATTRIBUTES: u32 = 64;
/// Parameter blocks up to this size are built without allocating.
const SMALL: usize = 256;

/// How to launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u64,
    pub stream: Stream,
}

/// Where the parameters are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parameters {
    /// An array of pointers, one a parameter.
    Each(*const *const c_void),
    /// `extra`: a list of names and values that ends with null (`CU_LAUNCH_PARAM_…`).
    Packed(*const *const c_void),
}

/// The device's function behind a kernel handle.
pub(crate) fn function(kernel: Handle) -> Result<Arc<Function>, Status> {
    KERNELS.get(kernel)?.function()
}

/// Launches; the parameters are copied before this returns.
pub(crate) fn launch(
    kernel: Handle,
    shape: &Shape,
    parameters: Parameters,
    attributes: LaunchAttributes,
) -> Result<(), Status> {
    let function = function(kernel)?;
    let config = LaunchConfig {
        grid: shape.grid,
        block: shape.block,
        dynamic_shared: u32::try_from(shape.shared).map_err(|_| Status::INVALID_VALUE)?,
        stream: shape.stream,
        handle: kernel as u64,
        attributes,
    };
    let bytes = function.parameter_bytes() as usize;
    let mut small = [0u8; SMALL];
    let mut large = Vec::new();
    let block = if bytes <= SMALL {
        &mut small[..bytes]
    } else {
        large.resize(bytes, 0);
        &mut large[..]
    };
    fill(&function, parameters, block)?;
    Device::get().launch(&function, &config, block).ok()
}

/// Fills a parameter block.
pub(crate) fn fill(function: &Function, parameters: Parameters, block: &mut [u8]) -> Result<(), Status> {
    match parameters {
        Parameters::Each(pointers) => gather(function, pointers, block),
        Parameters::Packed(extra) => unpack(extra, block),
    }
}

fn gather(function: &Function, pointers: *const *const c_void, block: &mut [u8]) -> Result<(), Status> {
    let parameters = function.parameters();
    if pointers.is_null() {
        return if parameters.is_empty() { Ok(()) } else { Err(Status::INVALID_VALUE) };
    }
    for (index, parameter) in parameters.iter().enumerate() {
        // SAFETY: the API's contract: one pointer a parameter.
        let source = unsafe { *pointers.add(index) };
        let at = parameter.offset as usize;
        let room = block.get_mut(at..at + parameter.size as usize).ok_or(Status::INVALID_VALUE)?;
        if source.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the API's contract: it points to a value of the parameter's type, so of its size.
        unsafe { std::ptr::copy_nonoverlapping(source.cast(), room.as_mut_ptr(), room.len()) };
    }
    Ok(())
}

fn unpack(extra: *const *const c_void, block: &mut [u8]) -> Result<(), Status> {
    const END: usize = 0;
    let (mut buffer, mut size) = (std::ptr::null::<u8>(), None);
    for pair in 0..4 {
        // SAFETY: the API's contract: names and values alternate up to the end mark; it is not read past.
        let name = unsafe { *extra.add(pair * 2) } as usize;
        if name == END {
            break;
        }
        // SAFETY: as above: a value follows.
        let value = unsafe { *extra.add(pair * 2 + 1) };
        match name {
            number::LAUNCH_PARAM_BUFFER_POINTER => buffer = value.cast(),
            number::LAUNCH_PARAM_BUFFER_SIZE if !value.is_null() => {
                // SAFETY: the value of this name is the address of a size_t.
                size = Some(unsafe { value.cast::<usize>().read_unaligned() })
            }
            _ => return Err(Status::INVALID_VALUE),
        }
    }
    // Trailing padding need not be there.
    let size = size.ok_or(Status::INVALID_VALUE)?.min(block.len());
    if buffer.is_null() && size > 0 {
        return Err(Status::INVALID_VALUE);
    }
    if size > 0 {
        // SAFETY: the API's contract: the buffer has that size.
        unsafe { std::ptr::copy_nonoverlapping(buffer, block.as_mut_ptr(), size) };
    }
    Ok(())
}

/// Reads the attributes of a launch: what the device models is asked of it, hints are dropped by name,
/// the rest is refused by name.
pub(crate) fn attributes(list: *const Attribute, count: u32) -> Result<LaunchAttributes, Status> {
    if count > MOST_ATTRIBUTES || (list.is_null() && count > 0) {
        return Err(Status::INVALID_VALUE);
    }
    let mut wanted = LaunchAttributes::default();
    for index in 0..count as usize {
        // SAFETY: the API's contract: an array of that many.
        let attribute = unsafe { list.add(index).read_unaligned() };
        let value = &attribute.value;
        let event = || Event(u64::from(value.word(0)) | u64::from(value.word(1)) << 32);
        match attribute.id {
            number::ATTRIBUTE_IGNORE => {}
            number::ATTRIBUTE_COOPERATIVE => wanted.cooperative = value.word(0) != 0,
            number::ATTRIBUTE_CLUSTER => {
                let cluster = [value.word(0), value.word(1), value.word(2)];
                wanted.cluster = (cluster != [0; 3]).then_some(cluster);
            }
            number::ATTRIBUTE_PROGRAMMATIC_SERIALIZATION => {
                wanted.programmatic_serialization = value.word(0) != 0;
            }
            number::ATTRIBUTE_PROGRAMMATIC_EVENT => {
                wanted.programmatic_event = Some(event());
                // `triggerAtBlockStart`: the event may come later than asked for, never earlier.
                if value.word(3) != 0 {
                    notice::once(
                        "triggerAtBlockStart of launch attribute programmaticEvent (7) is not implemented by this device: \
                         the event is recorded when all blocks have triggered or exited",
                    );
                }
            }
            number::ATTRIBUTE_LAUNCH_COMPLETION_EVENT => wanted.launch_completion_event = Some(event()),
            number::ATTRIBUTE_DEVICE_UPDATABLE if value.word(0) == 0 => {}
            number::ATTRIBUTE_DEVICE_UPDATABLE => return Err(refused("deviceUpdatableKernelNode (13)")),
            other => match hint_name(other) {
                Some(name) => {
                    let message =
                        format!("launch attribute {name} ({other}) is a hint that this device does not follow");
                    notice::once(&message);
                }
                None => return Err(refused(&format!("number {other}"))),
            },
        }
    }
    Ok(wanted)
}

/// All blocks resident together.
pub(crate) fn cooperative() -> LaunchAttributes {
    LaunchAttributes { cooperative: true, ..Default::default() }
}

/// Attributes that change no result, only speed.
fn hint_name(attribute: u32) -> Option<&'static str> {
    Some(match attribute {
        1 => "accessPolicyWindow",
        3 => "synchronizationPolicy",
        5 => "clusterSchedulingPolicyPreference",
        8 => "priority",
        9 => "memSyncDomainMap",
        10 => "memSyncDomain",
        11 => "preferredClusterDimension",
        14 => "preferredSharedMemoryCarveout",
        16 => "nvlinkUtilCentricScheduling",
        _ => return None,
    })
}

fn refused(attribute: &str) -> Status {
    notice::once(&format!("launch attribute {attribute} is not implemented by this device"));
    Status::NOT_SUPPORTED
}
