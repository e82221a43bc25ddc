// p07: breadth-first search: each level is a grid that claims neighbours by compare-and-swap, and its tail is the next level.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

#include <vector>

constexpr int NODES = 1500, DEGREE = 3;

struct Frontier {
    int length;
    int node[NODES];
};

__global__ void expand(const int* edges, int* level, Frontier* now, Frontier* next, int depth);

__global__ void turn(const int* edges, int* level, Frontier* now, Frontier* next, int depth) {
    now->length = 0;
    if (next->length > 0) expand<<<(next->length + 63) / 64, 64, 0, cudaStreamTailLaunch>>>(edges, level, next, now, depth + 1);
}

__global__ void expand(const int* edges, int* level, Frontier* now, Frontier* next, int depth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < now->length)
        for (int k = 0; k < DEGREE; ++k) {
            int to = edges[now->node[i] * DEGREE + k];
            if (atomicCAS(&level[to], -1, depth + 1) == -1) next->node[atomicAdd(&next->length, 1)] = to;
        }
    if (i == 0) turn<<<1, 1, 0, cudaStreamTailLaunch>>>(edges, level, now, next, depth);
}

__global__ void start(int* level, Frontier* now) {
    level[threadIdx.x + blockIdx.x * blockDim.x] = threadIdx.x + blockIdx.x == 0 ? 0 : -1;
    if (threadIdx.x + blockIdx.x == 0) now->node[0] = 0, now->length = 1;
}

int main() {
    std::vector<int> edges(NODES * DEGREE), expected(NODES, -1), queue{0};
    unsigned state = 3;
    for (int& edge : edges) edge = ((state = state * 1664525 + 1013904223) >> 10) % NODES;
    expected[0] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
        for (int k = 0; k < DEGREE; ++k) {
            int to = edges[queue[i] * DEGREE + k];
            if (expected[to] < 0) expected[to] = expected[queue[i]] + 1, queue.push_back(to);
        }
    int *graph = zeros<int>(NODES * DEGREE), *level = zeros<int>(NODES);
    Frontier *now = zeros<Frontier>(1), *next = zeros<Frontier>(1);
    CHECK(cudaMemcpy(graph, edges.data(), edges.size() * sizeof(int), cudaMemcpyHostToDevice));
    start<<<NODES / 100, 100>>>(level, now);
    expand<<<1, 64>>>(graph, level, now, next, 0);
    return verdict(wrong(level, NODES, [&](int i) { return expected[i]; }));
}
