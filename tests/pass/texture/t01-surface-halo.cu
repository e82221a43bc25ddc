// The twin of fail/texture/t01-surface-halo.cu: the stores are one grid, the loads the next.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void store(cudaSurfaceObject_t surface) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    surf2Dwrite(float(x), surface, x * 4, 0);
}

__global__ void smooth(cudaSurfaceObject_t surface, float* out, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float right;
    surf2Dread(&right, surface, (x + 1) % width * 4, 0);
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
    float* out = zeros<float>(width);
    store<<<2, 64>>>(surface);
    smooth<<<2, 64>>>(surface, out, width);
    CHECK(cudaGetLastError());
    return verdict(wrong(out, width, [](int x) { return (x + 1) % width; }));
}
