// Pointers that no kernel may dereference: what does the device say, and does the process live on?
// Usage: pointers CASE [read|write]; prints the error of the synchronisation after the kernel, and of the calls after that.
//
// build: pointers -arch=sm_90 -rdc=true -std=c++17 -lineinfo -lcudadevrt -ldl
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <dlfcn.h>

#include "check.h"

static int of_the_executable = 5;
__device__ int* published;
__device__ int sink;

__global__ void access(int* p, bool write) {
    if (write) *p = 7;
    else sink = *(volatile int*)p;
}

// Thread 0 publishes the address of a local variable, and the last thread of another warp uses it.
__global__ void foreign_local(bool write) {
    volatile int mine = threadIdx.x;
    if (threadIdx.x == 0) published = const_cast<int*>(&mine);
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) {
        if (write) *(volatile int*)published = 7;
        else sink = *(volatile int*)published;
    }
    __syncthreads();
    if (mine < 0) sink = 1;
}

// Block 0 publishes the address of a shared variable, and block 1 uses it while block 0 is still there.
__device__ volatile int stage;
__global__ void foreign_shared(bool write) {
    __shared__ volatile int cell;
    cell = blockIdx.x;
    if (blockIdx.x == 0) {
        published = const_cast<int*>(&cell);
        __threadfence();
        stage = 1;
        while (stage != 2) {}
    } else {
        while (stage != 1) {}
        __threadfence();
        if (write) *(volatile int*)published = 7;
        else sink = *(volatile int*)published;
        __threadfence();
        stage = 2;
    }
    if (cell < 0) sink = 1;
}

// The same two pointers, given to a child grid.
__global__ void child_shared(bool write) {
    __shared__ int cell;
    cell = 1;
    access<<<1, 1, 0, cudaStreamFireAndForget>>>(&cell, write);
}
__global__ void child_local(bool write) {
    int cell = 1;
    access<<<1, 1, 0, cudaStreamFireAndForget>>>(&cell, write);
}

// Where the library that answers CUDA's driver API keeps its code, or its own data.
static int* in_the_driver(bool data) {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    void* code = library ? dlsym(library, "cuInit") : nullptr;
    if (!code) return std::fprintf(stderr, "pointers: no driver\n"), std::exit(2), nullptr;
    if (!data) return reinterpret_cast<int*>(reinterpret_cast<std::uintptr_t>(code) & ~std::uintptr_t(63));
    Dl_info info;
    dladdr(code, &info);
    std::ifstream maps("/proc/self/maps");
    char* file = realpath(info.dli_fname, nullptr);
    for (std::string line; std::getline(maps, line);)
        if (line.find(" rw-p ") != std::string::npos && file && line.size() >= std::strlen(file) &&
            line.compare(line.size() - std::strlen(file), std::string::npos, file) == 0)
            return reinterpret_cast<int*>(std::strtoull(line.c_str(), nullptr, 16));
    return std::fprintf(stderr, "pointers: the driver has no data\n"), std::exit(2), nullptr;
}

int main(int count, char** words) {
    std::string name = count > 1 ? words[1] : "";
    bool write = count > 2 && std::strcmp(words[2], "write") == 0;
    int on_the_stack = 5;
    int* p = nullptr;
    if (name == "null") p = nullptr;
    else if (name == "small") p = reinterpret_cast<int*>(8);
    else if (name == "heap") p = static_cast<int*>(std::calloc(1 << 20, sizeof(int)));
    else if (name == "stack") p = &on_the_stack;
    else if (name == "global") p = &of_the_executable;
    else if (name == "driver-code") p = in_the_driver(false);
    else if (name == "driver-data") p = in_the_driver(true);
    else if (name == "stdout") p = reinterpret_cast<int*>(stdout);
    else if (name == "misaligned") {
        CHECK(cudaMalloc(&p, 1 << 20));
        p = reinterpret_cast<int*>(reinterpret_cast<char*>(p) + 2);
    } else if (name == "freed") {
        CHECK(cudaMalloc(&p, 1 << 26));
        CHECK(cudaFree(p));
    } else if (name == "freed-pinned") {
        CHECK(cudaHostAlloc(&p, 1 << 20, cudaHostAllocMapped));
        CHECK(cudaFreeHost(p));
    } else if (name == "unregistered") {
        p = static_cast<int*>(std::aligned_alloc(4096, 1 << 20));
        std::memset(p, 0, 1 << 20);
        CHECK(cudaHostRegister(p, 1 << 20, cudaHostRegisterMapped));
        CHECK(cudaHostUnregister(p));
    } else if (name == "far") p = reinterpret_cast<int*>(std::uintptr_t(1) << 62);

    if (name == "foreign-local") foreign_local<<<1, 64>>>(write);
    else if (name == "foreign-shared") foreign_shared<<<2, 1>>>(write);
    else if (name == "child-shared") child_shared<<<1, 1>>>(write);
    else if (name == "child-local") child_local<<<1, 1>>>(write);
    else access<<<1, 1>>>(p, write);

    cudaError_t launch = cudaGetLastError(), error = cudaDeviceSynchronize();
    int* later;
    cudaError_t then = cudaMalloc(&later, 4);
    std::printf("pointers %s %s launch=%d error=%d %s then=%d alive stack=%d global=%d\n", name.c_str(), write ? "write" : "read",
                int(launch), int(error), cudaGetErrorName(error), int(then), on_the_stack, of_the_executable);
    return 0;
}
