// Section 5: what the edges of graphs order, what a launch of a graph is in its stream, conditional nodes, device graphs.
#pragma once
#include "dependents.h"
#include <initializer_list>

template <typename... Parameters, typename... Arguments>
cudaGraphNode_t node(cudaGraph_t graph, std::initializer_list<cudaGraphNode_t> behind, void (*function)(Parameters...),
                     Arguments... arguments) {
    return [&](Parameters... values) {
        void* pointers[] = {&values..., nullptr};
        cudaKernelNodeParams params = {};
        params.func = reinterpret_cast<void*>(function);
        params.gridDim = params.blockDim = 1;
        params.kernelParams = pointers;
        cudaGraphNode_t made;
        MUST(cudaGraphAddKernelNode(&made, graph, behind.begin(), behind.size(), &params));
        return made;
    }(Parameters(arguments)...);
}

static cudaGraph_t new_graph() {
    cudaGraph_t graph;
    MUST(cudaGraphCreate(&graph, 0));
    return graph;
}

static cudaGraphExec_t executable(cudaGraph_t graph, unsigned long long flags = 0) {
    cudaGraphExec_t exec;
    MUST(cudaGraphInstantiate(&exec, graph, flags));
    return exec;
}

static std::string run_graph(cudaGraphExec_t exec) {
    MUST(cudaGraphLaunch(exec, first));
    mark<<<1, 1, 0, first>>>(9, 0);
    return marks();
}

// ---- order ----

template <typename Work>
cudaGraphExec_t captured(Work work) {
    cudaGraph_t graph;
    MUST(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
    work();
    MUST(cudaStreamEndCapture(first, &graph));
    return executable(graph);
}

static std::string fork_and_join() {
    static cudaEvent_t back = [] {
        cudaEvent_t made;
        MUST(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
        return made;
    }();
    static cudaGraphExec_t exec = captured([] {
        mark<<<1, 1, 0, first>>>(1, 1000);
        MUST(cudaEventRecord(event, first));
        MUST(cudaStreamWaitEvent(second, event, 0));
        mark<<<1, 1, 0, first>>>(2, 1000);
        mark<<<1, 1, 0, second>>>(3, 1000);
        MUST(cudaEventRecord(back, second));
        MUST(cudaStreamWaitEvent(first, back, 0));
        mark<<<1, 1, 0, first>>>(4, 0);
    });
    return run_graph(exec);
}

static std::string roots() {
    static cudaGraphExec_t exec = [] {
        cudaGraph_t graph = new_graph();
        node(graph, {}, mark, 2, 500u);
        node(graph, {}, mark, 3, 0u);
        return executable(graph);
    }();
    mark<<<1, 1, 0, first>>>(1, some(1));
    return run_graph(exec);
}

static cudaGraph_t pair_graph(int name) {
    cudaGraph_t graph = new_graph();
    node(graph, {node(graph, {}, mark, name, 2000u)}, mark, name + 1, 0u);
    return graph;
}

// One executable graph runs once at a time, whatever the streams.
static std::string one_graph_two_streams() {
    static cudaGraphExec_t exec = executable(pair_graph(1));
    MUST(cudaGraphLaunch(exec, first));
    MUST(cudaGraphLaunch(exec, second));
    return marks();
}

static std::string two_graphs_two_streams() {
    static cudaGraphExec_t one = executable(pair_graph(1)), other = executable(pair_graph(11));
    MUST(cudaGraphLaunch(one, first));
    MUST(cudaGraphLaunch(other, second));
    return marks();
}

static std::string child_graph() {
    static cudaGraphExec_t exec = [] {
        cudaGraph_t graph = new_graph(), child = pair_graph(2);
        cudaGraphNode_t before = node(graph, {}, mark, 1, 1000u), inner;
        MUST(cudaGraphAddChildGraphNode(&inner, graph, &before, 1, child));
        node(graph, {inner}, mark, 4, 0u);
        return executable(graph);
    }();
    return run_graph(exec);
}

static void CUDART_CB checks_copy(void* saw) { *static_cast<int*>(saw) = shared->value; }

__global__ void counts_runs() { state.value[0] = state.value[0] + 1; }

// Kernel, copy to the host, host function, set, kernel: each sees what is in front.
static std::string nodes_of_all_kinds() {
    static int saw;
    static cudaGraphExec_t exec = [] {
        cudaGraph_t graph = new_graph();
        cudaGraphNode_t kernel = node(graph, {}, counts_runs), copy, host, set;
        void* address;
        MUST(cudaGetSymbolAddress(&address, state));
        char* value = static_cast<char*>(address) + offsetof(State, value);
        MUST(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, const_cast<int*>(&shared->value), value, sizeof(int), cudaMemcpyDeviceToHost));
        cudaHostNodeParams function = {checks_copy, &saw};
        MUST(cudaGraphAddHostNode(&host, graph, &copy, 1, &function));
        cudaMemsetParams zero = {};
        zero.dst = value;
        zero.elementSize = 4;
        zero.width = zero.height = 1;
        MUST(cudaGraphAddMemsetNode(&set, graph, &host, 1, &zero));
        node(graph, {set}, counts_runs);
        return executable(graph);
    }();
    saw = 0;
    MUST(cudaGraphLaunch(exec, first));
    MUST(cudaDeviceSynchronize());
    return std::to_string(saw) + " " + std::to_string(int(fetch().value[0]));
}

static std::string update_between() {
    static cudaGraphNode_t kernel;
    static cudaGraphExec_t exec = [] {
        cudaGraph_t graph = new_graph();
        kernel = node(graph, {}, mark, 1, 3000u);
        return executable(graph);
    }();
    for (int name = 1; name <= 2; ++name) {
        unsigned nanoseconds = 3000;
        void* pointers[] = {&name, &nanoseconds};
        cudaKernelNodeParams params = {};
        params.func = reinterpret_cast<void*>(mark);
        params.gridDim = params.blockDim = 1;
        params.kernelParams = pointers;
        MUST(cudaGraphExecKernelNodeSetParams(exec, kernel, &params));
        MUST(cudaGraphLaunch(exec, first));
    }
    return marks();
}

// ---- programmatic edges ----

__global__ void one_block_primary(bool triggers, const int* number) {
    if (triggers) cudaTriggerProgrammaticLaunchCompletion();
    wait_for(&state.flag[0], limit);
    state.value[0] = *number;
    publish(&state.flag[1]);
}

template <int PORT, int TYPE, bool TRIGGERS>
std::string port() {
    static cudaGraphExec_t exec = [] {
        cudaGraph_t graph = new_graph();
        cudaGraphNode_t from = node(graph, {}, one_block_primary, TRIGGERS, const_cast<const int*>(&shared->value));
        cudaGraphNode_t to = node(graph, {}, dependent, true);
        cudaGraphEdgeData data = {};
        data.from_port = PORT;
        data.type = TYPE;
        MUST(cudaGraphAddDependencies(graph, &from, &to, &data, 1));
        return executable(graph);
    }();
    shared->value = turn;
    MUST(cudaGraphLaunch(exec, first));
    return early_or_late() + " " + value_of(2);
}

static std::string captured_dependent() {
    static cudaGraphExec_t exec = captured([] {
        one_block_primary<<<1, 1, 0, first>>>(true, const_cast<const int*>(&shared->value));
        launch_dependent(true);
    });
    shared->value = turn;
    MUST(cudaGraphLaunch(exec, first));
    return early_or_late() + " " + value_of(2);
}

// ---- conditional nodes ----

__global__ void decides(cudaGraphConditionalHandle handle, const int* number) {
    leave(1);
    cudaGraphSetConditional(handle, *number);
}

__global__ void counts_down(cudaGraphConditionalHandle handle) {
    leave(2);
    int left = state.value[5] = state.value[5] - 1;
    cudaGraphSetConditional(handle, left > -3);
}

// The body of number `i` leaves 2 + i; a WHILE runs three times.
template <cudaGraphConditionalNodeType TYPE, int BODIES>
cudaGraphExec_t conditional() {
    cudaGraph_t graph = new_graph();
    cudaGraphConditionalHandle handle;
    MUST(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNode_t before = node(graph, {}, decides, handle, const_cast<const int*>(&shared->value)), inner;
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = TYPE;
    params.conditional.size = BODIES;
    MUST(cudaGraphAddNode(&inner, graph, &before, nullptr, 1, &params));
    for (int i = 0; i < BODIES; ++i) {
        cudaGraph_t body = params.conditional.phGraph_out[i];
        if (TYPE == cudaGraphCondTypeWhile) node(body, {}, counts_down, handle);
        else node(body, {}, mark, 2 + i, 1000u);
    }
    node(graph, {inner}, mark, 8, 0u);
    return executable(graph);
}

template <cudaGraphConditionalNodeType TYPE, int BODIES, int VALUE>
std::string decided() {
    static cudaGraphExec_t exec = conditional<TYPE, BODIES>();
    shared->value = VALUE;
    return run_graph(exec);
}

// ---- device graphs ----

__device__ cudaGraphExec_t launched_graph;

__global__ void launched_node() {
    leave(2);
    publish(&state.flag[2]);
}

// Gives the graph that it launches the time to run beside it, or does not.
__global__ void launches_graph(unsigned long long where, bool stays) {
    if (cudaGraphLaunch(launched_graph, reinterpret_cast<cudaStream_t>(where)) != cudaSuccess) leave(7);
    if (stays) wait_for(&state.flag[2], limit);
    leave(1);
}

__global__ void relaunches() {
    leave(1);
    int before = state.value[5];
    state.value[5] = before + 1;
    if (before < 4 && cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch) != cudaSuccess) leave(7);
}

static cudaGraphExec_t for_device(cudaGraph_t graph) {
    cudaGraphExec_t exec = executable(graph, cudaGraphInstantiateFlagDeviceLaunch);
    MUST(cudaGraphUpload(exec, first));
    MUST(cudaStreamSynchronize(first));
    return exec;
}

// 1: tail, 2: fire-and-forget, 3: sibling.
template <int WHERE, bool STAYS = false>
std::string device_graph() {
    static cudaGraphExec_t exec = [] {
        cudaGraph_t inner = new_graph(), outer = new_graph();
        node(inner, {}, launched_node);
        cudaGraphExec_t launched = for_device(inner);
        // The other tests' outer graphs launch it from now on.
        MUST(cudaMemcpyToSymbol(launched_graph, &launched, sizeof launched));
        cudaStream_t where = WHERE == 1 ? cudaStreamGraphTailLaunch : WHERE == 2 ? cudaStreamGraphFireAndForget : cudaStreamGraphFireAndForgetAsSibling;
        node(outer, {}, launches_graph, reinterpret_cast<unsigned long long>(where), STAYS);
        return for_device(outer);
    }();
    return run_graph(exec);
}

static std::string relaunched() {
    static cudaGraphExec_t exec = [] {
        cudaGraph_t graph = new_graph();
        node(graph, {}, relaunches);
        return for_device(graph);
    }();
    return run_graph(exec);
}

static std::vector<Test> graph_tests() {
    const char *all = "early old | late old | early new | late new", *some_new = "early new | late new";
    return {
        {"5", "fork-and-join", fork_and_join, "order 1<2<4<9 1<3<4"},
        {"5", "roots", roots, "order 1<2<9 1<3<9"},
        {"5", "one-graph-two-streams", one_graph_two_streams, "1 2 1 2"},
        {"5", "two-graphs-two-streams", two_graphs_two_streams, "order 1<2 11<12"},
        {"5", "child-graph", child_graph, "1 2 3 4 9"},
        {"5", "nodes-of-all-kinds", nodes_of_all_kinds, "1 1"},
        {"5", "update-between", update_between, "1 2"},
        {"5", "port-full", port<0, 0, true>, "late new"},
        {"5", "port-programmatic", port<1, 1, true>, some_new},
        {"5", "port-programmatic-no-trigger", port<1, 1, false>, "late new"},
        {"5", "port-launch-completion", port<2, 1, false>, some_new},
        {"5", "port-launch-completion-full", port<2, 0, false>, all},
        {"5", "captured-dependent", captured_dependent, some_new},
        {"5", "if-not", decided<cudaGraphCondTypeIf, 1, 0>, "1 8 9"},
        {"5", "if", decided<cudaGraphCondTypeIf, 1, 1>, "1 2 8 9"},
        {"5", "if-else", decided<cudaGraphCondTypeIf, 2, 0>, "1 3 8 9"},
        {"5", "while", decided<cudaGraphCondTypeWhile, 1, 1>, "1 2 2 2 8 9"},
        {"5", "while-not", decided<cudaGraphCondTypeWhile, 1, 0>, "1 8 9"},
        {"5", "switch", decided<cudaGraphCondTypeSwitch, 3, 2>, "1 4 8 9"},
        {"5", "switch-outside", decided<cudaGraphCondTypeSwitch, 3, 3>, "1 8 9"},
        {"5", "device-graph-tail", device_graph<1>, "1 2 9"},
        {"5", "device-graph-fire-and-forget", device_graph<2>, "order 1<9 2<9"},
        {"5", "device-graph-sibling", device_graph<3>, "order 1<9 2"},
        {"5", "device-graph-fire-and-forget-beside", device_graph<2, true>, "order 1<9 2<9"},
        {"5", "device-graph-sibling-beside", device_graph<3, true>, "order 1<9 2"},
        {"5", "device-graph-relaunched", relaunched, "1 1 1 1 1 9"},
    };
}
