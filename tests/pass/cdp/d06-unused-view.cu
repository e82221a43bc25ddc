// The twin of fail/cdp/d06-unused-view.cu: both pointers lead to global memory.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

struct View {
    int rows;
    double* data[2];
};
struct Request {
    char kind;
    View view;
};

__global__ void child(Request request, int* out) {
    *out = request.view.rows + (request.kind == 'f' ? 1 : 0);
    if (request.kind == 'd') *out += int(request.view.data[1][0]);
}

__global__ void parent(double* global, int* out) {
    extern __shared__ double tile[];
    tile[threadIdx.x] = global[threadIdx.x];
    __syncthreads();
    Request request = {'f', {int(blockDim.x), {global, global + 5}}};
    if (threadIdx.x == 0) child<<<1, 1, 0, cudaStreamTailLaunch>>>(request, out);
}

int main() {
    double* global = zeros<double>(32);
    int* out = zeros<int>(1);
    parent<<<1, 32, 32 * sizeof(double)>>>(global, out);
    return verdict(wrong(out, 1, [](int) { return 33; }));
}
