// d20: short fire-and-forget children hold their slots until they are done: whether 4,000 of them fit is luck. Started early
// they do, and the summary names the worst case; started late 1,952 are lost.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@policy eager: none
//@policy random: any
//@pool worst-case=4000
#include "../../case.h"

constexpr int LAUNCHES = 4000;

__global__ void leave(int* out) { *out = 1; }

__global__ void parent(int* out) {
    for (int i = 0; i < LAUNCHES; ++i)
        leave<<<1, 1, 0, cudaStreamFireAndForget>>>(out + i);  //~ launch/lost-error
    //~? launch/pool
}

int main() {
    int* out = zeros<int>(LAUNCHES);
    parent<<<1, 1>>>(out);
    return verdict(wrong(out, LAUNCHES, [](int) { return 1; }));
}
