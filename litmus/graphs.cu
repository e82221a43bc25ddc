// What the documents leave open about graphs: codes of refusals in captures, what captures make of programmatic launches, what waits behind
// each kind of edge, how many graphs a graph may launch, what cannot be cloned or made executable. One line an answer.
//
// build: graphs -arch=sm_90 -rdc=true -std=c++17 -lcudadevrt
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <thread>
#include <vector>

#define MUST(call)                                                                                  \
    do {                                                                                            \
        cudaError_t error = (call);                                                                 \
        if (error != cudaSuccess) {                                                                 \
            std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error));             \
            std::exit(1);                                                                           \
        }                                                                                           \
    } while (0)

static void say(const char* what, cudaError_t error) {
    std::printf("%s: %d %s\n", what, int(error), cudaGetErrorName(error));
    std::fflush(stdout);
    cudaGetLastError();
}

__global__ void nothing() {}

template <typename... Parameters, typename... Arguments>
cudaGraphNode_t kernel(cudaGraph_t graph, std::initializer_list<cudaGraphNode_t> behind, void (*function)(Parameters...),
                       Arguments... arguments) {
    return [&](Parameters... values) {
        void* pointers[] = {&values..., nullptr};
        cudaKernelNodeParams params = {};
        params.func = reinterpret_cast<void*>(function);
        params.gridDim = params.blockDim = 1;
        params.kernelParams = pointers;
        cudaGraphNode_t node;
        MUST(cudaGraphAddKernelNode(&node, graph, behind.begin(), behind.size(), &params));
        return node;
    }(Parameters(arguments)...);
}

static cudaGraph_t empty_graph() {
    cudaGraph_t graph;
    MUST(cudaGraphCreate(&graph, 0));
    return graph;
}

static void early(cudaStream_t stream, void (*function)()) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 1;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    MUST(cudaLaunchKernelEx(&config, function));
}

__device__ char bytes[64];

// ---- captures ----

static cudaStream_t first, second, blocking;
static cudaEvent_t event, outside;

static void begin(cudaStream_t stream, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    MUST(cudaStreamBeginCapture(stream, mode));
}

static void end(const char* what, cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    cudaError_t error = cudaStreamEndCapture(stream, &graph);
    std::printf("%s, then end: %d %s, %s graph\n", what, int(error), cudaGetErrorName(error), graph ? "a" : "no");
    std::fflush(stdout);
    cudaGetLastError();
    if (graph) MUST(cudaGraphDestroy(graph));
}

static void captures() {
    say("capture: begin on the legacy stream", cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
    begin(first);
    say("capture: begin twice", cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    end("capture: begin twice", first);
    cudaGraph_t graph;
    say("capture: end without begin", cudaStreamEndCapture(first, &graph));

    begin(first);
    say("capture: synchronise the stream", cudaStreamSynchronize(first));
    say("capture: launch after that", (nothing<<<1, 1, 0, first>>>(), cudaGetLastError()));
    end("capture: synchronise the stream", first);
    begin(first);
    say("capture: query the stream", cudaStreamQuery(first));
    end("capture: query the stream", first);
    begin(first);
    say("capture: synchronise the device", cudaDeviceSynchronize());
    end("capture: synchronise the device", first);
    begin(first, cudaStreamCaptureModeRelaxed);
    say("capture relaxed: synchronise the device", cudaDeviceSynchronize());
    end("capture relaxed: synchronise the device", first);
    void* memory;
    begin(first);
    say("capture: cudaMalloc", cudaMalloc(&memory, 64));
    end("capture: cudaMalloc", first);
    begin(first);
    void* variable;
    MUST(cudaGetSymbolAddress(&variable, bytes));
    say("capture: cudaMemset", cudaMemset(variable, 0, 4));
    end("capture: cudaMemset", first);
    begin(blocking);
    say("capture of a blocking stream: cudaMemset", cudaMemset(variable, 0, 4));
    end("capture of a blocking stream: cudaMemset", blocking);
    begin(first, cudaStreamCaptureModeRelaxed);
    say("capture relaxed: cudaMalloc", cudaMalloc(&memory, 64));
    end("capture relaxed: cudaMalloc", first);
    begin(first, cudaStreamCaptureModeThreadLocal);
    cudaError_t other;
    std::thread([&] { other = cudaMalloc(&memory, 64); }).join();
    say("capture of one thread: cudaMalloc in another", other);
    end("capture of one thread: cudaMalloc in another", first);
    begin(first);
    std::thread([&] { other = cudaMalloc(&memory, 64); }).join();
    say("capture global: cudaMalloc in another thread", other);
    end("capture global: cudaMalloc in another thread", first);
    begin(first);
    std::thread([&] { other = cudaStreamEndCapture(first, &graph); }).join();
    say("capture: end in another thread", other);
    end("capture: end in another thread", first);

    begin(blocking);
    say("capture of a blocking stream: launch into the legacy stream", (nothing<<<1, 1>>>(), cudaGetLastError()));
    end("capture of a blocking stream: launch into the legacy stream", blocking);
    begin(blocking);
    cudaStreamCaptureStatus status;
    say("capture of a blocking stream: is the legacy one capturing", cudaStreamIsCapturing(cudaStreamLegacy, &status));
    end("capture of a blocking stream: is the legacy one capturing", blocking);

    begin(first);
    MUST(cudaEventRecord(event, first));
    say("capture: query a captured event", cudaEventQuery(event));
    end("capture: query a captured event", first);
    begin(first);
    MUST(cudaEventRecord(event, first));
    say("capture: synchronise a captured event", cudaEventSynchronize(event));
    end("capture: synchronise a captured event", first);
    say("after the capture: wait for the captured event", cudaStreamWaitEvent(second, event, 0));
    say("after the capture: query the captured event", cudaEventQuery(event));
    MUST(cudaEventRecord(outside, second));
    begin(first);
    say("capture: wait for an event from outside", cudaStreamWaitEvent(first, outside, 0));
    end("capture: wait for an event from outside", first);
    begin(first);
    say("capture: wait for it as an external one", cudaStreamWaitEvent(first, outside, cudaEventWaitExternal));
    end("capture: wait for it as an external one", first);

    begin(first);
    MUST(cudaEventRecord(event, first));
    MUST(cudaStreamWaitEvent(second, event, 0));
    nothing<<<1, 1, 0, second>>>();
    end("capture: a fork that is not joined", first);
    begin(first);
    MUST(cudaEventRecord(event, first));
    MUST(cudaStreamWaitEvent(second, event, 0));
    end("capture: an empty fork that is not joined", first);
    begin(first);
    MUST(cudaEventRecord(event, first));
    MUST(cudaStreamWaitEvent(second, event, 0));
    say("capture: end in the forked stream", cudaStreamEndCapture(second, &graph));
    end("capture: end in the forked stream", first);
    begin(first);
    begin(second);
    nothing<<<1, 1, 0, first>>>();
    MUST(cudaEventRecord(event, first));
    say("two captures: wait for an event of the other", cudaStreamWaitEvent(second, event, 0));
    end("two captures, the first", first);
    end("two captures, the second", second);
    begin(first);
    MUST(cudaEventRecord(event, first));
    say("capture: the legacy stream waits for a captured event", cudaStreamWaitEvent(cudaStreamLegacy, event, 0));
    end("capture: the legacy stream waits for a captured event", first);
}

// ---- edges ----

static void edges(const char* what, void (*work)(cudaStream_t)) {
    begin(first);
    work(first);
    cudaGraph_t graph;
    MUST(cudaStreamEndCapture(first, &graph));
    size_t count = 64;
    cudaGraphNode_t from[64], to[64];
    cudaGraphEdgeData data[64];
    MUST(cudaGraphGetEdges(graph, from, to, data, &count));
    std::printf("%s:", what);
    for (size_t i = 0; i < count; ++i) std::printf(" (port %d to %d, type %d)", data[i].from_port, data[i].to_port, data[i].type);
    std::printf("\n");
    size_t without = 64;
    say("  edges without room for data", cudaGraphGetEdges(graph, from, to, nullptr, &without));
    MUST(cudaGraphDestroy(graph));
}

static void* address;

static void ports() {
    MUST(cudaGetSymbolAddress(&address, bytes));
    edges("captured: kernel, programmatic kernel", [](cudaStream_t s) { nothing<<<1, 1, 0, s>>>(); early(s, nothing); });
    edges("captured: kernel, memset, programmatic kernel", [](cudaStream_t s) {
        nothing<<<1, 1, 0, s>>>();
        MUST(cudaMemsetAsync(address, 0, 64, s));
        early(s, nothing);
    });
    edges("captured: kernel, programmatic kernel, kernel", [](cudaStream_t s) {
        nothing<<<1, 1, 0, s>>>();
        early(s, nothing);
        nothing<<<1, 1, 0, s>>>();
    });
    edges("captured: two kernels joined, programmatic kernel", [](cudaStream_t s) {
        MUST(cudaEventRecord(event, s));
        MUST(cudaStreamWaitEvent(second, event, 0));
        nothing<<<1, 1, 0, second>>>();
        nothing<<<1, 1, 0, s>>>();
        MUST(cudaEventRecord(event, second));
        MUST(cudaStreamWaitEvent(s, event, 0));
        early(s, nothing);
    });
    edges("captured: programmatic kernel first", [](cudaStream_t s) { early(s, nothing); });
    for (int from = 0; from < 3; ++from)
        for (int type = 0; type < 2; ++type) {
            cudaGraph_t graph = empty_graph();
            cudaGraphNode_t a = kernel(graph, {}, nothing), b = kernel(graph, {}, nothing), none;
            MUST(cudaGraphAddEmptyNode(&none, graph, nullptr, 0));
            cudaGraphEdgeData data = {};
            data.from_port = from;
            data.type = type;
            char text[64];
            std::snprintf(text, sizeof text, "edge: kernel port %d, type %d, to a kernel", from, type);
            say(text, cudaGraphAddDependencies(graph, &a, &b, &data, 1));
            std::snprintf(text, sizeof text, "edge: kernel port %d, type %d, to an empty node", from, type);
            say(text, cudaGraphAddDependencies(graph, &a, &none, &data, 1));
            cudaGraphExec_t exec;
            say("  made executable", cudaGraphInstantiate(&exec, graph, 0));
        }
    cudaGraph_t graph = empty_graph();
    cudaGraphNode_t a = kernel(graph, {}, nothing), b = kernel(graph, {a}, nothing);
    say("edge: a second time", cudaGraphAddDependencies(graph, &a, &b, nullptr, 1));
    say("edge: to itself", cudaGraphAddDependencies(graph, &a, &a, nullptr, 1));
    say("edge: a circle", cudaGraphAddDependencies(graph, &b, &a, nullptr, 1));
    cudaGraphExec_t exec;
    cudaGraphInstantiateParams params = {};
    say("  made executable", cudaGraphInstantiateWithParams(&exec, graph, &params));
    std::printf("  result %d\n", int(params.result_out));
}

// ---- what a wait covers ----

__device__ volatile int began, ended, value, early_start, seen;

__global__ void slow(int triggers) {
    began = 1;
    if (triggers) cudaTriggerProgrammaticLaunchCompletion();
    long long start = clock64();
    while (clock64() - start < 20000000) {}
    value = 7;
    __threadfence();
    ended = 1;
}

__global__ void waits() {
    early_start = !ended;
    cudaGridDependencySynchronize();
    seen = value;
}

__global__ void clear() { began = ended = value = early_start = seen = 0; }

static void covers(int port, int type, int triggers) {
    cudaGraph_t graph = empty_graph();
    cudaGraphNode_t a = kernel(graph, {kernel(graph, {}, clear)}, slow, triggers), b = kernel(graph, {}, waits);
    cudaGraphEdgeData data = {};
    data.from_port = port;
    data.type = type;
    if (cudaGraphAddDependencies(graph, &a, &b, &data, 1) != cudaSuccess) return;
    cudaGraphExec_t exec;
    if (cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess) return;
    int starts = 0, reads = 0;
    for (int i = 0; i < 10; ++i) {
        int start, read;
        MUST(cudaGraphLaunch(exec, first));
        MUST(cudaStreamSynchronize(first));
        MUST(cudaMemcpyFromSymbol(&start, early_start, sizeof start));
        MUST(cudaMemcpyFromSymbol(&read, seen, sizeof read));
        starts += start;
        reads += read == 7;
    }
    std::printf("wait: port %d, type %d, %s: started early %d of 10, saw the value %d of 10\n", port, type,
                triggers ? "triggers" : "no trigger", starts, reads);
}

// ---- device graphs ----

constexpr int MOST = 300;
__device__ cudaGraphExec_t graphs[MOST];
__device__ int codes[MOST];

__global__ void launches(int count, unsigned long long where, int same) {
    for (int i = 0; i < count; ++i)
        codes[i] = cudaGraphLaunch(same ? cudaGetCurrentGraphExec() : graphs[i], reinterpret_cast<cudaStream_t>(where));
}

static void first_failure(const char* what, int count) {
    std::vector<int> host(MOST);
    cudaError_t error = cudaStreamSynchronize(first);
    MUST(cudaMemcpyFromSymbol(host.data(), codes, sizeof codes));
    int ok = 0;
    while (ok < count && host[ok] == 0) ++ok;
    std::printf("%s: %d of %d launched, then %d %s; synchronised with %d\n", what, ok, count, ok < count ? host[ok] : 0,
                cudaGetErrorName(cudaError_t(ok < count ? host[ok] : 0)), int(error));
    std::fflush(stdout);
}

static void device_graphs() {
    std::vector<cudaGraphExec_t> execs(MOST);
    for (cudaGraphExec_t& exec : execs) {
        cudaGraph_t graph = empty_graph();
        kernel(graph, {}, nothing);
        MUST(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
        MUST(cudaGraphUpload(exec, first));
    }
    MUST(cudaStreamSynchronize(first));
    MUST(cudaMemcpyToSymbol(graphs, execs.data(), sizeof(cudaGraphExec_t) * MOST));
    auto run = [](int count, unsigned long long where, int same, unsigned long long flags) {
        cudaGraph_t graph = empty_graph();
        kernel(graph, {}, launches, count, where, same);
        cudaGraphExec_t exec;
        MUST(cudaGraphInstantiate(&exec, graph, flags));
        MUST(cudaGraphLaunch(exec, first));
    };
    const unsigned long long tail = 0x0100000000000000, fire = 0x0200000000000000, sibling = 0x0300000000000000;
    const unsigned long long device = cudaGraphInstantiateFlagDeviceLaunch;
    run(130, fire, 0, device);
    first_failure("device graphs: fire-and-forget", 130);
    run(130, fire, 0, device);
    first_failure("device graphs: fire-and-forget again", 130);
    run(270, tail, 0, device);
    first_failure("device graphs: tail", 270);
    run(270, sibling, 0, device);
    first_failure("device graphs: sibling", 270);
    run(1, fire, 1, device);
    first_failure("device graphs: itself, fire-and-forget", 1);
    run(1, sibling, 1, device);
    first_failure("device graphs: itself, sibling", 1);
    run(1, 0, 0, device);
    first_failure("device graphs: into stream 0", 1);
    launches<<<1, 1, 0, first>>>(1, fire, 0);
    first_failure("device graphs: from a kernel outside of graphs", 1);
    run(1, fire, 0, 0);
    first_failure("device graphs: from a graph that is none for the device", 1);
}

// ---- refusals ----

static void CUDART_CB call(void*) {}

static void refusals() {
    cudaGraphExec_t exec, again;
    cudaGraph_t clone;
    cudaHostNodeParams host = {call, nullptr};
    cudaGraphNode_t node;
    cudaGraphInstantiateParams params = {};
    params.flags = cudaGraphInstantiateFlagDeviceLaunch;
    cudaGraph_t graph = empty_graph();
    MUST(cudaGraphAddHostNode(&node, graph, nullptr, 0, &host));
    say("executable for the device: with a host node", cudaGraphInstantiateWithParams(&exec, graph, &params));
    std::printf("  result %d, that node: %d\n", int(params.result_out), params.errNode_out == node);
    graph = empty_graph();
    params = {};
    params.flags = cudaGraphInstantiateFlagDeviceLaunch;
    say("executable for the device: empty", cudaGraphInstantiateWithParams(&exec, graph, &params));

    graph = empty_graph();
    cudaGraphConditionalHandle handle;
    MUST(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    params = {};
    say("executable: a conditional handle without a node", cudaGraphInstantiateWithParams(&exec, graph, &params));
    std::printf("  result %d\n", int(params.result_out));
    cudaGraphNodeParams conditional = {};
    conditional.type = cudaGraphNodeTypeConditional;
    conditional.conditional.handle = handle;
    conditional.conditional.type = cudaGraphCondTypeIf;
    conditional.conditional.size = 1;
    MUST(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &conditional));
    say("conditional: a second node of the handle", cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &conditional));
    say("conditional: a host node in the body", cudaGraphAddHostNode(&node, conditional.conditional.phGraph_out[0], nullptr, 0, &host));
    say("conditional: clone", cudaGraphClone(&clone, graph));
    say("conditional: executable", cudaGraphInstantiate(&exec, graph, 0));
    say("conditional: executable twice", cudaGraphInstantiate(&again, graph, 0));

    graph = empty_graph();
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 1 << 20;
    MUST(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &memory));
    say("memory: clone", cudaGraphClone(&clone, graph));
    cudaGraph_t parent = empty_graph();
    say("memory: as a child graph", cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    say("memory: executable twice", cudaGraphInstantiate(&again, graph, 0));
    say("memory: launch", cudaGraphLaunch(exec, first));
    say("memory: launch again, not freed", cudaGraphLaunch(exec, first));
    say("memory: cudaFree", cudaFree(memory.dptr));
    say("memory: cudaFree again", cudaFree(memory.dptr));
    say("memory: launch again, freed", cudaGraphLaunch(exec, first));
    say("memory: cudaFreeAsync", cudaFreeAsync(memory.dptr, first));
    MUST(cudaStreamSynchronize(first));
    void* plain;
    MUST(cudaMalloc(&plain, 64));
    graph = empty_graph();
    say("memory: a node that frees what cudaMalloc gave", cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, plain));

    graph = empty_graph();
    cudaGraphNode_t a = kernel(graph, {}, nothing);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    kernel(graph, {a}, nothing);
    cudaGraphExecUpdateResultInfo info;
    say("update: one node more", cudaGraphExecUpdate(exec, graph, &info));
    std::printf("  result %d\n", int(info.result));
    graph = empty_graph();
    MUST(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    say("update: another type", cudaGraphExecUpdate(exec, graph, &info));
    std::printf("  result %d\n", int(info.result));
    graph = empty_graph();
    kernel(graph, {}, clear);
    say("update: another kernel", cudaGraphExecUpdate(exec, graph, &info));
    std::printf("  result %d\n", int(info.result));
    MUST(cudaDeviceSynchronize());
}

int main() {
    MUST(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    MUST(cudaStreamCreate(&blocking));
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&outside, cudaEventDisableTiming));
    nothing<<<1, 1, 0, first>>>();
    MUST(cudaDeviceSynchronize());
    captures();
    ports();
    for (int triggers = 0; triggers < 2; ++triggers)
        for (int port = 0; port < 3; ++port)
            for (int type = 0; type < 2; ++type) covers(port, type, triggers);
    refusals();
    device_graphs();
}
