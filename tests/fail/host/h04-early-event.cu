// h04: there is an event, but it was recorded before the producer; both are in blocking streams, of which one has a priority.
// Bytes, and no line table.
//
// build: -arch=sm_90
#include "../../case.h"

__global__ void produce(char* p) { p[threadIdx.x] = 'A' + threadIdx.x; }

__global__ void consume(const char2* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x].x + p[threadIdx.x].y;  //~ race/stream
}

int main() {
    char* p = zeros<char>(16);
    int* out = zeros<int>(8);
    cudaStream_t first, second;
    cudaEvent_t produced;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreateWithPriority(&second, cudaStreamDefault, 0));
    CHECK(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
    CHECK(cudaEventRecord(produced, first));
    CHECK(cudaStreamWaitEvent(second, produced, 0));
    produce<<<1, 16, 0, first>>>(p);
    consume<<<1, 8, 0, second>>>(reinterpret_cast<char2*>(p), out);
    return verdict(wrong(out, 8, [](int i) { return 2 * 'A' + 4 * i + 1; }));
}
