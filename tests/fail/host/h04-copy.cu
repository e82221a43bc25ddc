// h04: the consumer is a copy between two arrays of the device, in a stream of its own.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void produce(double2* p) {
    p[threadIdx.x] = make_double2(threadIdx.x, -1);  //~ race/stream
}

int main() {
    double2 *p = zeros<double2>(32), *copy = zeros<double2>(32);
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    produce<<<1, 32, 0, first>>>(p);
    CHECK(cudaMemcpyAsync(copy, p, 32 * sizeof(double2), cudaMemcpyDeviceToDevice, second));
    return verdict(wrong(reinterpret_cast<double*>(copy), 64, [](int i) { return i % 2 ? -1 : i / 2; }));
}
