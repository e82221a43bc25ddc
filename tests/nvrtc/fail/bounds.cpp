// One thread too many for the array.
#include "../nvrtc.h"

const char* source = R"(
extern "C" __global__ void square(int* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        p[i] = i * i;  //~ memory/bounds
}
)";

int main(int count, char** arguments) {
    start();
    Module module = load(compile(source, "bounds.cu", words(count, arguments)));
    Pointer p = zeros(100 * sizeof(int));
    launch(kernel(module, "square"), 2, 64, nullptr, p, 100);
    cu("cuCtxSynchronize");
    return verdict(0);
}
