// A chain of programmatic launches in which one kernel is wrong: layer K reads buffer K and writes buffer K + 1, and all wait first but
// the one at POSITION (from 1), whose fault is KIND:
//   0 none   1 no wait at all   2 a read before the wait   3 a write before the wait   4 only one warp waits
//   5 no wait, and nothing shared with the one in front: who relies on it is the next one
//   6 as 2, on a branch of some blocks only
// Usage: pdl-plant DEPTH POSITION KIND
//
// build: pdl-plant -arch=sm_90 -std=c++17 -lineinfo
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int BLOCKS = 2, THREADS = 64;

template <int KIND>
__global__ void layer(int* in, int* out, int* far) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    int early = 0;
    if (KIND == 2 || (KIND == 6 && blockIdx.x == 1)) early = in[i];
    if (KIND == 3) in[i] = 1;
    if (KIND != 1 && KIND != 5 && (KIND != 4 || threadIdx.x < 32)) cudaGridDependencySynchronize();
    // What a kernel without a wait leaves undone is missing to the one behind it.
    if (KIND != 5) out[i] = in[i] + far[i] + early + 1;
}

using Kernel = void (*)(int*, int*, int*);
constexpr Kernel KERNELS[] = {layer<0>, layer<1>, layer<2>, layer<3>, layer<4>, layer<5>, layer<6>};

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    int depth = std::atoi(argv[1]), position = std::atoi(argv[2]), kind = std::atoi(argv[3]);
    if (depth > 6 || kind > 6) return 2;
    int *buffers, *zero;
    cudaMalloc(&buffers, 8 * BLOCKS * THREADS * sizeof(int));
    cudaMalloc(&zero, BLOCKS * THREADS * sizeof(int));
    cudaMemset(buffers, 0, 8 * BLOCKS * THREADS * sizeof(int));
    cudaMemset(zero, 0, BLOCKS * THREADS * sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    auto buffer = [&](int number) { return buffers + number * BLOCKS * THREADS; };
    for (int k = 0; k < depth; ++k) {
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = BLOCKS;
        config.blockDim = THREADS;
        config.stream = stream;
        config.attrs = &attribute;
        config.numAttrs = k > 0;
        // The one behind a kernel of kind 5 reads two buffers back.
        int* far = kind == 5 && k == position + 1 ? buffer(position) : zero;
        if (cudaLaunchKernelEx(&config, KERNELS[k == position ? kind : 0], buffer(k), buffer(k + 1), far) != cudaSuccess) return 2;
    }
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;
}
