// What the launch calls of the host answer for configurations that cannot be: one line for each configuration, with the code of
// cudaLaunchKernel, what cudaGetLastError says behind it, and the codes of cudaLaunchKernelExC, cuLaunchKernel and cuLaunchKernelEx.
//
// build: codes -arch=sm_90 -std=c++17
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void plain() {}

__global__ void __launch_bounds__(128) bounded() {}

extern __shared__ char dynamic[];

__global__ void shared() { dynamic[0] = 1; }

using Kernel = void (*)();

template <class F>
static F driver(const char* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
    return F(found);
}

static void codes(const char* name, Kernel kernel, dim3 grid, dim3 block, size_t bytes = 0) {
    int first = cudaLaunchKernel((const void*)kernel, grid, block, nullptr, bytes, 0);
    int last = cudaGetLastError();
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = bytes;
    int second = cudaLaunchKernelExC(&config, (const void*)kernel, nullptr);
    cudaGetLastError();
    cudaFunction_t function;
    int found = cudaGetFuncBySymbol(&function, (const void*)kernel);
    static auto launch = driver<decltype(&cuLaunchKernel)>("cuLaunchKernel");
    static auto launch_ex = driver<decltype(&cuLaunchKernelEx)>("cuLaunchKernelEx");
    int third = launch((CUfunction)function, grid.x, grid.y, grid.z, block.x, block.y, block.z, unsigned(bytes), 0, nullptr, nullptr);
    CUlaunchConfig wanted = {};
    wanted.gridDimX = grid.x, wanted.gridDimY = grid.y, wanted.gridDimZ = grid.z;
    wanted.blockDimX = block.x, wanted.blockDimY = block.y, wanted.blockDimZ = block.z;
    wanted.sharedMemBytes = unsigned(bytes);
    int fourth = launch_ex(&wanted, (CUfunction)function, nullptr, nullptr);
    int after = cudaDeviceSynchronize();
    std::printf("%-22s %d %d %d %d %d found %d after %d\n", name, first, last, second, third, fourth, found, after);
    cudaGetLastError();
}

int main() {
    cudaFree(nullptr);
    codes("right", plain, 1, 32);
    codes("no-blocks", plain, 0, 32);
    codes("no-threads", plain, 1, 0);
    codes("threads-1025", plain, 1, 1025);
    codes("threads-2048", plain, 1, 2048);
    codes("threads-32x64", plain, 1, dim3(32, 64));
    codes("threads-z-65", plain, 1, dim3(1, 1, 65));
    codes("threads-y-1025", plain, 1, dim3(1, 1025));
    codes("blocks-y-65536", plain, dim3(1, 65536), 32);
    codes("blocks-z-65536", plain, dim3(1, 1, 65536), 32);
    codes("blocks-x-2^31", plain, dim3(1u << 31), 32);
    codes("bounds-129", bounded, 1, 129);
    codes("shared-48K", shared, 1, 32, 48 << 10);
    codes("shared-48K-and-1", shared, 1, 32, (48 << 10) + 1);
    codes("shared-227K", shared, 1, 32, 227 << 10);
    codes("shared-300K", shared, 1, 32, 300 << 10);
    cudaFuncSetAttribute((const void*)shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
    codes("shared-100K-asked", shared, 1, 32, 100 << 10);
    codes("shared-100K-and-1", shared, 1, 32, (100 << 10) + 1);
    std::printf("attribute-228K %d\n", int(cudaFuncSetAttribute((const void*)shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10)));
}
