//! `cudaGraphDebugDotPrint`: a graph in the language of Graphviz.

use super::description::Graphs;
use super::params::{NodeParams, NodeType};
use crate::device::Device;
use crate::status::Status;
use std::fmt::Write as _;

/// What to show besides types, as `cudaGraphDebugDotFlags` says.
#[derive(Clone, Copy, Debug)]
struct Show(u32);

impl Show {
    fn is(self, flag: u32) -> bool {
        const VERBOSE: u32 = 1;
        self.0 & (VERBOSE | flag) != 0
    }
}

const KERNEL: u32 = 1 << 2;
const MEMCPY: u32 = 1 << 3;
const MEMSET: u32 = 1 << 4;
const HOST: u32 = 1 << 5;
const EVENT: u32 = 1 << 6;
const ATTRIBUTES: u32 = 1 << 9;
const HANDLES: u32 = 1 << 10;
const CONDITIONAL: u32 = 1 << 15;

fn label(params: &NodeParams, number: usize, handle: u64, show: Show) -> String {
    let mut text = format!("{number}\\n{}", params.node_type().name());
    if show.is(HANDLES) {
        let _ = write!(text, "\\nhandle {handle:#x}");
    }
    let triple = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    let _ = match params {
        NodeParams::Kernel(node) => {
            let _ = write!(text, "\\n{}", node.function.name());
            if show.is(KERNEL) {
                let (grid, block, shared) = (triple(node.grid), triple(node.block), node.dynamic_shared);
                let _ = write!(text, "\\n<<<{grid}, {block}, {shared}>>>");
            }
            match show.is(ATTRIBUTES) {
                true => write!(text, "\\ncooperative {}", u32::from(node.attributes.cooperative)),
                false => Ok(()),
            }
        }
        NodeParams::Memcpy(copy, direction) if show.is(MEMCPY) => {
            let (width, height, depth) = (copy.width, copy.height, copy.depth);
            write!(
                text,
                "\\n{direction:?}\\n{:#x} to {:#x}\\n{width} x {height} x {depth} bytes",
                copy.source, copy.destination
            )
        }
        NodeParams::Memset(fill) if show.is(MEMSET) => {
            let (width, height, element) = (fill.width, fill.height, fill.element);
            write!(
                text,
                "\\n{:#x}\\nvalue {}\\n{width} x {height} elements of {element} bytes",
                fill.destination, fill.value
            )
        }
        NodeParams::Host(node) if show.is(HOST) => write!(text, "\\n{:#x}({:#x})", node.function as usize, node.data),
        NodeParams::WaitEvent(event) | NodeParams::EventRecord(event) if show.is(EVENT) => {
            write!(text, "\\nevent {:#x}", event.0)
        }
        NodeParams::MemAlloc(node) => write!(text, "\\n{:#x}, {} bytes", node.address, node.bytes),
        NodeParams::MemFree(address) => write!(text, "\\n{address:#x}"),
        NodeParams::Conditional(node) if show.is(CONDITIONAL) => {
            write!(text, "\\n{:?}, {} bodies", node.kind, node.size)
        }
        _ => Ok(()),
    };
    text
}

impl Graphs {
    fn draw(&self, graph: u64, show: Show, text: &mut String, numbers: &mut usize) -> Result<(), Status> {
        let number = *numbers;
        *numbers += 1;
        let _ = writeln!(text, "subgraph cluster_{number} {{\nlabel=\"graph_{number}\";");
        let graph = self.graph(graph)?;
        for (at, node) in graph.nodes.iter().enumerate() {
            let shape = match node.params.node_type() {
                NodeType::Kernel => "octagon",
                NodeType::Host => "house",
                NodeType::Graph => "folder",
                NodeType::Conditional => "diamond",
                _ => "rectangle",
            };
            let label = label(&node.params, at, node.handle, show);
            let _ = writeln!(text, "\"graph_{number}_node_{at}\" [shape={shape}, label=\"{label}\"];");
        }
        for (at, node) in graph.nodes.iter().enumerate() {
            for (from, data) in &node.dependencies {
                let from = graph.position(*from).ok_or(Status::INVALID_VALUE)?;
                let style = match (data.from_port, data.kind) {
                    (0, 0) => "",
                    (1, _) => " [style=dashed, label=\"programmatic\"]",
                    (_, 1) => " [style=dashed, label=\"programmatic, at begin\"]",
                    _ => " [style=dotted, label=\"launch completion\"]",
                };
                let _ = writeln!(text, "\"graph_{number}_node_{from}\" -> \"graph_{number}_node_{at}\"{style};");
            }
        }
        text.push_str("}\n");
        for node in &graph.nodes {
            let nested: &[u64] = match &node.params {
                NodeParams::Graph(child) => std::slice::from_ref(child),
                NodeParams::Conditional(conditional) => &conditional.bodies,
                _ => &[],
            };
            nested.iter().try_for_each(|&graph| self.draw(graph, show, text, numbers))?;
        }
        Ok(())
    }
}

impl Device {
    /// `cudaGraphDebugDotPrint`: the text that goes into the file.
    ///
    /// # Errors
    /// 1 for a handle that is none.
    pub fn graph_dot(&self, graph: u64, flags: u32) -> Result<String, Status> {
        let mut text = String::from("digraph dot {\n");
        self.graphs.lock().draw(graph, Show(flags), &mut text, &mut 0)?;
        text.push_str("}\n");
        Ok(text)
    }
}
