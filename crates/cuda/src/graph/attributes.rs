//! Launch attributes of kernel nodes.

use hotfire_device::graph::{KernelNode, NodeParams};
use hotfire_device::{Device, Status};

use crate::export::export;
use crate::launch::attributes;
use crate::pointer::{In, Out};
use crate::types::{Attribute, AttributeValue, Handle, number};

fn kernel(node: Handle) -> Result<KernelNode, Status> {
    match Device::get().graph_node(node as u64)? {
        NodeParams::Kernel(kernel) => Ok(kernel),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// All that was set, as the device knows it.
fn apply(kernel: &mut KernelNode) -> Result<(), Status> {
    let set = kernel.set.iter().map(|&(id, value)| Attribute { id, pad: [0; 4], value: AttributeValue(value) });
    let set: Vec<Attribute> = set.collect();
    kernel.attributes = attributes(set.as_ptr(), set.len() as u32)?;
    Ok(())
}

/// What a captured launch had, as if it had been set.
fn known(kernel: &KernelNode) -> Vec<(u32, [u8; 64])> {
    let mut known = kernel.set.clone();
    let mut word = |id: u32, on: bool| {
        if on && known.iter().all(|&(other, _)| other != id) {
            let mut value = [0; 64];
            value[0] = 1;
            known.push((id, value));
        }
    };
    word(number::ATTRIBUTE_COOPERATIVE, kernel.attributes.cooperative);
    word(number::ATTRIBUTE_PROGRAMMATIC_SERIALIZATION, kernel.attributes.programmatic_serialization);
    known
}

export! {
    /// An attribute of a kernel node; zero if it was never set.
    both fn cudaGraphKernelNodeGetAttribute | cuGraphKernelNodeGetAttribute(node: Handle, id: u32, out: Out<AttributeValue>) {
        let kernel = kernel(node)?;
        let found = known(&kernel).into_iter().find(|&(known, _)| known == id);
        out.set(AttributeValue(found.map_or([0; 64], |(_, value)| value)))
    }

    /// Sets an attribute of a kernel node.
    both fn cudaGraphKernelNodeSetAttribute | cuGraphKernelNodeSetAttribute(node: Handle, id: u32, value: In<AttributeValue>) {
        let mut kernel = kernel(node)?;
        let value = value.get()?.0;
        kernel.set = known(&kernel);
        kernel.set.retain(|&(known, _)| known != id);
        kernel.set.push((id, value));
        apply(&mut kernel)?;
        Device::get().graph_set_node(node as u64, NodeParams::Kernel(kernel))
    }

    /// Takes the attributes of one kernel node for another.
    both fn cudaGraphKernelNodeCopyAttributes | cuGraphKernelNodeCopyAttributes(to: Handle, from: Handle) {
        let source = kernel(from)?;
        let mut target = kernel(to)?;
        (target.attributes, target.set) = (source.attributes, source.set);
        Device::get().graph_set_node(to as u64, NodeParams::Kernel(target))
    }
}
