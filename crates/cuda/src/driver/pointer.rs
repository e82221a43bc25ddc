//! Unified addressing: what a pointer points into.

use std::ffi::c_void;

use hotfire_device::{Allocation, Device, MemoryKind, Status};

use crate::export::export;
use crate::pointer::Out;
use crate::thread;
use crate::types::{Address, Handle};

/// The value of an attribute, in the width that it is written with.
enum Value {
    Word(u32),
    Long(u64),
    Byte(u8),
}

fn attribute(number: u32, found: &Allocation, address: u64) -> Result<Value, Status> {
    const HOST: u32 = 1;
    const DEVICE: u32 = 2;
    let on_host = matches!(found.kind, MemoryKind::Host | MemoryKind::Registered);
    Ok(match number {
        1 => Value::Long(thread::current()? as u64),
        2 => Value::Word(if on_host { HOST } else { DEVICE }),
        3 => Value::Long(address),
        4 if on_host || found.kind == MemoryKind::Managed => Value::Long(address),
        6 | 15 | 21 => Value::Word(0),
        7 => Value::Long(found.base),
        8 => Value::Word(u32::from(found.kind == MemoryKind::Managed)),
        9 => Value::Word(0),
        10 => Value::Byte(0),
        11 => Value::Long(found.base),
        12 => Value::Long(found.size),
        13 => Value::Byte(1),
        14 => Value::Long(0),
        16 => Value::Word(3), // CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE
        17 => Value::Long(0),
        4 | 5 | 18..=20 => return Err(Status::INVALID_VALUE),
        _ => return Err(Status::INVALID_VALUE),
    })
}

/// Writes a value where the program wants it.
fn write(data: *mut c_void, value: &Value) -> Result<(), Status> {
    if data.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: the API's contract: room for the attribute's type.
    unsafe {
        match value {
            Value::Word(word) => data.cast::<u32>().write_unaligned(*word),
            Value::Long(long) => data.cast::<u64>().write_unaligned(*long),
            Value::Byte(byte) => data.cast::<u8>().write(*byte),
        }
    }
    Ok(())
}

export! {
    /// One attribute of a pointer.
    context fn cuPointerGetAttribute(data: *mut c_void, number: u32, address: Address) {
        let found = Device::get().find(address).ok_or(Status::INVALID_VALUE)?;
        write(data, &attribute(number, &found, address)?)
    }

    /// Several attributes of a pointer; for ordinary memory all of them are zero.
    context fn cuPointerGetAttributes(count: u32, numbers: crate::pointer::In<u32>, data: crate::pointer::In<Handle>,
        address: Address) {
        let found = Device::get().find(address);
        for index in 0..count as usize {
            let number = numbers.get_at(index)?;
            let value = match &found {
                Some(found) => attribute(number, found, address),
                None => Err(Status::INVALID_VALUE),
            };
            let zero = || match number {
                1 | 3 | 4 | 7 | 11 | 12 | 14 | 17 => Value::Long(0),
                10 | 13 => Value::Byte(0),
                _ => Value::Word(if number == 9 { u32::MAX - 1 } else { 0 }),
            };
            write(data.get_at(index)?, &value.unwrap_or_else(|_| zero()))?;
        }
        Ok(())
    }

    /// Sets an attribute: synchronous memory operations are a matter of peer hardware.
    context fn cuPointerSetAttribute(value: Out<c_void>, _number: u32, address: Address) {
        if value.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        Device::get().find(address).map(|_| ()).ok_or(Status::INVALID_VALUE)
    }
}
