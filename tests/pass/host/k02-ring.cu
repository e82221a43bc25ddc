// k02: host and device hand a cell to each other and back, round after round. The wait is the first thing in the loop over the
// rounds, so that both loops begin at one place.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

struct Ring {
    volatile int asked, answered;
    int question, answer;
};

__global__ void serve(Ring* ring, int rounds) {
    for (int i = 1; i <= rounds; ++i) {
        while (ring->asked != i) {}
        __threadfence_system();
        ring->answer = 3 * ring->question + 1;
        __threadfence_system();
        ring->answered = i;
    }
}

int main(int argc, char**) {
    Ring* ring;
    CHECK(cudaHostAlloc(&ring, sizeof *ring, cudaHostAllocMapped));
    ring->asked = ring->answered = ring->question = ring->answer = 0;
    int rounds = 8 + argc, bad = 0;
    serve<<<1, 1>>>(ring, rounds);
    for (int i = 1; i <= rounds; ++i) {
        ring->question = i;
        __sync_synchronize();
        ring->asked = i;
        while (ring->answered != i) {}
        __sync_synchronize();
        bad += ring->answer != 3 * i + 1;
    }
    CHECK(cudaDeviceSynchronize());
    return verdict(bad);
}
