// d10: a launch that cannot run, and a look at the error that nothing is done with.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(int* p) { p[threadIdx.x] = 1; }

__global__ void parent(int* p) {
    child<<<1, 1500>>>(p);
    //~^ launch/config launch/lost-error
    cudaPeekAtLastError();
}

int main() {
    int* p = zeros<int>(1500);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 1500, [](int) { return 0; }));
}
