//! The driver API (`cu…`), by the chapters of its manual. What the runtime API has in common with it is used from here.

mod attribute;
mod context;
mod copy;
mod device;
mod error;
mod event;
mod function;
mod launch;
mod library;
mod link;
mod mapping;
mod memory;
mod module;
mod occupancy;
mod pointer;
mod pool;
pub(crate) mod proc_address;
mod set;
mod stream;

pub(crate) use attribute::{PRIORITIES, attribute, bus_id, by_bus_id, check_device, peer, uuid};
pub(crate) use context::limit;
pub(crate) use device::VERSION;
pub(crate) use event::{create as event_create, elapsed as event_elapsed};
pub(crate) use function::{
    attribute as function_attribute, name as function_name, parameter as function_parameter,
    set_attribute as set_function_attribute,
};
pub(crate) use library::{LIBRARIES, Library};
pub(crate) use memory::{check_managed, device_pointer, free, host_flags, managed};
pub(crate) use module::{
    enumerate as enumerate_kernels, forget_all as forget_modules, from_file as load_file, from_memory as load_memory,
};
pub(crate) use occupancy::{active_clusters, available_shared, largest_cluster, max_blocks};
pub(crate) use pool::{
    access as pool_access, create as pool_create, get as pool_attribute, of_location as pool_of_location,
    set as set_pool_attribute,
};
pub(crate) use stream::{
    callback as stream_callback, create as stream_create, flags as stream_flags, host_function as stream_host_function,
};
