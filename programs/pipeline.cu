// A pipeline through mapped host memory: the host fills a slot of a ring, one stream transforms it, a second one, ordered by
// an event, reduces it into a mapped result, and the host waits for that slot's event before it reads the result and fills
// the slot again. Nothing is ever copied.
// Usage: pipeline [CHUNKS [SLOTS]]
//
// build: pipeline -arch=sm_90 -std=c++17
// build: pipeline-shared -arch=sm_90 -std=c++17 -cudart shared
// build: pipeline-plain -arch=sm_90 -std=c++17 --compress-mode=none
// build: pipeline-size -arch=sm_90 -std=c++17 --compress-mode=size
// build: pipeline-speed -arch=sm_90 -std=c++17 --compress-mode=speed
// build: pipeline-many -std=c++17 -gencode arch=compute_75,code=[compute_75,sm_75] -gencode arch=compute_90,code=[compute_90,sm_90]
// build: pipeline-machine-code -std=c++17 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
#include <vector>

#include "check.h"
#include "matrix.h"

constexpr int LENGTH = 1 << 14;
constexpr int THREADS = 256;

struct Slot {
    int *input, *input_mapped;  // the same memory as host and device see it
    unsigned long long *result, *result_mapped;
    int* transformed;
    cudaEvent_t ready, done;
    int chunk = -1;
};

__host__ __device__ inline int transform_one(int value) { return value * 31 + (value >> 3); }

__global__ void transform(const int* input, int* output) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    output[i] = transform_one(input[i]);
}

__global__ void reduce(const int* values, unsigned long long* result) {
    __shared__ unsigned long long sums[THREADS];
    unsigned long long sum = 0;
    for (int i = threadIdx.x; i < LENGTH; i += THREADS) sum += unsigned(values[i]);
    sums[threadIdx.x] = sum;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) *result = sums[0];
}

int main(int count, char** words) {
    int chunks = count > 1 ? std::atoi(words[1]) : 200, ring = count > 2 ? std::atoi(words[2]) : 3;
    if (chunks < 1 || ring < 1) return std::fprintf(stderr, "pipeline: CHUNKS and SLOTS must be positive\n"), 1;
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    std::vector<Slot> slots(ring);
    for (Slot& slot : slots) {
        CHECK(cudaHostAlloc(&slot.input, LENGTH * sizeof(int), cudaHostAllocMapped));
        CHECK(cudaHostGetDevicePointer(&slot.input_mapped, slot.input, 0));
        CHECK(cudaHostAlloc(&slot.result, sizeof *slot.result, cudaHostAllocMapped));
        CHECK(cudaHostGetDevicePointer(&slot.result_mapped, slot.result, 0));
        CHECK(cudaMalloc(&slot.transformed, LENGTH * sizeof(int)));
        CHECK(cudaEventCreateWithFlags(&slot.ready, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming | cudaEventBlockingSync));
    }

    std::vector<unsigned long long> expected(chunks);
    int wrong = 0, first_wrong = -1;
    auto collect = [&](Slot& slot) {
        if (slot.chunk < 0) return;
        CHECK(cudaEventSynchronize(slot.done));
        if (*slot.result != expected[slot.chunk]) {
            ++wrong;
            if (first_wrong < 0) first_wrong = slot.chunk;
        }
        slot.chunk = -1;
    };

    Random random{42};
    for (int chunk = 0; chunk < chunks; ++chunk) {
        Slot& slot = slots[chunk % ring];
        collect(slot);
        for (int i = 0; i < LENGTH; ++i) {
            slot.input[i] = random.below(1 << 20);
            expected[chunk] += unsigned(transform_one(slot.input[i]));
        }
        *slot.result = ~0ull;
        slot.chunk = chunk;
        transform<<<LENGTH / THREADS, THREADS, 0, first>>>(slot.input_mapped, slot.transformed);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(slot.ready, first));
        CHECK(cudaStreamWaitEvent(second, slot.ready, 0));
        reduce<<<1, THREADS, 0, second>>>(slot.transformed, slot.result_mapped);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(slot.done, second));
    }
    for (Slot& slot : slots) collect(slot);
    CHECK(cudaDeviceSynchronize());
    std::printf("pipeline chunks=%d slots=%d wrong=%d first-wrong=%d %s\n", chunks, ring, wrong, first_wrong, wrong ? "WRONG" : "ok");
    return wrong ? 1 : 0;
}
