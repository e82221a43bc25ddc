// The twin of fail/cdp/g01-shared-stream.cu: one thread makes a stream and an event in shared memory and asks for the device there; all
// use them behind a barrier.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void write(int* p, int i) { p[i] = 2 * i + 1; }

__global__ void parent(int* p) {
    __shared__ cudaStream_t stream;
    __shared__ cudaEvent_t event;
    __shared__ int device;
    if (threadIdx.x == 0) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        cudaGetDevice(&device);
    }
    __syncthreads();
    write<<<1, 1, 0, stream>>>(p, threadIdx.x + device);
    cudaEventRecord(event, stream);
    if (cudaGetLastError() != cudaSuccess) p[threadIdx.x] = -1;
    __syncthreads();
    if (threadIdx.x == 0) {
        cudaEventDestroy(event);
        cudaStreamDestroy(stream);
    }
}

int main() {
    int* p = zeros<int>(32);
    parent<<<1, 32>>>(p);
    return verdict(wrong(p, 32, [](int i) { return 2 * i + 1; }));
}
