// What cases of programmatic dependent launch share: a launch that may start before the kernel in front of it is complete.
#pragma once
#include "case.h"

inline cudaStream_t stream_of_its_own() {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

template <typename... Parameters, typename... Arguments>
void early(void (*kernel)(Parameters...), int blocks, int threads, cudaStream_t stream, Arguments... arguments) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

// Where a kernel lets the next one start, and where it waits for the one in front.
__device__ inline void trigger() { cudaTriggerProgrammaticLaunchCompletion(); }
__device__ inline void wait() { cudaGridDependencySynchronize(); }
