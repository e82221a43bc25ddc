// The twin of fail/texture/t02-texture-streams.cu: the second stream waits for an event of the first.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void draw(cudaSurfaceObject_t surface) {
    surf2Dwrite(float(threadIdx.x * blockIdx.x), surface, threadIdx.x * 4, blockIdx.x);
}

__global__ void look(cudaTextureObject_t texture, float* out) {
    out[blockIdx.x * 32 + threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
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
    cudaEvent_t drawn;
    CHECK(cudaEventCreateWithFlags(&drawn, cudaEventDisableTiming));
    CHECK(cudaEventRecord(drawn, first));
    CHECK(cudaStreamWaitEvent(second, drawn));
    look<<<8, 32, 0, second>>>(texture, out);
    CHECK(cudaGetLastError());
    return verdict(wrong(out, 32 * 8, [](int i) { return i % 32 * (i / 32); }));
}
