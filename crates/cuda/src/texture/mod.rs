//! Arrays, texture objects and surface objects of both APIs.

mod arrays;
mod copy;
mod driver_array;
mod driver_object;
mod format;
mod object;
mod runtime_array;
mod runtime_object;

pub(crate) use arrays::{Corner, Place, element_bytes, forget_all, place};
