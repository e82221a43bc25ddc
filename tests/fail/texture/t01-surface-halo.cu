// t01: each thread stores its texel of a surface, then loads the one beside it, which another block stores: a barrier of the block
// does not order them.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void smooth(cudaSurfaceObject_t surface, float* out, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    surf2Dwrite(float(x), surface, x * 4, 0);  //~ race/grid
    __syncthreads();
    float right;
    surf2Dread(&right, surface, (x + 1) % width * 4, 0);  //~ race/grid
    out[x] = right;
}

int main() {
    const int width = 128;
    cudaArray_t array;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &channels, width, 1, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    float zero[width] = {};
    CHECK(cudaMemcpy2DToArray(array, 0, 0, zero, sizeof zero, sizeof zero, 1, cudaMemcpyHostToDevice));
    float* out = zeros<float>(width);
    smooth<<<2, 64>>>(surface, out, width);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("done\n");
    return 0;
}
