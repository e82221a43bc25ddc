// The twin of fail/cdp/d19-constant-by-address.cu: the second stream waits for the event behind the kernel.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

struct Settings {
    double scale;
    unsigned char offset, pad[7];
};
__constant__ Settings settings;

__global__ void last(double* out) {
    *out = settings.scale * 2 + settings.offset;
}

__global__ void child(double* out) { last<<<1, 1, 0, cudaStreamTailLaunch>>>(out); }

__global__ void parent(double* out) {
    if (threadIdx.x == 7) child<<<1, 1>>>(out);
}

__global__ void prepare(Settings* next) { *next = {100, 100, {}}; }

int main() {
    Settings *next = zeros<Settings>(1), now = {1.5, 4, {}};
    double* out = zeros<double>(1);
    prepare<<<1, 1>>>(next);
    CHECK(cudaMemcpyToSymbol(settings, &now, sizeof now));
    void* address;
    CHECK(cudaGetSymbolAddress(&address, settings));
    cudaStream_t first, second;
    cudaEvent_t used;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());
    parent<<<1, 8, 0, first>>>(out);
    CHECK(cudaEventRecord(used, first));
    CHECK(cudaStreamWaitEvent(second, used, 0));
    CHECK(cudaMemcpyAsync(address, next, sizeof now, cudaMemcpyDeviceToDevice, second));
    return verdict(wrong(out, 1, [](int) { return 7; }));
}
