// l01: the second kernel is in another stream, behind a programmatic event of the first one, and never waits.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void produce(int* p) {
    trigger();
    p[threadIdx.x] = 3;
}

__global__ void consume(const int* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x];  //~ race/pdl pdl/no-wait
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t first = stream_of_its_own(), second = stream_of_its_own();
    cudaEvent_t event;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticEvent;
    attribute.val.programmaticEvent.event = event;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 64;
    config.stream = first;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, produce, p));
    CHECK(cudaStreamWaitEvent(second, event, 0));
    consume<<<1, 64, 0, second>>>(p, out);
    return verdict(wrong(out, 64, [](int) { return 3; }));
}
