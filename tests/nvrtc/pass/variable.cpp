// The twin of fail/variable: the set is behind the kernel in its stream.
#include "../nvrtc.h"

const char* source = R"(
__device__ float factor = 2;
__device__ float result[64];
extern "C" __global__ void scale() {
    result[threadIdx.x] = factor * threadIdx.x;
}
)";

int main(int count, char** arguments) {
    start();
    Module module = load(compile(source, "variable.cu", words(count, arguments)));
    Pointer factor = 0;
    size_t size = 0;
    cu("cuModuleGetGlobal_v2", &factor, &size, module, "factor");
    Stream a = stream();
    launch(kernel(module, "scale"), 1, 64, a);
    cu("cuMemsetD32Async", factor, 0u, size / 4, a);
    return verdict(wrong(factor, 1, [](int) { return 0; }));
}
