// What lies beside an address, and beside a value that came from an atomic, is compared all the same.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

struct Entry {
    void* self;
    int ticket;
    int owner;
};

__global__ void prepare(Entry* entries) { entries[threadIdx.x].self = entries + threadIdx.x; }

__global__ void enter(Entry* entries, int* next) {
    volatile int* mine = threadIdx.x < 8 ? &entries[threadIdx.x].owner : &entries[threadIdx.x - 8].ticket;
    if (threadIdx.x < 8)
        *mine = blockIdx.x;  //~ advice/outcome
    else
        *mine = atomicAdd(next, 1);
}

int main() {
    Entry* entries = zeros<Entry>(8);
    int* next = zeros<int>(1);
    prepare<<<1, 8>>>(entries);
    enter<<<4, 9>>>(entries, next);
    return verdict(wrong(next, 1, [](int) { return 4; }));
}
