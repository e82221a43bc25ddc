// The twin of fail/host/h04-early-event.cu: k01, the event is recorded behind the producer.
//
// build: -arch=sm_90
//@gpu
#include "../../case.h"

__global__ void produce(char* p) { p[threadIdx.x] = 'A' + threadIdx.x; }

__global__ void consume(const char2* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x].x + p[threadIdx.x].y;
}

int main() {
    char* p = zeros<char>(16);
    int* out = zeros<int>(8);
    cudaStream_t first, second;
    cudaEvent_t produced;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreateWithPriority(&second, cudaStreamDefault, 0));
    CHECK(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
    produce<<<1, 16, 0, first>>>(p);
    CHECK(cudaEventRecord(produced, first));
    CHECK(cudaStreamWaitEvent(second, produced, 0));
    consume<<<1, 8, 0, second>>>(reinterpret_cast<char2*>(p), out);
    return verdict(wrong(out, 8, [](int i) { return 2 * 'A' + 4 * i + 1; }));
}
