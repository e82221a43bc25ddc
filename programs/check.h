// Ends the program at the first CUDA call of the host that fails, naming the call.
#pragma once
#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t error, const char* call, const char* file, int line) {
    if (error == cudaSuccess) return;
    std::fflush(stdout);
    std::fprintf(stderr, "%s:%d: %s: %s (%d)\n", file, line, call, cudaGetErrorName(error), int(error));
    std::exit(2);
}

#define CHECK(call) check((call), #call, __FILE__, __LINE__)
