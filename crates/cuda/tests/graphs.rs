//! Graphs through the C API in this process: what they answer, right and wrong (CUDA Runtime API, "Graph Management").
//!
//! Captures are judged together with whatever the process does, so the tests take turns.

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard};

use hotfire_cuda::types::{
    GraphEdge, GraphInstantiateParams, GraphUpdateResult, Handle, HostNodeParams, MemsetNodeParams,
};

unsafe extern "C" {
    fn cudaMalloc(address: *mut u64, bytes: usize) -> u32;
    fn cudaFree(address: u64) -> u32;
    fn cudaMemcpy(to: u64, from: u64, bytes: usize, kind: u32) -> u32;
    fn cudaMemcpyAsync(to: u64, from: u64, bytes: usize, kind: u32, stream: Handle) -> u32;
    fn cudaMemset(at: u64, value: c_int, bytes: usize) -> u32;
    fn cudaMemsetAsync(at: u64, value: c_int, bytes: usize, stream: Handle) -> u32;
    fn cudaMallocAsync(address: *mut u64, bytes: usize, stream: Handle) -> u32;
    fn cudaFreeAsync(address: u64, stream: Handle) -> u32;
    fn cudaStreamCreateWithFlags(stream: *mut Handle, flags: u32) -> u32;
    fn cudaStreamSynchronize(stream: Handle) -> u32;
    fn cudaStreamQuery(stream: Handle) -> u32;
    fn cudaStreamWaitEvent(stream: Handle, event: Handle, flags: u32) -> u32;
    fn cudaDeviceSynchronize() -> u32;
    fn cudaEventCreateWithFlags(event: *mut Handle, flags: u32) -> u32;
    fn cudaEventRecord(event: Handle, stream: Handle) -> u32;
    fn cudaEventQuery(event: Handle) -> u32;
    fn cudaEventSynchronize(event: Handle) -> u32;
    fn cudaLaunchHostFunc(stream: Handle, function: extern "C" fn(*mut c_void), data: *mut c_void) -> u32;
    fn cudaStreamBeginCapture(stream: Handle, mode: u32) -> u32;
    fn cudaStreamEndCapture(stream: Handle, graph: *mut Handle) -> u32;
    fn cudaStreamIsCapturing(stream: Handle, status: *mut u32) -> u32;
    fn cudaStreamGetCaptureInfo(
        stream: Handle,
        status: *mut u32,
        id: *mut u64,
        graph: *mut Handle,
        nodes: *mut *const Handle,
        edges: *mut *const GraphEdge,
        count: *mut usize,
    ) -> u32;
    fn cudaStreamUpdateCaptureDependencies(
        stream: Handle,
        nodes: *const Handle,
        edges: *const GraphEdge,
        count: usize,
        flags: u32,
    ) -> u32;
    fn cudaStreamBeginCaptureToGraph(
        stream: Handle,
        graph: Handle,
        nodes: *const Handle,
        edges: *const GraphEdge,
        count: usize,
        mode: u32,
    ) -> u32;
    fn cudaThreadExchangeStreamCaptureMode(mode: *mut u32) -> u32;
    fn cudaGraphCreate(graph: *mut Handle, flags: u32) -> u32;
    fn cudaGraphDestroy(graph: Handle) -> u32;
    fn cudaGraphAddEmptyNode(node: *mut Handle, graph: Handle, nodes: *const Handle, count: usize) -> u32;
    fn cudaGraphAddMemsetNode(
        node: *mut Handle,
        graph: Handle,
        nodes: *const Handle,
        count: usize,
        params: *const MemsetNodeParams,
    ) -> u32;
    fn cudaGraphAddHostNode(
        node: *mut Handle,
        graph: Handle,
        nodes: *const Handle,
        count: usize,
        params: *const HostNodeParams,
    ) -> u32;
    fn cudaGraphAddChildGraphNode(
        node: *mut Handle,
        graph: Handle,
        nodes: *const Handle,
        count: usize,
        child: Handle,
    ) -> u32;
    fn cudaGraphAddEventRecordNode(
        node: *mut Handle,
        graph: Handle,
        nodes: *const Handle,
        count: usize,
        event: Handle,
    ) -> u32;
    fn cudaGraphAddDependencies(
        graph: Handle,
        from: *const Handle,
        to: *const Handle,
        edges: *const GraphEdge,
        count: usize,
    ) -> u32;
    fn cudaGraphRemoveDependencies(
        graph: Handle,
        from: *const Handle,
        to: *const Handle,
        edges: *const GraphEdge,
        count: usize,
    ) -> u32;
    fn cudaGraphGetNodes(graph: Handle, nodes: *mut Handle, count: *mut usize) -> u32;
    fn cudaGraphGetEdges(
        graph: Handle,
        from: *mut Handle,
        to: *mut Handle,
        edges: *mut GraphEdge,
        count: *mut usize,
    ) -> u32;
    fn cudaGraphNodeGetType(node: Handle, kind: *mut u32) -> u32;
    fn cudaGraphClone(clone: *mut Handle, graph: Handle) -> u32;
    fn cudaGraphNodeFindInClone(node: *mut Handle, original: Handle, clone: Handle) -> u32;
    fn cudaGraphDestroyNode(node: Handle) -> u32;
    fn cudaGraphInstantiate(exec: *mut Handle, graph: Handle, flags: u64) -> u32;
    fn cudaGraphInstantiateWithParams(exec: *mut Handle, graph: Handle, params: *mut GraphInstantiateParams) -> u32;
    fn cudaGraphExecDestroy(exec: Handle) -> u32;
    fn cudaGraphExecMemsetNodeSetParams(exec: Handle, node: Handle, params: *const MemsetNodeParams) -> u32;
    fn cudaGraphExecUpdate(exec: Handle, graph: Handle, result: *mut GraphUpdateResult) -> u32;
    fn cudaGraphNodeSetEnabled(exec: Handle, node: Handle, enabled: u32) -> u32;
    fn cudaGraphNodeGetEnabled(exec: Handle, node: Handle, enabled: *mut u32) -> u32;
    fn cudaGraphLaunch(exec: Handle, stream: Handle) -> u32;
    fn cudaDeviceGetGraphMemAttribute(device: c_int, attribute: u32, value: *mut u64) -> u32;
    fn cudaDeviceGraphMemTrim(device: c_int) -> u32;
    fn cudaUserObjectCreate(
        object: *mut Handle,
        data: *mut c_void,
        destroy: extern "C" fn(*mut c_void),
        count: u32,
        flags: u32,
    ) -> u32;
    fn cudaGraphRetainUserObject(graph: Handle, object: Handle, count: u32, flags: u32) -> u32;
    fn cuInit(flags: u32) -> u32;
    fn cuGraphAddDependencies(graph: Handle, from: *const Handle, to: *const Handle, count: usize) -> u32;
    fn cuGraphGetEdges(graph: Handle, from: *mut Handle, to: *mut Handle, count: *mut usize) -> u32;
    fn cuGraphExecUpdate(exec: Handle, graph: Handle, node: *mut Handle, result: *mut u32) -> u32;
}

const LEGACY: Handle = 1 as Handle;
const NON_BLOCKING: u32 = 1;
const DEFAULT: u32 = 4;
const GLOBAL: u32 = 0;
const THREAD_LOCAL: u32 = 1;
const RELAXED: u32 = 2;

static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn stream(flags: u32) -> Handle {
    let mut stream = null_mut();
    // SAFETY: room for a handle.
    assert_eq!(unsafe { cudaStreamCreateWithFlags(&mut stream, flags) }, 0);
    stream
}

fn event() -> Handle {
    let mut event = null_mut();
    // SAFETY: room for a handle.
    assert_eq!(unsafe { cudaEventCreateWithFlags(&mut event, 2) }, 0);
    event
}

fn memory(bytes: usize) -> u64 {
    let mut address = 0;
    // SAFETY: room for an address.
    unsafe {
        assert_eq!(cudaMalloc(&mut address, bytes), 0);
        assert_eq!(cudaMemset(address, 0, bytes), 0);
        assert_eq!(cudaDeviceSynchronize(), 0);
    }
    address
}

fn graph() -> Handle {
    let mut graph = null_mut();
    // SAFETY: room for a handle.
    assert_eq!(unsafe { cudaGraphCreate(&mut graph, 0) }, 0);
    graph
}

fn read(address: u64) -> u32 {
    let mut value = 0u32;
    // SAFETY: four bytes on both sides.
    assert_eq!(unsafe { cudaMemcpy(&raw mut value as u64, address, 4, DEFAULT) }, 0);
    value
}

fn set(dst: u64, value: u32, width: usize) -> MemsetNodeParams {
    MemsetNodeParams { dst, pitch: 0, value, element_size: 4, width, height: 1 }
}

fn add_set(graph: Handle, behind: &[Handle], params: &MemsetNodeParams) -> Handle {
    let mut node = null_mut();
    // SAFETY: valid pointers.
    assert_eq!(unsafe { cudaGraphAddMemsetNode(&mut node, graph, behind.as_ptr(), behind.len(), params) }, 0);
    node
}

fn executable(graph: Handle) -> Handle {
    let mut exec = null_mut();
    // SAFETY: room for a handle.
    assert_eq!(unsafe { cudaGraphInstantiate(&mut exec, graph, 0) }, 0);
    exec
}

fn launch(exec: Handle, stream: Handle) {
    // SAFETY: handles only.
    unsafe {
        assert_eq!(cudaGraphLaunch(exec, stream), 0);
        assert_eq!(cudaStreamSynchronize(stream), 0);
    }
}

/// Ends a capture: the error, and whether there is a graph.
fn end(stream: Handle) -> (u32, bool) {
    let mut graph = 1 as Handle;
    // SAFETY: room for a handle.
    let error = unsafe { cudaStreamEndCapture(stream, &mut graph) };
    (error, !graph.is_null())
}

#[test]
fn a_capture_becomes_a_graph_that_runs_when_it_is_launched() {
    let _turn = turn();
    let (stream, at) = (stream(NON_BLOCKING), memory(8));
    extern "C" fn called(data: *mut c_void) {
        // SAFETY: a counter of the test's, which outlives the launches.
        unsafe { *data.cast::<u32>() += 1 };
    }
    let mut calls = 0u32;
    // SAFETY: valid pointers, as in all tests below.
    unsafe {
        assert_eq!(cudaStreamBeginCapture(stream, GLOBAL), 0);
        assert_eq!(cudaMemsetAsync(at, 7, 4, stream), 0);
        assert_eq!(cudaMemcpyAsync(at + 4, at, 4, DEFAULT, stream), 0);
        assert_eq!(cudaLaunchHostFunc(stream, called, (&raw mut calls).cast()), 0);
        let (mut status, mut id, mut captured, mut nodes, mut edges, mut count) =
            (9, 0, null_mut(), null(), null(), 0usize);
        let info =
            cudaStreamGetCaptureInfo(stream, &mut status, &mut id, &mut captured, &mut nodes, &mut edges, &mut count);
        assert_eq!((info, status, count), (0, 1, 1));
        let mut kind = 9;
        assert_eq!(cudaGraphNodeGetType(*nodes, &mut kind), 0);
        assert_eq!(kind, 3, "the last node calls the host");
        let mut graph = null_mut();
        assert_eq!(cudaStreamEndCapture(stream, &mut graph), 0);
        assert_eq!(graph, captured);
        assert_eq!((read(at), calls), (0, 0), "nothing ran yet");
        let mut count = 0;
        assert_eq!(cudaGraphGetEdges(graph, null_mut(), null_mut(), null_mut(), &mut count), 0);
        assert_eq!(count, 2);
        let exec = executable(graph);
        assert_eq!(cudaGraphDestroy(graph), 0);
        launch(exec, stream);
        launch(exec, stream);
        assert_eq!((read(at), read(at + 4), calls), (0x0707_0707, 0x0707_0707, 2));
        assert_eq!(cudaGraphExecDestroy(exec), 0);
        assert_eq!(cudaGraphLaunch(exec, stream), 1);
    }
}

#[test]
fn what_a_capture_refuses_makes_it_invalid() {
    let _turn = turn();
    let (first, second, blocking) = (stream(NON_BLOCKING), stream(NON_BLOCKING), stream(0));
    let (inside, outside, at) = (event(), event(), memory(4));
    // SAFETY: valid pointers.
    unsafe {
        assert_eq!(cudaStreamBeginCapture(LEGACY, GLOBAL), 900);
        assert_eq!(end(first), (401, false), "nothing is captured");
        for refused in [cudaStreamSynchronize, cudaStreamQuery] {
            assert_eq!(cudaStreamBeginCapture(first, GLOBAL), 0);
            assert_eq!(cudaStreamBeginCapture(first, GLOBAL), 401, "it is captured already");
            assert_eq!(refused(first), 900);
            assert_eq!(cudaMemsetAsync(at, 1, 4, first), 901);
            let mut status = 0;
            assert_eq!((cudaStreamIsCapturing(first, &mut status), status), (0, 2));
            assert_eq!(end(first), (901, false));
        }
        assert_eq!(cudaEventRecord(outside, second), 0);
        assert_eq!(cudaStreamBeginCapture(first, GLOBAL), 0);
        assert_eq!(cudaStreamWaitEvent(first, outside, 0), 905);
        assert_eq!(end(first), (901, false));
        for refused in [cudaEventQuery, cudaEventSynchronize] {
            assert_eq!(cudaStreamBeginCapture(first, GLOBAL), 0);
            assert_eq!(cudaEventRecord(inside, first), 0);
            assert_eq!(refused(inside), 907);
            assert_eq!(end(first), (901, false));
        }
        assert_eq!(cudaStreamBeginCapture(blocking, GLOBAL), 0);
        assert_eq!(cudaMemsetAsync(at, 1, 4, LEGACY), 906);
        assert_eq!(end(blocking), (901, false));
        assert_eq!(cudaStreamBeginCapture(blocking, GLOBAL), 0);
        assert_eq!(cudaMemset(at, 1, 4), 906, "it is in the legacy stream");
        assert_eq!(end(blocking), (901, false));
        // Two captures do not become one.
        assert_eq!(cudaStreamBeginCapture(first, GLOBAL), 0);
        assert_eq!(cudaStreamBeginCapture(second, GLOBAL), 0);
        assert_eq!(cudaEventRecord(inside, first), 0);
        assert_eq!(cudaStreamWaitEvent(second, inside, 0), 902);
        assert_eq!((end(first), end(second)), ((901, false), (901, false)));
        assert_eq!(read(at), 0, "nothing of all that ran");
    }
}

#[test]
fn streams_join_a_capture_and_must_come_back() {
    let _turn = turn();
    let (first, second, at) = (stream(NON_BLOCKING), stream(NON_BLOCKING), memory(8));
    let (fork, joined) = (event(), event());
    // SAFETY: valid pointers.
    unsafe {
        let begin = || {
            assert_eq!(cudaStreamBeginCapture(first, GLOBAL), 0);
            assert_eq!(cudaMemsetAsync(at, 1, 4, first), 0);
            assert_eq!(cudaEventRecord(fork, first), 0);
            assert_eq!(cudaStreamWaitEvent(second, fork, 0), 0);
            assert_eq!(cudaMemsetAsync(at + 4, 2, 4, second), 0);
        };
        begin();
        assert_eq!(end(first), (904, false), "the second stream did not come back");
        begin();
        assert_eq!(end(second), (903, false), "it began elsewhere");
        assert_eq!(end(first), (901, false));
        begin();
        assert_eq!(cudaEventRecord(joined, second), 0);
        assert_eq!(cudaStreamWaitEvent(first, joined, 0), 0);
        let mut graph = null_mut();
        assert_eq!(cudaStreamEndCapture(first, &mut graph), 0);
        let mut status = 9;
        assert_eq!((cudaStreamIsCapturing(second, &mut status), status), (0, 0), "it is free again");
        launch(executable(graph), second);
        assert_eq!((read(at), read(at + 4)), (0x0101_0101, 0x0202_0202));
    }
}

#[test]
fn modes_decide_whose_unsafe_calls_are_refused() {
    let _turn = turn();
    let stream = stream(NON_BLOCKING);
    let in_thread = || {
        std::thread::spawn(|| {
            let mut address = 0;
            // SAFETY: room for an address.
            unsafe { cudaMalloc(&mut address, 16) }
        })
        .join()
        .expect("the other thread")
    };
    let here = || {
        let mut address = 0;
        // SAFETY: room for an address.
        unsafe { cudaMalloc(&mut address, 16) }
    };
    // SAFETY: valid pointers.
    unsafe {
        for (mode, own, other) in [(GLOBAL, 900, 900), (THREAD_LOCAL, 900, 0), (RELAXED, 0, 0)] {
            assert_eq!(cudaStreamBeginCapture(stream, mode), 0);
            assert_eq!(in_thread(), other, "mode {mode}");
            assert_eq!(end(stream), (if other == 0 { 0 } else { 901 }, other == 0));
            assert_eq!(cudaStreamBeginCapture(stream, mode), 0);
            assert_eq!(here(), own, "mode {mode}");
            assert_eq!(end(stream), (if own == 0 { 0 } else { 901 }, own == 0));
        }
        let mut mode = RELAXED;
        assert_eq!((cudaThreadExchangeStreamCaptureMode(&mut mode), mode), (0, GLOBAL));
        assert_eq!(cudaStreamBeginCapture(stream, GLOBAL), 0);
        assert_eq!(here(), 0, "the thread takes the risk");
        assert_eq!((cudaThreadExchangeStreamCaptureMode(&mut mode), mode), (0, RELAXED));
        let stream = stream as usize;
        let elsewhere = std::thread::spawn(move || end(stream as Handle)).join().expect("the other thread");
        assert_eq!(elsewhere.0, 908);
        // That ended it.
        assert_eq!(end(stream as Handle), (401, false));
    }
}

#[test]
fn edges_are_what_was_asked_for() {
    let _turn = turn();
    let at = memory(4);
    // SAFETY: valid pointers.
    unsafe {
        let graph = graph();
        let (a, b) = (add_set(graph, &[], &set(at, 1, 1)), add_set(graph, &[], &set(at, 2, 1)));
        let early = GraphEdge { from_port: 1, to_port: 0, kind: 1, reserved: [0; 5] };
        assert_eq!(cudaGraphAddDependencies(graph, &a, &b, &early, 1), 1, "programmatic edges are for kernels");
        assert_eq!(cudaGraphAddDependencies(graph, &a, &a, null(), 1), 1);
        assert_eq!(cuInit(0), 0);
        assert_eq!(cuGraphAddDependencies(graph, &a, &b, 1), 0);
        assert_eq!(cudaGraphAddDependencies(graph, &a, &b, null(), 1), 1, "it exists");
        let (mut from, mut to, mut count) = ([null_mut(); 3], [null_mut(); 3], 3);
        assert_eq!(cuGraphGetEdges(graph, from.as_mut_ptr(), to.as_mut_ptr(), &mut count), 0);
        assert_eq!((count, from, to), (1, [a, null_mut(), null_mut()], [b, null_mut(), null_mut()]));
        let exec = executable(graph);
        launch(exec, LEGACY);
        assert_eq!(read(at), 2);
        assert_eq!(cudaGraphAddDependencies(graph, &b, &a, null(), 1), 0);
        let mut params = GraphInstantiateParams { flags: 0, upload_stream: null_mut(), node: null_mut(), result: 9 };
        let mut none = null_mut();
        assert_eq!(cudaGraphInstantiateWithParams(&mut none, graph, &mut params), 1);
        assert_eq!(params.result, 2, "a circle has no order");
        assert_eq!(cudaGraphRemoveDependencies(graph, &a, &b, null(), 1), 0);
        assert_eq!(cudaGraphRemoveDependencies(graph, &a, &b, null(), 1), 1, "it is gone");
        launch(executable(graph), LEGACY);
        assert_eq!(read(at), 1);
        assert_eq!(cudaGraphDestroyNode(b), 0);
        let mut count = 0;
        assert_eq!((cudaGraphGetNodes(graph, null_mut(), &mut count), count), (0, 1));
        assert_eq!(cudaGraphDestroyNode(b), 1);
    }
}

#[test]
fn executable_graphs_change_only_where_they_may() {
    let _turn = turn();
    let at = memory(8);
    let stream = stream(NON_BLOCKING);
    // SAFETY: valid pointers.
    unsafe {
        let graph = graph();
        let a = add_set(graph, &[], &set(at, 1, 1));
        let b = add_set(graph, &[a], &set(at + 4, 2, 1));
        let exec = executable(graph);
        assert_eq!(cudaGraphExecMemsetNodeSetParams(exec, a, &set(at, 5, 1)), 0);
        launch(exec, stream);
        assert_eq!((read(at), read(at + 4)), (5, 2));
        assert_eq!(cudaGraphNodeSetEnabled(exec, b, 0), 0);
        assert_eq!(cudaMemset(at, 0, 8), 0);
        assert_eq!(cudaDeviceSynchronize(), 0);
        let mut enabled = 9;
        assert_eq!((cudaGraphNodeGetEnabled(exec, b, &mut enabled), enabled), (0, 0));
        launch(exec, stream);
        assert_eq!((read(at), read(at + 4)), (5, 0), "the second node is switched off");
        let mut clone = null_mut();
        assert_eq!(cudaGraphClone(&mut clone, graph), 0);
        let mut copy = null_mut();
        assert_eq!(cudaGraphNodeFindInClone(&mut copy, b, clone), 0);
        assert_ne!(copy, b);
        assert_eq!(cudaGraphNodeFindInClone(&mut copy, b, graph), 1);
        let mut result = GraphUpdateResult { result: 9, node: null_mut(), from: null_mut() };
        assert_eq!(cudaGraphExecUpdate(exec, clone, &mut result), 0);
        assert_eq!(result.result, 0);
        launch(exec, stream);
        assert_eq!(read(at), 1, "the parameters of the clone");
        let mut empty = null_mut();
        assert_eq!(cudaGraphAddEmptyNode(&mut empty, clone, null(), 0), 0);
        assert_eq!(cudaGraphExecUpdate(exec, clone, &mut result), 910);
        assert_eq!((result.result, result.node), (2, empty));
        let other = crate::graph();
        assert_eq!(cudaGraphAddEmptyNode(&mut empty, other, null(), 0), 0);
        add_set(other, &[empty], &set(at, 1, 1));
        let (mut node, mut code) = (null_mut(), 9);
        assert_eq!(cuGraphExecUpdate(exec, other, &mut node, &mut code), 910);
        assert_eq!((code, node), (3, empty), "a node of another type");
    }
}

#[test]
fn nested_graphs_events_and_host_calls_run_in_order() {
    let _turn = turn();
    let (at, stream, recorded) = (memory(4), stream(NON_BLOCKING), event());
    extern "C" fn note(data: *mut c_void) {
        // SAFETY: a counter of the test's.
        unsafe { *data.cast::<u32>() += 1 };
    }
    let mut calls = 0u32;
    // SAFETY: valid pointers.
    unsafe {
        let child = graph();
        let inner = add_set(child, &[], &set(at, 3, 1));
        add_set(child, &[inner], &set(at, 4, 1));
        let parent = graph();
        let mut nodes = [null_mut(); 4];
        assert_eq!(cudaGraphAddChildGraphNode(&mut nodes[0], parent, null(), 0, child), 0);
        let host = HostNodeParams { function: Some(note), data: (&raw mut calls).cast() };
        assert_eq!(cudaGraphAddHostNode(&mut nodes[1], parent, &nodes[0], 1, &host), 0);
        assert_eq!(cudaGraphAddEventRecordNode(&mut nodes[2], parent, &nodes[1], 1, recorded), 0);
        assert_eq!(cudaGraphAddChildGraphNode(&mut nodes[3], parent, null(), 0, parent), 1, "not within itself");
        let exec = executable(parent);
        assert_eq!(cudaGraphLaunch(exec, stream), 0);
        assert_eq!(cudaEventSynchronize(recorded), 0);
        assert_eq!(calls, 1, "the event is behind the call");
        assert_eq!(cudaStreamSynchronize(stream), 0);
        assert_eq!(read(at), 4);
    }
}

#[test]
fn captures_go_into_graphs_and_change_what_comes_next() {
    let _turn = turn();
    let (at, stream) = (memory(4), stream(NON_BLOCKING));
    // SAFETY: valid pointers.
    unsafe {
        let graph = graph();
        let a = add_set(graph, &[], &set(at, 1, 1));
        assert_eq!(cudaStreamBeginCaptureToGraph(stream, graph, &a, null(), 1, GLOBAL), 0);
        assert_eq!(cudaMemsetAsync(at, 2, 4, stream), 0);
        let none: [Handle; 0] = [];
        assert_eq!(cudaStreamUpdateCaptureDependencies(stream, none.as_ptr(), null(), 0, 1), 0);
        let (mut status, mut count) = (9, 9);
        let info =
            cudaStreamGetCaptureInfo(stream, &mut status, null_mut(), null_mut(), null_mut(), null_mut(), &mut count);
        assert_eq!((info, count), (0, 0));
        assert_eq!(cudaStreamUpdateCaptureDependencies(stream, &a, null(), 1, 0), 0);
        assert_eq!(end(stream).0, 904, "the set comes before nothing in the stream any more");
        let mut count = 0;
        assert_eq!((cudaGraphGetNodes(graph, null_mut(), &mut count), count), (0, 2), "the graph is the program's");
        launch(executable(graph), stream);
        assert_eq!(read(at), 0x0202_0202);
    }
}

#[test]
fn memory_of_graphs_lives_from_node_to_free() {
    let _turn = turn();
    let stream = stream(NON_BLOCKING);
    let attribute = |number| {
        let mut value = 0;
        // SAFETY: room for a number.
        assert_eq!(unsafe { cudaDeviceGetGraphMemAttribute(0, number, &mut value) }, 0);
        value
    };
    // SAFETY: valid pointers.
    unsafe {
        let before = attribute(0);
        let mut address = 0;
        assert_eq!(cudaStreamBeginCapture(stream, GLOBAL), 0);
        assert_eq!(cudaMallocAsync(&mut address, 4096, stream), 0);
        assert_eq!(cudaMemsetAsync(address, 9, 4096, stream), 0);
        let mut graph = null_mut();
        assert_eq!(cudaStreamEndCapture(stream, &mut graph), 0);
        let exec = executable(graph);
        let mut second = null_mut();
        assert_ne!(cudaGraphInstantiate(&mut second, graph, 0), 0, "an address is one executable graph's");
        launch(exec, stream);
        assert_eq!((read(address), attribute(0)), (0x0909_0909, before + 4096));
        assert_eq!(cudaGraphLaunch(exec, stream), 1, "the memory was not freed");
        assert_eq!(cudaFreeAsync(address, stream), 0);
        launch(exec, stream);
        assert_eq!(cudaFree(address), 0);
        assert_eq!(attribute(0), before);
        assert!(attribute(2) >= 4096, "kept for the next launch");
        assert_eq!(cudaDeviceGraphMemTrim(0), 0);
        assert_eq!(attribute(2), attribute(0));
        assert_eq!(cudaFree(address), 1);
    }
}

#[test]
fn user_objects_go_with_the_last_graph() {
    let _turn = turn();
    static GONE: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    extern "C" fn gone(_: *mut c_void) {
        GONE.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    }
    // SAFETY: valid pointers.
    unsafe {
        let (graph, mut object) = (graph(), null_mut());
        assert_eq!(cudaUserObjectCreate(&mut object, null_mut(), gone, 1, 0), 1, "the flag must be there");
        assert_eq!(cudaUserObjectCreate(&mut object, null_mut(), gone, 1, 1), 0);
        assert_eq!(cudaGraphRetainUserObject(graph, object, 1, 1), 0);
        let exec = executable(graph);
        assert_eq!(cudaGraphDestroy(graph), 0);
        assert_eq!(GONE.load(std::sync::atomic::Ordering::SeqCst), 0, "the executable graph has it");
        assert_eq!(cudaGraphExecDestroy(exec), 0);
    }
    for _ in 0..1000 {
        if GONE.load(std::sync::atomic::Ordering::SeqCst) == 1 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("nobody destroyed it");
}
