//! Nodes of one launch of a graph (launch-model 5): what is complete before each starts.
//!
//! Two nodes are ordered if a path of edges leads from one to the other. Chains follow the paths: a node goes on with the chain of the first
//! node in front of it that no other goes on with, so a graph that is one line has one chain. Facts name nodes of this launch only; what
//! came before the launch its own item knows.

use super::facts::{Fact, Facts};
use super::items::Items;
use super::lines::{Front, Place, Prerequisite};
use crate::within::GraphEdge;

#[derive(Clone, Debug)]
struct Node {
    complete: Fact,
    /// What is complete before it starts.
    behind: Facts,
    /// What is complete once it is.
    after: Facts,
    kernel: bool,
    /// A kernel is in front of it, directly or not, or it is one.
    kernels: bool,
    /// Another one goes on with its chain.
    continued: bool,
}

/// The nodes of one launch so far, in an order in which each comes behind those that it waits for.
#[derive(Clone, Debug, Default)]
pub struct GraphLines {
    nodes: Vec<Node>,
}

impl GraphLines {
    /// Where the next node stands; `edges` names earlier ones by their number.
    pub fn place(
        &mut self,
        items: &mut Items,
        kernel: bool,
        edges: impl Iterator<Item = (usize, GraphEdge)> + Clone,
    ) -> Place {
        let (mut behind, mut in_order, mut after) = (Facts::default(), Facts::default(), Facts::default());
        let mut prerequisites = Vec::new();
        let mut continues = None;
        let (mut any, mut only_kernels, mut kernels) = (false, true, false);
        for (from, edge) in edges {
            let node = &self.nodes[from];
            any = true;
            only_kernels &= node.kernel;
            kernels |= node.kernels;
            in_order.join(&node.after);
            match edge {
                GraphEdge::Programmatic | GraphEdge::ProgrammaticAtBegin if kernel && node.kernel => {
                    behind.join(&node.behind);
                    after.join(&node.after);
                    let (complete, behind, in_order) = (node.complete, node.behind.clone(), node.after.clone());
                    prerequisites.push(Prerequisite { complete, behind, in_order });
                }
                GraphEdge::LaunchCompletion if node.kernel => {
                    behind.join(&node.behind);
                    continue;
                }
                _ => {
                    behind.join(&node.after);
                    after.join(&node.after);
                }
            }
            if !node.continued && continues.is_none() {
                continues = Some(from);
            }
        }
        let complete = match continues {
            Some(from) => {
                self.nodes[from].continued = true;
                let Fact { chain, position } = self.nodes[from].complete;
                Fact { chain, position: position + 1 }
            }
            None => Fact { chain: items.chain(), position: 1 },
        };
        after.learn(complete);
        let front = match (any && kernels, only_kernels) {
            (false, _) => Front::Free,
            (true, true) => Front::Kernel,
            (true, false) => Front::Other,
        };
        let kernels = kernels || kernel;
        self.nodes.push(Node { complete, behind: behind.clone(), after, kernel, kernels, continued: false });
        Place { behind, complete: Some(complete), prerequisites, in_order, front }
    }

    /// What is complete once a node is, of this launch.
    pub fn after(&self, node: usize) -> Facts {
        self.nodes[node].after.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(lines: &mut GraphLines, items: &mut Items, edges: &[(usize, GraphEdge)]) -> Place {
        lines.place(items, true, edges.iter().copied())
    }

    fn knows(place: &Place, other: &Place) -> bool {
        other.complete.is_some_and(|fact| place.behind.knows(fact))
    }

    #[test]
    fn paths_order_and_nothing_else_does() {
        let (mut lines, mut items) = (GraphLines::default(), Items::default());
        let full = GraphEdge::Full;
        let a = place(&mut lines, &mut items, &[]);
        let b = place(&mut lines, &mut items, &[(0, full)]);
        let c = place(&mut lines, &mut items, &[(0, full)]);
        let d = place(&mut lines, &mut items, &[(2, full)]);
        let e = place(&mut lines, &mut items, &[(1, full), (3, full)]);
        assert!(knows(&b, &a) && knows(&c, &a) && knows(&d, &a) && knows(&d, &c));
        assert!(!knows(&b, &c) && !knows(&c, &b) && !knows(&d, &b));
        assert!([&a, &b, &c, &d].into_iter().all(|other| knows(&e, other)));
        assert_eq!(a.complete.map(|fact| fact.chain), b.complete.map(|fact| fact.chain), "one line is one chain");
    }

    #[test]
    fn a_programmatic_edge_orders_by_the_wait_only() {
        let (mut lines, mut items) = (GraphLines::default(), Items::default());
        let a = place(&mut lines, &mut items, &[]);
        let b = place(&mut lines, &mut items, &[(0, GraphEdge::Programmatic)]);
        assert!(!knows(&b, &a));
        assert_eq!(b.prerequisites.len(), 1);
        assert!(a.complete.is_some_and(|fact| b.in_order.knows(fact)));
        let c = place(&mut lines, &mut items, &[(1, GraphEdge::Full)]);
        assert!(knows(&c, &a) && knows(&c, &b), "what waits for the second waits for the first, too");
        let d = place(&mut lines, &mut items, &[(0, GraphEdge::LaunchCompletion)]);
        assert!(!knows(&d, &a) && d.prerequisites.is_empty());
        let e = place(&mut lines, &mut items, &[(3, GraphEdge::Full)]);
        assert!(knows(&e, &d) && !knows(&e, &a), "nor does what comes behind it");
    }
}
