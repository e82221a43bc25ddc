// k04: two blocks take turns by flags; each waits first thing in its loop over the rounds.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void turns(volatile int* turn, int* cell, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        while (*turn != 2 * i + int(blockIdx.x)) {}
        __threadfence();
        *cell = 3 * *cell + int(blockIdx.x);
        __threadfence();
        *turn = 2 * i + int(blockIdx.x) + 1;
    }
}

int main(int argc, char**) {
    int *turn = zeros<int>(1), *cell = zeros<int>(1), rounds = 3 + argc;
    turns<<<2, 1>>>(turn, cell, rounds);
    int expected = 0;
    for (int i = 0; i < 2 * rounds; ++i) expected = 3 * expected + i % 2;
    return verdict(wrong(cell, 1, [=](int) { return expected; }));
}
