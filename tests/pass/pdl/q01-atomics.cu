// q01: the trigger first, then atomics and stores of structures in two kernels that both wait.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

struct Cell {
    int count;
    char flag;
};

__global__ void count(Cell* cells) {
    trigger();
    wait();
    atomicAdd(&cells[threadIdx.x % 8].count, 1);
    if (threadIdx.x < 8) cells[threadIdx.x].flag = 1;
}

__global__ void read(const Cell* cells, int* out) {
    wait();
    trigger();
    out[threadIdx.x] = cells[threadIdx.x].count + cells[threadIdx.x].flag;
}

int main() {
    Cell* cells = zeros<Cell>(8);
    int* out = zeros<int>(8);
    cudaStream_t stream = stream_of_its_own();
    count<<<1, 64, 0, stream>>>(cells);
    early(count, 1, 64, stream, cells);
    early(read, 1, 8, stream, cells, out);
    early(count, 1, 64, stream, cells);
    return verdict(wrong(out, 8, [](int) { return 17; }));
}
