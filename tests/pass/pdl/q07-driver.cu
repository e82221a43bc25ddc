// q07: a chain of 40 layers by the driver API (cuLaunchKernelEx), with an event behind each tenth.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

#include <cuda.h>

__global__ void layer(const int* x, int* y) {
    wait();
    trigger();
    y[threadIdx.x] = x[(threadIdx.x + 1) % 64] + 1;
}

int main() {
    int *x = zeros<int>(64), *y = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    cudaFunction_t function;
    CHECK(cudaGetFuncBySymbol(&function, (const void*)layer));
    cudaEvent_t event;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 64;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    void* entry;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", &entry, 12000, cudaEnableDefault, &found));
    auto launch = reinterpret_cast<CUresult (*)(const CUlaunchConfig*, CUfunction, void**, void**)>(entry);
    for (int round = 0; round < 40; ++round) {
        void* arguments[] = {&x, &y};
        if (launch(&config, function, arguments, nullptr) != CUDA_SUCCESS) return 2;
        if (round % 10 == 9) CHECK(cudaEventRecord(event, stream));
        int* swap = x;
        x = y;
        y = swap;
    }
    CHECK(cudaEventSynchronize(event));
    return verdict(wrong(x, 64, [](int) { return 40; }));
}
