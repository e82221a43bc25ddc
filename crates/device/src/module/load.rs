//! Linking, placing variables, and filling them.

use super::{Code, Function, Image, LoadError, Module, cdp1, code, cooperative};
use crate::device::Device;
use crate::memory::Kind;
use crate::profile;
use crate::status::Status;
use hotfire_ptx::ast::{self, FunctionKind, Linkage, Name, Space, Variable};
use std::collections::HashMap;
use std::sync::Arc;

/// Where the variables of a module lie.
struct Placement {
    variables: HashMap<Name, (u64, u64)>,
    allocations: Vec<u64>,
    constant_bytes: u32,
}

fn invalid(log: impl Into<String>) -> LoadError {
    LoadError { status: Status::INVALID_PTX, log: log.into() }
}

pub(super) fn load(device: &'static Device, mut units: Vec<ast::Module>) -> Result<Module, LoadError> {
    units.extend(cooperative::wanted(&units));
    let text = hotfire_ptx::link(units).map_err(|error| invalid(error.to_string()))?;
    cdp1::refuse(&text, device.checking.as_ref())?;
    let first_code = code::reserve(text.functions.len());
    let placement = place(device, &text)?;
    if let Err(error) = fill(&text, &placement.variables, first_code) {
        for allocation in placement.allocations {
            let _ = device.memory().free(allocation);
        }
        return Err(error);
    }
    let Placement { variables, allocations, constant_bytes } = placement;
    let image = Arc::new(Image::new(text, variables, first_code, allocations, constant_bytes, device));
    Ok(publish(&image, first_code))
}

/// Makes functions findable by name and by address.
fn publish(image: &Arc<Image>, first_code: u64) -> Module {
    let mut functions = Vec::new();
    let mut by_name = HashMap::new();
    for (index, function) in image.text().functions.iter().enumerate() {
        if function.body.is_none() {
            continue;
        }
        let address = code::address(first_code, index);
        if function.kind == FunctionKind::Kernel {
            let kernel = Arc::new(Function::new(image.clone(), index));
            code::define(address, Code::Kernel(Arc::downgrade(&kernel)));
            by_name.insert(function.name.clone(), functions.len());
            functions.push(kernel);
        } else {
            code::define(address, Code::Device(Arc::downgrade(image), index));
        }
    }
    Module { image: image.clone(), functions, by_name }
}

fn is_placed(variable: &Variable) -> bool {
    matches!(variable.space, Space::Global | Space::Const) && variable.linkage != Linkage::Extern
}

/// Gives every variable its address: those of one kind lie in one allocation.
fn place(device: &Device, text: &ast::Module) -> Result<Placement, LoadError> {
    let mut placement = Placement { variables: HashMap::new(), allocations: Vec::new(), constant_bytes: 0 };
    let kind_of = |variable: &Variable| match variable.space {
        Space::Const => Kind::Constant,
        _ if variable.managed => Kind::Managed,
        _ => Kind::Module,
    };
    for (space, kind) in [(Space::Global, Kind::Module), (Space::Global, Kind::Managed), (Space::Const, Kind::Constant)]
    {
        let mut offsets = Vec::new();
        let mut end = 0u64;
        for variable in text.variables.iter().filter(|variable| kind_of(variable) == kind && is_placed(variable)) {
            // As `cudaMalloc` does: some programs rely on more than the declared alignment.
            let align = u64::from(variable.align.max(1)).max(if space == Space::Global { 256 } else { 8 });
            let size = variable.size.unwrap_or(0);
            let too_large = || invalid(format!("variable {} is too large", variable.name));
            let start = end.checked_next_multiple_of(align).ok_or_else(too_large)?;
            end = start.checked_add(size.max(1)).filter(|&end| end < 1 << 40).ok_or_else(too_large)?;
            offsets.push((variable.name.clone(), start, size));
        }
        if space == Space::Const {
            if end > u64::from(profile::CONSTANT_BYTES) {
                return Err(invalid(format!("{end} bytes of constant variables, but there are 65536")));
            }
            placement.constant_bytes = end as u32;
        }
        if end == 0 {
            continue;
        }
        let base = device.memory().alloc(kind, end, 512).ok_or_else(|| LoadError {
            status: Status::MEMORY_ALLOCATION,
            log: format!("no room for {end} bytes of variables"),
        })?;
        placement.allocations.push(base);
        if let Some(checking) = &device.checking {
            offsets.iter().for_each(|(name, offset, size)| checking.variable(name, base + offset, *size));
            if kind == Kind::Managed {
                checking.share(base, end);
            }
        }
        let named = offsets.into_iter().map(|(name, offset, size)| (name, (base + offset, size)));
        placement.variables.extend(named);
    }
    Ok(placement)
}

/// Writes initial values. Fresh pages are zero.
fn fill(text: &ast::Module, variables: &HashMap<Name, (u64, u64)>, first_code: u64) -> Result<(), LoadError> {
    let functions: HashMap<&str, usize> = text
        .functions
        .iter()
        .enumerate()
        .filter(|(_, function)| function.body.is_some())
        .map(|(index, function)| (&*function.name, index))
        .collect();
    for variable in text.variables.iter().filter(|variable| is_placed(variable)) {
        let &(address, size) = &variables[&variable.name];
        let misfit = || invalid(format!("the initial value of {} does not fit it", variable.name));
        let mut bytes = variable.init.bytes.clone();
        if bytes.len() as u64 > size {
            return Err(misfit());
        }
        for relocation in &variable.init.relocations {
            let symbol = &relocation.symbol;
            let target = match variables.get(symbol) {
                Some(&(address, _)) => address,
                None => functions.get(&**symbol).map(|&index| code::address(first_code, index)).ok_or_else(|| {
                    invalid(format!("the initial value of {} names {symbol}, which has no address", variable.name))
                })?,
            };
            let value = target.wrapping_add_signed(relocation.addend).checked_shr(relocation.shift.into()).unwrap_or(0);
            let width = usize::from(relocation.width.min(8));
            let end = relocation.offset.checked_add(width as u64).filter(|&end| end <= size).ok_or_else(misfit)?;
            if (bytes.len() as u64) < end {
                bytes.resize(end as usize, 0);
            }
            bytes[end as usize - width..end as usize].copy_from_slice(&value.to_le_bytes()[..width]);
        }
        // SAFETY: the variable's own memory, at least as long as `bytes`; no kernel runs that knows it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
    }
    Ok(())
}
