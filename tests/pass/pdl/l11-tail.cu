// The twin of fail/pdl/l11-tail.cu: nothing starts early.
//
// build: -std=c++17 -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
// Not for hardware: on an H200 a kernel that triggers and then launches into its tail stream never ends (litmus/README.md).
#include "../../pdl.h"

constexpr int SHARED = 200 << 10;  // One block fills a multiprocessor.

__global__ void child(int* p) { p[threadIdx.x] = 5; }

__global__ void parent(int* p) {
    trigger();
    if (threadIdx.x == 0) child<<<1, 64, 0, cudaStreamTailLaunch>>>(p);
}

__global__ void dependent(const int* p, int* out) {
    wait();
    if (blockIdx.x == 0) out[threadIdx.x] = p[threadIdx.x];
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    int blocks;
    CHECK(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaFuncSetAttribute(dependent, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    cudaStream_t stream = stream_of_its_own();
    parent<<<1, 32, 0, stream>>>(p);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 0;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = 64;
    config.dynamicSmemBytes = SHARED;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, dependent, (const int*)p, out));
    return verdict(wrong(out, 64, [](int) { return 5; }));
}
