// d06: an address in dynamic shared memory is the second of two pointers of a nested struct. The child never follows it; it
// is no less illegal.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
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
    Request request = {'f', {int(blockDim.x), {global, tile + 5}}};
    if (threadIdx.x == 0) child<<<1, 1, 0, cudaStreamTailLaunch>>>(request, out);  //~ pointer/private
}

int main() {
    double* global = zeros<double>(32);
    int* out = zeros<int>(1);
    parent<<<1, 32, 32 * sizeof(double)>>>(global, out);
    return verdict(wrong(out, 1, [](int) { return 33; }));
}
