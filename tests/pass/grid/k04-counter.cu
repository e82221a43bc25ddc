// k04: one counter in managed memory that kernels of two streams, their children and the CPU all add to: atomics of the
// system's scope.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt -g
//@gpu
#include "../../case.h"

#include <atomic>

__global__ void child(unsigned* counter) { atomicAdd_system(counter, 1); }

__global__ void parent(unsigned* counter) {
    atomicAdd_system(counter, 1);
    if (threadIdx.x == 0) child<<<2, 32, 0, cudaStreamFireAndForget>>>(counter);
}

int main() {
    unsigned* counter;
    CHECK(cudaMallocManaged(&counter, sizeof *counter));
    *counter = 0;
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    parent<<<2, 32, 0, first>>>(counter);
    parent<<<2, 32, 0, second>>>(counter);
    for (int i = 0; i < 100; ++i) reinterpret_cast<std::atomic<unsigned>*>(counter)->fetch_add(1);
    CHECK(cudaDeviceSynchronize());
    return verdict(*counter != 100 + 2 * (64 + 2 * 64));
}
