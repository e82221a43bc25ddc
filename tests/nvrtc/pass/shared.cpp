// The twin of fail/shared: a barrier between the store and the load.
#include "../nvrtc.h"

const char* source = R"(
template <typename T>
__device__ void reverse_in_block(T* p) {
    __shared__ T tile[64];
    tile[threadIdx.x] = p[threadIdx.x] + threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = tile[63 - threadIdx.x];
}
extern "C" __global__ void reverse(int* p) { reverse_in_block(p); }
)";

int main(int count, char** arguments) {
    start();
    Module module = load(compile(source, "shared.cu", words(count, arguments)));
    Pointer p = zeros(256);
    launch(kernel(module, "reverse"), 1, 64, nullptr, p);
    return verdict(wrong(p, 64, [](int i) { return 63 - i; }));
}
