// Quicksort by device launches: a grid of one block partitions its range and launches a grid for each side. Short ranges are
// sorted in shared memory. A refused launch is no lost work here: the block sorts that side itself.
// Usage: quicksort [N [SEED [random|few|sorted|reversed [POOL]]]]
//
// build: quicksort -arch=sm_90 -rdc=true -std=c++17 -lcudadevrt
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "matrix.h"

constexpr int THREADS = 256;
constexpr int SHORT = 1024;  // ranges up to this length are sorted in shared memory

struct Counts {
    int children, refused, deepest;
};

// Bitonic sort of a whole range in shared memory, padded to a power of two with the largest key.
static __device__ void sort_short(int* keys, int length) {
    __shared__ int cell[SHORT];
    int size = 1;
    while (size < length) size *= 2;
    for (int i = threadIdx.x; i < size; i += THREADS) cell[i] = i < length ? keys[i] : 0x7fffffff;
    for (int run = 2; run <= size; run *= 2)
        for (int step = run / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < size; i += THREADS) {
                int other = i ^ step;
                if (other <= i) continue;
                int low = cell[i], high = cell[other];
                if ((low > high) == ((i & run) == 0)) {
                    cell[i] = high;
                    cell[other] = low;
                }
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += THREADS) keys[i] = cell[i];
    __syncthreads();
}

// The fallback of one thread: heap sort, which needs no memory and no luck.
static __device__ void sort_alone(int* keys, int length) {
    auto sift = [&](int root, int end) {
        for (int child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && keys[child] < keys[child + 1]) ++child;
            if (keys[root] >= keys[child]) return;
            int key = keys[root];
            keys[root] = keys[child];
            keys[child] = key;
        }
    };
    for (int root = length / 2 - 1; root >= 0; --root) sift(root, length);
    for (int end = length - 1; end > 0; --end) {
        int key = keys[0];
        keys[0] = keys[end];
        keys[end] = key;
        sift(0, end);
    }
}

static __device__ int median(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }

// Splits the range into keys below, equal to and above a pivot, through `other`. Returns where the second and third part begin.
static __device__ int2 partition(int* keys, int* other, int length) {
    __shared__ int counts[3], places[3];
    if (threadIdx.x < 3) counts[threadIdx.x] = 0;
    int pivot = median(keys[0], keys[length / 2], keys[length - 1]);
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += THREADS) atomicAdd(&counts[(keys[i] >= pivot) + (keys[i] > pivot)], 1);
    __syncthreads();
    int2 split = {counts[0], counts[0] + counts[1]};
    if (threadIdx.x == 0) {
        places[0] = 0;
        places[1] = split.x;
        places[2] = split.y;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += THREADS) {
        int key = keys[i];
        other[atomicAdd(&places[(key >= pivot) + (key > pivot)], 1)] = key;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += THREADS) keys[i] = other[i];
    __syncthreads();
    return split;
}

__global__ void quicksort(int* keys, int* other, int length, int depth, Counts* counts) {
    if (length <= SHORT) {
        sort_short(keys, length);
        return;
    }
    int2 split = partition(keys, other, length);
    // The barrier that ended the partition orders all threads' stores before this thread's launches.
    if (threadIdx.x != 0) return;
    atomicMax(&counts->deepest, depth + 1);
    for (int side = 0; side < 2; ++side) {
        int first = side ? split.y : 0, size = side ? length - split.y : split.x;
        if (size < 2) continue;
        quicksort<<<1, THREADS, 0, cudaStreamFireAndForget>>>(keys + first, other + first, size, depth + 1, counts);
        if (cudaGetLastError() == cudaSuccess) {
            atomicAdd(&counts->children, 1);
        } else {
            atomicAdd(&counts->refused, 1);
            sort_alone(keys + first, size);
        }
    }
}

int main(int count, char** words) {
    int n = count > 1 ? std::atoi(words[1]) : 1 << 20;
    unsigned seed = count > 2 ? std::atoi(words[2]) : 1;
    std::string kind = count > 3 ? words[3] : "random";
    if (count > 4) CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, std::atoi(words[4])));
    if (n < 1) return std::fprintf(stderr, "quicksort: N must be positive\n"), 1;

    std::vector<int> keys(n);
    Random random{seed};
    for (int i = 0; i < n; ++i)
        keys[i] = kind == "few" ? int(random.below(7)) - 3 : kind == "sorted" ? i : kind == "reversed" ? -i : int(random.next() >> 32);
    std::vector<int> expected = keys;
    std::sort(expected.begin(), expected.end());

    int *device, *other;
    Counts *counts, host;
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    CHECK(cudaMalloc(&other, n * sizeof(int)));
    CHECK(cudaMalloc(&counts, sizeof *counts));
    CHECK(cudaMemcpy(device, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counts, 0, sizeof *counts));
    quicksort<<<1, THREADS>>>(device, other, n, 0, counts);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(keys.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&host, counts, sizeof host, cudaMemcpyDeviceToHost));

    bool good = keys == expected;
    std::printf("quicksort n=%d keys=%s children=%d refused=%d depth=%d %s\n", n, kind.c_str(), host.children, host.refused,
                host.deepest, good ? "ok" : "WRONG");
    return good ? 0 : 1;
}
