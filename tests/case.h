// What every case needs: calls that must succeed, arrays of the device, and a verdict.
#pragma once
#include <cstdio>
#include <cstdlib>

inline void must(cudaError_t error, const char* call, int line) {
    if (error == cudaSuccess) return;
    std::printf("line %d: %s: %s\n", line, call, cudaGetErrorName(error));
    std::exit(2);
}

#define CHECK(call) must((call), #call, __LINE__)

// An array of the device, every byte zero before anything that is launched later, in whatever stream.
template <typename T>
T* zeros(int length) {
    T* array;
    CHECK(cudaMalloc(&array, length * sizeof(T)));
    CHECK(cudaMemset(array, 0, length * sizeof(T)));
    CHECK(cudaDeviceSynchronize());
    return array;
}

// How many elements differ from what `expected(i)` says, once everything that was launched has run.
template <typename T, typename Expected>
int wrong(const T* array, int length, Expected expected) {
    CHECK(cudaDeviceSynchronize());
    T* copy = static_cast<T*>(std::malloc(length * sizeof(T)));
    CHECK(cudaMemcpy(copy, array, length * sizeof(T), cudaMemcpyDeviceToHost));
    int count = 0;
    for (int i = 0; i < length; ++i) count += copy[i] != T(expected(i));
    std::free(copy);
    return count;
}

inline int verdict(int wrong) {
    std::printf(wrong ? "%d wrong\n" : "ok\n", wrong);
    return wrong ? 1 : 0;
}
