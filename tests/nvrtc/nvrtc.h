// NVRTC and the driver, both loaded at run time: no header of theirs, no nvcc.
//
// The program's first argument is a word for NVRTC, `-lineinfo` for example, or nothing. HOTFIRE_NVRTC is the path of the library.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

using Function = void*;
using Module = void*;
using Stream = void*;
using Pointer = unsigned long long;

inline void* library(const char* name) {
    void* found = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (!found) {
        std::printf("%s\n", dlerror());
        std::exit(2);
    }
    return found;
}

inline void* driver() {
    static void* loaded = library("libcuda.so.1");
    return loaded;
}

inline void* compiler() {
    const char* path = std::getenv("HOTFIRE_NVRTC");
    static void* loaded = library(path ? path : "libnvrtc.so.12");
    return loaded;
}

// Calls a function that answers 0 if all is well. Arguments must have the types of its parameters.
template <typename... Arguments>
void call(void* library, const char* name, Arguments... arguments) {
    auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
    int error = function ? function(arguments...) : -1;
    if (error) {
        std::printf("%s: %d\n", name, error);
        std::exit(2);
    }
}

template <typename... Arguments>
void cu(const char* name, Arguments... arguments) {
    call(driver(), name, arguments...);
}

// PTX of a source text.
inline std::string compile(const char* source, const char* name, std::vector<const char*> options) {
    void* program = nullptr;
    options.push_back("--gpu-architecture=compute_90");
    const char* const* none = nullptr;
    call(compiler(), "nvrtcCreateProgram", &program, source, name, 0, none, none);
    auto run = reinterpret_cast<int (*)(void*, int, const char* const*)>(dlsym(compiler(), "nvrtcCompileProgram"));
    if (run(program, int(options.size()), options.data())) {
        size_t size = 0;
        call(compiler(), "nvrtcGetProgramLogSize", program, &size);
        std::string log(size, 0);
        call(compiler(), "nvrtcGetProgramLog", program, &log[0]);
        std::printf("%s\n", log.c_str());
        std::exit(2);
    }
    size_t size = 0;
    call(compiler(), "nvrtcGetPTXSize", program, &size);
    std::string ptx(size, 0);
    call(compiler(), "nvrtcGetPTX", program, &ptx[0]);
    return ptx;
}

inline std::vector<const char*> words(int count, char** arguments) {
    return std::vector<const char*>(arguments + 1, arguments + count);
}

// A device with a context.
inline void start() {
    int device = 0;
    void* context = nullptr;
    cu("cuInit", 0u);
    cu("cuDeviceGet", &device, 0);
    cu("cuDevicePrimaryCtxRetain", &context, device);
    cu("cuCtxSetCurrent", context);
}

inline Module load(const std::string& image) {
    Module module = nullptr;
    cu("cuModuleLoadData", &module, image.c_str());
    return module;
}

// What cuLink makes of relocatable PTX.
inline Module link(const std::string& ptx) {
    void *state = nullptr, *image = nullptr;
    size_t size = 0;
    unsigned* options = nullptr;
    void** values = nullptr;
    const int PTX = 1;
    cu("cuLinkCreate_v2", 0u, options, values, &state);
    cu("cuLinkAddData_v2", state, PTX, const_cast<char*>(ptx.c_str()), ptx.size(), "input", 0u, options, values);
    cu("cuLinkComplete", state, &image, &size);
    Module module = nullptr;
    cu("cuModuleLoadData", &module, image);
    cu("cuLinkDestroy", state);
    return module;
}

inline Function kernel(Module module, const char* name) {
    Function found = nullptr;
    cu("cuModuleGetFunction", &found, module, name);
    return found;
}

// Zeroed memory of the device.
inline Pointer zeros(size_t bytes) {
    Pointer memory = 0;
    cu("cuMemAlloc_v2", &memory, bytes);
    cu("cuMemsetD8_v2", memory, static_cast<unsigned char>(0), bytes);
    cu("cuCtxSynchronize");
    return memory;
}

inline Stream stream() {
    Stream made = nullptr;
    cu("cuStreamCreate", &made, 1u);
    return made;
}

template <typename... Arguments>
void launch(Function kernel, unsigned blocks, unsigned threads, Stream stream, Arguments... arguments) {
    void* parameters[] = {&arguments...};
    void** extra = nullptr;
    cu("cuLaunchKernel", kernel, blocks, 1u, 1u, threads, 1u, 1u, 0u, stream, parameters, extra);
}

// How many ints of the device are not what `expected(i)` says.
template <typename Expected>
int wrong(Pointer array, int length, Expected expected) {
    cu("cuCtxSynchronize");
    std::vector<int> copy(length);
    cu("cuMemcpyDtoH_v2", static_cast<void*>(copy.data()), array, length * sizeof(int));
    int count = 0;
    for (int i = 0; i < length; ++i) count += copy[i] != expected(i);
    return count;
}

inline int verdict(int wrong) {
    std::printf(wrong ? "%d wrong\n" : "ok\n", wrong);
    return wrong ? 1 : 0;
}
