// The twin of fail/cdp/d10-threads.cu: two blocks of 1,024.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void child(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void parent(int* p) {
    child<<<2, 1024, 0, cudaStreamFireAndForget>>>(p);

}

int main() {
    int* p = zeros<int>(2048);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 2048, [](int) { return 1; }));
}
