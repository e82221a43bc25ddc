// d06: a pointer to a local array stands inside a struct that is passed by value.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

struct Job {
    float scale;
    const float* weights;
    float* out;
};

__global__ void run(Job job) { job.out[threadIdx.x] = job.scale * job.weights[threadIdx.x]; }

__global__ void parent(float* scratch, float* out) {
    float weights[4];
    for (int i = 0; i < 4; ++i) weights[i] = scratch[i] + i;
    Job job = {2, weights, out};
    run<<<1, 4>>>(job);  //~ pointer/private
}

int main() {
    float *scratch = zeros<float>(4), *out = zeros<float>(4);
    parent<<<1, 1>>>(scratch, out);
    return verdict(wrong(out, 4, [](int i) { return 2 * i; }));
}
