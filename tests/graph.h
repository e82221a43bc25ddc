// What cases of graphs share: nodes of kernels, captures, and launches.
#pragma once
#include <initializer_list>
#include <vector>

#include "pdl.h"

// A node that launches a kernel behind others.
template <typename... Parameters, typename... Arguments>
cudaGraphNode_t kernel_node(cudaGraph_t graph, std::initializer_list<cudaGraphNode_t> behind, void (*kernel)(Parameters...),
                            int blocks, int threads, Arguments... arguments) {
    return [&](Parameters... values) {
        void* pointers[] = {&values...};
        cudaKernelNodeParams params = {};
        params.func = reinterpret_cast<void*>(kernel);
        params.gridDim = blocks;
        params.blockDim = threads;
        params.kernelParams = pointers;
        cudaGraphNode_t node;
        CHECK(cudaGraphAddKernelNode(&node, graph, behind.begin(), behind.size(), &params));
        return node;
    }(Parameters(arguments)...);
}

// A programmatic dependency: the second kernel may start once the first one has triggered.
inline void programmatic(cudaGraph_t graph, cudaGraphNode_t first, cudaGraphNode_t second) {
    cudaGraphEdgeData data = {};
    data.from_port = cudaGraphKernelNodePortProgrammatic;
    data.type = cudaGraphDependencyTypeProgrammatic;
    CHECK(cudaGraphAddDependencies(graph, &first, &second, &data, 1));
}

// What a stream holds becomes a graph.
template <typename Work>
cudaGraph_t captured(cudaStream_t stream, Work work) {
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    work();
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
}

inline cudaGraphExec_t executable(cudaGraph_t graph, unsigned long long flags = 0) {
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, flags));
    return exec;
}

// What follows in the second stream comes behind all that is in the first one.
inline void join(cudaStream_t first, cudaStream_t second) {
    cudaEvent_t event;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventRecord(event, first));
    CHECK(cudaStreamWaitEvent(second, event, 0));
    CHECK(cudaEventDestroy(event));
}

// A conditional node behind another one; its bodies.
inline cudaGraph_t* conditional(cudaGraph_t graph, cudaGraphNode_t behind, cudaGraphConditionalHandle handle,
                                cudaGraphConditionalNodeType type, unsigned size, cudaGraphNode_t* node) {
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    CHECK(cudaGraphAddNode(node, graph, behind ? &behind : nullptr, nullptr, behind ? 1 : 0, &params));
    return params.conditional.phGraph_out;
}
