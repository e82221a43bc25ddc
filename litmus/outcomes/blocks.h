// Section 2.6: blocks of a grid, which become resident when, and which meet.
#pragma once
#include "test.h"

// So much shared memory that a multiprocessor holds one block.
constexpr int ALONE = 200 << 10;

__device__ int blocks_started, blocks_exited, blocks_failed;
__device__ volatile int passed[256];

__global__ void forget_blocks() {
    if (threadIdx.x == 0) blocks_started = blocks_exited = blocks_failed = 0;
    passed[threadIdx.x] = 0;
}

static void start_over() { forget_blocks<<<1, 256, 0, first>>>(); }

__global__ void each_marks() { leave(blockIdx.x + 1); }

static std::string blocks_in_any_order() {
    each_marks<<<3, 1, 0, first>>>();
    return marks();
}

// The block that starts last looks whether another has exited.
__global__ void more_than_fit() {
    int before = atomicAdd(&blocks_started, 1);
    if (before == gridDim.x - 1) {
        state.code[0] = atomicAdd(&blocks_exited, 0) > 0 ? 1 : 2;
    } else {
        for (unsigned long long start = now(); now() - start < limit && *(volatile int*)&blocks_started < gridDim.x;) {}
    }
    __threadfence();
    atomicAdd(&blocks_exited, 1);
}

static int multiprocessors() {
    int count;
    MUST(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return count;
}

static std::string one_more_than_fits() {
    start_over();
    MUST(cudaFuncSetAttribute(more_than_fit, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    more_than_fit<<<multiprocessors() + 1, 1, ALONE, first>>>();
    int code = code_of(0);
    return code == 1 ? "another had exited" : code == 2 ? "none had exited" : "not all started";
}

__global__ void look_back() {
    if (blockIdx.x > 0 && !wait_for(&passed[blockIdx.x - 1], patience)) atomicAdd(&blocks_failed, 1);
    publish(&passed[blockIdx.x]);
}

__global__ void tell_failed() { state.code[0] = blocks_failed; }

static std::string all_or_not() {
    tell_failed<<<1, 1, 0, first>>>();
    return code_of(0) == 0 ? "all met" : "some waited in vain";
}

static std::string waits_for_lower() {
    start_over();
    MUST(cudaFuncSetAttribute(look_back, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    look_back<<<200, 1, ALONE, first>>>();
    return all_or_not();
}

__global__ void meet() {
    atomicAdd(&blocks_started, 1);
    for (unsigned long long start = now(); *(volatile int*)&blocks_started < gridDim.x;)
        if (now() - start > patience) {
            atomicAdd(&blocks_failed, 1);
            break;
        }
}

static std::string all_that_fit_meet() {
    start_over();
    MUST(cudaFuncSetAttribute(meet, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    meet<<<multiprocessors(), 1, ALONE, first>>>();
    return all_or_not();
}

static cudaLaunchAttribute cooperative() {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    return attribute;
}

static std::string cooperative_meets() {
    start_over();
    MUST(cudaFuncSetAttribute(meet, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    launch_with(shape(multiprocessors(), 32, first, ALONE), {cooperative()}, meet);
    return all_or_not();
}

static std::string cooperative_too_large() {
    MUST(cudaFuncSetAttribute(meet, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    cudaLaunchConfig_t config = shape(multiprocessors() + 1, 32, first, ALONE);
    cudaLaunchAttribute attribute = cooperative();
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaError_t error = cudaLaunchKernelEx(&config, meet);
    cudaGetLastError();
    return cudaGetErrorName(error);
}

__global__ void __cluster_dims__(8, 1, 1) cluster_meet() {
    volatile int* mine = &passed[blockIdx.x / 8];
    atomicAdd((int*)mine, 1);
    for (unsigned long long start = now(); *mine < 8;)
        if (now() - start > patience) {
            atomicAdd(&blocks_failed, 1);
            break;
        }
}

static std::string cluster_meets() {
    start_over();
    cluster_meet<<<64 * 8, 32, 0, first>>>();
    return all_or_not();
}

static std::vector<Test> block_tests() {
    return {
        {"2.6", "blocks-in-any-order", blocks_in_any_order, "order 1 2 3"},
        {"2.6", "one-more-than-fits", one_more_than_fits, "another had exited"},
        {"2.6", "waits-for-lower-block", waits_for_lower, "all met"},
        {"2.6", "all-that-fit-meet", all_that_fit_meet, "all met"},
        {"2.6", "cooperative-meets", cooperative_meets, "all met"},
        {"2.6", "cooperative-too-large", cooperative_too_large, "cudaErrorCooperativeLaunchTooLarge"},
        {"2.6", "cluster-meets", cluster_meets, "all met"},
    };
}
