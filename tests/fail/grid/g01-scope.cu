// g01: an atomic whose scope is the block, used by two blocks on one counter.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void count(unsigned* counter) {
    atomicAdd_block(counter, 1u);  //~ race/grid
}

int main() {
    unsigned* counter = zeros<unsigned>(1);
    count<<<2, 32>>>(counter);
    return verdict(wrong(counter, 1, [](int) { return 64; }));
}
