// A variable of the module, found by its name, which the host overwrites while a kernel may still read it.
#include "../nvrtc.h"

const char* source = R"(
__device__ float factor = 2;
__device__ float result[64];
extern "C" __global__ void scale() {
    result[threadIdx.x] = factor * threadIdx.x;  //~ race/stream
}
)";

int main(int count, char** arguments) {
    start();
    auto options = words(count, arguments);
    Module module = load(compile(source, "variable.cu", options));
    Pointer factor = 0;
    size_t size = 0;
    // Both variables keep their names: nothing is mangled at file scope.
    cu("cuModuleGetGlobal_v2", &factor, &size, module, "factor");
    Stream a = stream();
    launch(kernel(module, "scale"), 1, 64, a);
    cu("cuMemsetD32_v2", factor, 0u, size / 4);  //~ race/stream
    cu("cuCtxSynchronize");
    return verdict(0);
}
