// Much of everything: blocks of one grid, bytes of one allocation, streams in a chain, modules loaded and unloaded again, host threads
// that call from everywhere. Each part verifies what it did; modules must leave no memory behind.
// Usage: limits PART [COUNT]
//
// build: limits -arch=sm_90 -std=c++17 -O2 -Xcompiler -pthread
#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

__global__ void number(unsigned* out) {
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (threadIdx.x == 0) out[block] = block * 3 + 1;
}

// A grid of that many blocks, in one dimension and in three.
static bool blocks(size_t count) {
    unsigned* out;
    CHECK(cudaMalloc(&out, count * sizeof *out));
    unsigned side = 1;
    while (side * side < 65535 && count % (side * 2 * side * 2) == 0) side *= 2;
    bool good = true;
    for (dim3 grid : {dim3(unsigned(count)), dim3(unsigned(count / side / side), side, side)}) {
        CHECK(cudaMemset(out, 0, count * sizeof *out));
        number<<<grid, 32>>>(out);
        CHECK(cudaGetLastError());
        std::vector<unsigned> found(count);
        CHECK(cudaMemcpy(found.data(), out, count * sizeof *out, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < count; ++i) good &= found[i] == i * 3 + 1;
    }
    CHECK(cudaFree(out));
    return good;
}

constexpr size_t STRIDE = 8 << 20;

__global__ void mark(unsigned char* bytes, size_t size, bool* wrong, int seed) {
    size_t at = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * STRIDE + STRIDE - 1;
    if (at >= size) return;
    if (seed == 0) *wrong |= bytes[at] != (unsigned char)(at / STRIDE * 7 + 1);
    else bytes[at] = (unsigned char)(at / STRIDE * 7 + seed);
}

// Two allocations of that many MiB: the last byte of each 8 MiB, from 0 to beyond what 31 bits can number, and copies of both ends.
static bool memory(size_t count) {
    size_t size = count << 20, marks = size / STRIDE;
    unsigned char *first, *second, ends[2];
    bool *wrong, found = true;
    CHECK(cudaMalloc(&first, size));
    CHECK(cudaMalloc(&second, size));
    CHECK(cudaMalloc(&wrong, sizeof *wrong));
    CHECK(cudaMemset(wrong, 0, sizeof *wrong));
    unsigned grid = unsigned((marks + 127) / 128);
    mark<<<grid, 128>>>(first, size, wrong, 1);
    mark<<<grid, 128>>>(second, size, wrong, 2);
    mark<<<grid, 128>>>(first, size, wrong, 0);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&ends[0], second + STRIDE - 1, 1, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&ends[1], second + size - 1, 1, cudaMemcpyDeviceToHost));
    bool good = !found && ends[0] == 2 && ends[1] == (unsigned char)((marks - 1) * 7 + 2);
    size_t free_before, free_after, all;
    CHECK(cudaMemGetInfo(&free_before, &all));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    CHECK(cudaMemGetInfo(&free_after, &all));
    good &= free_after - free_before == 2 * size;
    void* none = nullptr;
    good &= cudaMalloc(&none, all + 1) == cudaErrorMemoryAllocation && none == nullptr && cudaGetLastError() == cudaErrorMemoryAllocation;
    CHECK(cudaFree(wrong));
    return good;
}

__global__ void follow(int* values, int i) { values[i] += 1 + (i > 0 ? values[i - 1] : 0); }

// That many streams, each waiting for an event of the one before: right only if all of them run in a row.
static bool streams(size_t count) {
    std::vector<cudaStream_t> all(count);
    std::vector<cudaEvent_t> events(count);
    int* values;
    CHECK(cudaMalloc(&values, count * sizeof *values));
    CHECK(cudaMemset(values, 0, count * sizeof *values));
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < count; ++i) {
        CHECK(cudaStreamCreateWithFlags(&all[i], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming));
        if (i > 0) CHECK(cudaStreamWaitEvent(all[i], events[i - 1]));
        follow<<<1, 1, 0, all[i]>>>(values, int(i));
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(events[i], all[i]));
    }
    CHECK(cudaStreamSynchronize(all[count - 1]));
    std::vector<int> found(count);
    CHECK(cudaMemcpy(found.data(), values, count * sizeof *values, cudaMemcpyDeviceToHost));
    bool good = true;
    for (size_t i = 0; i < count; ++i) {
        good &= found[i] == int(i) + 1 && cudaEventQuery(events[i]) == cudaSuccess;
        CHECK(cudaEventDestroy(events[i]));
        CHECK(cudaStreamDestroy(all[i]));
    }
    CHECK(cudaFree(values));
    return good;
}

template <class F> F* driver(const char* name) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion(name, &function, 13000, cudaEnableDefault, &result));
    if (function == nullptr) {
        std::fprintf(stderr, "the driver has no %s\n", name);
        std::exit(2);
    }
    return reinterpret_cast<F*>(function);
}

static size_t resident() {
    size_t whole = 0, pages = 0;
    FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr || std::fscanf(file, "%zu %zu", &whole, &pages) != 2) std::exit(2);
    std::fclose(file);
    return pages * 4096;
}

// That many modules, loaded one after the other; every eighth is run. Each has a number of its own, so that none can stand for another.
static bool modules(size_t count) {
    CHECK(cudaFree(nullptr));
    auto load = driver<CUresult(CUmodule*, const void*)>("cuModuleLoadData");
    auto unload = driver<CUresult(CUmodule)>("cuModuleUnload");
    auto get = driver<CUresult(CUfunction*, CUmodule, const char*)>("cuModuleGetFunction");
    auto launch = driver<CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**)>("cuLaunchKernel");
    int *out, found = 0;
    CHECK(cudaMalloc(&out, sizeof *out));
    size_t early = 0;
    for (size_t i = 0; i < count; ++i) {
        std::string text =
            ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 4 .u32 number = " + std::to_string(i) +
            ";\n.visible .entry tell(.param .u64 out) {\n.reg .b32 %r;\n.reg .b64 %rd;\nld.global.u32 %r, [number];\n"
            "add.u32 %r, %r, 1;\nld.param.u64 %rd, [out];\nst.global.u32 [%rd], %r;\nret;\n}\n";
        CUmodule module;
        CUfunction tell;
        if (load(&module, text.c_str()) != CUDA_SUCCESS || get(&tell, module, "tell") != CUDA_SUCCESS) return false;
        if (i % 8 == 0) {
            void* arguments[] = {&out};
            if (launch(tell, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) != CUDA_SUCCESS) return false;
            CHECK(cudaMemcpy(&found, out, sizeof found, cudaMemcpyDeviceToHost));
            if (found != int(i) + 1) return false;
        }
        if (unload(module) != CUDA_SUCCESS) return false;
        if (i == count / 4) early = resident();
    }
    CHECK(cudaFree(out));
    size_t late = resident();
    // What allocators keep back varies; a kilobyte a module would be 75 MB for the last three quarters of 100,000.
    bool flat = late < early + (8 << 20);
    std::printf("resident %s\n", flat ? "flat" : (std::to_string(early) + " then " + std::to_string(late)).c_str());
    return flat;
}

__global__ void scale(int* values, int n, int by) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) values[i] *= by;
}

// That many host threads, each with allocations, streams, events, copies and launches of its own; every third makes errors that
// must stay its own.
static bool threads(size_t count) {
    std::atomic<int> wrong{0};
    auto work = [&](int id) {
        for (int round = 0; round < 40; ++round) {
            int n = 100 + 37 * ((id + round) % 20);
            std::vector<int> host(n);
            for (int i = 0; i < n; ++i) host[i] = i + id;
            cudaStream_t stream;
            cudaEvent_t done;
            int* values;
            CHECK(cudaStreamCreate(&stream));
            CHECK(cudaEventCreate(&done));
            if (round % 2 != 0) CHECK(cudaMallocAsync(&values, n * sizeof(int), stream));
            else CHECK(cudaMalloc(&values, n * sizeof(int)));
            CHECK(cudaMemcpyAsync(values, host.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
            scale<<<1 + round % 4, 64, 0, stream>>>(values, n, 3);
            CHECK(cudaGetLastError());
            if (id % 3 == 0) {
                scale<<<1, 5000, 0, stream>>>(values, n, 100);
                if (cudaPeekAtLastError() != cudaErrorInvalidValue && cudaPeekAtLastError() != cudaErrorInvalidConfiguration) ++wrong;
                cudaGetLastError();
            }
            CHECK(cudaEventRecord(done, stream));
            CHECK(cudaMemcpyAsync(host.data(), values, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
            CHECK(cudaEventSynchronize(done));
            CHECK(round % 3 == 0 ? cudaDeviceSynchronize() : cudaStreamSynchronize(stream));
            for (int i = 0; i < n; ++i) wrong += host[i] != 3 * (i + id);
            if (round % 2 != 0) CHECK(cudaFreeAsync(values, stream));
            else CHECK(cudaFree(values));
            CHECK(cudaEventDestroy(done));
            CHECK(cudaStreamDestroy(stream));
            if (cudaGetLastError() != cudaSuccess) ++wrong;
        }
    };
    std::vector<std::thread> all;
    for (size_t id = 0; id < count; ++id) all.emplace_back(work, int(id));
    for (std::thread& one : all) one.join();
    return wrong == 0;
}

int main(int count, char** arguments) {
    struct {
        const char* name;
        bool (*run)(size_t);
        size_t many;
    } parts[] = {{"blocks", blocks, 1 << 20}, {"memory", memory, 2048}, {"streams", streams, 4096}, {"modules", modules, 100000}, {"threads", threads, 32}};
    for (auto& part : parts) {
        if (count < 2 || std::strcmp(part.name, arguments[1]) != 0) continue;
        size_t many = count > 2 ? std::stoull(arguments[2]) : part.many;
        bool good = many > 0 && part.run(many);
        std::printf("%s %zu %s\n", part.name, many, good ? "ok" : "WRONG");
        return good ? 0 : 1;
    }
    std::fprintf(stderr, "usage: %s blocks|memory|streams|modules|threads [COUNT]\n", arguments[0]);
    return 2;
}
