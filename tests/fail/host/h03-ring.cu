// h03: a ring of two slots of managed memory: the CPU waits for the event of the first slot, whichever it
// fills again.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

#include <cstring>

struct Message {
    char text[24];
};

__global__ void count(const Message* message, int* spaces) {
    for (int i = threadIdx.x; i < 24; i += blockDim.x)
        if (message->text[i] == ' ') atomicAdd(spaces, 1);
}

int main() {
    Message* ring;
    CHECK(cudaMallocManaged(&ring, 2 * sizeof(Message)));
    int* spaces = zeros<int>(6);
    cudaStream_t stream[2];
    cudaEvent_t used[2];
    for (int i = 0; i < 2; ++i) {
        CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&used[i], cudaEventDisableTiming));
    }
    for (int round = 0; round < 6; ++round) {
        int slot = round % 2, wait = 0;
        CHECK(cudaEventSynchronize(used[wait]));
        for (int i = 0; i < 24; ++i)
            ring[slot].text[i] = i < round ? ' ' : '.';  //~ race/host
        count<<<1, 8, 0, stream[slot]>>>(&ring[slot], spaces + round);
        CHECK(cudaEventRecord(used[slot], stream[slot]));
    }
    return verdict(wrong(spaces, 6, [](int round) { return round; }));
}
