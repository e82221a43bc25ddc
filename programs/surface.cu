// Surfaces and copies of CUDA arrays: stores and loads of every size and geometry, what happens out of bounds, stores that a texture reads
// later, and what copies from, to and between arrays move. All of it is compared with plain arrays on the host.
//
// build: surface -arch=sm_90 -std=c++17 -lineinfo
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

static int failures = 0;

static void say(const std::string& what, bool ok) {
    std::printf("%-44s %s\n", what.c_str(), ok ? "ok" : "WRONG");
    failures += !ok;
}

template <typename T> static T value(int n) {
    T result;
    unsigned char* bytes = (unsigned char*)&result;
    for (size_t i = 0; i < sizeof(T); i++) bytes[i] = (unsigned char)(n * 31 + i * 7 + 1);
    return result;
}

template <typename T> __global__ void put(cudaSurfaceObject_t s, const T* from, int geometry, int w, int h, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h * d) return;
    int x = i % w, y = i / w % h, z = i / w / h;
    T v = from[i];
    switch (geometry) {
    case 1: surf1Dwrite(v, s, x * int(sizeof(T))); break;
    case 2: surf2Dwrite(v, s, x * int(sizeof(T)), y); break;
    case 3: surf3Dwrite(v, s, x * int(sizeof(T)), y, z); break;
    case 4: surf1DLayeredwrite(v, s, x * int(sizeof(T)), z); break;
    case 5: surf2DLayeredwrite(v, s, x * int(sizeof(T)), y, z); break;
    case 6: surfCubemapwrite(v, s, x * int(sizeof(T)), y, z); break;
    case 7: surfCubemapLayeredwrite(v, s, x * int(sizeof(T)), y, z); break;
    }
}

template <typename T> __global__ void get(cudaSurfaceObject_t s, T* to, int geometry, int w, int h, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h * d) return;
    int x = i % w, y = i / w % h, z = i / w / h;
    T v;
    switch (geometry) {
    case 1: surf1Dread(&v, s, x * int(sizeof(T))); break;
    case 2: surf2Dread(&v, s, x * int(sizeof(T)), y); break;
    case 3: surf3Dread(&v, s, x * int(sizeof(T)), y, z); break;
    case 4: surf1DLayeredread(&v, s, x * int(sizeof(T)), z); break;
    case 5: surf2DLayeredread(&v, s, x * int(sizeof(T)), y, z); break;
    case 6: surfCubemapread(&v, s, x * int(sizeof(T)), y, z); break;
    case 7: surfCubemapLayeredread(&v, s, x * int(sizeof(T)), y, z); break;
    }
    to[i] = v;
}

static cudaSurfaceObject_t surface(cudaArray_t a) {
    cudaResourceDesc desc = {};
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = a;
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &desc));
    return s;
}

// Writes through the surface, copies the array out; copies into the array, reads through the surface.
template <typename T> static void round_trip(const char* what, int geometry, int w, int h, int d, cudaExtent extent, unsigned flags) {
    int count = w * h * d;
    std::vector<T> host(count), back(count);
    for (int i = 0; i < count; i++) host[i] = value<T>(i);
    cudaArray_t a;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
    CHECK(cudaMalloc3DArray(&a, &channels, extent, flags | cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t s = surface(a);
    T* device;
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    put<<<(count + 63) / 64, 64>>>(s, device, geometry, w, h, d);
    cudaMemcpy3DParms out = {};
    out.srcArray = a;
    out.dstPtr = make_cudaPitchedPtr(back.data(), w * sizeof(T), w, h);
    out.extent = make_cudaExtent(w, h, d);
    out.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&out));
    bool ok = std::memcmp(host.data(), back.data(), count * sizeof(T)) == 0;
    for (int i = 0; i < count; i++) host[i] = value<T>(i + 1000);
    cudaMemcpy3DParms in = {};
    in.srcPtr = make_cudaPitchedPtr(host.data(), w * sizeof(T), w, h);
    in.dstArray = a;
    in.extent = make_cudaExtent(w, h, d);
    in.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&in));
    get<<<(count + 63) / 64, 64>>>(s, device, geometry, w, h, d);
    CHECK(cudaMemcpy(back.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    say(what, ok && std::memcmp(host.data(), back.data(), count * sizeof(T)) == 0);
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFree(device));
    CHECK(cudaFreeArray(a));
}

__global__ void outside(cudaSurfaceObject_t s, int* out) {
    // The surface has 8 rows of 8 words, each of which says where it is.
    surf2Dread(&out[0], s, 100, 3, cudaBoundaryModeClamp);
    surf2Dread(&out[1], s, -4, -4, cudaBoundaryModeClamp);
    surf2Dread(&out[2], s, 100, 3, cudaBoundaryModeZero);
    surf2Dread(&out[3], s, 8, 8, cudaBoundaryModeZero);
    surf2Dwrite(1000, s, 400, 2, cudaBoundaryModeZero);
    surf2Dwrite(2000, s, 400, 5, cudaBoundaryModeClamp);
    surf2Dread(&out[4], s, 28, 2);
    surf2Dread(&out[5], s, 28, 5);
}

__global__ void add(cudaSurfaceObject_t s) {
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4), "r"(1), "r"(threadIdx.x) : "memory");
    asm volatile("sured.b.max.2d.s32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(8), "r"(1), "r"(int(threadIdx.x) - 50) : "memory");
    asm volatile("sured.b.or.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(12), "r"(1), "r"(1 << threadIdx.x % 32) : "memory");
}

__global__ void size(cudaSurfaceObject_t s, int* out) {
    asm("suq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(s));
    asm("suq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(s));
}

static void edges() {
    cudaArray_t a;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&a, &channels, 8, 8, cudaArraySurfaceLoadStore));
    int host[64];
    for (int i = 0; i < 64; i++) host[i] = i;
    CHECK(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 8, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t s = surface(a);
    int *device, got[6];
    CHECK(cudaMalloc(&device, sizeof got));
    outside<<<1, 1>>>(s, device);
    CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    const int want[] = {31, 0, 0, 0, 23, 2000};
    say("out of bounds", std::memcmp(got, want, sizeof want) == 0);
    CHECK(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 8, cudaMemcpyHostToDevice));
    add<<<1, 96>>>(s);
    CHECK(cudaMemcpy2DFromArray(host, 32, a, 0, 0, 32, 8, cudaMemcpyDeviceToHost));
    say("reductions", host[9] == 9 + 95 * 96 / 2 && host[10] == 45 && host[11] == -1);
    size<<<1, 1>>>(s, device);
    CHECK(cudaMemcpy(got, device, 8, cudaMemcpyDeviceToHost));
    say("sizes", got[0] == 8 && got[1] == 8);
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFree(device));
    CHECK(cudaFreeArray(a));
}

__global__ void fill(cudaSurfaceObject_t s, int width) {
    surf2Dwrite(float(threadIdx.x * blockIdx.x), s, int(threadIdx.x * sizeof(float)), blockIdx.x);
}

__global__ void turn(cudaTextureObject_t t, float* out, int width, int height) {
    out[blockIdx.x * width + threadIdx.x] = tex2D<float>(t, blockIdx.x + 0.5f, threadIdx.x + 0.5f);
}

// One grid stores through a surface, the next reads the array as a texture.
static void surface_then_texture() {
    cudaArray_t a;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&a, &channels, 32, 16, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t s = surface(a);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = a;
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    float *device, got[32 * 16];
    CHECK(cudaMalloc(&device, sizeof got));
    fill<<<16, 32>>>(s, 32);
    turn<<<32, 16>>>(t, device, 16, 32);
    CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int x = 0; x < 32; x++) {
        for (int y = 0; y < 16; y++) ok &= got[x * 16 + y] == float(x * y);
    }
    say("a texture reads what a surface stored", ok);
    cudaResourceDesc back;
    cudaTextureDesc how;
    CHECK(cudaGetTextureObjectResourceDesc(&back, t));
    CHECK(cudaGetTextureObjectTextureDesc(&how, t));
    say("descriptions", back.resType == cudaResourceTypeArray && back.res.array.array == a && how.addressMode[1] == cudaAddressModeClamp);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFree(device));
    CHECK(cudaFreeArray(a));
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void copies() {
    cudaArray_t a, b;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<unsigned char>();
    CHECK(cudaMallocArray(&a, &channels, 40, 10));
    CHECK(cudaMallocArray(&b, &channels, 40, 10));
    std::vector<unsigned char> host(400, 0), want(400), got(400);
    CHECK(cudaMemcpy2DToArray(a, 0, 0, host.data(), 40, 40, 10, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DToArray(b, 0, 0, host.data(), 40, 40, 10, cudaMemcpyHostToDevice));
    // A part into the middle, then bytes that run over the ends of rows.
    for (int i = 0; i < 400; i++) host[i] = (unsigned char)(i * 13 + 1);
    CHECK(cudaMemcpy2DToArray(a, 5, 2, host.data(), 40, 20, 4, cudaMemcpyHostToDevice));
    for (int y = 0; y < 4; y++) std::memcpy(&want[(y + 2) * 40 + 5], &host[y * 40], 20);
    CHECK(cudaMemcpyToArray(a, 30, 6, host.data(), 95, cudaMemcpyHostToDevice));
    std::memcpy(&want[6 * 40 + 30], host.data(), 95);
    CHECK(cudaMemcpy2DFromArray(got.data(), 40, a, 0, 0, 40, 10, cudaMemcpyDeviceToHost));
    say("rows and bytes into an array", got == want);
    CHECK(cudaMemcpyFromArray(got.data(), a, 12, 1, 300, cudaMemcpyDeviceToHost));
    say("bytes out of an array", std::memcmp(got.data(), &want[52], 300) == 0);
    CHECK(cudaMemcpy2DArrayToArray(b, 1, 1, a, 5, 2, 20, 4, cudaMemcpyDeviceToDevice));
    std::vector<unsigned char> other(400, 0);
    for (int y = 0; y < 4; y++) std::memcpy(&other[(y + 1) * 40 + 1], &want[(y + 2) * 40 + 5], 20);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    unsigned char* device;
    CHECK(cudaMalloc(&device, 400));
    CHECK(cudaMemcpy2DFromArrayAsync(device, 40, b, 0, 0, 40, 10, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemcpyAsync(got.data(), device, 400, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    say("array to array, to memory in a stream", got == other);
    say("outside is refused", cudaMemcpy2DToArray(a, 30, 0, host.data(), 40, 20, 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue &&
                                  cudaMemcpy2DToArray(a, 0, 9, host.data(), 40, 40, 2, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cudaGetLastError();
    cudaChannelFormatDesc desc;
    cudaExtent extent;
    unsigned flags;
    CHECK(cudaArrayGetInfo(&desc, &extent, &flags, a));
    say("what an array is", desc.x == 8 && desc.y == 0 && desc.f == cudaChannelFormatKindUnsigned && extent.width == 40 && extent.height == 10 &&
                                extent.depth == 0 && flags == 0);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeArray(a));
    CHECK(cudaFreeArray(b));
}

int main() {
    round_trip<unsigned char>("1d of bytes", 1, 30, 1, 1, make_cudaExtent(30, 0, 0), 0);
    round_trip<short>("2d of shorts", 2, 13, 7, 1, make_cudaExtent(13, 7, 0), 0);
    round_trip<float>("2d of floats", 2, 64, 64, 1, make_cudaExtent(64, 64, 0), 0);
    round_trip<uchar4>("3d of uchar4", 3, 5, 4, 3, make_cudaExtent(5, 4, 3), 0);
    round_trip<ushort2>("layers of rows of ushort2", 4, 9, 1, 4, make_cudaExtent(9, 0, 4), cudaArrayLayered);
    round_trip<int4>("layers of int4", 5, 6, 5, 4, make_cudaExtent(6, 5, 4), cudaArrayLayered);
    round_trip<float2>("cube map of float2", 6, 4, 4, 6, make_cudaExtent(4, 4, 6), cudaArrayCubemap);
    round_trip<int>("layers of cube maps", 7, 4, 4, 12, make_cudaExtent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered);
    edges();
    surface_then_texture();
    copies();
    std::printf("surface: %s\n", failures ? "WRONG" : "all ok");
    return failures != 0;
}
