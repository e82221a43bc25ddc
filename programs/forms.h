// The four ways to launch a chain of kernels: in a stream, with programmatic dependent launch, as a captured graph, and as a captured graph whose
// edges are programmatic. The kernels are the same: where nothing was launched programmatically, the trigger and the wait do nothing.
#pragma once
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "check.h"

struct Form {
    const char* name;
    bool programmatic, graph;
};

constexpr Form FORMS[] = {{"serial", false, false}, {"pdl", true, false}, {"graph", false, true}, {"graph-pdl", true, true}};

// Launches kernels of a chain one behind the other.
class Chain {
public:
    Chain(cudaStream_t stream, Form form) : stream_(stream), form_(form) {}

    template <class... Parameters, class... Arguments>
    void launch(void (*kernel)(Parameters...), int blocks, int threads, Arguments... arguments) {
        cudaLaunchConfig_t config = {};
        config.gridDim = blocks;
        config.blockDim = threads;
        config.stream = stream_;
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        config.attrs = &attribute;
        config.numAttrs = form_.programmatic ? 1 : 0;
        CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
        launched_++;
    }

    // Carries out what `emit` launches, `repeat` times.
    void run(int repeat, const std::function<void()>& emit) {
        if (!form_.graph) {
            for (int i = 0; i < repeat; i++) emit();
            return;
        }
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        emit();
        CHECK(cudaStreamEndCapture(stream_, &graph));
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        for (int i = 0; i < repeat; i++) CHECK(cudaGraphLaunch(exec, stream_));
        CHECK(cudaStreamSynchronize(stream_));
        CHECK(cudaGraphExecDestroy(exec));
        CHECK(cudaGraphDestroy(graph));
    }

    int launched() const { return launched_; }

private:
    cudaStream_t stream_;
    Form form_;
    int launched_ = 0;
};

// FNV-1a over the bytes of values.
inline unsigned long long digest(const std::vector<float>& values) {
    unsigned long long hash = 14695981039346656037ull;
    for (float value : values) {
        unsigned char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        for (unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
    }
    return hash;
}

// A number in -1 … 1 that hangs on nothing but these.
__host__ __device__ inline float noise(unsigned seed, unsigned at) {
    unsigned x = at * 2654435761u ^ seed * 40503u;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return float(int(x)) / 2147483648.0f;
}

__device__ inline void trigger() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ inline void wait_for_primary() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// The value of `--name=value`, or what it is without.
inline int option(int count, char** words, const char* name, int otherwise) {
    for (int i = 1; i < count; i++) {
        std::string word = words[i], prefix = std::string("--") + name + "=";
        if (word.rfind(prefix, 0) == 0) return std::atoi(word.c_str() + prefix.size());
    }
    return otherwise;
}

inline std::string option(int count, char** words, const char* name, const char* otherwise) {
    for (int i = 1; i < count; i++) {
        std::string word = words[i], prefix = std::string("--") + name + "=";
        if (word.rfind(prefix, 0) == 0) return word.substr(prefix.size());
    }
    return otherwise;
}
