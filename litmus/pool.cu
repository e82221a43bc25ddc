// How many slots the launch pool really gets, and how many it then has: asks for a size, reads it back, and holds as many
// children as it can. Usage: pool
//
// build: pool -std=c++17 -arch=sm_90 -rdc=true -lcudadevrt
#include <cstdio>

__device__ int ok, fail, code;
__device__ volatile int go;

__global__ void blocked() {
    while (!go) {}
}

__global__ void hold(int n) {
    for (int i = 0; i < n; ++i) {
        blocked<<<1, 1, 0, cudaStreamFireAndForget>>>();
        cudaError_t error = cudaGetLastError();
        if (error == cudaSuccess) ++ok;
        else ++fail, code = error;
    }
    __threadfence();
    go = 1;
}

int main() {
    for (int asked : {0, 1, 4, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 129, 500, 1000, 2047, 2048, 2049, 3000}) {
        int zero = 0, counts[3];
        cudaMemcpyToSymbol(ok, &zero, 4);
        cudaMemcpyToSymbol(fail, &zero, 4);
        cudaMemcpyToSymbol(code, &zero, 4);
        cudaMemcpyToSymbol(go, &zero, 4);
        cudaError_t set = cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, asked);
        size_t given = 0;
        cudaDeviceGetLimit(&given, cudaLimitDevRuntimePendingLaunchCount);
        hold<<<1, 1>>>(int(given) + 40);
        cudaError_t end = cudaDeviceSynchronize();
        cudaMemcpyFromSymbol(&counts[0], ok, 4);
        cudaMemcpyFromSymbol(&counts[1], fail, 4);
        cudaMemcpyFromSymbol(&counts[2], code, 4);
        std::printf("pool asked=%d set=%s given=%zu ok=%d fail=%d code=%d host=%s\n", asked, cudaGetErrorName(set), given, counts[0],
                    counts[1], counts[2], cudaGetErrorName(end));
    }
    return 0;
}
