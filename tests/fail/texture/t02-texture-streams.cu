// t02: one stream stores a picture through a surface, another reads it as a texture, and nothing orders the two.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void draw(cudaSurfaceObject_t surface) {
    surf2Dwrite(float(threadIdx.x * blockIdx.x), surface, threadIdx.x * 4, blockIdx.x);  //~ race/stream
}

__global__ void look(cudaTextureObject_t texture, float* out) {
    out[blockIdx.x * 32 + threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, blockIdx.x + 0.5f);  //~ race/stream
}

int main() {
    cudaArray_t array;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &channels, 32, 8, cudaArraySurfaceLoadStore));
    float zero[32 * 8] = {};
    CHECK(cudaMemcpy2DToArray(array, 0, 0, zero, 32 * 4, 32 * 4, 8, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    cudaSurfaceObject_t surface;
    cudaTextureObject_t texture;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    float* out = zeros<float>(32 * 8);
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    draw<<<8, 32, 0, first>>>(surface);
    look<<<8, 32, 0, second>>>(texture, out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("done\n");
    return 0;
}
