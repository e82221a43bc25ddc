//! Launches of graphs: items within an item (launch-model 5).

use hotfire_launch::{Early, GraphEdge, Item, Limits, Model, Policy, Situation, Stage, StreamKind, Work};

fn model(policy: Policy) -> Model {
    Model::new(Limits::default(), policy)
}

/// Runs one item that may start; which.
fn step(model: &mut Model) -> Option<Item> {
    let item = model.next(Situation::Idle)?;
    model.finished(item);
    model.drain_completed();
    Some(item)
}

/// Starts the launch of a graph with nodes and edges; the launch and its nodes.
fn launch(model: &mut Model, nodes: usize, edges: &[(usize, usize)]) -> (Item, Vec<Item>) {
    let stream = model.create_stream(StreamKind::NonBlocking);
    let graph = model.submit(stream, Work::Operation);
    assert_eq!(model.next(Situation::Idle), Some(graph));
    let nodes: Vec<Item> = (0..nodes).map(|_| model.add_within(graph, Work::Grid)).collect();
    for &(from, to) in edges {
        model.connect_nodes(nodes[from], nodes[to], GraphEdge::Full);
    }
    (graph, nodes)
}

#[test]
fn nodes_follow_their_edges_under_every_policy() {
    let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 5), (4, 5)];
    let policies = [Policy::Eager, Policy::Latest].into_iter().chain((0..200).map(Policy::Random));
    let mut orders = std::collections::BTreeSet::new();
    for policy in policies {
        let mut model = model(policy);
        let (graph, nodes) = launch(&mut model, 6, &edges);
        nodes.iter().for_each(|&node| model.release(node));
        model.finished(graph);
        let mut order = Vec::new();
        while let Some(item) = step(&mut model) {
            let place = nodes.iter().position(|&node| node == item).expect("only nodes are left");
            let before = |&&(from, to): &&(usize, usize)| to == place && !order.contains(&from);
            assert_eq!(edges.iter().find(before), None, "{order:?} then {place}");
            order.push(place);
            assert_eq!(model.is_complete(graph), order.len() == 6);
        }
        assert_eq!(order.len(), 6);
        orders.insert(order);
    }
    // Every order that the edges leave: 5 is last, 4 may be anywhere before it, 1 and 2 in either order.
    assert_eq!(orders.len(), 10);
}

#[test]
fn a_launch_is_one_item_of_its_stream() {
    let mut model = model(Policy::Eager);
    let stream = model.create_stream(StreamKind::NonBlocking);
    let graph = model.submit(stream, Work::Operation);
    let behind = model.submit(stream, Work::Grid);
    assert_eq!(model.next(Situation::Idle), Some(graph));
    let node = model.add_within(graph, Work::Grid);
    model.release(node);
    model.finished(graph);
    assert_eq!(model.stage(graph), Stage::Exited);
    assert_eq!(model.stage(behind), Stage::Waiting);
    assert_eq!(step(&mut model), Some(node));
    assert_eq!(model.stage(behind), Stage::Startable);
}

#[test]
fn nothing_starts_before_it_is_released() {
    let mut model = model(Policy::Eager);
    let (graph, nodes) = launch(&mut model, 2, &[]);
    model.release(nodes[1]);
    assert_eq!(step(&mut model), Some(nodes[1]));
    assert_eq!(step(&mut model), None);
    model.release(nodes[0]);
    model.finished(graph);
    assert!(!model.is_complete(graph));
    assert_eq!(step(&mut model), Some(nodes[0]));
    assert!(model.is_complete(graph));
}

#[test]
fn a_programmatic_edge_starts_early_and_ends_in_order() {
    for (edge, early) in [(GraphEdge::Programmatic, Early::Triggered), (GraphEdge::ProgrammaticAtBegin, Early::Begun)] {
        let mut model = model(Policy::Eager);
        let (graph, nodes) = launch(&mut model, 2, &[]);
        model.connect_nodes(nodes[0], nodes[1], edge);
        nodes.iter().for_each(|&node| model.release(node));
        model.finished(graph);
        assert_eq!(model.next(Situation::Idle), Some(nodes[0]));
        assert_eq!(model.next(Situation::Busy), None);
        model.reached(nodes[0], early);
        assert_eq!(model.next(Situation::Busy), Some(nodes[1]));
        assert!(model.is_tied(nodes[1]));
        model.finished(nodes[1]);
        assert_eq!(model.stage(nodes[1]), Stage::Exited, "it ends behind the other one");
        model.finished(nodes[0]);
        assert!(model.is_complete(nodes[1]) && model.is_complete(graph));
    }
}

#[test]
fn a_launch_completion_edge_orders_nothing_else() {
    let mut model = model(Policy::Eager);
    let (graph, nodes) = launch(&mut model, 2, &[]);
    model.connect_nodes(nodes[0], nodes[1], GraphEdge::LaunchCompletion);
    nodes.iter().for_each(|&node| model.release(node));
    model.finished(graph);
    assert_eq!(model.next(Situation::Idle), Some(nodes[0]));
    model.reached(nodes[0], Early::Begun);
    assert_eq!(model.next(Situation::Busy), Some(nodes[1]));
    assert!(!model.is_tied(nodes[1]));
    model.finished(nodes[1]);
    assert!(model.is_complete(nodes[1]) && !model.is_complete(graph));
    model.finished(nodes[0]);
    assert!(model.is_complete(graph));
}

#[test]
fn what_is_behind_a_launch_waits_for_all_within_and_hands_on() {
    let mut model = model(Policy::Eager);
    let (graph, nodes) = launch(&mut model, 1, &[]);
    model.release(nodes[0]);
    model.finished(graph);
    assert_eq!(model.next(Situation::Idle), Some(nodes[0]));
    let (first, second) = (model.add_behind(graph), model.add_behind(graph));
    let fired = model.add_within(graph, Work::Operation);
    model.release(fired);
    model.finished(nodes[0]);
    assert_eq!(step(&mut model), Some(fired));
    // The first one asks for a further one behind itself, which comes before the second.
    assert_eq!(model.next(Situation::Idle), Some(first));
    let inner = model.add_behind(first);
    model.finished(first);
    assert_eq!(step(&mut model), Some(inner));
    assert!(!model.is_complete(graph));
    assert_eq!(step(&mut model), Some(second));
    assert!(model.is_complete(graph));
}

#[test]
fn launches_of_one_executable_graph_come_one_after_the_other() {
    for policy in [Policy::Eager, Policy::Latest, Policy::Random(3)] {
        let mut model = model(policy);
        let streams = [(); 2].map(|()| model.create_stream(StreamKind::NonBlocking));
        let first = model.submit(streams[0], Work::Operation);
        let second = model.submit(streams[1], Work::Operation);
        model.order_behind(second, first);
        assert_eq!(model.stage(second), Stage::Waiting);
        assert_eq!(step(&mut model), Some(first));
        assert_eq!(step(&mut model), Some(second));
        let third = model.submit(streams[0], Work::Operation);
        model.order_behind(third, second);
        assert_eq!(step(&mut model), Some(third), "the one before is over");
    }
}

#[test]
fn an_event_that_a_node_records_is_a_marker_outside() {
    let mut model = model(Policy::Eager);
    let marker = model.add_marker();
    let (graph, nodes) = launch(&mut model, 2, &[(0, 1)]);
    let record = model.add_marker_within(graph);
    model.connect_nodes(nodes[0], record, GraphEdge::Full);
    model.connect_nodes(record, marker, GraphEdge::Full);
    for item in [nodes[0], nodes[1], record, marker] {
        model.release(item);
    }
    model.finished(graph);
    assert_eq!(step(&mut model), Some(nodes[0]));
    assert!(model.is_complete(marker) && !model.is_complete(graph));
    assert_eq!(step(&mut model), Some(nodes[1]));
    assert!(model.all_idle());
}
