// Kernels of `spmv bench`: a chain of small layers, and a tree that is refined level by level.
#include "../../../crates/host/kernels/hotfire.cuh"

// ---- layers: out = relu(weight * in + bias), the parameters fetched before the wait

extern "C" __global__ void layer(const float* weight, const float* bias, const float* in, float* out, int count) {
    cudaTriggerProgrammaticLaunchCompletion();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float w = i < count ? weight[i] : 0.f, b = i < count ? bias[i] : 0.f;
    cudaGridDependencySynchronize();
    if (i < count) out[i] = fmaxf(w * in[(i * 17 + 1) % count] + b, 0.f);
}

// ---- a tree: an item of each level makes children for the next, up to a depth. Every leaf is counted.
//
// The lists have room for all. `counts[level]` is how many items a level has.

struct Tree {
    unsigned* items[8];
    unsigned* counts;
    unsigned* leaves;
    int depth;
    HotfireLedger* ledger;
};

constexpr int TREE_THREADS = 128;

static __device__ unsigned mixed(unsigned x) {
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// One to seven children, known by the item alone.
static __device__ void refine(Tree tree, int level, unsigned item) {
    unsigned children = 1 + mixed(item) % 7;
    if (level + 1 == tree.depth) {
        atomicAdd(tree.leaves, children);
        return;
    }
    unsigned at = atomicAdd(&tree.counts[level + 1], children);
    for (unsigned i = 0; i < children; ++i) tree.items[level + 1][at + i] = mixed(item * 8u + i);
}

// The host reads `counts[level + 1]` and launches the next level.
extern "C" __global__ void level_by_host(Tree tree, int level) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tree.counts[level]) refine(tree, level, tree.items[level][i]);
}

// The level itself launches a tail that launches the next, as large as it must be.
extern "C" __global__ void next_by_tail(Tree tree, int level);

extern "C" __global__ void level_by_tail(Tree tree, int level) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tree.counts[level]) refine(tree, level, tree.items[level][i]);
    if (i == 0 && level + 1 < tree.depth) {
        next_by_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(tree, level + 1);
        hotfire_launched(tree.ledger);
    }
}

extern "C" __global__ void next_by_tail(Tree tree, int level) {
    unsigned blocks = (tree.counts[level] + TREE_THREADS - 1) / TREE_THREADS;
    level_by_tail<<<blocks, TREE_THREADS, 0, cudaStreamTailLaunch>>>(tree, level);
    hotfire_launched(tree.ledger);
}

// Every block launches a child for what it has made itself, with no wait for the rest of its level.
extern "C" __global__ void level_by_children(Tree tree, int level, const unsigned* items, unsigned count) {
    __shared__ unsigned made, first;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) made = 0;
    __syncthreads();
    unsigned item = i < count ? items[i] : 0, children = i < count ? 1 + mixed(item) % 7 : 0;
    bool last = level + 1 == tree.depth;
    unsigned own = atomicAdd(&made, children);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (last) atomicAdd(tree.leaves, made);
        else first = atomicAdd(&tree.counts[level + 1], made);
    }
    if (last) return;
    __syncthreads();
    for (unsigned k = 0; k < children; ++k) tree.items[level + 1][first + own + k] = mixed(item * 8u + k);
    __syncthreads();
    if (threadIdx.x == 0 && made > 0) {
        unsigned blocks = (made + TREE_THREADS - 1) / TREE_THREADS;
        level_by_children<<<blocks, TREE_THREADS, 0, cudaStreamFireAndForget>>>(tree, level + 1,
                                                                                tree.items[level + 1] + first, made);
        hotfire_launched(tree.ledger);
    }
}
